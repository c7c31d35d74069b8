extends "store_base.gd"
## The methods that save files leave a store alone, open or closed, with all that its journal has.

const STAYS := "a store is there, and stays as it is"


func test_files_do_not_replace_stores() -> void:
	var source := folder + "/source"
	check_int(VarBatch.save_var(source, 1), OK, "saving")
	for is_refused: bool in [false, true]:
		open_with({"gold": 7})
		if is_refused:
			logged(call_method.bind(&"load_var", [path]))
		_check_refused(source)
		check_int(store.save_var("silver", 8), OK, "a save of the store")
		# As a game leaves both that was killed.
		var left := folder + "/left"
		for end: String in ["", "-wal"]:
			write(left + end, FileAccess.get_file_as_bytes(path + end))
		check_int(store.close(), OK, "close")
		_check_refused(source)
		check_int(VarBatchStore.remove(path), OK, "remove")
		check_int(VarBatchStore.rename(left, path) if is_refused else DirAccess.rename_absolute(left, path), OK, "rename")
		if not is_refused:
			DirAccess.rename_absolute(left + "-wal", path + "-wal")
		_check_refused(source)
		store = open()
		check_value(store.load_vars(["gold", "silver"]), [7, 8], "what was saved")
		check_int(store.close(), OK, "close")
		check_names(["saved.bin", "source"], "all files")
		check_int(VarBatchStore.remove(path), OK, "remove")
		check_int(VarBatch.save_var(path, "a file"), OK, "a file in its place")
		check_value(VarBatch.load_var(path), "a file", "a file in its place")
		DirAccess.remove_absolute(path)


func test_backups_do_not_replace_stores() -> void:
	var saved := folder + "/world"
	check_int(VarBatch.save_var(saved, 1), OK, "saving")
	store = VarBatchStore.open(saved + ".bak")
	check_int(store.save_var("gold", 7), OK, "a save of the store")
	for is_open: bool in [true, false]:
		check_forms("save_var", [saved, 2, false, -1, null, true], ERR_FILE_UNRECOGNIZED, ERR_FILE_UNRECOGNIZED,
				["a store has the name of the backup, and stays as it is; VarBatchStore.rename() gives"])
		check_int(store.close(), OK, "close")
	check_int(VarBatch.save_var(saved, 2), OK, "without a backup")
	check_value(VarBatchStore.open(saved + ".bak").load_var("gold"), 7, "what was saved")


## What was saved last is in the journal that a killed game leaves.
func test_files_do_not_replace_journals() -> void:
	open_with({"gold": 7})
	check_int(store.close(), OK, "close")
	open_with({"gold": 8})
	var left := folder + "/left"
	for end: String in ["", "-wal"]:
		write(left + end, FileAccess.get_file_as_bytes(path + end))
	var names := DirAccess.get_files_at(folder)
	const CODE := ERR_FILE_UNRECOGNIZED
	for end: String in ["-wal", "-journal", "-shm", "-lock", "-varbatch-new", "-varbatch-copy"]:
		for at: String in [path, left]:
			check_forms("save_var", [at + end, 1], CODE, CODE, ["the store beside it needs a file of that name; VarBatchStore.rename() gives"])
			check_forms("append_vars", [at + end, [1]], CODE, CODE, ["the store beside it needs a file of that name"])
	check_value(DirAccess.get_files_at(folder), names, "names")
	check_int(store.close(), OK, "close")
	for at: String in [path, left]:
		check_value(open(at).load_var("gold"), 8, "what was saved")
	check_int(VarBatch.save_var(folder + "/other-wal", 1), OK, "where no store is")


## As a game gets the database of another library, or a store that was copied to another machine.
func test_bytes_of_databases() -> void:
	var database := "SQLite format 3".to_ascii_buffer() + filled_bytes(4081)
	for turn: int in 3:
		check_int(VarBatch.save_bytes(folder + "/other", database), OK, "a database of another library")
	store = open()
	check_int(store.close(), OK, "close")
	var bytes := FileAccess.get_file_as_bytes(path)
	check_int(VarBatchStore.remove(path), OK, "remove")
	check_int(VarBatch.save_bytes(path, bytes), OK, "where none is")
	store = open()
	_check_refused(folder + "/other")
	check_int(store.close(), OK, "close")


func _check_refused(source: String) -> void:
	var names := DirAccess.get_files_at(folder)
	const CODE := ERR_FILE_UNRECOGNIZED
	var started := Time.get_ticks_msec()
	for keeps_backup: bool in [false, true]:
		check_forms("save_var", [path, 1, false, -1, null, keeps_backup], CODE, CODE, [STAYS + "; VarBatchStore.rename() gives"])
		check_forms("save_bytes", [path, PackedByteArray([1]), -1, null, keeps_backup], CODE, CODE, [STAYS])
	check_forms("append_vars", [path, [1]], CODE, CODE, [STAYS])
	check_call(&"transcode_file", [source, path, GODOT_4, GODOT_3], CODE, ["..." + STAYS + "..."], CODE)
	check_time(started, 1000, "what is refused")
	check_value(DirAccess.get_files_at(folder), names, "names")

extends "files_base.gd"
## Backups: the file that a save replaced, which is loaded if the new one is damaged, and of which one
## warning tells. Kills and power cuts are in crash_game.gd and rust/storage/tests/unit.

const INSTEAD := WARNING + 'loaded the backup "%s.bak" instead: '

var _bak := path + ".bak"


func test_a_backup_is_loaded_with_one_warning() -> void:
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "pass"]]:
		var key: Variant = stored_as[1]
		for i: int in 4:
			var arguments: Array = [path, {"level": i}, false] + stored_as + [true]
			var form := "save_var" + ("_async" if i % 2 else "")
			check_int(call_and_wait(form, arguments) as int, OK, "saving")
		check_names([path.get_file(), _bak.get_file()], "a save and its backup")
		check_value(VarBatch.load_var(path, 5, false, key), {"level": 3}, "the newest")
		var good := FileAccess.get_file_as_bytes(path)
		var backup := FileAccess.get_file_as_bytes(_bak)
		for length: int in range(0, good.size(), 3):
			write(path, good.slice(0, length))
			for form: String in ["load_var", "load_var_async"]:
				var lines: PackedStringArray = [INSTEAD % path + "..."]
				check_call(form, [path, 5, false, key], {"level": 2}, lines)
			for other: PackedByteArray in [backup.slice(0, -1), "other".to_utf8_buffer()]:
				write(_bak, other)
				var lines := "".join(logged(func() -> void: VarBatch.load_var(path, 5, false, key)))
				check(("%s.bak" % path) not in lines and lines, "lines: " + lines)
			write(_bak, backup)
		# A game deletes a save by its name.
		DirAccess.remove_absolute(path)
		check_value(VarBatch.load_var(path, 5, false, key), 5, "a deleted save")
		_remove()


## A game that forgot to close its file, which Windows does not replace then.
func test_the_old_file_is_open() -> void:
	for keeps_backup: bool in [false, true]:
		check_int(VarBatch.save_var(path, "the old value, which is longer"), OK, "saving")
		var reader := FileAccess.open(path, FileAccess.READ)
		var started := Time.get_ticks_msec()
		check_int(VarBatch.save_var(path, "new", false, -1, null, keeps_backup), OK, "saving over an open file")
		check(Time.get_ticks_msec() - started < 500 * slowness, "it was waited for")
		check_value(VarBatch.load_var(path), "new", "while it is open")
		reader.close()
		check_value(VarBatch.load_var(path), "new", "when it is closed")
		check_value(VarBatch.load_var(_bak), "the old value, which is longer" if keeps_backup else null, "the backup")
	_remove()
	check_names([], "an open file")


## Objects that nobody may make are no damage.
func test_what_is_no_damage() -> void:
	check_int(VarBatch.save_var(path, "old"), OK, "saving")
	check_int(VarBatch.save_var(path, Curve2D.new(), true, -1, null, true), OK, "saving an object")
	check_forms("load_var", [path, 5], 5, ERR_INVALID_DATA, ['"%s": value 0: expected no obj' % path])
	_remove()
	check_int(VarBatch.save_var(_bak, "old", false, -1, "pass"), OK, "saving")
	check_value(VarBatch.load_var(path, 5, false, "other"), 5, "a backup with another key")
	check_int(VarBatch.get_last_error(), ERR_FILE_NOT_FOUND, "its error")


func test_a_folder_that_is_missing() -> void:
	var to := folder + "/some/where/x.bin"
	var text := '; DirAccess.make_dir_recursive_absolute("%s") makes it' % to.get_base_dir()
	for method: String in ["save_vars", "append_vars"]:
		check_forms(method, [to, [1]], ERR_FILE_NOT_FOUND, ERR_FILE_NOT_FOUND, [text])


func _remove() -> void:
	DirAccess.remove_absolute(path)
	DirAccess.remove_absolute(_bak)

extends "store_base.gd"
## A journal belongs to one file; and what becomes of a store that is moved, removed, copied or replaced.

const MOVED := "the file was moved, removed, or written by another program"
const SET_ASIDE := "the journal that lay beside it is damaged, or that of another file"


func world(generation: int, count := 200) -> Dictionary:
	var values := Values.keyed(range(count), func(i: int) -> Array: return [generation, i, "x".repeat(300)])
	return values.merged({"generation": generation})


## Saves generations 1 to 3, the last one of few keys, and leaves the file and the journal at another path as a kill
## does. Returns the bytes of the closed file of generation 1.
func killed(at: String) -> PackedByteArray:
	var source := folder + "/source.store"
	store = open(source)
	check_int(store.save_vars(world(1)), OK, "generation 1")
	check_int(store.close(), OK, "close")
	var first := FileAccess.get_file_as_bytes(source)
	store = open(source)
	check_int(store.save_vars(world(2)), OK, "generation 2")
	check_int(store.save_vars(world(3, 20)), OK, "generation 3")
	for end: String in ["", "-wal"]:
		check_int(DirAccess.copy_absolute(source + end, at + end), OK, "copy")
	check_int(store.close() + VarBatchStore.remove(source), OK, "close and remove the source")
	store = null
	return first


func generations(at := path) -> Dictionary:
	var found := {}
	var other := open(at)
	for value: Array in other.load_vars(range(200)).filter(func(value: Variant) -> bool: return value != null):
		found[value[0]] = found.get(value[0], 0) + 1
	found["said"] = other.load_var("generation")
	check_int(other.close(), OK, "close")
	return found


func test_a_killed_game_loses_nothing() -> void:
	killed(path)
	check_value(generations(), {3: 20, 2: 180, "said": 3}, "what was saved")
	check_names([path.get_file()], "what is left")


## Any file with any journal: journals.rs of the store's tests.
func test_an_old_copy_is_put_back() -> void:
	write(path, killed(path))
	var journal := FileAccess.get_file_as_bytes(path + "-wal")
	check_value(expect_logged(generations, 0, 1, SET_ASIDE), {1: 200, "said": 1}, "the copy")
	check_bytes(FileAccess.get_file_as_bytes(path + "-wal-set-aside-1"), journal, "the journal")


## What else a player does to them: moved.rs of the store's tests.
func test_moved_while_open() -> void:
	if not is_unix():
		return
	var other := folder + "/other.store"
	for is_replaced: bool in [false, true]:
		store = open(other)
		check_int(store.save_vars(world(5)), OK, "save another")
		check_int(store.close(), OK, "close it")
		store = open()
		check_int(store.save_vars(world(2)), OK, "save")
		DirAccess.rename_absolute(other if is_replaced else path, path if is_replaced else folder + "/renamed.store")
		for i: int in 3:
			expect_errors(store.save_var.bind("late", i), 1, MOVED, ERR_FILE_BAD_DRIVE)
		expect_errors(func() -> Variant: return store.save_vars_async({"late": 1}).wait(), 1, MOVED)
		if is_replaced:
			expect_errors(store.close, 1, MOVED)
			check_value(quietly(generations), {5: 200, "said": 5}, "the other")
		else:
			check_value(store.load_var(3), [2, 3, "x".repeat(300)], "a load")
			check_int(store.close(), OK, "close")
			check_value(generations(folder + "/renamed.store"), {2: 200, "said": 2}, "the renamed one")


## Also Callables, which static methods are not.
func remove(at: String) -> int:
	return VarBatchStore.remove(at)


func rename_store(from: String, to: String) -> int:
	return VarBatchStore.rename(from, to)


func test_remove_and_rename() -> void:
	killed(path)
	var to := folder + "/renamed.store"
	check_int(VarBatchStore.rename(path, to), OK, "rename")
	check_names([to.get_file()], "renamed")
	check_value(generations(to), {3: 20, 2: 180, "said": 3}, "with its journal")
	write(path, "a text".to_utf8_buffer())
	expect_errors(rename_store.bind(to, path), 1, "a file is there already", ERR_ALREADY_EXISTS)
	expect_errors(remove.bind(path), 1, "it is not a store", ERR_FILE_UNRECOGNIZED)
	expect_errors(remove.bind(folder + "/none.store"), 1, "none.store", ERR_FILE_NOT_FOUND)
	expect_errors(rename_store.bind(to, to), 1, "a file is there already", ERR_ALREADY_EXISTS)
	expect_errors(rename_store.bind(to, folder + "/none/b.store"), 1, "its folder does not exist", ERR_FILE_NOT_FOUND)
	store = open(to)
	for action: Callable in [remove.bind(to), rename_store.bind(to, folder + "/b.store")]:
		expect_errors(action, 1, "has it open", ERR_BUSY)
	check_int(store.close(), OK, "close")
	check_int(VarBatchStore.remove(to), OK, "remove")
	check_names([path.get_file()], "removed")


func test_rename_and_remove_tell() -> void:
	killed(path)
	var journal := FileAccess.get_file_as_bytes(path + "-wal")
	DirAccess.remove_absolute(path + "-wal")
	var to := folder + "/renamed.store"
	check_int(VarBatchStore.rename(path, to), OK, "rename")
	store = expect_errors(open.bind(to), 1, "what was saved last")
	check_int(store.save_var("new", 1), OK, "save")
	check_int(store.close(), OK, "close")
	write(to + "-wal", journal)
	check_int(expect_logged(rename_store.bind(to, path), 0, 1, SET_ASIDE) as int, OK, "rename")
	write(path + "-wal", journal)
	check_int(expect_logged(remove.bind(path), 0, 1, SET_ASIDE) as int, OK, "remove")
	check_names(["renamed.store-wal-set-aside-1", "saved.bin-wal-set-aside-1"], "what is left")


func test_one_name_for_two() -> void:
	for turn: int in 20:
		for i: int in 2:
			killed("%s.%d" % [path, i])
		var opened: Array = []
		var work := func(index: int) -> int:
			if index < 2:
				VarBatch.set_print_error_messages(false)
				return VarBatchStore.rename("%s.%d" % [path, index], path)
			var other := VarBatchStore.open(path)
			return other.save_var("mine", turn) + other.close()
		var ends := end_threads(start_threads(3, work))
		check_int(ends[2] as int, OK, "close")
		check(ends.slice(0, 2).count(OK) <= 1, "both have the name: %s" % [ends])
		var stores: Array = ["", ".0", ".1"].filter(func(end: String) -> bool: return FileAccess.file_exists(path + end))
		check_int(stores.size(), 3 if ends.count(OK) == 1 else 2, "stores, of results %s" % [ends])
		store = open()
		check_value(store.load_var("mine"), turn, "what was saved")
		store = null
		for name: String in DirAccess.get_files_at(folder):
			DirAccess.remove_absolute(folder + "/" + name)


func test_backup() -> void:
	open_with(world(1))
	var to := folder + "/backup.store"
	for generation: int in [2, 3]:
		check_int(store.save_vars(world(generation)), OK, "save")
		store.save_vars_async({"queued": generation})
		var task := store.backup_async(to)
		check_int(store.save_vars(world(9)), OK, "a save meanwhile")
		check_int(task.wait() as int, OK, "backup")
		check_value(generations(to), {generation: 200, "said": generation}, "the copy")
	var copy := open(to)
	check_value([copy.load_var("queued"), copy.get_key_count()], [3, 202], "what was called before")
	expect_errors(func() -> Variant: return store.backup_async(to).wait(), 1, "has it open")
	copy = null
	write(folder + "/text", "a text".to_utf8_buffer())
	var refused := func() -> Variant: return store.backup_async(folder + "/text").wait()
	check_int(expect_errors(refused, 1, "a file is there already") as int, ERR_ALREADY_EXISTS, "another file")
	check_int(FileAccess.get_file_as_bytes(folder + "/text").size(), 6, "the text")
	for bad: String in ["", folder + "/none/b.store"]:
		expect_errors(func() -> Variant: return store.backup_async(bad).wait(), 1, "none/b" if bad else "an empty one")
	var task := store.backup_async(folder + "/late.store")
	check_int(store.close(), OK, "close waits for it")
	check_int(task.get_result() as int, OK, "the late copy")
	check_value(generations(folder + "/late.store"), {9: 200, "said": 9}, "the late copy")


## A thread starts copies while this one closes, opens and replaces the file: none waits for the other for ever.
func test_backups_of_another_thread() -> void:
	open_with(world(1))
	var to := folder + "/backup.store"
	var work := func(_index: int) -> int:
		for i: int in 40:
			store.backup_async(to)
		return 0
	var turn := 0
	var threads := start_threads(1, work)
	while any_alive(threads):
		turn += 1
		match turn % 3:
			0:
				check_int(store.erase_all(), OK, "erase all")
			1:
				check(quietly(open.bind(path)) == null, "opened twice")
			2:
				check_int(store.save_var("generation", turn), OK, "save")
	end_threads(threads)
	close_and_open()
	check(store != null, "opened again")


func test_paths() -> void:
	for bad: String in ["", "uid://x"]:
		check(quietly(open.bind(bad)) == null, "it opened \"%s\"" % bad)
		check_int(VarBatch.get_last_error(), ERR_FILE_NOT_FOUND, "\"%s\"" % bad)
	var name := folder + "/" + "n".repeat(240)
	expect_errors(open.bind(name), 1, "expected a name of at most")


func test_opened_again() -> void:
	for i: int in 20:
		store = open()
		check(store != null, "opened again")
		store.save_vars_async({1: Packed.make(TYPE_PACKED_BYTE_ARRAY, 12_000_000), 2: i})
		store = null
		open_with({3: Packed.make(TYPE_PACKED_BYTE_ARRAY, 12_000_000)})
		check_value(store.load_var(2), i, "what was saved before")
		store = null

extends "store_base.gd"
## What a VarBatchStore holds after each call, and after it was opened again.

const Item := preload("../support/saved_item.gd")

const MODES: PackedInt32Array = [VarBatch.COMPRESSION_NONE, FileAccess.COMPRESSION_ZSTD]
## Of which Engines has values.
const TEXTS_AND_CONTAINERS: PackedInt32Array = [
	TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH, TYPE_DICTIONARY, TYPE_ARRAY
]


func test_every_value() -> void:
	var values := {}
	for type: int in TYPE_MAX:
		var found: Array = [type_convert(null, type)] if not type in TEXTS_AND_CONTAINERS else Engines.of(type)
		found += [Packed.make(type, 5000)] if type >= TYPE_PACKED_BYTE_ARRAY else []
		for value: Variant in found:
			# Stand-ins for objects have other IDs each time.
			var bytes := var_to_bytes(value)
			if var_to_bytes(bytes_to_var(bytes)) == var_to_bytes(bytes_to_var(bytes)):
				values[bytes] = value
	for type: int in TYPE_MAX:
		if not type in [TYPE_OBJECT, TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID, TYPE_STRING_NAME]:
			values[type_convert(null, type)] = type
	var keys := values.keys()
	for mode: int in MODES:
		for _count: int in by_threads():
			store = open(path, mode)
			check_int(store.erase_all(), OK, "erase all")
			check_int(quietly(store.save_vars.bind(values)) as int, OK, "save")
			for turn: String in ["before it is closed", "after"]:
				var loaded := store.load_vars(keys)
				var later: Array = store.load_vars_async(keys).wait()
				for i: int in keys.size():
					var expected := var_to_bytes(bytes_to_var(var_to_bytes(values[keys[i]])))
					for found: Variant in [loaded[i], later[i], store.load_var(keys[i])]:
						check_bytes(var_to_bytes(found), expected, "value of %s, %s" % [keys[i], turn])
				store.close()
				store = open()
			check_int(store.get_key_count(), values.size(), "keys")
			store.close()


func test_keys() -> void:
	store = open()
	var keys: Array = [null, false, 1, 1.0, "", "a", Vector2(), Vector2i(), ^"a", {1: [2]}, []]
	for i: int in keys.size():
		check_int(store.save_var(keys[i], i), OK, "save %s" % [keys[i]])
	check_value(store.load_vars(keys + [2, "b"]), range(keys.size()) + [null, null], "each has a value of its own")
	check_value(store.get_keys().map(var_to_bytes), keys.map(var_to_bytes), "all keys, sorted by type and value")
	check_value(store.load_var("b", "default"), "default", "no key")
	check_value(store.load_var(null, "default"), 0, "the key null")
	check(store.has_key(&"a") and not store.has_key(&"b") and store.has_key(-0.0) == store.has_key(0.0), "has_key")
	check_int(store.erase_keys([&"a", "b", 1.0, 1.0]), OK, "erase")
	check(not store.has_key("a") and store.has_key(^"a") and store.has_key(1), "the others stay")
	check_int(store.get_key_count(), keys.size() - 2, "keys that are left")
	for key: Variant in [self, [self], Callable(self, &"open"), renamed, rid_from_int64(7)]:
		var expected := "expected a key without objects, Callables, Signals and RIDs, found "
		for action: Callable in [store.save_var.bind(key, 1), store.load_var.bind(key), store.has_key.bind(key)]:
			expect_errors(action, 1, expected, ERR_INVALID_PARAMETER)
		var in_background: Array[Callable] = [store.load_vars_async.bind([key]), store.get_keys_async.bind(key)]
		for action: Callable in in_background:
			var result: Variant = expect_errors(func() -> Variant: return (action.call() as VarBatchTask).wait(), 1, expected)
			check_value(result, [], "the result of a task with a key that is none")


func test_all_or_nothing() -> void:
	open_with({1: "one", 2: "two"})
	check_int(store.save_vars({2: "new", 3: "three"}, [1, 2, 4]), OK, "erase and save")
	check_value(store.load_vars([1, 2, 3]), [null, "new", "three"], "erased before it is saved")
	var deep := Engines.nested(1100)
	for method: String in ["save_vars", "save_vars_async"]:
		var save := func() -> int: return waited(store.call(method, {3: 3, "deep": deep}, [2]))
		var line := 'VarBatchStore.%s: "%s": key "deep": ' % [method, path]
		check_int(expect_errors(save, 1, line) as int, ERR_INVALID_DATA, "too deep")
	check_value(store.load_vars([2, 3, "deep"]), ["new", "three", null], "as it was")


func test_what_is_lost() -> void:
	store = open()
	var line := 'VarBatchStore.save_vars: "%s": saved only the IDs of 2 objects; the first is key "at"["of"]; pass' % path
	expect_logged(store.save_vars.bind({"no": 1, "at": {"of": self}, "to": self}), 0, 1, line)


func test_objects() -> void:
	var item := Item.new()
	item.number = 7
	open_with({"item": item, "other": 5}, true)
	check_int((store.load_var("item", null, [Item]) as Item).number, 7, "the object")
	var both: Array = store.load_vars_async(["other", "item", "none"], [Item]).wait()
	check(both[0] == 5 and (both[1] as Item).number == 7 and both[2] == null, "in the background")
	var made := Item.made
	var line := 'VarBatchStore.load_vars: "%s": key "item": ' % path
	check_value(expect_errors(store.load_vars.bind(["item", "other"]), 1, line, ERR_INVALID_DATA), [null, 5], "not allowed")
	check_value(quietly(store.load_var.bind("item", "default")), "default", "not allowed, one")
	check_int(Item.made, made, "objects made of what is not allowed")


func test_the_file_is_closed() -> void:
	open_with({1: "one"})
	check_int(store.save_var(1, "two"), OK, "save again")
	check_value(store.get_path(), path, "its path")
	var other: VarBatchStore = expect_errors(open.bind(path), 1, "another program has it open")
	check(other == null and VarBatch.get_last_error() == ERR_BUSY, "opened twice")
	store.close()
	check_value(DirAccess.get_files_at(folder), PackedStringArray([path.get_file()]), "files after close()")
	for action: Callable in [store.save_var.bind(1, 1), store.load_var.bind(1), store.get_keys, store.has_key.bind(1)]:
		expect_errors(action, 1, '"%s": it is closed; open it again' % path, ERR_UNCONFIGURED)
	store.close()
	check_int(VarBatch.get_last_error(), OK, "closed twice")
	# The last reference, while a call is still under way.
	store = open()
	var task := store.save_vars_async({1: "three", 2: Packed.make(TYPE_PACKED_BYTE_ARRAY, 3_000_000)})
	store = null
	store = open()
	check_value([store.load_var(1), task.get_result()], ["three", OK], "what was saved before it was opened")
	store = null
	check_value(DirAccess.get_files_at(folder), PackedStringArray([path.get_file()]), "files after the last reference")


func test_other_files() -> void:
	write(path, "a text of some other program, which must stay as it is".to_utf8_buffer())
	check_refused(path, ERR_FILE_UNRECOGNIZED, "it is no SQLite file")
	check_int(FileAccess.get_file_as_bytes(path).size(), 54, "the other file")
	var refused := {folder: "it is a folder", path + "/a/b": "a part of the path is no folder"}
	refused[folder + "/" + "n/".repeat(2500) + "x"] = "no file can have such a name"
	refused[folder + "/" + "n".repeat(240)] = "expected a name of at most"
	for bad: String in refused if OS.get_name() != "Windows" else {folder: "it is a folder"}:
		check_refused(bad, ERR_FILE_CANT_OPEN, refused[bad] as String)
		_check_unmoved(bad, ERR_FILE_CANT_OPEN, refused[bad] as String)
	_check_unmoved(folder + "/none", ERR_FILE_NOT_FOUND, "there is no such file")
	check_refused(folder + "/a/b.store", ERR_FILE_NOT_FOUND, 'DirAccess.make_dir_recursive_absolute("%s/a")' % folder)
	for mode: int in [-2, FileAccess.COMPRESSION_FASTLZ, FileAccess.COMPRESSION_GZIP, 9]:
		expect_errors(open.bind(folder + "/new.store", mode), 1, "as the compression mode, found %d" % mode)
	# SQLite's application_id and user_version.
	for at: int in [68, 60]:
		DirAccess.remove_absolute(path)
		open_with({1: 2})
		store.close()
		var bytes := FileAccess.get_file_as_bytes(path)
		bytes[at + 3] += 1
		write(path, bytes)
		check_refused(path, ERR_FILE_UNRECOGNIZED, "another program" if at == 68 else "another VarBatch wrote it")


func check_refused(at: String, code: int, text: String) -> void:
	check(expect_errors(open.bind(at), 1, text, code) == null, "it was opened: %s" % at)


func _check_unmoved(at: String, code: int, text: String) -> void:
	for call: Array in [[&"remove", at], [&"rename", at, path + ".new"]]:
		var action := ClassDB.callv.bind(&"class_call_static", [&"VarBatchStore"] + call)
		check_int(expect_errors(action, 1, text) as int, code, at.left(99))


func test_damage() -> void:
	var values := Values.keyed(range(20), func(key: int) -> PackedByteArray: return filled_bytes(3000, 100 + key))
	open_with(values)
	store.close()
	const KEY := 7
	var bytes := FileAccess.get_file_as_bytes(path)
	# There may be old copies in pages.
	for at: int in range(8192, bytes.size(), 500):
		bytes[at] = 0 if bytes[at] == 100 + KEY else bytes[at]
	write(path, bytes)
	store = open()
	var line := 'VarBatchStore.load_vars: "%s": key %d: the value is damaged: its checksum differs' % [path, KEY]
	var found: Array = expect_errors(store.load_vars.bind(values.keys()), 1, line, ERR_FILE_CORRUPT)
	for other: int in 20:
		check_value(found[other], null if other == KEY else values[other], "value of %d" % other)
	check_value(quietly(store.load_var.bind(KEY, "default")), "default", "a damaged one")
	check_int(store.save_var(KEY, "mended"), OK, "save it again")
	check_value(store.load_var(KEY), "mended", "saved again")


func test_calls_after_a_copy() -> void:
	open_with({0: filled_bytes(20_000_000, 1), 1: 1})
	var copy := folder + "/copy.store"
	store.backup_async(copy)
	check_int(VarBatchStore.remove(copy), OK, "remove")
	check(not FileAccess.file_exists(copy), "the copy was removed")
	store.backup_async(copy)
	check_int(VarBatchStore.rename(copy, folder + "/other.store"), OK, "rename")
	store.backup_async(copy)
	var opened := open(copy)
	check_value(opened.load_var(1), 1, "the copy is open")
	check_value(open(folder + "/other.store").load_var(1), 1, "the one before has another name")
	# Two stores, each copied over the other, and one over itself.
	var tasks := [store.backup_async(copy), opened.backup_async(path), store.backup_async(path)]
	for task: VarBatchTask in tasks:
		check_int(expect_errors(task.wait, 1, "has it open") as int, ERR_BUSY, "one that is open")


## A copy finds what calls to its path have left that were made before: a file is no store, so it stays.
func test_calls_before_a_copy() -> void:
	for _count: int in by_threads():
		open_with({1: 1})
		var long := filled_bytes(30_000_000, 1)
		var to := folder + "/other"
		for call: Array in [[&"save_var_async", to, long], [&"append_vars_async", to, [long]]]:
			var first: VarBatchTask = call_method(call[0] as StringName, call.slice(1))
			var copy := store.backup_async(to)
			check_int(expect_errors(copy.wait, 1, "a file is there already") as int, ERR_ALREADY_EXISTS, "the copy")
			end_saves([first])
			check_value(VarBatch.load_vars(to), [long], "the file")
			check_int(DirAccess.remove_absolute(to), OK, "remove")
		store.close()


func test_room_of_a_save_that_is_cancelled() -> void:
	for is_new: bool in [false, true]:
		store = open()
		if not is_new:
			check_int(store.save_var("kept", 1), OK, "save")
		var task := store.save_vars_async(Values.keyed(range(60), func(key: int) -> PackedByteArray: return filled_bytes(1_000_000, key)))
		while FileAccess.get_size(path + "-wal") < 10_000_000 and not task.is_finished():
			OS.delay_usec(100)
		task.cancel()
		if task.wait() == ERR_SKIP:
			var left := FileAccess.get_size(path + "-wal")
			check(left < 1_000_000, "the journal has %d bytes" % left)
			check_value(store.get_keys(), [] if is_new else ["kept"], "keys")
			check_int(store.save_var("kept", 2), OK, "a save")
		check_int(store.close(), OK, "close")
		check_int(VarBatchStore.remove(path), OK, "remove")


## What is moved gets into the file on the way, as the disk may not have room for all of it.
func test_compact() -> void:
	open_with(Values.keyed(range(3000), func(key: int) -> PackedByteArray: return filled_bytes(16_000, key)))
	close_and_open()
	var before := FileAccess.get_size(path)
	check_int(store.erase_range(0, 1500), OK, "erase")
	check_int(store.compact_async().wait() as int, OK, "compact")
	var journal := FileAccess.get_size(path + "-wal")
	check(journal < 14_000_000, "the journal has %d bytes" % journal)
	check(FileAccess.get_size(path) < before * 0.6, "the file has %d of %d bytes" % [FileAccess.get_size(path), before])
	check_int(store.get_key_count(), 1500, "keys")
	check_value(store.load_vars([1499, 1500]), [null, filled_bytes(16_000, 1500)], "what is left")

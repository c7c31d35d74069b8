extends "files_base.gd"
## Backups: the file that a save replaced, which is loaded if the new one is damaged, and of which one
## warning tells. Kills and power cuts are in crash_game.gd and rust/storage/tests/unit.


func test_a_backup_is_loaded_with_one_warning() -> void:
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "pass"]]:
		var key: Variant = stored_as[1]
		for i: int in 4:
			var form := "save_var" + ("_async" if i % 2 else "")
			check_int(call_and_wait(form, [path, {"level": i}, false] + stored_as + [true]) as int, OK, "saving")
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
		DirAccess.remove_absolute(path)
		check_value(VarBatch.load_var(path, 5, false, key), 5, "a deleted save")
		_remove()


## A game that forgot to close its file, which Windows does not replace then.
func test_the_old_file_is_open() -> void:
	for keeps_backup: bool in [false, true]:
		check_int(VarBatch.save_var(path, "the old value, which is longer"), OK, "saving")
		var reader := FileAccess.open(path, FileAccess.READ)
		var arguments: Array = [path, "new", false, -1, null, keeps_backup]
		if OS.get_name() == "Windows":
			var code := ERR_FILE_ALREADY_IN_USE
			check_forms("save_var", arguments, code, code, ["close it first"])
			reader.close()
		check_int(call_method("save_var", arguments) as int, OK, "saving over an open file")
		check_value(VarBatch.load_var(path), "new", "while it is open")
		reader.close()
		check_value(VarBatch.load_var(path), "new", "when it is closed")
		check_value(VarBatch.load_var(_bak), "the old value, which is longer" if keeps_backup else null, "the backup")
	_remove()
	check_names([], "an open file")


func test_only_a_whole_file_becomes_the_backup() -> void:
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "pass"]]:
		var key: Variant = stored_as[1]
		var save := func(day: int, form := "") -> Variant:
			return call_and_wait("save_var" + form, [path, {"day": day}, false] + stored_as + [true])
		for form: String in ["", "_async"]:
			for day: int in [1, 2]:
				check_int(save.call(day, form) as int, OK, "saving")
			var damaged := _flip()
			check_call("load_var" + form, [path, 5, false, key], {"day": 1}, [INSTEAD % path + "..."])
			check_int(VarBatch.get_last_error(), OK, "loading the backup")
			expect_logged(save.bind(3, form), 0, 1, 'is kept as "%s.set-aside"' % path.get_file())
			check_bytes(FileAccess.get_file_as_bytes(path + ".set-aside"), damaged, "what was set aside")
			check_value(VarBatch.load_var(_bak, 5, false, key), {"day": 1}, "the backup")
			write(path, damaged.slice(0, -5))
			expect_logged(save.bind(4, form), 0, 1, 'is kept as "%s.set-aside-2"' % path.get_file())
			check_value(VarBatch.load_var(_bak, 5, false, key), {"day": 1}, "the backup")
			check_int(save.call(5, form) as int, OK, "saving")
			check_value(VarBatch.load_var(_bak, 5, false, key), {"day": 4}, "the backup")
			_remove()


## The next save keeps what could not be loaded, also of a game that goes on with a new one then.
func test_what_could_not_be_loaded_is_set_aside() -> void:
	var make: Dictionary[String, Callable] = {
		"damaged": func() -> void: VarBatch.save_var(path, {"level": 57}); _flip(),
		"a class that is not listed": func() -> void: VarBatch.save_var(path, [Curve2D.new()], true),
		"another key": func() -> void: VarBatch.save_var(path, 5, false, -1, "other"),
		"no key": func() -> void: VarBatch.save_var(path, 5),
		"text": func() -> void: write(path, '{"level": 57, "name": "Ada"}'.to_utf8_buffer()),
	}
	for what: String in make:
		var key: Variant = "key" if "key" in what else null
		for form: String in ["", "_async"]:
			make[what].call()
			logged(call_and_wait.bind("load_var" + form, [path, 0, false, key]))
			_check_set_aside(form, [path, 1, false, -1, key])
			_remove()


## Bytes that are whole say nothing of the values in them.
func test_bytes_do_not_take_back_what_could_not_be_loaded() -> void:
	for key: Variant in [null, "key"]:
		for form: String in ["", "_async"]:
			check_int(VarBatch.save_var(path, Curve2D.new(), true, -1, key), OK, "saving")
			# As a game finds it that was started again.
			write(path, FileAccess.get_file_as_bytes(path))
			logged(call_and_wait.bind("load_var" + form, [path, 0, false, key]))
			check(call_and_wait("load_bytes" + form, [path, key]) != PackedByteArray(), "its bytes")
			_check_set_aside(form, [path, 1, false, -1, key])
			_remove()


func test_files_of_the_project() -> void:
	# In a browser, nothing can be removed from the project.
	var saved := ("user://%s" if OS.has_feature("web") else "res://%s") % folder.get_file() + ".tmp"
	for form: String in ["", "_async"]:
		for day: int in 2:
			check_int(VarBatch.save_var(saved, day, false, -1, null, true), OK, "saving")
		check_call("load_var" + form, [saved, 5], 1, [])
		write(saved, FileAccess.get_file_as_bytes(saved).slice(0, -1))
		check_call("load_var" + form, [saved, 5], 0, [INSTEAD % saved + "..."])
		check_call("load_vars" + form, [saved], [0], [INSTEAD % saved + "..."])
		check_call("load_bytes" + form, [saved], FileAccess.get_file_as_bytes(saved), [])
		check_call("save_var" + form, [saved, 2], OK, [WARNING + '"%s": the file that was there...' % saved])
		for end: String in ["", ".bak", ".set-aside"]:
			check_int(DirAccess.remove_absolute(saved + end), OK, "removing " + saved + end)


## Also if it was copied away and back, or through another name of its folder.
func test_what_could_not_be_loaded_is_set_aside_when_it_comes_back() -> void:
	for keeps_backup: bool in [false, true]:
		for form: String in ["", "_async"]:
			check_int(VarBatch.save_var(path, [Curve2D.new()], true), OK, "saving")
			logged(call_and_wait.bind("load_var" + form, [absolute(folder) + "/./saved.bin"]))
			DirAccess.copy_absolute(path, path + ".away")
			DirAccess.remove_absolute(path)
			DirAccess.rename_absolute(path + ".away", path)
			_check_set_aside(form, [path, 1, false, -1, null, keeps_backup])
			_remove()


## A save keeps the file that is there beside the new one, without a backup, and the next one says nothing of it.
func _check_set_aside(form: String, save: Array) -> void:
	var old := FileAccess.get_file_as_bytes(path)
	check_call("save_var" + form, save, OK, [WARNING + '"%s": the file that was there...' % path])
	check_bytes(FileAccess.get_file_as_bytes(path + ".set-aside"), old, "what was set aside")
	check_names([path.get_file(), path.get_file() + ".set-aside"], "what was set aside")
	check_call("save_var" + form, save, OK, [])


func test_what_cannot_be_opened_is_no_damage() -> void:
	for generation: int in 2:
		check_int(VarBatch.save_var(path, generation, false, -1, null, true), OK, "saving")
	DirAccess.remove_absolute(path)
	DirAccess.make_dir_absolute(path)
	check_forms("load_var", [path, 5], 5, ERR_FILE_CANT_OPEN, ["it is a folder"])
	check_forms("load_vars", [path], [], ERR_FILE_CANT_OPEN, ["it is a folder"])
	DirAccess.remove_absolute(path)
	write(path, PackedByteArray())
	for form: String in ["", "_async"]:
		check_call("load_var" + form, [path, 5], 0, [INSTEAD % path + "..."])
		check_call("load_vars" + form, [path], [0], [INSTEAD % path + "..."])
	# The newer file has another key, and so has the backup.
	check_int(VarBatch.save_var(_bak, "old", false, -1, "a"), OK, "saving")
	check_int(VarBatch.save_var(path, "new", false, -1, "b"), OK, "saving")
	check_forms("load_var", [path, 5, false, "a"], 5, ERR_UNAUTHORIZED, ["the key is not that"])
	check_int(VarBatch.save_var(_bak, "old"), OK, "saving")
	check_forms("load_var", [path, 5], 5, ERR_UNAUTHORIZED, ["an encrypted file"])
	var others: Dictionary[String, PackedByteArray] = {
		"found text": '{"level": 57}'.to_utf8_buffer(),
		"found text, such as JSON": "{}".to_utf8_buffer(),
		"found a JPEG image": PackedByteArray([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70]),
		"DIALECT_GODOT_3) reads it": VarBatch.var_to_bytes_in({"at": Vector2(3, 4)}, VarBatch.DIALECT_GODOT_3),
		"its values can be read in DIALECT_GODOT_3":
		frame(VarBatch.var_to_bytes_in({"at": Vector2(3, 4)}, VarBatch.DIALECT_GODOT_3)),
		"it is one value without a length": var_to_bytes({"level": 57}),
	}
	for what: String in others:
		write(path, others[what])
		check_forms("load_var", [path, 5], 5, ERR_FILE_UNRECOGNIZED, [what])
	# What is nothing known may be damage.
	write(path, "HEAD1".to_ascii_buffer() + frame(var_to_bytes({"level": 57})))
	check_call(&"load_var", [path, 5], "old", [INSTEAD % path + "..."])
	check_int(VarBatch.save_var(_bak, "old", false, -1, "a"), OK, "saving")
	write(path, others["found text"])
	check_forms("load_var", [path, 5, false, "a"], 5, ERR_FILE_UNRECOGNIZED, ["without a key it may be readable"])
	for what: String in others:
		DirAccess.remove_absolute(path)
		check_int(VarBatch.save_bytes(path, others[what], -1, "a"), OK, "saving")
		var told := what.replace("VarBatch.load_bytes(path)", "VarBatch.load_bytes(path, key)")
		check_forms("load_var", [path, 5, false, "a"], 5, ERR_FILE_UNRECOGNIZED, [told])
	DirAccess.remove_absolute(path)
	check_int(VarBatch.save_vars(path, [{"level": 57}], false, -1, "a", false, "HEAD1".to_ascii_buffer()), OK, "saving")
	for offset: int in [0, 4, 6]:
		var skips := "but its checksum is right: expected values as FileAccess.store_var() writes them; load_vars() skips"
		check_forms("load_vars", [path, false, 0, -1, "a", offset], [], ERR_FILE_UNRECOGNIZED, [skips])
	# It has no values, as the game has saved it.
	var kept := WARNING + '...it is kept as "%s.set-aside"' % path.get_file()
	check_int(VarBatch.save_var(_bak, "old"), OK, "saving")
	check_call(&"save_vars", [path, [], false, FileAccess.COMPRESSION_ZSTD], OK, [kept])
	check_forms("load_var", [path, 5], 5, ERR_FILE_EOF, ["expected a value"])


func test_a_file_that_becomes_shorter_while_it_is_loaded() -> void:
	var points := range(100_000).map(func(i: int) -> Vector2: return Vector2(i, i))
	for delay: int in [0, 300, 1000, 3000, 10_000]:
		check_int(VarBatch.save_vars(path, points), OK, "saving")
		var task := VarBatch.load_vars_async(path)
		OS.delay_usec(delay)
		write(path, PackedByteArray())
		logged(task.wait)
		var is_all: bool = task.get_result().size() == points.size()
		check(is_all == (task.get_error() == OK), "%d values, %s" % [task.get_result().size(), task.get_error_message()])


## Objects that nobody may make are no damage.
func test_what_is_no_damage() -> void:
	check_int(VarBatch.save_var(path, "old"), OK, "saving")
	check_int(VarBatch.save_var(path, Curve2D.new(), true, -1, null, true), OK, "saving an object")
	check_forms("load_var", [path, 5], 5, ERR_INVALID_DATA, ['"%s": value 0: expected no obj' % path])
	_remove()
	check_int(VarBatch.save_var(_bak, "old", false, -1, "pass"), OK, "saving")
	check_value(VarBatch.load_var(path, 5, false, "other"), 5, "a backup with another key")
	check_int(VarBatch.get_last_error(), ERR_FILE_NOT_FOUND, "its error")


func test_a_backup_that_cannot_be_replaced() -> void:
	check_int(VarBatch.save_var(path, 1), OK, "saving")
	DirAccess.make_dir_absolute(_bak)
	var save: Array = [path, 2, false, -1, null, true]
	check_forms("save_var", save, ERR_FILE_CANT_WRITE, ERR_FILE_CANT_WRITE, ["cannot be kept as a backup"])
	check_value(VarBatch.load_var(path), 1, "the old file")


func test_a_folder_that_is_missing() -> void:
	var to := folder + "/some/where/x.bin"
	var text := '; DirAccess.make_dir_recursive_absolute("%s") makes it' % to.get_base_dir()
	for method: String in ["save_vars", "append_vars"]:
		check_forms(method, [to, [1]], ERR_FILE_NOT_FOUND, ERR_FILE_NOT_FOUND, [text])


func _flip() -> PackedByteArray:
	var bytes := FileAccess.get_file_as_bytes(path)
	bytes[-20] ^= 0xff
	write(path, bytes)
	return bytes


func _remove() -> void:
	for end: String in ["", ".bak", ".set-aside", ".set-aside-2"]:
		DirAccess.remove_absolute(path + end)

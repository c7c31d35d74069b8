extends "files_base.gd"
## Files of one value. save_var() and load_var() do what save_vars() and load_vars() do with one.


## Whatever is in an array, it is one value.
func test_values() -> void:
	var point := Curve2D.new()
	point.add_point(Vector2(1, 2))
	var values: Array = [_noise, [[]], [{}], {"noise": [_noise]}, [], [1, 2, 3], [null]]
	values += Values.mixed(80) + [sized(3000, func(i: int) -> int: return i), [point]]
	for i: int in values.size():
		var value: Variant = values[i]
		var whole := i == values.size() - 1
		var mode := ALL_MODES[i / 2 % ALL_MODES.size()]
		VarBatch.set_thread_count(1 + i % 3)
		for form: String in ["", "_async"]:
			var what := "%s, mode %d%s" % [type_string(typeof(value)), mode, form]
			var save := func() -> int: return call_and_wait("save_var" + form, [path, value, whole, mode])
			check_int(save_as_told(save, value, whole), OK, "saving " + what)
			var expected: Variant = read_loop(path, whole, mode)[0]
			if mode < 0:
				check_bytes(FileAccess.get_file_as_bytes(path), stored([value], whole), "file of " + what)
			check_value(call_and_wait("load_var" + form, [path, 5, whole]), expected, "loaded " + what)
			check_value(VarBatch.load_var(path, null, whole), expected, "loaded again " + what)
			DirAccess.remove_absolute(path)
	check_int(VarBatch.save_var(path, [point], true), OK, "saving an object")
	_check_default('"%s": value 0: expected no object' % path, ERR_INVALID_DATA)
	# As get_var(true) is called.
	var ported := func() -> Variant: return VarBatch.load_var(path, true)
	check_value(expect_errors(ported, 1, "load_var(path, null, true)"), true, "objects")
	DirAccess.remove_absolute(path)
	check_value(expect_logged(ported, 0, int(OS.is_debug_build()), "(path, null, true)"), true, "no file")


## Nobody has saved yet: nothing is wrong, and nothing is printed.
func test_a_file_that_is_missing() -> void:
	# Without a drive, Windows has no such path.
	var root: Array = ["/no such file"] if is_unix() else []
	for missing: String in [path, folder + "/none/x.bin", "res://no such file"] + root:
		check_value(VarBatch.load_var(missing), null, "no default for " + missing)
		check_int(VarBatch.get_last_error(), ERR_FILE_NOT_FOUND, "error of " + missing)
		var default := {"level": 1}
		check(is_same(VarBatch.load_var(missing, default), default), "not the same default")
		var task := VarBatch.load_var_async(missing, default)
		VarBatch.load_var(missing)
		check(is_same(task.wait(), default), "not the same default of a task")
		check_int(task.get_error(), ERR_FILE_NOT_FOUND, "error of a task for " + missing)
		for message: String in [task.get_error_message(), VarBatch.get_last_error_message()]:
			check(message == error_string(ERR_FILE_NOT_FOUND), "message: '%s'" % message)


## One line, and the default, however much was whole before the damage.
func test_a_damaged_file() -> void:
	for mode: int in ALL_MODES:
		check_int(VarBatch.save_vars(path, [], false, mode), OK, "saving nothing")
		_check_default('"%s": expected a value, found an empty file' % path, ERR_FILE_EOF)
	var good := stored([{"a": [1, 2, 3]}])
	for length: int in range(1, good.size()):
		write(path, good.slice(0, length))
		_check_default('"%s": value 0: the file is cut off' % path, ERR_FILE_CORRUPT)
	var bad := frame(PackedByteArray([255, 0, 0, 0]))
	write(path, bad + bad + bad)
	_check_default('"%s": value 0: expected a type from 0 to ' % path, ERR_FILE_CORRUPT)
	write(path, good + bad)
	_check_default('"%s": value 1: expected a type from 0 to ' % path, ERR_FILE_CORRUPT)


## The first of several, as from get_var(), and a word about the others.
func test_several_values() -> void:
	check_int(VarBatch.save_vars(path, ["first", 2, 3]), OK, "saving three values")
	var text := '"%s": expected one value, found 3: this is the first, load_vars() returns all' % path
	check_forms("load_var", [path, "default"], "first", OK, [WARNING + text], true)


## The old file is as it was.
func test_what_cannot_be_saved() -> void:
	check_int(VarBatch.save_var(path, "old"), OK, "saving")
	var too_deep := Engines.nested(1026)
	var data := ERR_INVALID_DATA
	var parameter := ERR_INVALID_PARAMETER
	var text := 'cannot save "%s": ' % path
	for mode: int in ALL_MODES:
		check_forms("save_var", [path, too_deep, false, mode], data, data, [text])
	check_forms("save_var", [path, 1, false, 77], parameter, parameter, [text])
	check_value(VarBatch.load_var(path), "old", "the old file")
	var missing := folder + "/missing/x.bin"
	text = 'cannot save "%s": ' % missing
	check_forms("save_var", [missing, 1], ERR_FILE_NOT_FOUND, ERR_FILE_NOT_FOUND, [text])


func _check_default(text: String, code: int) -> void:
	check_forms("load_var", [path, "default"], "default", code, [text])

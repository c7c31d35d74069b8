extends "files_base.gd"
## Files of one value. save_var() and load_var() do what save_vars() and load_vars() do with one.

const MODES: PackedInt32Array = [
	VarBatch.COMPRESSION_NONE,
	FileAccess.COMPRESSION_ZSTD,
	FileAccess.COMPRESSION_DEFLATE,
	FileAccess.COMPRESSION_GZIP,
]


func test_every_type() -> void:
	for value: Variant in Values.mixed(80) + [_noise, [[]], [{}], {"noise": [_noise]}]:
		var what := type_string(typeof(value))
		var expected := stored([value])
		var loaded: Variant = read_back(expected)
		check_int(_save(value), OK, "saving " + what)
		check_bytes(FileAccess.get_file_as_bytes(path), expected, "file of " + what)
		check_value(VarBatch.load_var(path), loaded, "loaded " + what)
		check_value(VarBatch.load_var(path, 5), loaded, "loaded instead of a default, " + what)
		check_value(VarBatch.load_var_async(path, 5).wait(), loaded, "loaded by a task, " + what)


## Whatever is in the array, it is one value.
func test_an_array_is_one_value() -> void:
	for value: Array in [[], [1, 2, 3], [null], sized(3000, func(i: int) -> int: return i)]:
		check_int(_save(value), OK, "saving an array")
		check_int(VarBatch.load_vars(path).size(), 1, "values in the file")
		check_value(VarBatch.load_var(path), value, "loaded array")


func test_compressed() -> void:
	var value := {"noise": _noise, "list": [1, 2, "three"]}
	for mode: int in MODES:
		for count: int in THREAD_COUNTS:
			VarBatch.set_thread_count(count)
			check_int(VarBatch.save_var(path, value, false, mode), OK, "mode %d" % mode)
			check_value(read_loop(path, false, mode), [value], "mode %d by the engine" % mode)
			check_value(VarBatch.load_var(path), value, "mode %d" % mode)
			DirAccess.remove_absolute(path)
			var saving := VarBatch.save_var_async(path, value, false, mode)
			check_value(saving.wait(), OK as int, "mode %d by a task" % mode)
			check_value(VarBatch.load_var_async(path).wait(), value, "mode %d, tasks" % mode)
	check_names([path.get_file()], "one value, compressed")


func test_objects() -> void:
	var point := Curve2D.new()
	point.add_point(Vector2(1, 2))
	check_int(VarBatch.save_var(path, {"curve": point}, true), OK, "saving an object")
	var loaded: Dictionary = VarBatch.load_var(path, null, true)
	check_value(loaded.curve, point, "the object")
	loaded = VarBatch.load_var_async(path, null, true).wait()
	check_value(loaded.curve, point, "the object by a task")
	var refused := func() -> Variant: return VarBatch.load_var(path, "default")
	check_value(
		expect_errors(refused, 1, "VarBatch.load_var: "), "default", "an object that is not allowed"
	)
	check_value(VarBatch.save_var_async(path, [point], true).wait(), OK as int, "saving by a task")
	check_value(
		(VarBatch.load_var(path, null, true) as Array)[0], point, "the object, saved by one"
	)


## Nobody has saved yet: nothing is wrong, and nothing is printed.
func test_a_file_that_is_missing() -> void:
	for missing: String in [path, folder + "/none/x.bin", "res://no such file", "/no such file"]:
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


func test_an_empty_file() -> void:
	for mode: int in MODES:
		check_int(VarBatch.save_vars(path, [], false, mode), OK, "saving nothing")
		_check_default('"%s": expected a value, found an empty file' % path, ERR_FILE_EOF)


## One line, and the default, however much was whole before the damage.
func test_a_damaged_file() -> void:
	var good := stored([{"a": [1, 2, 3]}])
	for length: int in range(1, good.size()):
		write(path, good.slice(0, length))
		_check_default('"%s": frame 0: expected ' % path, ERR_FILE_CORRUPT)
	var bad := frame(PackedByteArray([255, 0, 0, 0]))
	write(path, bad + bad + bad)
	_check_default('"%s": frame 0: expected a type from 0 to ' % path, ERR_FILE_CORRUPT)
	write(path, good + bad)
	_check_default('"%s": frame 1: expected a type from 0 to ' % path, ERR_FILE_CORRUPT)


func test_what_is_no_file() -> void:
	for from: String in [folder, "user://", ""]:
		var file := FileAccess.open(from, FileAccess.READ)
		check(file == null, "the engine opens %s" % from)
		if FileAccess.get_open_error() != ERR_FILE_NOT_FOUND:
			_check_default('cannot load "%s": ' % from, FileAccess.get_open_error(), from)


## The first of several, as from get_var(), and a word about the others.
func test_several_values() -> void:
	check_int(VarBatch.save_vars(path, ["first", 2, 3]), OK, "saving three values")
	var text := '"%s": expected one value, found 3: this is the first, load_vars() returns all' % path
	var load_it := func() -> Variant: return VarBatch.load_var(path, "default")
	check_value(
		expect_lines(load_it, [WARNING + "VarBatch.load_var: " + text]), "first", "of three"
	)
	check_int(VarBatch.get_last_error(), OK, "error of three values")
	var load_async := func() -> Variant: return VarBatch.load_var_async(path).wait()
	check_value(
		expect_lines(load_async, [WARNING + "VarBatch.load_var_async: " + text]),
		"first",
		"of three by a task"
	)


## The old file is as it was.
func test_what_cannot_be_saved() -> void:
	check_int(_save("old"), OK, "saving")
	var too_deep := Values.Engines.nested(1026)
	var start := 'VarBatch.save_var: cannot save "%s": ' % path
	for mode: int in MODES:
		var save := func() -> int: return VarBatch.save_var(path, too_deep, false, mode)
		check_int(expect_errors(save, 1, start) as int, ERR_INVALID_DATA, "mode %d" % mode)
	var save_badly := func() -> int: return VarBatch.save_var(path, 1, false, 77)
	check_int(expect_errors(save_badly, 1, start) as int, ERR_INVALID_PARAMETER, "mode 77")
	check_value(VarBatch.load_var(path), "old", "the old file")
	var missing := folder + "/missing/x.bin"
	var save_missing := func() -> int: return VarBatch.save_var(missing, 1)
	check_int(expect_errors(save_missing, 1, missing) as int, ERR_FILE_NOT_FOUND, "no folder")


## What a task saves is what the value was at the call.
func test_changed_after_the_call() -> void:
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		var value := {"noise": _noise.duplicate(), "list": [1, [2]]}
		var expected: Dictionary = value.duplicate(true)
		var task := VarBatch.save_var_async(path, value)
		(value.noise as PackedByteArray).fill(7)
		(value.list as Array).clear()
		value.clear()
		check_value(task.wait(), OK as int, "saving, %d threads" % count)
		check_value(VarBatch.load_var(path), expected, "saved by %d threads" % count)


func test_cancelled() -> void:
	check_int(_save("old"), OK, "saving")
	var saving := VarBatch.save_var_async(path, [_noise])
	saving.cancel()
	check(saving.wait() in [OK, ERR_SKIP], "result of a save: %s" % saving.wait())
	var loading := VarBatch.load_var_async(path, "default")
	loading.cancel()
	var is_cancelled := loading.wait() == null and loading.get_error() == ERR_SKIP
	check(is_cancelled or loading.get_error() == OK, "result of a load: %s" % loading.get_result())


func _save(value: Variant) -> int:
	return save_as_told(func() -> Error: return VarBatch.save_var(path, value), value)


func _check_default(text: String, code: int, from := path) -> void:
	var load_it := func() -> Variant: return VarBatch.load_var(from, "default")
	var found: Variant = expect_errors(load_it, 1, "VarBatch.load_var: " + text)
	check_value(found, "default", "default for %s" % text)
	check_int(VarBatch.get_last_error(), code, "code for %s" % text)
	var message := VarBatch.get_last_error_message()
	check(message.begins_with(text), "message: expected '%s', found '%s'" % [text, message])
	var tasks: Array[VarBatchTask] = []
	var load_async := func() -> Variant:
		tasks.append(VarBatch.load_var_async(from, "default"))
		return tasks[0].wait()
	found = expect_errors(load_async, 1, "VarBatch.load_var_async: " + text)
	check_value(found, "default", "default of a task for %s" % text)
	check_int(tasks[0].get_error(), code, "code of a task for %s" % text)
	check(tasks[0].get_error_message() == message, "message: %s" % tasks[0].get_error_message())


## What the engine makes of a stream of one value.
func read_back(bytes: PackedByteArray) -> Variant:
	return bytes_to_var(bytes.slice(4))

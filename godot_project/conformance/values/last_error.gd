extends "../files/files_base.gd"
## get_last_error() and get_last_error_message(): of this thread's last call, whatever it was.

const BAD: PackedByteArray = [255, 0, 0, 0]
const NO_TYPE := "expected a type from 0 to 38, found 255, at byte "


func test_nothing_failed() -> void:
	VarBatch.get_thread_count()
	check_int(VarBatch.get_last_error(), OK, "before anything failed")
	check(VarBatch.get_last_error_message().is_empty(), "a message before anything failed")


## A file that is missing, one that is empty and one that is damaged.
func test_files() -> void:
	var load_it := func() -> Array: return VarBatch.load_vars(path)
	expect_errors(load_it, 1, "VarBatch.load_vars: cannot load ")
	_check(ERR_FILE_NOT_FOUND, 'cannot load "%s": ' % path)
	check_int(VarBatch.save_vars(path, []), OK, "saving nothing")
	_check(OK, "")
	check_value(VarBatch.load_vars(path), [], "an empty file")
	_check(OK, "")
	write(path, frame(var_to_bytes(1)) + frame(BAD) + frame(BAD))
	expect_errors(load_it, 2, "VarBatch.load_vars: ")
	_check(ERR_FILE_CORRUPT, '"%s": frame 1: %s' % [path, NO_TYPE])
	check_int(VarBatch.save_vars(path, [1]), OK, "saving")
	_check(OK, "")
	var save_there := func() -> int: return VarBatch.save_vars(folder, [1])
	check_int(expect_errors(save_there, 1, folder) as int, ERR_FILE_CANT_OPEN, "a folder")
	_check(ERR_FILE_CANT_OPEN, 'cannot save "%s": ' % folder)
	VarBatch.load_var(folder + "/none.bin")
	_check(ERR_FILE_NOT_FOUND, error_string(ERR_FILE_NOT_FOUND))


## Each that fails, and each that succeeds after it.
func test_every_method() -> void:
	var deep := Values.Engines.nested(1026)
	var one := var_to_bytes(1)
	var dialect := 99
	var deep_text := "expected at most 1024 levels of nesting"
	var delta := VarBatch.make_delta(one, var_to_bytes(2))
	var four := VarBatch.DIALECT_GODOT_4
	var three := VarBatch.DIALECT_GODOT_3
	var data := ERR_INVALID_DATA
	var parameter := ERR_INVALID_PARAMETER
	_check_method(&"var_to_bytes", [deep], [1], data, deep_text)
	_check_method(&"bytes_to_var", [BAD], [one], data, NO_TYPE)
	_check_method(&"vars_to_bytes", [[1, deep]], [[1]], data, "value 1: " + deep_text)
	_check_method(&"bytes_to_vars", [[one, BAD]], [[one]], data, "buffer 1: " + NO_TYPE)
	_check_method(&"vars_to_frames", [[deep]], [[1]], data, "value 0: " + deep_text)
	_check_method(&"frames_to_vars", [frame(BAD)], [frame(one)], data, "frame 0: " + NO_TYPE)
	_check_method(&"transcode", [BAD, three, four], [one, three, four], data, "expected a type")
	_check_method(&"transcode", [one, dialect, four], [one, four, four], parameter, "expected")
	_check_method(&"transcode", [one, four, dialect], [one, four, four], parameter, "expected")
	_check_method(&"bytes_to_var_in", [BAD, three], [one, three], data, "expected a type")
	_check_method(&"bytes_to_var_in", [one, dialect], [one, four], parameter, "expected a const")
	_check_method(&"var_to_bytes_in", [Vector2i(), three], [1, three], data, "")
	_check_method(&"var_to_bytes_in", [1, dialect], [1, four], parameter, "expected a const")
	_check_method(&"describe", [one, dialect], [one], parameter, "expected a constant")
	_check_method(&"diff", [one, BAD], [one, one], data, "")
	_check_method(&"diff_batch", [[[one, BAD]]], [[[one, one]]], data, "pair 0: ")
	_check_method(&"patch", [one, [{}]], [one, []], data, "")
	_check_method(&"make_deltas", [[[one]]], [[[one, one]]], data, "pair 0: ")
	_check_method(&"apply_delta", [one + one, delta], [one, delta], data, "")
	_check_method(&"apply_deltas", [[[one, one]]], [[[one, delta]]], data, "pair 0: ")
	_check_method(&"set_thread_count", [-1], [0], parameter, "expected a count")
	_check_method(
		&"transcode_file", [path, path, four, dialect], [], parameter, "expected a constant"
	)
	var missing := folder + "/none.bin"
	_check_method(
		&"transcode_file", [missing, path, four, four], [], ERR_FILE_NOT_FOUND, "cannot load"
	)


## A warning is no error, and what fails without a line neither.
func test_what_is_no_error() -> void:
	var typed: Array[int] = []
	var bytes := var_to_bytes(typed)
	bytes.encode_u32(bytes.size() - 4, 1)
	bytes.append_array(var_to_bytes("text"))
	_fail()
	expect_own_logged(_call.bind(&"bytes_to_var", [bytes]), 0, 1, "VarBatch.bytes_to_var: dropped")
	_check(OK, "")
	_fail()
	expect_own_logged(_call.bind(&"bytes_to_vars", [[bytes]]), 0, 1, "VarBatch.bytes_to_vars: ")
	_check(OK, "")
	_fail()
	check(not VarBatch.validate([BAD])[0].is_empty(), "bad bytes are valid")
	_check(OK, "")
	_fail()
	check("error" in VarBatch.describe(BAD), "bad bytes are described")
	_check(OK, "")


## What only looks something up leaves it.
func test_what_keeps_it() -> void:
	_fail()
	VarBatch.get_thread_count()
	VarBatch.get_version()
	VarBatch.get_type_table()
	_check(ERR_INVALID_DATA, NO_TYPE)
	_check(ERR_INVALID_DATA, NO_TYPE)


## A task has its own, and to start it succeeds.
func test_tasks() -> void:
	_fail()
	var task := VarBatch.bytes_to_vars_async([BAD])
	_check(OK, "")
	_fail()
	expect_errors(task.wait, 1, "VarBatch.bytes_to_vars_async: buffer 0: " + NO_TYPE)
	check_int(task.get_error(), ERR_INVALID_DATA, "error of the task")
	_check(ERR_INVALID_DATA, NO_TYPE)
	check_value(VarBatch.vars_to_bytes_async([1]).wait(), VarBatch.vars_to_bytes([1]), "a task")


## Whoever hears of the error may call VarBatch: what is kept is that of the outer call.
func test_a_logger_that_calls() -> void:
	if not ClassDB.class_exists(&"Logger"):
		checks += 1
		return
	var script := GDScript.new()
	script.source_code = """extends Logger
func _log_error(_function, _file, _line, _code, _rationale, _notify, _type, _backtraces):
	VarBatch.var_to_bytes(1)
"""
	check_int(script.reload(), OK, "compiling a Logger")
	var logger: RefCounted = script.new()
	OS.call(&"add_logger", logger)
	_fail()
	OS.call(&"remove_logger", logger)
	_check(ERR_INVALID_DATA, NO_TYPE)


## Each thread has its own, also when they fail and succeed at the same time.
func test_threads() -> void:
	_fail()
	var threads := start_threads(4, _fail_and_succeed)
	check_value(end_threads(threads), ["", "", "", ""], "threads")
	# The threads are gone, and this one has its own still.
	_check(ERR_INVALID_DATA, NO_TYPE)
	VarBatch.var_to_bytes(1)
	_check(OK, "")


## Without a line in the log, as the log is the main thread's to look at.
func _fail_and_succeed(index: int) -> String:
	if VarBatch.get_last_error() != OK:
		return "the error of another thread"
	for i: int in 200:
		var missing := folder + "/none %d %d.bin" % [index, i]
		VarBatch.load_var(missing)
		if VarBatch.get_last_error() != ERR_FILE_NOT_FOUND:
			return "the missing file is no error"
		if (i + index) % 3 == 0:
			VarBatch.var_to_bytes(i)
			if VarBatch.get_last_error() != OK or not VarBatch.get_last_error_message().is_empty():
				return "success is an error"
	return ""


func _fail() -> void:
	expect_errors(_call.bind(&"bytes_to_var", [BAD]), 1, "VarBatch.bytes_to_var: " + NO_TYPE)


## By name, as a static method of the engine's classes is no Callable.
func _call(method: StringName, arguments: Array) -> Variant:
	return ClassDB.callv(&"class_call_static", [&"VarBatch", method] + arguments)


func _check_method(method: StringName, bad: Array, good: Array, code: int, text: String) -> void:
	var called := "VarBatch.%s: " % method
	var texts := logged(_call.bind(method, bad))
	check(texts.size() > 0 and texts[-1].begins_with(called + text), "%s: %s" % [called, texts])
	_check(code, text)
	if texts.size() > 0:
		var message := VarBatch.get_last_error_message()
		check(called + message == texts[-1], "message '%s' of %s" % [message, texts])
	if not good.is_empty():
		_call(method, good)
		_check(OK, "")


func _check(code: int, text: String) -> void:
	check_int(VarBatch.get_last_error(), code, "last error")
	var message := VarBatch.get_last_error_message()
	check(message.begins_with(text), "message: expected '%s', found '%s'" % [text, message])
	check(message.is_empty() == (code == OK), "message '%s' of code %d" % [message, code])
	check(not message.begins_with("VarBatch"), "the message names the method: %s" % message)

extends "../files/files_base.gd"
## get_last_error() and get_last_error_message(): of this thread's last call, whatever it was. What
## they are after each error is seen by check_call() wherever that is used.

const BAD: PackedByteArray = [255, 0, 0, 0]
const NO_TYPE := "expected a type from 0 to 38, found 255, at byte 0"


## What succeeds after it clears it. All other methods that fail: check_call() in other suites.
func test_success_clears_it() -> void:
	for row: Array in [
		[&"frames_to_vars", [frame(BAD)], [null], "value 0: expected a type...", ERR_FILE_CORRUPT],
		[&"set_thread_count", [-1], null, "expected a count...", ERR_INVALID_PARAMETER],
	]:
		for good: Array in [[&"var_to_bytes", [1]], [&"diff_batch", [[]]], [&"validate", [[]]]]:
			check_call(row[0], row[1], row[2], [row[3]], row[4])
			call_method(good[0] as StringName, good[1] as Array)
			_check(OK, "")


## What fails without a line is none. Warnings are in error_paths.gd.
func test_what_is_no_error() -> void:
	_fail()
	check(not VarBatch.validate([BAD])[0].is_empty(), "bad bytes are valid")
	_check(OK, "")
	_fail()
	check("error" in VarBatch.describe(BAD), "bad bytes are described")
	_check(OK, "")
	# What only looks something up leaves it.
	_fail()
	VarBatch.get_thread_count()
	VarBatch.get_version()
	VarBatch.get_type_table()
	_check(ERR_FILE_CORRUPT, NO_TYPE)
	_check(ERR_FILE_CORRUPT, NO_TYPE)


## A task has its own, and to start it succeeds.
func test_tasks() -> void:
	_fail()
	var task := VarBatch.bytes_to_vars_async([BAD])
	_check(OK, "")
	_fail()
	expect_errors(task.wait, 1, "VarBatch.bytes_to_vars_async: buffer 0: " + NO_TYPE)
	check_int(task.get_error(), ERR_FILE_CORRUPT, "error of the task")
	_check(ERR_FILE_CORRUPT, NO_TYPE)
	check_value(VarBatch.vars_to_bytes_async([1]).wait(), VarBatch.vars_to_bytes([1]), "a task")


## Whoever hears of the error may call VarBatch: what is kept is that of the outer call.
func test_a_logger_that_calls() -> void:
	if errors.is_open():
		with_logger(call_method.bind(&"var_to_bytes", [1]), _fail)
		_check(ERR_FILE_CORRUPT, NO_TYPE)
	checks += 1


## A thread may want no lines, and has none of the tasks that it starts then either.
func test_without_lines() -> void:
	var fail := call_method.bind(&"bytes_to_var", [BAD])
	VarBatch.set_print_error_messages(false)
	check_value(logged(fail), PackedStringArray(), "lines")
	_check(ERR_FILE_CORRUPT, NO_TYPE)
	var state := VarBatchState.new()
	check_value(logged(state.add.bind(null)), PackedStringArray(), "lines of a state")
	var recorder := VarBatchUndoRecorder.new()
	check_value(logged(recorder.record.bind(null)), PackedStringArray(), "lines of a recorder")
	var task := VarBatch.bytes_to_vars_async([BAD])
	var threads := start_threads(1, func(_i: int) -> bool: return VarBatch.is_printing_error_messages())
	check_value(end_threads(threads), [true], "another thread")
	check(not VarBatch.is_printing_error_messages(), "this thread prints")
	VarBatch.set_print_error_messages(true)
	check_value(logged(task.wait), PackedStringArray(), "lines of a task")
	check_value(task.get_error_message(), "buffer 0: " + NO_TYPE + CUT_OR_DAMAGED, "message of a task")
	expect_errors(fail, 1, NO_TYPE)


## Each thread has its own, also when they fail and succeed at the same time.
func test_threads() -> void:
	_fail()
	var threads := start_threads(4, _fail_and_succeed)
	check_value(end_threads(threads), ["", "", "", ""], "threads")
	# The threads are gone, and this one has its own still.
	_check(ERR_FILE_CORRUPT, NO_TYPE)
	VarBatch.var_to_bytes(1)
	_check(OK, "")


## Without a line in the log, as the log is the main thread's to look at.
func _fail_and_succeed(index: int) -> String:
	if VarBatch.get_last_error() != OK:
		return "the error of another thread"
	for i: int in 200:
		VarBatch.load_var(folder + "/none %d %d.bin" % [index, i])
		if VarBatch.get_last_error() != ERR_FILE_NOT_FOUND:
			return "the missing file is no error"
		if (i + index) % 3 == 0:
			VarBatch.var_to_bytes(i)
			if VarBatch.get_last_error() != OK or not VarBatch.get_last_error_message().is_empty():
				return "success is an error"
	return ""


func _fail() -> void:
	check_call(&"bytes_to_var", [BAD], null, [NO_TYPE])


func _check(code: int, text: String) -> void:
	check_int(VarBatch.get_last_error(), code, "last error")
	var message := VarBatch.get_last_error_message()
	check(message.begins_with(text), "message: expected '%s', found '%s'" % [text, message])
	check(message.is_empty() == (code == OK), "message '%s' of code %d" % [message, code])

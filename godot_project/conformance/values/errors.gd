extends "../files/files_base.gd"
## Error lines: one for each failed value, with its index, its byte, and where in the value that is. get_last_error()
## and get_last_error_message() are of this thread's last call: check_call() looks at them after each error.

## Found in the bytes of a value, it becomes a header of no type.
const MARK := 0x7fedcba987654321
const NO_TYPE := "expected a type from 0 to 38, found 39"
const BAD: PackedByteArray = [255, 0, 0, 0]
const NO_TYPE_255 := "expected a type from 0 to 38, found 255, at byte 0"


func test_places() -> void:
	var places: Dictionary[String, Variant] = {
		"": MARK,
		" inside [0]": [MARK],
		" inside [1][0][2]": [0, [[1, 2, MARK]]],
		' inside ["name"]': {"a": 1, "name": MARK},
		' inside [3][&"sn"][-7]': {3: {&"sn": {-7: MARK}}},
		' inside ["日本😀"][Vector2]': {"日本😀": {Vector2(1, 2): MARK}},
		" inside [1.5][Object][Array]": {1.5: {self: {[1]: MARK}}},
		" inside [1]": [1, MARK] as Array[int],
		' inside ["b"]': {"a": 1, "b": MARK} as Dictionary[String, int],
		" inside [key 2]": {1: 2, "x": [3], MARK: 4},
		" inside [key 1][0]": {1: 2, [MARK]: 4},
		' inside [0][key 0]["deep"][1]': [{{"deep": [0, MARK]}: 1}],
	}
	var inner := Scripted.new()
	inner.content = {"a": [MARK]}
	var outer := Scripted.new()
	outer.content = [1, inner]
	places[' inside [1]["o"].content["a"][0]'] = [0, {"o": inner}]
	places[' inside .content[1].content["a"][0]'] = outer
	for place: String in places:
		var whole := ".content" in place
		var bytes := _spoiled(Values.engine_bytes([places[place]], whole)[0])
		var reason := "%s, at byte %d%s" % [NO_TYPE, _mark_at(bytes), place]
		check_value(VarBatch.validate([bytes], whole), PackedStringArray([reason]), "validate")
		check_call(&"bytes_to_var", [bytes, whole], null, [reason])
		var buffers: Array[PackedByteArray] = [var_to_bytes(5), bytes]
		check_call(&"bytes_to_vars", [buffers, whole], [5, null], ["buffer 1: " + reason])
		# Bytes of a stream are counted from its start.
		var line := "value 1: %s, at byte %d%s" % [NO_TYPE, 16 + _mark_at(bytes), place]
		check_call(&"frames_to_vars", [frame(buffers[0]) + frame(bytes), whole], [5, null], [line])


func test_warnings() -> void:
	var typed := Values.typed_array(TYPE_INT, ["a", 5, [], 2.5])
	var inner := "1c00000002000000".hex_decode() + typed + typed
	var keys := Values.u32(TYPE_DICTIONARY | 1 << 16) + Values.u32(TYPE_INT) + Values.u32(2)
	keys += var_to_bytes("a") + var_to_bytes(1) + var_to_bytes(2) + var_to_bytes("b")
	var bad := _spoiled(var_to_bytes([MARK]))
	var buffers: Array = [typed, bad, inner, var_to_bytes(1), keys, typed]
	var ints: Array[int] = [5, 2]
	var table: Dictionary[int, Variant] = {2: "b"}
	var dropped := WARNING + "buffer %d: dropped..."
	var lines: Array = [dropped % 0, "buffer 1: " + NO_TYPE + "...", dropped % 2, dropped % 4, dropped % 5]
	check_call(&"bytes_to_vars", [buffers], [ints, null, [ints, ints], 1, table, ints], lines)
	expect_logged(call_method.bind(&"frames_to_vars", [frame(typed) + frame(bad)]), 1, 1, "VarBatch.frames_to_vars: value ")
	check_call(&"bytes_to_var", [inner], [ints, ints], [WARNING + "dropped..."])
	check_call(&"bytes_to_vars", [[7] as Array[int]], [null], ["buffer 0: expected a PackedByteArray, found int"])


func test_large_values() -> void:
	var rows := range(8000).map(func(i: int) -> Dictionary: return {"id": i, "list": [i, "text %d" % i]})
	rows[6543] = {"id": 1, "list": [0, {"k": MARK}]}
	var bad := _spoiled(var_to_bytes([rows, 5]))
	var dropping := Values.u32(TYPE_ARRAY) + Values.u32(8000)
	for i: int in 8000:
		dropping += Values.typed_array(TYPE_INT, [i, i if i % 1000 != 777 else "x"])
	rows[4321] = {"list": [1, Engines.nested(1026)]}
	var calls: Dictionary[String, Callable] = {
		' inside [0][6543]["list"][1]["k"]': call_method.bind(&"bytes_to_var", [bad]),
		" inside [777][1]": call_method.bind(&"bytes_to_var", [dropping]),
		' inside [4321]["list"][1][0]': call_method.bind(&"var_to_bytes", [rows]),
		' inside [0]["a"][4321]["list"][1][0]': call_method.bind(&"vars_to_bytes", [[[{"a": rows}]]]),
	}
	for place: String in calls:
		VarBatch.set_thread_count(1)
		var lines := logged(calls[place])
		check_int(lines.size() if errors.is_open() else 1, 1, "lines, " + place)
		for line: String in lines:
			check(place in line, "expected%s: %s" % [place, line])
		for count: int in Threads.new([2, 0]):
			expect_lines(calls[place], lines)
	var reason := VarBatch.validate([bad])[0]
	check(reason.ends_with(' inside [0][6543]["list"][1]["k"]'), reason)


func test_encoding() -> void:
	var deep := Engines.nested(1026)
	var places: Dictionary[String, Variant] = {
		" inside [0][0][0]": deep,
		' inside ["k"][1][0]': {"k": [0, deep]},
		' inside [&"n"][-1][Vector2][0]': {&"n": {-1: {Vector2.ONE: deep}}},
	}
	for place: String in places:
		var expected: Array[PackedByteArray] = [var_to_bytes("x"), PackedByteArray()]
		check_call(&"vars_to_bytes", [["x", places[place]]], expected, ["...%s..." % place])


func _spoiled(bytes: PackedByteArray) -> PackedByteArray:
	var spoiled := bytes.duplicate()
	spoiled[_mark_at(bytes)] = TYPE_MAX
	return spoiled


func _mark_at(bytes: PackedByteArray) -> int:
	var at := 4
	while at + 8 <= bytes.size() and bytes.decode_s64(at) != MARK:
		at += 4
	return at - 4


func test_success_clears_it() -> void:
	for row: Array in [
		[&"frames_to_vars", [frame(BAD)], [null], "value 0: expected a type...", ERR_FILE_CORRUPT],
		[&"set_thread_count", [-1], null, "expected a count...", ERR_INVALID_PARAMETER],
	]:
		for good: Array in [[&"var_to_bytes", [1]], [&"diff_batch", [[]]], [&"validate", [[]]]]:
			check_call(row[0], row[1], row[2], [row[3]], row[4])
			call_method(good[0] as StringName, good[1] as Array)
			_check(OK, "")


func test_what_is_no_error() -> void:
	_fail()
	check(not VarBatch.validate([BAD])[0].is_empty(), "bad bytes are valid")
	_check(OK, "")
	_fail()
	check("error" in VarBatch.describe(BAD), "bad bytes are described")
	_check(OK, "")
	_fail()
	VarBatch.get_thread_count()
	VarBatch.get_version()
	VarBatch.get_type_table()
	_check(ERR_FILE_CORRUPT, NO_TYPE_255)
	_check(ERR_FILE_CORRUPT, NO_TYPE_255)


func test_tasks() -> void:
	_fail()
	var task := VarBatch.bytes_to_vars_async([BAD])
	_check(OK, "")
	_fail()
	expect_errors(task.wait, 1, "VarBatch.bytes_to_vars_async: buffer 0: " + NO_TYPE_255)
	check_int(task.get_error(), ERR_FILE_CORRUPT, "error of the task")
	_check(ERR_FILE_CORRUPT, NO_TYPE_255)
	check_value(VarBatch.vars_to_bytes_async([1]).wait(), VarBatch.vars_to_bytes([1]), "a task")


## Whoever hears of the error may call VarBatch: what is kept is that of the outer call.
func test_a_logger_that_calls() -> void:
	checks += 1
	if errors.is_open():
		with_logger(call_method.bind(&"var_to_bytes", [1]), _fail)
		_check(ERR_FILE_CORRUPT, NO_TYPE_255)


## A thread may want no lines, and has none of the tasks that it starts then either.
func test_without_lines() -> void:
	var fail := call_method.bind(&"bytes_to_var", [BAD])
	VarBatch.set_print_error_messages(false)
	check_value(logged(fail), PackedStringArray(), "lines")
	_check(ERR_FILE_CORRUPT, NO_TYPE_255)
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
	check_value(task.get_error_message(), "buffer 0: " + NO_TYPE_255 + CUT_OR_DAMAGED, "message of a task")
	expect_errors(fail, 1, NO_TYPE_255)


func test_threads() -> void:
	_fail()
	var threads := start_threads(4, _fail_and_succeed)
	check_value(end_threads(threads), ["", "", "", ""], "threads")
	_check(ERR_FILE_CORRUPT, NO_TYPE_255)
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
	check_call(&"bytes_to_var", [BAD], null, [NO_TYPE_255])


func _check(code: int, text: String) -> void:
	check_int(VarBatch.get_last_error(), code, "last error")
	var message := VarBatch.get_last_error_message()
	check(message.begins_with(text), "message: expected '%s', found '%s'" % [text, message])
	check(message.is_empty() == (code == OK), "message '%s' of code %d" % [message, code])

extends "tasks_base.gd"
## What a task says of values and buffers that are bad: as the plain calls, in the log by the name
## of its own method, and in get_error() and get_error_message() without it.

var _too_deep: Array = Values.Engines.nested(1026)


func test_values_that_cannot_be_encoded() -> void:
	use([0])
	for places: PackedInt32Array in [[0], [1199], [3, 600, 601], range(1200)]:
		values = range(1200)
		for at: int in places:
			values[at] = _too_deep
		for kind: String in ["to bytes", "to frames", "save"]:
			await _check_bad(kind, ERR_INVALID_DATA)


func test_bad_buffers() -> void:
	use(range(1000))
	for places: PackedInt32Array in [[0], [999], [3, 500, 501], range(1000)]:
		_buffers = VarBatch.vars_to_bytes(values)
		for at: int in places:
			_buffers[at] = _buffers[at].slice(0, at % 7)
		await _check_bad("from bytes", ERR_INVALID_DATA)
	var texts: PackedStringArray = ["buffer 1: expected a PackedByteArray, found String"]
	texts.append("buffer 2: expected a PackedByteArray, found Nil")
	var mixed: Array = [var_to_bytes(1), "text", null, var_to_bytes(3)]
	check_forms("bytes_to_vars", [mixed], [1, null, null, 3], ERR_INVALID_DATA, texts, true)


func test_bad_frames() -> void:
	use(range(1000))
	var good := _frames
	var damaged := good.duplicate()
	for at: int in [0, 500, 999]:
		damaged.encode_u32(at * 12 + 4, 0x99)
	for frames: PackedByteArray in [
		good.slice(0, 1), good.slice(0, 6005), good.slice(0, -1), damaged
	]:
		_frames = frames
		write(_loaded_path, _frames)
		await _check_bad("from frames", ERR_INVALID_DATA)
		await _check_bad("load", ERR_FILE_CORRUPT)


func test_objects_without_permission() -> void:
	use([1, Resource.new(), "two"], true)
	objects = false
	for kind: String in ["from bytes", "from frames"]:
		await _check_bad(kind, ERR_INVALID_DATA)
	await _check_bad("load", ERR_FILE_CORRUPT)


func test_files() -> void:
	use([1])
	path = folder + "/missing/saved.bin"
	await _check_bad("save", ERR_FILE_NOT_FOUND)
	_loaded_path = folder + "/missing.bin"
	await _check_bad("load", ERR_FILE_NOT_FOUND)
	path = folder
	await _check_bad("save", ERR_FILE_CANT_OPEN)


## A task's errors are its own.
func test_good_tasks_among_bad_ones() -> void:
	use(range(100))
	var good: Array[VarBatchTask] = []
	var bad: Array[VarBatchTask] = []
	var run := func() -> void:
		for i: int in 20:
			good.append(start(KINDS[i % 4]))
			bad.append(VarBatch.bytes_to_vars_async([_buffers[0], PackedByteArray([i])]))
		for task: VarBatchTask in good + bad:
			task.wait()
	expect_errors(run, 20, "VarBatch.bytes_to_vars_async: buffer 1: ")
	for task: VarBatchTask in good:
		check_over(task, "a good one")
	for task: VarBatchTask in bad:
		check_int(task.get_error(), ERR_INVALID_DATA, "a bad one")


## Result and lines as the plain call's, and the code; waited for, and awaited.
func _check_bad(kind: String, code: int) -> void:
	var results: Array = []
	var lines := logged(func() -> void: results.append(plain(kind)))
	check(not lines.is_empty() or not errors.is_open(), "%s: nothing is bad" % kind)
	var start_of_line := lines[0].left(lines[0].find(": ")) if lines else ""
	for end: String in ["wait", "signals"]:
		for count: int in by_threads():
			_refuse_logged()
			var task := start(kind)
			await result_of(task, end)
			var own := _take_texts()
			var message := task.get_error_message()
			check(not message.is_empty(), "%s: no message" % kind)
			if errors.is_open():
				var expected := "\n".join(lines)
				check_value(message, expected.replace(start_of_line + ": ", ""), "message, " + kind)
				expected = expected.replace(start_of_line + ": ", start_of_line + "_async: ")
				check_value("\n".join(own), expected, "lines, %s, %d threads" % [kind, count])
			check_value(task.wait(), results[0], "result, " + kind)
			check_value(task.get_result(), results[0], "get_result, " + kind)
			check(task.is_finished(), "%s is not finished" % kind)
			check_int(task.get_error(), code, "get_error, " + kind)

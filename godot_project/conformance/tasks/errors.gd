extends "tasks_base.gd"
## What a task says of values and buffers that are bad: as the plain calls, in the log by the name
## of its own method, and in get_error() and get_error_message() without it. Files: files/errors.gd.

const COUNT := 1000


func test_bad_values_buffers_and_frames() -> void:
	for places: PackedInt32Array in [[0], [COUNT - 1], [3, 500, 501], range(COUNT)]:
		use(range(COUNT))
		for at: int in places:
			values[at] = Engines.nested(1026)
			_buffers[at] = _buffers[at].slice(0, at % 7)
			_frames.encode_u32(at * 12 + 4, 0x99)
		for kind: String in ["to bytes", "to frames", "save"]:
			await _check_bad(kind, ERR_INVALID_DATA)
		for kind: String in ["from bytes", "from frames"]:
			await _check_bad(kind, ERR_FILE_CORRUPT)
		for length: int in [1, 6005, -1]:
			write(_loaded_path, _frames.slice(0, length))
			await _check_bad("load", ERR_FILE_CORRUPT)


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
		check_int(task.get_error(), ERR_FILE_CORRUPT, "a bad one")


## Result and lines as the plain call's, and the code; waited for, and awaited.
func _check_bad(kind: String, code: int) -> void:
	var results: Array = []
	var lines := logged(func() -> void: results.append(plain(kind)))
	check(not lines.is_empty() or not errors.is_open(), "%s: nothing is bad" % kind)
	var start_of_line := "VarBatch.%s: " % METHODS[kind]
	for i: int in lines.size():
		lines[i] = lines[i].trim_prefix(start_of_line)
	for count: int in by_threads():
		if errors.is_open():
			check_forms(METHODS[kind], _arguments(kind), results[0], code, lines, true)
		_refuse_logged()
		var task := start(kind)
		check_like(await result_of(task, "signals"), results[0], "result, " + kind)
		var awaited := "\n".join(_take_texts()).replace("VarBatch.%s_async: " % METHODS[kind], "")
		check(not errors.is_open() or awaited == "\n".join(lines), "awaited, %s: %s" % [kind, awaited])
		check_like(task.get_result(), results[0], "get_result, " + kind)
		check_int(task.get_error(), code, "get_error, " + kind)

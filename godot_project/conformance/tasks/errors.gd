extends "tasks_base.gd"
## What a task says of values and buffers that are bad: as the plain calls, in the log by the name
## of its own method, and in get_error() and get_error_message() without it.

const METHODS: Dictionary[String, String] = {
	"to bytes": "vars_to_bytes",
	"to frames": "vars_to_frames",
	"from bytes": "bytes_to_vars",
	"from frames": "frames_to_vars",
	"save": "save_vars",
	"load": "load_vars",
}

var _too_deep: Array = Values.Engines.nested(1026)


func test_values_that_cannot_be_encoded() -> void:
	for places: PackedInt32Array in [[0], [1199], [3, 600, 601], range(1200)]:
		var these: Array = range(1200)
		for at: int in places:
			these[at] = _too_deep
		_use_bad(these)
		for kind: String in ["to bytes", "to frames", "save"]:
			await _check_bad(kind, ERR_INVALID_DATA)


func test_bad_buffers() -> void:
	use(range(1000))
	for places: PackedInt32Array in [[0], [999], [3, 500, 501], range(1000)]:
		_buffers = VarBatch.vars_to_bytes(values)
		for at: int in places:
			_buffers[at] = _buffers[at].slice(0, at % 7)
		await _check_bad("from bytes", ERR_INVALID_DATA)


func test_elements_that_are_no_buffers() -> void:
	var buffers: Array = [var_to_bytes(1), "text", null, var_to_bytes(3)]
	var results: Array = []
	var lines := logged(func() -> void: results.append(VarBatch.bytes_to_vars(buffers)))
	var tasks: Array[VarBatchTask] = []
	var begin := func() -> VarBatchTask:
		tasks.append(VarBatch.bytes_to_vars_async(buffers))
		return tasks[0]
	_check_lines(await _lines_of(begin), lines, "bytes_to_vars")
	check_value(tasks[0].get_result(), results[0], "with elements that are no buffers")
	check_int(tasks[0].get_error(), ERR_INVALID_DATA, "with elements that are no buffers")


func test_bad_frames() -> void:
	use(range(1000))
	var good := _frames
	for length: int in [1, good.size() / 2 + 5, good.size() - 1]:
		_frames = good.slice(0, length)
		write(_loaded_path, _frames)
		await _check_bad("from frames", ERR_INVALID_DATA)
		await _check_bad("load", ERR_FILE_CORRUPT)
	_frames = good.duplicate()
	for at: int in [0, 500, 999]:
		_frames.encode_u32(at * 12 + 4, 0x99)
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


## [param these] as values, some of which cannot be encoded.
func _use_bad(these: Array) -> void:
	use([0])
	values = these


## Result and lines as the plain call's, and the code; waited for, and awaited.
func _check_bad(kind: String, code: int) -> void:
	var method := METHODS[kind]
	var results: Array = []
	var lines := logged(func() -> void: results.append(plain(kind)))
	if errors.is_open():
		check(not lines.is_empty(), "%s: nothing is bad" % method)
	for is_awaited: bool in [false, true]:
		for count: int in in_turns(THREAD_COUNTS):
			VarBatch.set_thread_count(count)
			var tasks: Array[VarBatchTask] = []
			var begin := func() -> VarBatchTask:
				tasks.append(start(kind))
				return tasks[0]
			var own: PackedStringArray
			if is_awaited:
				own = await _lines_of(begin)
			else:
				own = logged(func() -> void: (begin.call() as VarBatchTask).wait())
			var task := tasks[0]
			_check_lines(own, lines, method)
			check_value(task.wait(), results[0], "result of %s" % method)
			check_value(task.get_result(), results[0], "get_result of %s" % method)
			check(task.is_finished(), "%s is not finished" % method)
			check_int(task.get_error(), code, "get_error of %s" % method)
			_check_message(task.get_error_message(), lines, method)


## What is logged until the task has finished and some frames more.
func _lines_of(begin: Callable) -> PackedStringArray:
	_refuse_logged()
	var task: VarBatchTask = begin.call()
	await finished(Watch.new(task), "a task with errors")
	return _take_texts()


func _check_lines(own: PackedStringArray, of_plain: PackedStringArray, method: String) -> void:
	if not errors.is_open():
		return
	check_int(own.size(), of_plain.size(), "lines of %s_async" % method)
	for i: int in mini(own.size(), of_plain.size()):
		var expected := of_plain[i].replace(
			"VarBatch.%s: " % method, "VarBatch.%s_async: " % method
		)
		check_value(own[i], expected, "line %d of %s_async" % [i, method])


func _check_message(message: String, of_plain: PackedStringArray, method: String) -> void:
	if not errors.is_open():
		check(not message.is_empty(), "%s: no message" % method)
		return
	var texts := PackedStringArray()
	for line: String in of_plain:
		texts.append(line.trim_prefix("VarBatch.%s: " % method))
	check_value(message, "\n".join(texts), "message of %s" % method)

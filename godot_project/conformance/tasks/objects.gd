extends "tasks_base.gd"
## Tasks on objects: they are made, and their scripts run, on the main thread.

var _threads: Array[int] = []


## Unless another thread waits for the task: it takes over the work.
func test_made_on_the_main_thread() -> void:
	var these: Array = []
	for i: int in 500:
		var object := Meddler.new()
		object.number = i
		these.append([object, _noise.slice(0, i * 10)])
	use(these, true)
	Meddler.on_init = _note_thread
	for end: String in ["await", "wait", "signals"]:
		await each_kind(
			func(kind: String, what: String) -> void:
				_threads.clear()
				var result: Array = await result_of(start(kind), end)
				check_int(_threads.size(), 500, "objects made, %s, %s" % [kind, what])
				var here := _threads.count(OS.get_main_thread_id())
				check_int(here, 500, "objects made on the main thread, %s" % kind)
				for i: int in mini(500, result.size()):
					check_int((result[i][0] as Meddler).number, i, "number of an object"),
			FROM
		)


## Without permission nothing is made, on no thread.
func test_without_permission() -> void:
	use([Meddler.new(), 2], true)
	Meddler.on_init = _note_thread
	var text := "expected no object with properties, as objects are not allowed (allow_objects: true, or a list of classes), found one"
	check_forms("bytes_to_vars", [_buffers], [null, 2], ERR_INVALID_DATA, [text])
	check_forms("frames_to_vars", [_frames], [null, 2], ERR_INVALID_DATA, [text])
	check_forms("load_vars", [_loaded_path], [null, 2], ERR_INVALID_DATA, [text])
	check_int(_threads.size(), 0, "objects made without permission")


## A load of one value drops its default, or what else was in the file. Scripts of these ask the task.
func test_dropped_objects_that_ask_the_task() -> void:
	for count: int in by_threads():
		_check_asked([5], 0, 1, [true, OK, TYPE_INT])
		# The other values are never made, nor is the first of a damaged file.
		_check_asked([5, Meddler.new(), Meddler.new()], 0, 1, [true, OK, TYPE_INT])
		_check_asked([Meddler.new(), 5], 7, 0, [true, ERR_FILE_CORRUPT, TYPE_OBJECT])


func _check_asked(these: Array, cut: int, dropped: int, answer: Array) -> void:
	use(these, true)
	write(_loaded_path, _frames.slice(0, _frames.size() - cut))
	var warnings := int(these.size() > 1 and cut == 0)
	these.clear()
	values = []
	var tasks: Array[VarBatchTask] = []
	var answers: Array = []
	Meddler.on_free = func() -> void:
		if tasks:
			var task := tasks[0]
			answers.append([task.is_finished(), task.get_error(), typeof(task.get_result())])
	var load_one := func() -> void:
		tasks.append(VarBatch.load_var_async(_loaded_path, Meddler.new(), true))
		tasks[0].wait()
	expect_logged(load_one, int(cut > 0), warnings, "VarBatch.load_var_async: ")
	check_same(answers, filled(dropped, answer), "answers")
	Meddler.reset()


func _note_thread() -> void:
	_threads.append(OS.get_thread_caller_id())

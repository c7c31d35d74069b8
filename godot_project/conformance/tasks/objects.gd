extends "tasks_base.gd"
## Tasks on objects: they are made, and their scripts run, on the main thread.

const Asker := preload("asker.gd")
const Born := preload("../batches/thread_noter.gd")


func test_objects() -> void:
	use([1] + Values.Engines.storable_objects() + ["end"], true)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			var result: Variant = await finished(Watch.new(start(kind)), kind)
			check_result(result, expected, kind, "objects")
			check_result(start(kind).wait(), expected, kind, "objects, waited for")


func test_many_objects() -> void:
	var these: Array = []
	for i: int in 3000:
		these.append({"i": i, "object": Resource.new()} if i % 3 == 0 else [i, _noise.slice(0, i)])
	use(these, true)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var result: Variant = await finished(Watch.new(start(kind)), kind)
			check_result(result, plain(kind), kind, "many objects")


func test_made_on_the_main_thread() -> void:
	var these: Array = []
	for i: int in 500:
		var born := Born.new()
		born.number = i
		these.append([born, _noise.slice(0, i * 10)])
	use(these, true)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in ["from bytes", "from frames", "load"]:
			Born.threads.clear()
			var result: Array = await start(kind).finished
			check_int(Born.threads.size(), 500, "objects made, %s" % kind)
			var elsewhere := Born.threads.count(OS.get_main_thread_id()) != 500
			check(not elsewhere, "%s: objects made on another thread" % kind)
			for i: int in mini(500, result.size()):
				check_int((result[i][0] as Born).number, i, "number of an object")


## A thread waits, while the main thread makes the objects.
func test_waited_for_on_a_thread() -> void:
	use([1] + Values.Engines.storable_objects() + ["end"], true)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var task := start(kind)
			var thread := Thread.new()
			thread.start(task.wait)
			await until(func() -> bool: return not thread.is_alive(), "a thread ends, " + kind)
			check_result(thread.wait_to_finish(), plain(kind), kind, "objects on a thread")


## Without permission nothing is made, on no thread.
func test_without_permission() -> void:
	use([Born.new(), 2], true)
	Born.threads.clear()
	var run := func() -> void:
		for task: VarBatchTask in [
			VarBatch.bytes_to_vars_async(_buffers),
			VarBatch.frames_to_vars_async(_frames),
			VarBatch.load_vars_async(_loaded_path),
		]:
			check_values(task.wait() as Array, [null, 2], "without permission")
	expect_errors(run, 3, "_async: ")
	check_int(Born.threads.size(), 0, "objects made without permission")


## A script that starts tasks, and waits for one, while another task makes its object.
func test_scripts_that_use_tasks() -> void:
	use([Born.new(), 2], true)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in ["from bytes", "from frames", "load"]:
			var inner: Array = []
			Born.when_born = func() -> void:
				inner.append(VarBatch.vars_to_bytes_async([1, 2]).wait())
				inner.append(VarBatch.vars_to_bytes([3]))
			var result: Array = await start(kind).finished
			check_int(result.size(), 2, "values of %s" % kind)
			check_int(inner.size(), 2, "results of the script, %s" % kind)
			result = start(kind).wait()
			check_int(inner.size(), 4, "results of the script, waited for, %s" % kind)
			Born.when_born = Callable()


## A load of one value drops its default, or what else was in the file. Scripts of these ask the task.
func test_dropped_objects_that_ask_the_task() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		_check_asked([5], 0, 1, [true, OK, TYPE_INT])
		_check_asked([5, Asker.new(), Asker.new()], 0, 3, [true, OK, TYPE_INT])
		_check_asked([Asker.new(), 5], 7, 1, [true, ERR_FILE_CORRUPT, TYPE_OBJECT])


func _check_asked(these: Array, cut: int, dropped: int, answer: Array) -> void:
	use(these, true)
	write(_loaded_path, _frames.slice(0, _frames.size() - cut))
	these.clear()
	values = []
	var load_one := func() -> void:
		Asker.task = VarBatch.load_var_async(_loaded_path, Asker.new(), true)
		Asker.task.wait()
	var is_many := dropped > 1
	expect_logged(load_one, int(cut > 0), int(is_many), "VarBatch.load_var_async: ")
	var expected: Array = []
	expected.resize(dropped)
	expected.fill(answer)
	check_values(Asker.answers, expected, "answers")
	Asker.task = null
	Asker.answers = []

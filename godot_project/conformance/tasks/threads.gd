extends "tasks_base.gd"
## Tasks and the number of threads: several at once, slices of frames where there are no threads, a
## number that changes meanwhile, and tasks that are started anywhere.

## Frames that a long task lasts at least where its work is done in slices of them. A slice takes a
## few milliseconds, the task some tens at least.
const MIN_FRAMES := 4


## A small task need not wait for a large one.
func test_small_after_large() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in ["from bytes", "from frames", "save", "load"]:
			var is_small := kind.begins_with("from")
			use(many() + many() + many() if is_small else large() + large() + large())
			# Somebody else may keep the processor, or the disk hold up a write: not each time.
			var order := await _order_of(kind)
			for attempt: int in 4:
				if order[0] == "large":
					order = await _order_of(kind)
			check(order[0] == "small", "%s, %d threads: %s" % [kind, count, order])


## Those that are alike share what there is: none is done before all others have begun.
func test_many_at_once() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		use(Values.mixed(300).filter(is_kept) + [_noise])
		var expected: Dictionary[String, Variant] = {}
		for kind: String in KINDS:
			expected[kind] = plain(kind)
		var tasks: Array[VarBatchTask] = []
		var watches: Array[Watch] = []
		for i: int in 60:
			tasks.append(start(KINDS[i % KINDS.size()]))
			watches.append(Watch.new(tasks[-1]))
		for i: int in 60:
			var kind := KINDS[i % KINDS.size()]
			check_result(await finished(watches[i], kind), expected[kind], kind, "one of many")
			check_over(tasks[i], kind)


## Frames go on, and none of them takes all of the time.
func test_slices() -> void:
	VarBatch.set_thread_count(1)
	for kind: String in KINDS:
		use(large() + large() if kind in ["save", "load"] else many())
		var started := Time.get_ticks_usec()
		var expected: Variant = plain(kind)
		var at_once := Time.get_ticks_usec() - started
		started = Time.get_ticks_usec()
		var task := start(kind)
		var in_call := Time.get_ticks_usec() - started
		var watch := Watch.new(task)
		var frame_count := 0
		while not watch.is_finished():
			frame_count += 1
			await get_tree().process_frame
		check_result(await finished(watch, kind), expected, kind, "in slices")
		# The call itself walks the values, so that little is left to do where they are not large.
		if not kind in ["to bytes", "to frames"]:
			check(frame_count >= MIN_FRAMES, "%s: %d frames" % [kind, frame_count])
			check(
				in_call < at_once / 2 + 2000,
				"%s: %d us in the call of %d" % [kind, in_call, at_once]
			)


## Nothing but frames drives it, so it must not depend on what a game switches off.
func test_slices_while_paused() -> void:
	use(large())
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		get_tree().paused = true
		Engine.time_scale = 0.0
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			check_result(await start(kind).finished, expected, kind, "while paused")
		get_tree().paused = false
		Engine.time_scale = 1.0


func test_thread_count_changes() -> void:
	use(large() + Values.mixed(200).filter(is_kept))
	var expected: Dictionary[String, Variant] = {}
	for kind: String in KINDS:
		expected[kind] = plain(kind)
	for round_number: int in 4:
		var watches: Array[Watch] = []
		for i: int in 12:
			VarBatch.set_thread_count(i * 7 % 4)
			watches.append(Watch.new(start(KINDS[i % KINDS.size()])))
			VarBatch.set_thread_count((i + round_number) % 3 + 1)
		var change := 0
		while not watches.all(func(watch: Watch) -> bool: return watch.is_finished()):
			change += 1
			VarBatch.set_thread_count([1, 2, 1, 3, 0][change % 5])
			await get_tree().process_frame
		for i: int in 12:
			var kind := KINDS[i % KINDS.size()]
			check_result(await finished(watches[i], kind), expected[kind], kind, "under changes")


## From threads to none, and back, in one step each way: nothing is forgotten in the old ones.
func test_thread_count_changes_once() -> void:
	use(large())
	for change: PackedInt32Array in [[2, 1], [1, 2], [3, 2], [2, 3], [3, 1]]:
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			VarBatch.set_thread_count(change[0])
			var watch := Watch.new(start(kind))
			VarBatch.set_thread_count(change[1])
			check_result(await finished(watch, kind), expected, kind, "%s threads" % change)
			var task := start(kind)
			VarBatch.set_thread_count(change[0])
			check_result(task.wait(), expected, kind, "%s threads, back" % change)


## Each starts the next when it has finished.
func test_started_in_a_signal() -> void:
	use([1, "two", _noise])
	var left: Array[String] = []
	for i: int in 40:
		left.append(KINDS[i % KINDS.size()])
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var heard: Array = []
		var next := func(result: Variant, itself: Callable) -> void:
			heard.append(result)
			if heard.size() <= left.size():
				start(left[heard.size() - 1]).finished.connect(itself.bind(itself))
		next.call(null, next)
		await until(func() -> bool: return heard.size() == left.size() + 1, "the last has finished")
		for i: int in left.size():
			check_result(heard[i + 1], plain(left[i]), left[i], "started in a signal")


func test_waited_for_in_a_signal() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var results: Array = []
		var first := VarBatch.vars_to_bytes_async([1])
		first.finished.connect(
			func(_result: Variant) -> void:
				for kind: String in KINDS:
					results.append(start(kind).wait())
		)
		await until(func() -> bool: return results.size() == KINDS.size(), "all are waited for")
		for i: int in KINDS.size():
			check_result(results[i], plain(KINDS[i]), KINDS[i], "waited for in a signal")


func test_started_on_threads() -> void:
	use(Values.mixed(200).filter(is_kept) + [_noise])
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for in_pool: bool in [false, true]:
			var tasks: Array[VarBatchTask] = []
			var begin := func() -> void:
				for kind: String in KINDS:
					tasks.append(start(kind))
			if in_pool:
				WorkerThreadPool.wait_for_task_completion(WorkerThreadPool.add_task(begin))
			else:
				var thread := Thread.new()
				thread.start(begin)
				thread.wait_to_finish()
			var watches := tasks.map(func(task: VarBatchTask) -> Watch: return Watch.new(task))
			for i: int in KINDS.size():
				var kind := KINDS[i]
				var result: Variant = await finished(watches[i] as Watch, kind)
				check_result(result, plain(kind), kind, "started on a thread")


## The thread that started them is over before they are.
func test_started_on_a_thread_that_ends() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		use(large())
		DirAccess.remove_absolute(path)
		var thread := Thread.new()
		thread.start(func() -> void: start("save"))
		thread.wait_to_finish()
		await until(func() -> bool: return FileAccess.file_exists(path), "the file is there")
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "saved by a thread that ended")


## Which ends first of a long task and a short one that was started after it.
func _order_of(kind: String) -> Array[String]:
	var order: Array[String] = []
	var long_task := start(kind)
	long_task.finished.connect(func(_result: Variant) -> void: order.append("large"))
	var small := VarBatch.vars_to_bytes_async([1, 2])
	small.finished.connect(func(_result: Variant) -> void: order.append("small"))
	await until(func() -> bool: return order.size() == 2, "both are over")
	return order

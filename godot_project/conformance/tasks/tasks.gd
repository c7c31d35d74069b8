extends "tasks_base.gd"
## Tasks: their results, their signals, and who may wait for them.


func test_results() -> void:
	var few := Values.mixed(100).filter(is_kept)
	for these: Array in [few, [few, {"few": few}, _noise], large(), []]:
		use(these)
		for count: int in in_turns(THREAD_COUNTS):
			VarBatch.set_thread_count(count)
			for kind: String in KINDS:
				var what := "%d values, %d threads" % [these.size(), count]
				var expected: Variant = plain(kind)
				var task := start(kind)
				var result: Variant = await finished(Watch.new(task), kind)
				check_result(result, expected, kind, what)
				check_result(task.get_result(), expected, kind, "get_result, " + what)
				check_over(task, kind)


## One argument is enough, and what stands for the others is as in the plain calls.
func test_defaults() -> void:
	use([1, "two"])
	var tasks: Array[VarBatchTask] = [
		VarBatch.vars_to_bytes_async(values),
		VarBatch.vars_to_frames_async(values),
		VarBatch.bytes_to_vars_async(_buffers),
		VarBatch.frames_to_vars_async(_frames),
		VarBatch.save_vars_async(path, values),
		VarBatch.load_vars_async(_loaded_path),
	]
	for i: int in KINDS.size():
		check_result(tasks[i].wait(), plain(KINDS[i]), KINDS[i], "defaults")


func test_typed_arrays() -> void:
	var packed: Array[PackedByteArray] = [_noise, PackedByteArray(), PackedByteArray([1])]
	var ints: Array[int] = [1, 2, -3]
	packed.make_read_only()
	for these: Array in [packed, ints]:
		use(these)
		for kind: String in KINDS:
			check_result(start(kind).wait(), plain(kind), kind, "typed")


func test_before_and_after() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		use(large())
		for kind: String in KINDS:
			var task := start(kind)
			var result: Variant = task.get_result()
			check(result == null or task.is_finished(), "%s: a result before the end" % kind)
			check(task.get_progress() >= 0.0 and task.get_progress() <= 1.0, "progress of " + kind)
			check_int(task.get_error(), OK, "error of %s" % kind)
			check_value(task.get_error_message(), "", "message of %s" % kind)
			await finished(Watch.new(task), kind)
			check_over(task, kind)


## Where it takes long, it is told how far it is.
func test_progress() -> void:
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		use(large())
		for kind: String in KINDS:
			var task := start(kind)
			var watch := Watch.new(task)
			var last := 0.0
			while not watch.is_finished():
				var progress := task.get_progress()
				check(progress >= last and progress <= 1.0, "%s after %s" % [progress, last])
				last = progress
				await get_tree().process_frame
			await finished(watch, kind)
			check(task.get_progress() == 1.0, "%s: %s at the end" % [kind, task.get_progress()])
			if count == 1:
				check(watch.fractions.size() > 0, "%s: no progress was told" % kind)


func test_await() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			var task := start(kind)
			check_result(await task.finished, expected, kind, "awaited")
			check(task.is_finished(), "%s: not finished when awaited" % kind)
			check_result(await start(kind).finished, expected, kind, "held by nobody")


## However soon it is done, there is time to connect to it.
func test_never_before_the_main_loop() -> void:
	use([1, 2])
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var task := start(kind)
			var early := Watch.new(task)
			OS.delay_msec(15)
			check(not early.is_finished(), "%s: finished within the call" % kind)
			var late := Watch.new(task)
			await finished(early, kind)
			await finished(late, kind)
			check_over(task, kind)


## And when all is over, who asks then is not answered any more, but for get_result().
func test_after_the_signal() -> void:
	use([1, 2])
	for kind: String in KINDS:
		var task := start(kind)
		await task.finished
		var late := Watch.new(task)
		check_result(task.wait(), plain(kind), kind, "waited for late")
		await frames_pass(3)
		check_int(late.results.size(), 0, "signals of %s after the end" % kind)


func test_wait_on_the_main_thread() -> void:
	for these: Array in [[1, "two"], large()]:
		use(these)
		for count: int in in_turns(THREAD_COUNTS):
			VarBatch.set_thread_count(count)
			for kind: String in KINDS:
				var expected: Variant = plain(kind)
				var task := start(kind)
				var watch := Watch.new(task)
				check_result(task.wait(), expected, kind, "waited for")
				check_over(task, kind)
				check_result(task.wait(), expected, kind, "waited for again")
				check_int(watch.results.size(), 0, "%s: finished inside wait()" % kind)
				check_result(await finished(watch, kind), expected, kind, "after wait()")


## Several threads wait for one task.
func test_wait_on_threads() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			var task := start(kind)
			var watch := Watch.new(task)
			var threads := start_threads(4, task.wait.unbind(1))
			for result: Variant in end_threads(threads):
				check_result(result, expected, kind, "on a thread")
			check_result(await finished(watch, kind), expected, kind, "waited for on threads")


## While threads wait, the game goes on.
func test_wait_on_threads_meanwhile() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			var task := start(kind)
			var thread := Thread.new()
			thread.start(task.wait)
			await until(func() -> bool: return not thread.is_alive(), "a thread ends, " + kind)
			check_result(thread.wait_to_finish(), expected, kind, "on a thread")


func test_held_by_nobody() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		# The first one makes what all of them share.
		start("save").wait()
		var before := await count_objects()
		DirAccess.remove_absolute(path)
		for kind: String in KINDS:
			start(kind)
		await until(func() -> bool: return FileAccess.file_exists(path), "the file is there")
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "file that nobody waits for")
		await until_objects(before, "after tasks that nobody holds")


## The last who holds it lets go inside its own signal.
func test_let_go_in_its_signal() -> void:
	use([1, 2, 3])
	var held: Array[VarBatchTask] = []
	var heard: Array = []
	for kind: String in KINDS:
		held.append(start(kind))
		held[-1].finished.connect(
			func(result: Variant) -> void:
				held.pop_back()
				heard.append(result)
		)
	await until(func() -> bool: return heard.size() == KINDS.size(), "all are let go")
	check(held.is_empty(), "%d are held" % held.size())

extends "tasks_base.gd"
## Tasks: their results, their signals, and who may wait for them.


## Whatever they work on and however they end.
func test_results() -> void:
	var few := Values.mixed(100).filter(is_kept)
	var packed: Array[PackedByteArray] = [_noise, PackedByteArray(), PackedByteArray([1])]
	packed.make_read_only()
	var ints: Array[int] = [1, 2, -3]
	for these: Array in [few, large(), [], [few, {"few": few}, _noise], packed, ints]:
		use(these)
		await each_kind(_check_results.bind(ENDS if these.size() >= 100 else ENDS.slice(1, 2)))
	use([1] + Engines.storable_objects() + ["end"], true)
	await each_kind(_check_results.bind(ENDS))


## One argument is enough, and what stands for the others is as in the plain calls.
func test_defaults() -> void:
	use([1, "two"])
	for kind: String in KINDS:
		var found: Variant = call_and_wait(METHODS[kind] + "_async", _arguments(kind).slice(0, -1))
		check_result(found, plain(kind), kind, "defaults")


## Until the end there is no result and no error, and it is told how far it is where it takes long.
func test_before_the_end() -> void:
	use(large())
	for count: int in Threads.new([1, 2]):
		for kind: String in KINDS:
			var task := start(kind)
			var watch := Watch.new(task)
			var last := 0.0
			while not watch.is_finished():
				var result: Variant = task.get_result()
				check(result == null or task.is_finished(), "%s: a result before the end" % kind)
				check_int(task.get_error(), OK, "error of %s" % kind)
				check_value(task.get_error_message(), "", "message of %s" % kind)
				var progress := task.get_progress()
				check(progress >= last and progress <= 1.0, "%s after %s" % [progress, last])
				last = progress
				await get_tree().process_frame
			await finished(watch, kind)
			check_over(task, kind)
			check(count > 1 or watch.fractions.size() > 0, "%s: no progress was told" % kind)


## However soon it is done, there is time to connect to it.
func test_never_before_the_main_loop() -> void:
	use([1, 2])
	await each_kind(
		func(kind: String, what: String) -> void:
			var task := start(kind)
			var early := Watch.new(task)
			OS.delay_msec(15)
			check(not early.is_finished(), "%s, %s: finished within the call" % [kind, what])
			var late := Watch.new(task)
			await finished(early, kind)
			await finished(late, kind)
			check_over(task, kind)
	)


func test_held_by_nobody() -> void:
	use(large())
	for count: int in by_threads():
		# The first one makes what all of them share.
		start("save").wait()
		var before := await count_objects()
		DirAccess.remove_absolute(path)
		for kind: String in KINDS:
			start(kind)
		await until(func() -> bool: return FileAccess.file_exists(path), "the file is there")
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "file that nobody waits for")
		await until_objects(before, "after tasks that nobody holds, %d threads" % count)
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			check_result(await start(kind).finished, expected, kind, "held by nobody")


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


## Whoever comes when it is over is told in the next frame, once, however they connect. One who connects
## in such a call is told a frame later. Nothing keeps the task after that.
func test_late_listeners() -> void:
	use([1, 2])
	for kind: String in ["to bytes", "save"]:
		var held: WeakRef = await _check_late_listeners(kind)
		await frames_pass(2)
		check(held.get_ref() == null, "%s: the task is held" % kind)


## When it is over, whoever asks then is answered as well.
func _check_results(kind: String, what: String, ends: PackedStringArray) -> void:
	var expected: Variant = plain(kind)
	for end: String in ends:
		var shown := "%d values, %s, %s" % [values.size(), what, end]
		var task := start(kind)
		var watch := Watch.new(task)
		check_result(await result_of(task, end), expected, kind, shown)
		check_over(task, kind)
		check(not (end == "wait" and watch.is_finished()), "%s: finished inside wait()" % kind)
		check_result(await finished(watch, kind), expected, kind, "signals, " + shown)
		var late := Watch.new(task)
		check_result(task.get_result(), expected, kind, "get_result, " + shown)
		check_result(task.wait(), expected, kind, "waited for again, " + shown)
		check_result(await finished(late, kind), expected, kind, "late signals, " + shown)


func _check_late_listeners(kind: String) -> WeakRef:
	var task := start(kind)
	await until(task.is_finished, "%s is finished" % kind)
	await frames_pass(2)
	var told: Array[int] = []
	var hear := func(name: int) -> Callable: return func(_result: Variant) -> void: told.append(name)
	var flags: PackedInt32Array = [0, CONNECT_DEFERRED, CONNECT_PERSIST, CONNECT_ONE_SHOT]
	for i: int in flags.size():
		task.finished.connect(hear.call(i) as Callable, flags[i])
	var counted: Callable = hear.call(4)
	for i: int in 2:
		task.finished.connect(counted, CONNECT_REFERENCE_COUNTED)
	var connect_there := func(name: int) -> void: task.finished.connect(hear.call(name) as Callable)
	end_threads(start_threads(1, connect_there.bind(5).unbind(1)))
	task.finished.connect(connect_there.bind(6).unbind(1))
	for i: int in 2:
		var frame := Engine.get_process_frames()
		check_result(await task.finished, task.get_result(), kind, "awaited late")
		check_int(Engine.get_process_frames(), frame + 1, "%s, %d: the frame" % [kind, i])
	await frames_pass(2)
	told.sort()
	check_value(told, [0, 1, 2, 3, 4, 5, 6] as Array[int], "who was told of %s" % kind)
	return weakref(task)

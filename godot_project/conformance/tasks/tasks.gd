extends "tasks_base.gd"
## Tasks: their results, their signals, and who may wait for them. Those that are cancelled give null, or
## ERR_SKIP from a save, which leaves the old file and no other; one that is done by then keeps its result.
## What they say of values and buffers that are bad is what the plain calls say, by the name of their own method.

const OLD: Array = ["the old file"]
const COUNT := 1000


func test_results() -> void:
	var few := Values.mixed(100).filter(is_kept)
	var packed: Array[PackedByteArray] = [_noise, PackedByteArray(), PackedByteArray([1])]
	packed.make_read_only()
	for these: Array in [few, large(), [], [few, {"few": few}, _noise], packed, [1, 2, -3] as Array[int]]:
		use(these)
		await each_kind(_check_results.bind(ENDS if these.size() >= 100 else ENDS.slice(1, 2)))
	use([1] + Engines.storable_objects() + ["end"], true)
	await each_kind(_check_results.bind(ENDS))


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
		await frames_pass(1)
		var before := await count_objects()
		DirAccess.remove_absolute(path)
		for kind: String in KINDS:
			start(kind)
		await until(func() -> bool: return FileAccess.file_exists(path), "the file is there")
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "file that nobody waits for")
		var left := await count_objects(before, PATIENCE)
		check(left <= before, "after tasks that nobody holds, %d threads: %d objects, not %d" % [count, left, before])
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			check_result(await start(kind).finished, expected, kind, "held by nobody")


func test_let_go_in_its_signal() -> void:
	use([1, 2, 3])
	var held: Array = Array(KINDS).map(start)
	var heard: Array = []
	for task: VarBatchTask in held:
		task.finished.connect(
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


## At once, after a while, some frames later, in `progressed` and in the `finished` of another, and by
## threads; while a thread or the main one waits, which is let go.
func test_whenever_it_is() -> void:
	var cancel := func(task: VarBatchTask, delay: int) -> void:
		OS.delay_usec(delay)
		task.cancel()
	var on_threads := func(task: VarBatchTask, _delay: int) -> void:
		var threads := start_threads(3, task.cancel.unbind(1))
		task.cancel()
		end_threads(threads)
	var while_a_thread_waits := func(task: VarBatchTask, delay: int) -> void:
		var threads := start_threads(1, task.wait.unbind(1))
		cancel.call(task, delay)
		check_value(end_threads(threads)[0], task.wait(), "waited for on a thread")
	var while_this_one_waits := func(task: VarBatchTask, delay: int) -> void:
		var threads := start_threads(1, func(_i: int) -> void: cancel.call(task, delay))
		var result: Variant = task.wait()
		end_threads(threads)
		check_value(task.get_result(), result, "waited for on the main thread")
	var frames_later := func(task: VarBatchTask, frames: int) -> void:
		await frames_pass(frames)
		task.cancel()
	# Not the task itself: it would hold what holds it.
	var held: Array[VarBatchTask] = []
	var in_progressed := func(task: VarBatchTask, _delay: int) -> void:
		held.assign([task])
		task.progressed.connect(func(_fraction: float) -> void: held[0].cancel())
	var in_another := func(task: VarBatchTask, _delay: int) -> void:
		held.clear()
		var other := VarBatch.vars_to_bytes_async([1])
		other.finished.connect(func(_result: Variant) -> void: task.cancel())
	var ways: Dictionary[Callable, Array] = {
		cancel: [0, 200, 1000, 3000, 8000, 20_000], on_threads: [0], while_a_thread_waits: [0, 500, 3000],
		while_this_one_waits: [1000], frames_later: [1, 2, 3], in_progressed: [0], in_another: [0],
	}
	use([1, 2])
	await each_kind(_check_cancelled.bind(cancel.bind(0), "a small task"))
	for way: Callable in ways:
		# What takes many small steps is done in slices of frames.
		use(many() if way == frames_later else large())
		for delay: int in ways[way]:
			await each_kind(_check_cancelled.bind(way.bind(delay), "%d after %d" % [ways.keys().find(way), delay]))


func test_after_the_end() -> void:
	use([1, _noise])
	await each_kind(
		func(kind: String, what: String) -> void:
			for end: String in ["await", "wait"]:
				var task := start(kind)
				var watch := Watch.new(task)
				await result_of(task, end)
				task.cancel()
				var expected: Variant = plain(kind)
				check_result(await finished(watch, kind), expected, kind, "too late, " + what)
				check_result(task.wait(), expected, kind, "too late, get_result, " + what)
				check_over(task, kind)
	)


## Calls [param cancel] with a task, which then has either been cancelled, with nothing done, or was done before.
func _check_cancelled(kind: String, what: String, cancel: Callable, how: String) -> void:
	var shown := "%s, %s, %s" % [kind, what, how]
	write(path, stored(OLD))
	var task := start(kind)
	var watch := Watch.new(task)
	var frame := Engine.get_process_frames()
	await cancel.call(task)
	var is_same_frame := Engine.get_process_frames() == frame
	check(not (is_same_frame and watch.is_finished()), "%s: finished inside cancel()" % shown)
	var result: Variant = await finished(watch, shown)
	check(task.is_finished(), "%s: not finished" % shown)
	check_value(task.get_result(), result, "get_result of %s" % shown)
	check_value(task.wait(), result, "wait() of %s" % shown)
	var is_cancelled: bool = task.get_error() == ERR_SKIP
	if not is_cancelled:
		check_over(task, shown)
	if kind != "save":
		check((result == null) == is_cancelled, "%s: error %d" % [shown, task.get_error()])
		return
	check_value(result, task.get_error(), "result of %s" % shown)
	var expected := stored(OLD) if is_cancelled else _frames
	check_bytes(FileAccess.get_file_as_bytes(path), expected, "file of " + shown)
	check_names(["loaded.bin", path.get_file()], shown)


func test_bad_values_buffers_and_frames() -> void:
	for places: PackedInt32Array in [[0], [COUNT - 1], [3, 500, 501], range(COUNT)]:
		use(range(COUNT))
		for at: int in places:
			values[at] = Engines.nested(1026)
			_buffers[at] = _buffers[at].slice(0, 1 + at % 6)
			_frames.encode_u32(at * 12 + 4, 0x99)
		for kind: String in ["to bytes", "to frames", "save"]:
			await _check_bad(kind, ERR_INVALID_DATA)
		for kind: String in ["from bytes", "from frames"]:
			await _check_bad(kind, ERR_FILE_CORRUPT)
		for length: int in [1, 6005, -1]:
			write(_loaded_path, _frames.slice(0, length))
			await _check_bad("load", ERR_FILE_CORRUPT)


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
	for i: int in 20:
		check_over(good[i], "a good one")
		check_int(bad[i].get_error(), ERR_FILE_CORRUPT, "a bad one")


func _check_bad(kind: String, code: int) -> void:
	var text := "\n".join(logged(plain.bind(kind))).replace("VarBatch.%s: " % METHODS[kind], "")
	var expected: Variant = returned
	check(not text.is_empty() or not errors.is_open(), "%s: nothing is bad" % kind)
	for count: int in by_threads():
		if errors.is_open():
			check_forms(METHODS[kind], _arguments(kind), expected, code, text.split("\n"), true)
		_refuse_logged()
		var task := start(kind)
		check_like(await result_of(task, "signals"), expected, "result, " + kind)
		var awaited := "\n".join(_take_texts()).replace("VarBatch.%s_async: " % METHODS[kind], "")
		check(not errors.is_open() or awaited == text, "awaited, %s: %s" % [kind, awaited])
		check_like(task.get_result(), expected, "get_result, " + kind)
		check_int(task.get_error(), code, "get_error, " + kind)

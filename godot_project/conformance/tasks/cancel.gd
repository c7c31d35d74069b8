extends "tasks_base.gd"
## Tasks that are cancelled: null, or ERR_SKIP from a save, which leaves the old file and no other.
## One that is done by then keeps its result.

const OLD: Array = ["the old file"]


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
		cancel: [0, 200, 1000, 3000, 8000, 20_000],
		on_threads: [0],
		while_a_thread_waits: [0, 500, 3000],
		while_this_one_waits: [1000],
		frames_later: [1, 2, 3],
		in_progressed: [0],
		in_another: [0],
	}
	use([1, 2])
	await each_kind(_check_cancelled.bind(cancel.bind(0), "a small task"))
	for way: Callable in ways:
		# What takes many small steps is done in slices of frames.
		use(many() if way == frames_later else large())
		for delay: int in ways[way]:
			var how := "%d after %d" % [ways.keys().find(way), delay]
			await each_kind(_check_cancelled.bind(way.bind(delay), how))


## When it is done there is nothing to cancel.
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


## Calls [param cancel] with a task, which then has either been cancelled, with nothing done, or was
## done before.
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

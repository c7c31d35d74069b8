extends "tasks_base.gd"
## Tasks and the number of threads: several at once, slices of frames where there are no threads, and
## tasks that are started anywhere.

## Frames that a long task lasts at least where its work is done in slices of them. A slice takes a
## few milliseconds, the task some tens at least.
const MIN_FRAMES := 4
## More than a frame may take, with what it does besides.
const FRAME_USEC := 10_000


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
			# Fewer on a fast machine, but never one.
			var least := clampi(at_once / FRAME_USEC, 2, MIN_FRAMES)
			check(frame_count >= least, "%s: %d frames for %d us" % [kind, frame_count, at_once])
			check(in_call < at_once / 2 + 2000, "%s: %d us in the call of %d" % [kind, in_call, at_once])


## Nothing but frames drives it, so it must not depend on what a game switches off.
func test_slices_while_paused() -> void:
	use(large())
	for count: int in Threads.new([1, 2]):
		get_tree().paused = true
		Engine.time_scale = 0.0
		for kind: String in KINDS:
			var expected: Variant = plain(kind)
			var result: Variant = await start(kind).finished
			check_result(result, expected, kind, "while paused, %d threads" % count)
		get_tree().paused = false
		Engine.time_scale = 1.0


func test_in_a_signal() -> void:
	use([1, "two", _noise])
	for count: int in by_threads():
		var heard: Array = []
		var next := func(result: Variant, itself: Callable) -> void:
			heard.append(result)
			if heard.size() <= 40:
				var kind := KINDS[(heard.size() - 1) % KINDS.size()]
				start(kind).finished.connect(itself.bind(itself))
		next.call(null, next)
		await until(func() -> bool: return heard.size() == 41, "the last has finished")
		var results: Array = []
		var wait_for_all := func(_result: Variant) -> void:
			for kind: String in KINDS:
				results.append(start(kind).wait())
		VarBatch.vars_to_bytes_async([1]).finished.connect(wait_for_all)
		await until(func() -> bool: return results.size() == KINDS.size(), "all are waited for")
		for i: int in 40:
			var kind := KINDS[i % KINDS.size()]
			check_result(heard[i + 1], plain(kind), kind, "started in a signal, %d" % count)
			if i < KINDS.size():
				check_result(results[i], plain(kind), kind, "waited for in a signal, %d" % count)


## Also if the thread that started them is over before they are.
func test_started_on_threads() -> void:
	for these: Array in [Values.mixed(200).filter(is_kept) + [_noise], large()]:
		use(these)
		var expected := Array(KINDS).map(plain)
		for count: int in by_threads():
			for in_pool: bool in [false, true]:
				DirAccess.remove_absolute(path)
				var tasks: Array[VarBatchTask] = []
				var begin := func(_i: int) -> void:
					for kind: String in KINDS:
						tasks.append(start(kind))
				if in_pool:
					var task := WorkerThreadPool.add_task(begin.bind(0))
					WorkerThreadPool.wait_for_task_completion(task)
				else:
					end_threads(start_threads(1, begin))
				var watches := tasks.map(func(task: VarBatchTask) -> Watch: return Watch.new(task))
				for i: int in KINDS.size():
					var result: Variant = await finished(watches[i] as Watch, KINDS[i])
					check_result(result, expected[i], KINDS[i], "started on a thread, %d" % count)
		DirAccess.remove_absolute(path)
		end_threads(start_threads(1, func(_i: int) -> void: start("save")))
		await until(func() -> bool: return FileAccess.file_exists(path), "the file is there")
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "saved by a thread that ended")

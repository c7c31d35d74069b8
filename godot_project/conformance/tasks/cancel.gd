extends "tasks_base.gd"
## Tasks that are cancelled: null, or ERR_SKIP from a save, which leaves the old file and no other.
## One that is done by then keeps its result.

const OLD: Array = ["the old file"]


func test_at_once() -> void:
	for these: Array in [[1, 2], large()]:
		use(these)
		for count: int in in_turns(THREAD_COUNTS):
			VarBatch.set_thread_count(count)
			for kind: String in KINDS:
				await _check_cancelled(kind, 0, "at once")


func test_meanwhile() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			for delay: int in [200, 1000, 3000, 8000, 20_000]:
				await _check_cancelled(kind, delay, "after %d us" % delay)


## A few frames later, while it may be done in slices of them.
func test_in_later_frames() -> void:
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			use(many() if kind.begins_with("from") else large())
			for frames: int in [1, 2, 3]:
				write(path, stored(OLD))
				var task := start(kind)
				var watch := Watch.new(task)
				await frames_pass(frames)
				task.cancel()
				var result: Variant = await finished(watch, kind)
				_check_end(task, result, kind, "after %d frames" % frames)


## When it is done there is nothing to cancel.
func test_after_the_end() -> void:
	use([1, _noise])
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			for is_awaited: bool in [true, false]:
				var task := start(kind)
				var watch := Watch.new(task)
				if is_awaited:
					await task.finished
				else:
					task.wait()
				task.cancel()
				check_result(await finished(watch, kind), plain(kind), kind, "cancelled too late")
				check_result(task.wait(), plain(kind), kind, "cancelled too late, get_result")
				check_over(task, kind)


func test_twice_and_by_threads() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			write(path, stored(OLD))
			var task := start(kind)
			var watch := Watch.new(task)
			var threads := start_threads(3, task.cancel.unbind(1))
			task.cancel()
			end_threads(threads)
			_check_end(task, await finished(watch, kind), kind, "by threads")


## Who waits for it is let go.
func test_while_waited_for() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			for delay: int in [0, 500, 3000]:
				write(path, stored(OLD))
				var task := start(kind)
				var watch := Watch.new(task)
				var thread := Thread.new()
				thread.start(task.wait)
				OS.delay_usec(delay)
				task.cancel()
				var result: Variant = thread.wait_to_finish()
				check_value(result, task.wait(), "%s, waited for on a thread" % kind)
				_check_end(task, await finished(watch, kind), kind, "while waited for")


func test_while_waited_for_on_the_main_thread() -> void:
	use(large())
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			write(path, stored(OLD))
			var task := start(kind)
			var watch := Watch.new(task)
			var thread := Thread.new()
			var cancel := func() -> void:
				OS.delay_usec(1000)
				task.cancel()
			thread.start(cancel)
			var result: Variant = task.wait()
			thread.wait_to_finish()
			_check_end(task, result, kind, "waited for on the main thread")
			check_value(await finished(watch, kind), result, "signal of %s" % kind)


## In `progressed`, and in the `finished` of another.
func test_in_signals() -> void:
	use(large())
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			write(path, stored(OLD))
			var task := start(kind)
			var watch := Watch.new(task)
			# Not the task itself: it would hold what holds it.
			var held: Array[VarBatchTask] = [task]
			task.progressed.connect(func(_fraction: float) -> void: held[0].cancel())
			_check_end(task, await finished(watch, kind), kind, "in progressed")
			held.clear()
			write(path, stored(OLD))
			task = start(kind)
			watch = Watch.new(task)
			var other := VarBatch.vars_to_bytes_async([1])
			other.finished.connect(func(_result: Variant) -> void: task.cancel())
			_check_end(task, await finished(watch, kind), kind, "in another's finished")


## A save that is replaced by a newer one before it is done, as games do it.
func test_save_again_and_again() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		use(large())
		write(path, stored(OLD))
		var watches: Array[Watch] = []
		var last: VarBatchTask
		for i: int in 30:
			if last:
				last.cancel()
			values[0] = i
			last = start("save")
			watches.append(Watch.new(last))
		check_value(last.wait(), OK as int, "the last save")
		check_value(VarBatch.load_vars(path)[0], 29, "the generation that is left")
		for watch: Watch in watches:
			var result: Variant = await finished(watch, "a save")
			check(result is int and result in [OK, ERR_SKIP], "result of a save: %s" % result)
		check_names(["loaded.bin", path.get_file()], "many saves")


## No more of it is held than of one that is done.
func test_what_is_left() -> void:
	use(large())
	# The first one makes what all of them share.
	start("save").wait()
	var before := await count_objects()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in KINDS:
			start(kind).cancel()
	await until_objects(before, "after cancelled tasks")


## Cancelled after so many microseconds. It is said to be over at once or soon.
func _check_cancelled(kind: String, delay: int, what: String) -> void:
	write(path, stored(OLD))
	var task := start(kind)
	var watch := Watch.new(task)
	OS.delay_usec(delay)
	task.cancel()
	check_int(watch.results.size(), 0, "%s: finished inside cancel()" % kind)
	var result: Variant = await finished(watch, "%s, %s" % [kind, what])
	_check_end(task, result, kind, what)


## Either cancelled, with nothing done, or done before.
func _check_end(task: VarBatchTask, result: Variant, kind: String, what: String) -> void:
	var shown := "%s, %s" % [kind, what]
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

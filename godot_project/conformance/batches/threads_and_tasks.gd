extends "../files/files_base.gd"
## Files and tasks from any thread, several at once. See threads.gd for the calls on memory.

const THREADS := 4

var _values: Array = Values.mixed(150).filter(is_kept) + [_noise, {"noise": [_noise, "text"]}]
var _frames := PackedByteArray()
## What the loaded values encode to: ids of objects become those of new ones.
var _expected := PackedByteArray()
var _buffers: Array[PackedByteArray] = []
var _mutex := Mutex.new()
var _problems := PackedStringArray()


func _init() -> void:
	_buffers = Values.engine_bytes(_values)
	for buffer: PackedByteArray in _buffers:
		_frames.append_array(frame(buffer))
	_expected = VarBatch.vars_to_frames(VarBatch.frames_to_vars(_frames), true)


func test_from_threads_and_the_main_thread() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var threads := start_threads(THREADS, _work.bind(3))
		_work(THREADS, 3)
		end_threads(threads)
		_check_no_problems("threads, %d" % count)


## While the main thread lives its frames, so that tasks are told to be over meanwhile.
func test_from_threads_while_frames_pass() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var threads := start_threads(THREADS, _work.bind(3))
		while any_alive(threads):
			await get_tree().process_frame
		end_threads(threads)
		_check_no_problems("frames, %d" % count)


func test_from_the_worker_pool() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var group := WorkerThreadPool.add_group_task(_work.bind(1), 12)
		_work(12, 1)
		WorkerThreadPool.wait_for_group_task_completion(group)
		_check_no_problems("worker pool, %d" % count)


func test_thread_count_changes_under_way() -> void:
	var threads := start_threads(2, _work.bind(6))
	var change := 0
	while any_alive(threads):
		change += 1
		VarBatch.set_thread_count(change % 4)
		OS.delay_usec(500)
	end_threads(threads)
	_check_no_problems("changes")


## All save to one file: it is one of theirs, whole, at any time.
func test_one_file() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		write(path, _whole_file(9))
		var threads := start_threads(THREADS, _save_one_file)
		while any_alive(threads):
			_look_at_one_file()
			await get_tree().process_frame
		end_threads(threads)
		_look_at_one_file()
		_check_no_problems("one file, %d threads" % count)
		check_names([path.get_file()], "one file")


## Of several tasks that save to one file, one is left, whole.
func test_one_file_by_tasks() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var tasks: Array[VarBatchTask] = []
		for i: int in 12:
			tasks.append(VarBatch.save_vars_async(path, [i, _noise, i], false, -1 if i % 2 else 2))
		for task: VarBatchTask in tasks:
			check_value(task.wait(), OK as int, "one of many saves")
		_look_at_one_file()
		_check_no_problems("tasks, %d threads" % count)
		check_names([path.get_file()], "one file")


func _save_one_file(i: int) -> void:
	for round_number: int in 10:
		var values := [i, _noise, i]
		var mode := -1 if round_number % 3 else int(FileAccess.COMPRESSION_ZSTD)
		if round_number % 2:
			if VarBatch.save_vars(path, values, false, mode) != OK:
				_note("save %d failed" % i)
		elif VarBatch.save_vars_async(path, values, false, mode).wait() != OK:
			_note("async save %d failed" % i)


func _look_at_one_file() -> void:
	var found := VarBatch.load_vars(path)
	if found.size() != 3 or found[0] != found[2] or found[1] != _noise:
		_note("%d values in the file" % found.size())


func _whole_file(i: int) -> PackedByteArray:
	return VarBatch.vars_to_frames([i, _noise, i])


## Looks for itself, as the checks of a suite are for one thread.
func _work(who: int, rounds: int) -> void:
	var own := "%s/thread %d.bin" % [folder, who]
	for i: int in rounds:
		for mode: int in [-1, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP]:
			_compare(VarBatch.save_vars(own, _values, false, mode), OK as int, "save_vars")
			_compare_values(VarBatch.load_vars(own), "load_vars")
			var saving := VarBatch.save_vars_async(own, _values, false, mode)
			_compare(saving.wait(), OK as int, "save_vars_async")
			_compare_values(VarBatch.load_vars_async(own).wait(), "load_vars_async")
		var to_bytes := VarBatch.vars_to_bytes_async(_values)
		var to_frames := VarBatch.vars_to_frames_async(_values)
		var from_bytes := VarBatch.bytes_to_vars_async(_buffers)
		var from_frames := VarBatch.frames_to_vars_async(_frames)
		var cancelled := VarBatch.vars_to_frames_async(_values)
		cancelled.cancel()
		_compare_values(VarBatch.frames_to_vars(_frames), "frames_to_vars")
		_compare_values(from_frames.wait(), "frames_to_vars_async")
		_compare_values(from_bytes.wait(), "bytes_to_vars_async")
		_compare(to_frames.wait(), _frames, "vars_to_frames_async")
		_compare(to_bytes.wait(), _buffers, "vars_to_bytes_async")
		var result: Variant = cancelled.wait()
		if result != null:
			_compare(result, _frames, "a task that was cancelled")
	if VarBatch.save_vars(own, _values) == OK and FileAccess.get_file_as_bytes(own) != _frames:
		_note("a file differs")


func _compare(found: Variant, expected: Variant, what: String) -> void:
	if typeof(found) != typeof(expected) or found != expected:
		_note("%s differs" % what)


func _compare_values(found: Variant, what: String) -> void:
	if not found is Array:
		_note("%s gives no array" % what)
	elif VarBatch.vars_to_frames(found as Array, true) != _expected:
		_note("%s differs" % what)


func _note(problem: String) -> void:
	_mutex.lock()
	_problems.append(problem)
	_mutex.unlock()


func _check_no_problems(what: String) -> void:
	check(_problems.is_empty(), "%s: %d, %s" % [what, _problems.size(), _problems.slice(0, 3)])
	_problems.clear()

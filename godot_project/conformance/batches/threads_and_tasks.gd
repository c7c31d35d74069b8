extends "threads_base.gd"
## Files and tasks from any thread, several at once. See threads.gd for the calls on memory.

var _values: Array = Values.mixed(150).filter(is_kept) + [_noise, {"noise": [_noise, "text"]}]
var _buffers: Array[PackedByteArray] = Values.engine_bytes(_values)
var _frames := PackedByteArray()
## What the loaded values encode to: ids of objects become those of new ones.
var _expected := PackedByteArray()


func _init() -> void:
	rounds = 3
	for buffer: PackedByteArray in _buffers:
		_frames.append_array(frame(buffer))
	_expected = VarBatch.vars_to_frames(VarBatch.frames_to_vars(_frames), true)


## All save to one file: it is one of theirs, whole, at any time.
func test_one_file() -> void:
	for count: int in by_threads():
		write(path, VarBatch.vars_to_frames([9, _noise, 9]))
		var threads := start_threads(THREADS, _save_one_file)
		while any_alive(threads):
			_look_at_one_file()
			await get_tree().process_frame
		end_threads(threads)
		var tasks: Array[VarBatchTask] = []
		for i: int in 12:
			tasks.append(VarBatch.save_vars_async(path, [i, _noise, i], false, -1 if i % 2 else 2))
		for task: VarBatchTask in tasks:
			check_value(task.wait(), OK as int, "one of many saves, %d threads" % count)
		_look_at_one_file()
		check_no_problems()
		check_names([path.get_file()], "one file")


func _save_one_file(i: int) -> void:
	for round_number: int in 10:
		var form: String = ["save_vars_async", "save_vars"][round_number % 2]
		var mode := -1 if round_number % 3 else int(FileAccess.COMPRESSION_ZSTD)
		if call_and_wait(form, [path, [i, _noise, i], false, mode]) != OK:
			note("save %d failed" % i)


func _look_at_one_file() -> void:
	var found := VarBatch.load_vars(path)
	if found.size() != 3 or found[0] != found[2] or found[1] != _noise:
		note("%d values in the file" % found.size())


func work(count: int) -> void:
	var own := "%s/thread %d.bin" % [folder, OS.get_thread_caller_id()]
	for i: int in count:
		for mode: int in [-1, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP]:
			for form: String in ["", "_async"]:
				var saved: Variant = call_and_wait("save_vars" + form, [own, _values, false, mode])
				_compare(saved, OK as int, "save_vars" + form)
				_compare_values(call_and_wait("load_vars" + form, [own]), "load_vars" + form)
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
		note("a file differs")


func _compare(found: Variant, expected: Variant, what: String) -> void:
	if typeof(found) != typeof(expected) or found != expected:
		note("%s differs" % what)


func _compare_values(found: Variant, what: String) -> void:
	if not found is Array or VarBatch.vars_to_frames(found as Array, true) != _expected:
		note("%s differs" % what)

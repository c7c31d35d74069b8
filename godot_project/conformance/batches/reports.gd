extends "../files/files_base.gd"
## However many values fail, a call prints at most 20 lines, and one that counts the others. Which
## these are is tested in deferred.gd, and in rust/plugin/tests/unit/report.rs.

## An empty frame, or an empty buffer, as the error says it.
const EMPTY := "expected 4 more bytes for a header, found 0, at byte %d"
const ZEROS := "expected a frame, found nothing but zeros (%d bytes), at byte %d"
## Very generous: printing each error took minutes.
const MAX_MSEC := 20_000


## 1 MiB of zeros: each 4 bytes are a frame without a value, but in a file they are what a power cut
## leaves. A small compressed file unpacks to 4 MiB of them.
func test_zeros() -> void:
	var zeros := PackedByteArray()
	zeros.resize(1 << 20)
	var count := zeros.size() / 4
	var of_file := '"%s": ' % path
	write(path, zeros)
	var started := Time.get_ticks_msec()
	var data := ERR_INVALID_DATA
	var corrupt := ERR_FILE_CORRUPT
	check_forms("frames_to_vars", [zeros], _nulls(count), data, _frames(count), true)
	var text := of_file + "frame 0: " + ZEROS % [zeros.size(), 0]
	check_forms("load_vars", [path], [], corrupt, [text], true)
	var file := FileAccess.open_compressed(path, FileAccess.WRITE, FileAccess.COMPRESSION_ZSTD)
	for i: int in 4:
		file.store_buffer(zeros)
	file.close()
	var texts := _in_file(of_file, _frames(4 * count))
	for threads: int in Threads.new([1, 2]):
		check_forms("load_vars", [path], _nulls(4 * count), corrupt, texts, true)
	check_time(started, MAX_MSEC, "all of them")


func test_bad_buffers() -> void:
	var buffers: Array[PackedByteArray] = []
	buffers.resize(100_000)
	var texts := _numbered("buffer %d: " + EMPTY % 0, buffers.size(), OF_BUFFERS)
	var started := Time.get_ticks_msec()
	var nulls := _nulls(buffers.size())
	for threads: int in Threads.new(THREAD_COUNTS):
		check_forms("bytes_to_vars", [buffers], nulls, ERR_INVALID_DATA, texts, true)
	check_time(started, MAX_MSEC, "all of them")
	# validate() is where all of them are.
	var reasons := VarBatch.validate(buffers)
	check_int(reasons.count(EMPTY % 0), buffers.size(), "reasons")


## What ends a stream is printed, whatever was wrong before.
func test_the_end_of_a_stream() -> void:
	var frames := PackedByteArray()
	frames.resize(400)
	frames += Values.u32(9) + Values.u32(TYPE_INT)
	var texts := _frames(100).slice(0, MAX_LINES - 1)
	var end := "frame 100: expected 9 more bytes for the payload of a frame, found 4, at byte 404"
	texts.append_array([end, MORE % 81])
	check_forms("frames_to_vars", [frames], _nulls(100), ERR_INVALID_DATA, texts, true)
	write(path, frames)
	texts = _in_file('"%s": ' % path, texts)
	check_forms("load_vars", [path], _nulls(100), ERR_FILE_CORRUPT, texts, true)


## Warnings are bounded with the errors, which go first.
func test_warnings() -> void:
	var odd := Values.typed_array(TYPE_INT, ["text"])
	check_value(VarBatch.validate([odd])[0], "", "what an array cannot take")
	if not errors.is_open():
		return
	var buffers: Array[PackedByteArray] = []
	buffers.resize(1000)
	buffers.fill(odd)
	var texts := _counted(buffers, 0, MAX_LINES + 1)
	check("980 more warnings are not printed" in texts[-1], texts[-1])
	for i: int in 5:
		buffers[i * 100 + 7] = PackedByteArray()
	texts = _counted(buffers, 5, MAX_LINES - 5 + 1)
	check("980 more warnings are not printed" in texts[-1], texts[-1])
	check("buffer 407: expected 4 more bytes" in texts[-2], texts[-2])
	for i: int in 30:
		buffers[i * 10] = PackedByteArray()
	texts = _counted(buffers, MAX_LINES + 1, 0)
	check("15 more errors and 965 more warnings are not" in texts[-1], texts[-1])


func test_pairs() -> void:
	var pairs: Array = []
	pairs.resize(1000)
	pairs.fill([PackedByteArray([1]), PackedByteArray([2])])
	for i: int in 100:
		pairs[i * 3] = i
	for method: String in ["diff_batch", "apply_deltas", "make_deltas"]:
		if method == "make_deltas":
			pairs = _nulls(1000)
		for threads: int in Threads.new(THREAD_COUNTS):
			var lines := logged(func() -> void: call_method(method, [pairs]))
			if not errors.is_open():
				continue
			check_int(lines.size(), MAX_LINES + 1, "lines of " + method)
			for i: int in MAX_LINES:
				check(lines[i].begins_with("VarBatch.%s: pair %d: " % [method, i]), lines[i])
			check_value(lines[-1], "VarBatch.%s: %s" % [method, MORE % 980], method)


func test_undo() -> void:
	var recorder := VarBatchUndoRecorder.new()
	var objects: Array = []
	for i: int in 1000:
		objects.append(null if i % 2 == 0 else Node.new())
	var start := "VarBatchUndoRecorder.record_all: "
	var texts := PackedStringArray()
	for i: int in MAX_LINES:
		texts.append(start + "object %d: expected an object, found null" % (2 * i))
	texts.append(start + MORE % 480)
	expect_lines(recorder.record_all.bind(objects), texts)
	for object: Variant in objects:
		if object != null:
			(object as Node).free()
	var lines := logged(func() -> void: recorder.flush())
	if errors.is_open():
		start = WARNING + "VarBatchUndoRecorder.flush: "
		check_int(lines.size(), MAX_LINES + 1, "lines")
		check(lines[0].begins_with(start + "skipped Node (id"), lines[0])
		check_value(lines[-1], start + "480 more warnings are not printed", "the last line")


## What is kept of failed values does not grow with their number.
func test_memory() -> void:
	if OS.get_static_memory_usage() == 0:
		return  # a release build does not count
	var frames := PackedByteArray()
	frames.resize(4 << 20)
	var before := OS.get_static_memory_usage()
	var results: Array[Array] = []
	logged(func() -> void: results.append(VarBatch.frames_to_vars(frames)))
	var grown := OS.get_static_memory_usage() - before
	# A null takes 24 bytes, and an array has room for up to twice as many.
	check(grown < results[0].size() * 24 * 2 + (1 << 20), "grew by %d bytes" % grown)


func _nulls(count: int) -> Array:
	var nulls: Array = []
	nulls.resize(count)
	return nulls


func _frames(count: int) -> PackedStringArray:
	var texts := PackedStringArray()
	for i: int in MAX_LINES:
		texts.append("frame %d: " % i + EMPTY % (4 * i + 4))
	texts.append(MORE % (count - MAX_LINES))
	return texts


func _numbered(text: String, count: int, advice: String) -> PackedStringArray:
	var texts := PackedStringArray()
	for i: int in MAX_LINES:
		texts.append(text % i)
	texts.append(MORE % (count - MAX_LINES) + advice)
	return texts


func _in_file(file: String, texts: PackedStringArray) -> PackedStringArray:
	for i: int in texts.size():
		texts[i] = file + texts[i]
	texts[-1] += OF_FILES
	return texts


## The lines of VarBatch on buffers, of which so many are errors and warnings.
func _counted(buffers: Array, error_count: int, warning_count: int) -> PackedStringArray:
	var own := PackedStringArray()
	var warnings := 0
	for line: String in logged(func() -> void: VarBatch.bytes_to_vars(buffers)):
		if "VarBatch." in line:
			own.append(line)
			warnings += 1 if line.begins_with(WARNING) else 0
	check_int(own.size() - warnings, error_count, "errors")
	check_int(warnings, warning_count, "warnings")
	return own

extends "../files/files_base.gd"
## However many values fail, a call prints at most 20 lines, and one that counts the others. Which
## these are is tested in batches.gd, and in rust/plugin/tests/unit/report.rs.

## An empty frame, or an empty buffer, as the error says it.
const EMPTY := "expected 4 more bytes for a header, found 0, at byte %d"
const ZEROS := "expected a value, found nothing but zeros (%d bytes), at byte %d"
## Very generous: printing each error took minutes.
const MAX_MSEC := 20_000


## 1 MiB of zeros: each 4 bytes are a frame without a value, but in a file they are what a power cut
## leaves. A small compressed file unpacks to 4 MiB of them.
func test_zeros() -> void:
	var zeros := filled_bytes(1 << 20)
	var count := zeros.size() / 4
	var of_file := '"%s": ' % path
	write(path, zeros)
	var started := Time.get_ticks_msec()
	var corrupt := ERR_FILE_CORRUPT
	check_forms("frames_to_vars", [zeros], filled(count), ERR_FILE_CORRUPT, _frames(count), true)
	check_forms("load_vars", [path], [], corrupt, [of_file + "value 0: " + ZEROS % [zeros.size(), 0]], true)
	write(path, filled_bytes(4 << 20), FileAccess.COMPRESSION_ZSTD)
	var texts := _in_file(of_file, _frames(4 * count))
	for threads: int in Threads.new([1, 2]):
		check_forms("load_vars", [path], filled(4 * count), corrupt, texts, true)
	check_time(started, MAX_MSEC, "all of them")


func test_bad_buffers() -> void:
	var buffers := filled(100_000, PackedByteArray())
	var texts: Array = range(MAX_LINES).map(func(i: int) -> String: return "buffer %d: " % i + EMPTY % 0)
	texts.append(MORE % (buffers.size() - MAX_LINES) + OF_BUFFERS)
	var started := Time.get_ticks_msec()
	for threads: int in Threads.new(THREAD_COUNTS):
		check_forms("bytes_to_vars", [buffers], filled(buffers.size()), ERR_FILE_EOF, texts, true)
	check_time(started, MAX_MSEC, "all of them")
	var reasons := VarBatch.validate(buffers)
	check_int(reasons.count(EMPTY % 0), buffers.size(), "reasons")


## What ends a stream is printed, whatever was wrong before.
func test_the_end_of_a_stream() -> void:
	var frames := filled_bytes(400)
	frames += Values.u32(9) + Values.u32(TYPE_INT)
	var texts := _frames(100).slice(0, MAX_LINES - 1)
	texts.append_array(["value 100: expected 9 more bytes for the payload of a frame, found 4, at byte 404", MORE % 81])
	check_forms("frames_to_vars", [frames], filled(100), ERR_FILE_CORRUPT, texts, true)
	write(path, frames)
	texts[-2] = "value 100: the file is cut off, or the length of a value is damaged, 5 bytes are missing, at byte 404"
	texts = _in_file('"%s": ' % path, texts)
	check_forms("load_vars", [path], filled(100), ERR_FILE_CORRUPT, texts, true)


func test_undo() -> void:
	const START := "VarBatchUndoRecorder.record_all: "
	var texts: Array = range(MAX_LINES).map(func(i: int) -> String: return START + "object %d: expected an object, found null" % i)
	var recorder := VarBatchUndoRecorder.new()
	expect_lines(recorder.record_all.bind(filled(500)), texts + [START + MORE % 480])


func test_memory() -> void:
	if OS.get_static_memory_usage() == 0:
		return  # a release build does not count
	var frames := filled_bytes(4 << 20)
	var before := OS.get_static_memory_usage()
	logged(call_method.bind(&"frames_to_vars", [frames]))
	var grown := OS.get_static_memory_usage() - before
	# A null takes 24 bytes, and an array has room for up to twice as many.
	check(grown < (returned as Array).size() * 24 * 2 + (1 << 20), "grew by %d bytes" % grown)


func _frames(count: int) -> PackedStringArray:
	var texts: Array = range(MAX_LINES).map(func(i: int) -> String: return "value %d: " % i + EMPTY % (4 * i + 4))
	return PackedStringArray(texts + [MORE % (count - MAX_LINES)])


func _in_file(file: String, texts: PackedStringArray) -> PackedStringArray:
	for i: int in texts.size():
		texts[i] = file + texts[i]
	texts[-1] += OF_FILES
	return texts

extends "../files/files_base.gd"
## However many values fail, a call prints at most 20 lines, and one that counts the others.

const Box := preload("../undo/box.gd")
## An empty frame, or an empty buffer, as the error says it.
const EMPTY := "expected 4 more bytes for a header, found 0, at byte %d"
const ZEROS := "expected a frame, found nothing but zeros (%d bytes), at byte %d"
## Very generous: printing each error took minutes.
const MAX_MSEC := 20_000

var _calls: Dictionary[String, Callable] = {
	"vars_to_bytes": func(of: Array) -> Variant: return VarBatch.vars_to_bytes(of),
	"vars_to_bytes_async": func(of: Array) -> Variant: return VarBatch.vars_to_bytes_async(of),
	"vars_to_frames": func(of: Array) -> Variant: return VarBatch.vars_to_frames(of),
	"vars_to_frames_async": func(of: Array) -> Variant: return VarBatch.vars_to_frames_async(of),
	"bytes_to_vars": func(of: Array) -> Variant: return VarBatch.bytes_to_vars(of),
	"bytes_to_vars_async": func(of: Array) -> Variant: return VarBatch.bytes_to_vars_async(of),
	"frames_to_vars": func(of: PackedByteArray) -> Variant: return VarBatch.frames_to_vars(of),
	"frames_to_vars_async":
	func(of: PackedByteArray) -> Variant: return VarBatch.frames_to_vars_async(of),
	"load_vars": func(of: String) -> Variant: return VarBatch.load_vars(of),
	"load_vars_async": func(of: String) -> Variant: return VarBatch.load_vars_async(of),
	"diff_batch": func(of: Array) -> Variant: return VarBatch.diff_batch(of),
	"make_deltas": func(of: Array) -> Variant: return VarBatch.make_deltas(of),
	"apply_deltas": func(of: Array) -> Variant: return VarBatch.apply_deltas(of),
}


## 1 MiB of zeros: each 4 bytes are a frame without a value, but in a file they are what a power cut leaves.
func test_zeros() -> void:
	var zeros := PackedByteArray()
	zeros.resize(1 << 20)
	var count := zeros.size() / 4
	write(path, zeros)
	var of_file := '"%s": ' % path
	var started := Time.get_ticks_msec()
	var texts := _frames(count)
	_check_nulls(_expect("frames_to_vars", texts, zeros), count)
	_check_nulls(_await("frames_to_vars_async", texts, zeros), count)
	texts = [of_file + "frame 0: " + ZEROS % [zeros.size(), 0]]
	check_value(_expect("load_vars", texts, path), [], "values")
	check_value(_await("load_vars_async", texts, path), [], "values")
	_check_time(started)


## A small file that unpacks to 4 MiB of zeros.
func test_compressed_zeros() -> void:
	var zeros := PackedByteArray()
	zeros.resize(4 << 20)
	var file := FileAccess.open_compressed(path, FileAccess.WRITE, FileAccess.COMPRESSION_ZSTD)
	file.store_buffer(zeros)
	file.close()
	var started := Time.get_ticks_msec()
	var count := zeros.size() / 4
	var texts := _in_file('"%s": ' % path, _frames(count), OF_FILES)
	for threads: int in [1, 2]:
		VarBatch.set_thread_count(threads)
		_check_nulls(_expect("load_vars", texts, path), count)
	_check_nulls(_await("load_vars_async", texts, path), count)
	_check_time(started)


func test_bad_buffers() -> void:
	var buffers: Array[PackedByteArray] = []
	buffers.resize(100_000)
	var texts := _numbered("buffer %d: " + EMPTY % 0, buffers.size(), OF_BUFFERS)
	var started := Time.get_ticks_msec()
	for threads: int in THREAD_COUNTS:
		VarBatch.set_thread_count(threads)
		var found: Array = _expect("bytes_to_vars", texts, buffers)
		_check_nulls(found, buffers.size())
		found = _await("bytes_to_vars_async", texts, buffers)
		_check_nulls(found, buffers.size())
	_check_time(started)
	# validate() is where all of them are.
	var reasons := VarBatch.validate(buffers)
	check_int(reasons.count(EMPTY % 0), buffers.size(), "reasons")


## Which are printed is decided by their index, not by the thread that finds them first.
func test_the_first_are_printed() -> void:
	var buffers: Array[PackedByteArray] = []
	var expected := PackedStringArray()
	var good := var_to_bytes([1, "two", PackedByteArray(_noise.slice(0, 3000))])
	for i: int in 4000:
		var bytes := good
		if i % 40 == 39:
			bytes = good.slice(0, good.size() - 4 * (i % 7) - 4)
			expected.append("buffer %d: %s" % [i, VarBatch.validate([bytes])[0]])
		buffers.append(bytes)
	var more := MORE % (expected.size() - MAX_LINES) + OF_BUFFERS
	expected = expected.slice(0, MAX_LINES) + PackedStringArray([more])
	for threads: int in THREAD_COUNTS:
		VarBatch.set_thread_count(threads)
		_expect("bytes_to_vars", expected, buffers)
		_await("bytes_to_vars_async", expected, buffers)


## What ends a stream is printed, whatever was wrong before.
func test_the_end_of_a_stream() -> void:
	var frames := PackedByteArray()
	frames.resize(400)
	frames += Values.u32(9) + Values.u32(TYPE_INT)
	var texts := _frames(100).slice(0, MAX_LINES - 1)
	texts.append(
		"frame 100: expected 9 more bytes for the payload of a frame, found 4, at byte 404"
	)
	texts.append(MORE % 81)
	_expect("frames_to_vars", texts, frames)
	write(path, frames)
	texts = _in_file('"%s": ' % path, texts, OF_FILES)
	_expect("load_vars", texts, path)


func test_values_that_cannot_be_written() -> void:
	var values: Array = []
	values.resize(1000)
	values.fill(Values.Engines.nested(1026))
	for method: String in ["vars_to_bytes", "vars_to_frames"]:
		var lines := logged(_calls[method].bind([values[0]]))
		if not errors.is_open():
			return
		var reason := lines[0].trim_prefix("VarBatch.%s: value 0: " % method)
		var texts := _numbered("value %d: " + reason, values.size(), "")
		for threads: int in THREAD_COUNTS:
			VarBatch.set_thread_count(threads)
			_expect(method, texts, values)
			_await(method + "_async", texts, values)


## Warnings are bounded with the errors, which go first.
func test_warnings() -> void:
	var odd := Values.u32(TYPE_ARRAY | 1 << 16) + Values.u32(TYPE_INT) + Values.u32(1)
	odd += var_to_bytes("text")
	check_value(VarBatch.validate([odd])[0], "", "what an array cannot take")
	if not errors.is_open():
		return
	var buffers: Array[PackedByteArray] = []
	for i: int in 1000:
		buffers.append(odd)
	var texts := _expect_count("bytes_to_vars", buffers, 0, MAX_LINES + 1)
	check("980 more warnings are not printed" in texts[-1], texts[-1])
	for i: int in 5:
		buffers[i * 100 + 7] = PackedByteArray()
	texts = _expect_count("bytes_to_vars", buffers, 5, MAX_LINES - 5 + 1)
	check("980 more warnings are not printed" in texts[-1], texts[-1])
	check("buffer 407: expected 4 more bytes" in texts[-2], texts[-2])
	for i: int in 30:
		buffers[i * 10] = PackedByteArray()
	texts = _expect_count("bytes_to_vars", buffers, MAX_LINES + 1, 0)
	check("15 more errors and 965 more warnings are not" in texts[-1], texts[-1])


func test_pairs() -> void:
	var pairs: Array = []
	pairs.resize(1000)
	pairs.fill([PackedByteArray([1]), PackedByteArray([2])])
	for i: int in 100:
		pairs[i * 3] = i
	for method: String in ["diff_batch", "apply_deltas"]:
		for threads: int in THREAD_COUNTS:
			VarBatch.set_thread_count(threads)
			var lines := logged(_calls[method].bind(pairs))
			if not errors.is_open():
				continue
			check_int(lines.size(), MAX_LINES + 1, "lines of " + method)
			for i: int in MAX_LINES:
				check(lines[i].begins_with("VarBatch.%s: pair %d: " % [method, i]), lines[i])
			check_value(lines[-1], "VarBatch.%s: %s" % [method, MORE % 980], method)
	pairs.resize(30)
	pairs.fill(null)
	var lines := logged(_calls["make_deltas"].bind(pairs))
	if errors.is_open():
		check_value(lines[-1], "VarBatch.make_deltas: " + MORE % 10, "make_deltas")


func test_undo() -> void:
	var recorder := VarBatchUndoRecorder.new()
	var objects: Array = []
	for i: int in 1000:
		objects.append(null if i % 2 == 0 else Node.new())
	var texts := PackedStringArray()
	for i: int in MAX_LINES:
		texts.append(
			"VarBatchUndoRecorder.record_all: object %d: expected an object, found null" % (2 * i)
		)
	texts.append("VarBatchUndoRecorder.record_all: " + MORE % 480)
	expect_lines(recorder.record_all.bind(objects), texts)
	for object: Variant in objects:
		if object != null:
			(object as Node).free()
	var lines := logged(func() -> void: recorder.flush())
	if errors.is_open():
		check_int(lines.size(), MAX_LINES + 1, "lines")
		check(
			lines[0].begins_with(WARNING + "VarBatchUndoRecorder.flush: skipped Node (id"), lines[0]
		)
		var more := WARNING + "VarBatchUndoRecorder.flush: 480 more warnings are not printed"
		check_value(lines[-1], more, "the last line")


## What is kept of failed values does not grow with their number.
func test_memory() -> void:
	if OS.get_static_memory_usage() == 0:
		return  # a release build does not count
	var frames := PackedByteArray()
	frames.resize(4 << 20)
	var before := OS.get_static_memory_usage()
	var values: Array = _result_of("frames_to_vars", frames)
	var grown := OS.get_static_memory_usage() - before
	# A null takes 24 bytes, and an array has room for up to twice as many.
	check(grown < values.size() * 24 * 2 + (1 << 20), "grew by %d bytes" % grown)


func _result_of(method: String, input: Variant) -> Variant:
	var results: Array = []
	logged(func() -> void: results.append(_calls[method].call(input)))
	return results[0]


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


func _in_file(file: String, texts: PackedStringArray, advice: String) -> PackedStringArray:
	var here := PackedStringArray()
	for text: String in texts:
		here.append(file + text)
	here[-1] += advice
	return here


func _expect(method: String, texts: PackedStringArray, input: Variant) -> Variant:
	var lines := PackedStringArray()
	for text: String in texts:
		lines.append("VarBatch.%s: %s" % [method, text])
	return expect_lines(
		func() -> Variant:
			var result: Variant = _calls[method].call(input)
			return result.wait() if result is VarBatchTask else result,
		lines
	)


## The task says in one text what it prints.
func _await(method: String, texts: PackedStringArray, input: Variant) -> Variant:
	var result: Variant = _expect(method, texts, input)
	var task: VarBatchTask = _calls[method].call(input)
	logged(func() -> void: task.wait())
	check_value(task.get_error_message(), "\n".join(texts), "message of " + method)
	return result


## The lines of a call on buffers, of which so many are errors and warnings.
func _expect_count(
	method: String, buffers: Array, error_count: int, warning_count: int
) -> PackedStringArray:
	var lines := logged(_calls[method].bind(buffers))
	var own := PackedStringArray()
	var warnings := 0
	for line: String in lines:
		if "VarBatch." in line:
			own.append(line)
			warnings += 1 if line.begins_with(WARNING) else 0
	check_int(own.size() - warnings, error_count, "errors")
	check_int(warnings, warning_count, "warnings")
	return own


func _check_nulls(values: Array, count: int) -> void:
	check_int(values.size(), count, "values")
	check_int(values.count(null), count, "values that are null")


func _check_time(started: int) -> void:
	check_time(started, MAX_MSEC, "all of them")

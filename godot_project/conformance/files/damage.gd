extends "files_base.gd"
## Files that were cut, damaged or made up, plain and compressed. What is before the damage is loaded,
## one line says at which byte of the file or of the values it is, and a small file needs little
## memory. frames_to_vars() says the same of the same bytes, so it is the model for plain files. Where
## large files and blocks end is tested in rust/storage/tests, file_damage.rs and compressed_damage.rs.

const MemoryProbe := preload("../hostile/memory_probe.gd")
const Gcpf := preload("gcpf.gd")
const MIB := 1 << 20
## What a process may grow by for a small file that promises much.
const MAX_GROWTH := 16 * MIB
const MAX_MSEC := 2000

const BAD_PAYLOADS: PackedStringArray = [
	"",
	"02000000",
	"27000000",
	"09000000 0102030405060708",
	"1e000000 ffffff7f 01020304",
	"1c000000 02000000 02000000 01000000 09000000",
]


func test_every_truncation() -> void:
	var values: Array = [7, PackedByteArray([1, 2, 3, 4, 5]), "text", Vector2(1, 2), null]
	var frames := stored(values)
	var ends := _ends_of(values)
	for length: int in frames.size():
		var whole := ends.bsearch(length, false)
		var start := "VarBatch.frames_to_vars: frame %d: " % whole
		var decode := func() -> Array: return VarBatch.frames_to_vars(frames.slice(0, length))
		var found: Array = expect_errors(decode, int(length > 0 and not length in ends), start)
		check_values(found, values.slice(0, whole), "cut at byte %d" % length)
		_check_like_frames(frames.slice(0, length), "cut at byte %d" % length)


## The frame is null, and those after it are loaded.
func test_bad_payloads() -> void:
	for good: PackedByteArray in [stored([_noise]), frame(var_to_bytes("good"))]:
		for hex: String in BAD_PAYLOADS:
			var payload := Values.hex(hex)
			_check_like_frames(good + frame(payload) + good + good, "payload %s" % hex)
			var load_it := func() -> Array: return VarBatch.load_vars(path)
			var start := 'VarBatch.load_vars: "%s": frame 1: ' % path
			var found: Array = expect_errors(load_it, 1, start)
			check_same(found, read_loop(path), "as the engine, payload %s" % hex)
			check_int(found.find(null), 1, "the null of payload %s" % hex)


func test_many_bad_payloads() -> void:
	var frames := PackedByteArray()
	for i: int in 3000:
		var payload := var_to_bytes(i)
		frames.append_array(frame(payload.slice(0, i % 5) if i % 7 == 0 else payload))
	frames.append_array(stored(sized(60, func(i: int) -> int: return i * i * 25)))
	for count: int in Threads.new(THREAD_COUNTS):
		_check_like_frames(frames.slice(0, -count), "many bad ones, %d threads" % count)


## A length is a promise that nothing is bought for.
func test_lengths_past_the_end() -> void:
	var good: PackedByteArray = frame(var_to_bytes(1.5))
	for length: int in [5, 13, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff]:
		for behind: int in [0, 1, 4, 100_000]:
			if behind < length:
				var frames := good + good + Values.u32(length) + _noise.slice(0, behind)
				_check_like_frames(frames, "%d bytes of %d" % [behind, length])
	for length: int in [0x7ffffff0, 0xfffffff0, 0x10000000]:
		for first: String in ["1d000000 ffffff7f", "1e000000 ffffff1f", "04000000 f0ffff7f", ""]:
			var payload := Values.hex(first) + _noise
			write(path, good + Values.u32(length) + payload)
			_check_bounded("a length of %x, %s" % [length, first], [1.5])
	for hex: String in ["1d000000 ffffff7f", "1c000000 ffffff7f", "1b000000 ffffff7f"]:
		write(path, frame(Values.hex(hex) + _noise))
		_check_bounded("a count of %s" % hex, [null])


## Cut around the ends of blocks: all values in those that are whole, and one line that says where. Of
## ours the magic at the end may be missing, for which the engine does not ask.
func test_compressed() -> void:
	var values: Array = ["first", 2, Crypto.new().generate_random_bytes(3000), {"five": 5.5}, null]
	values.append_array(sized(300, func(i: int) -> int: return i * 7))
	var ends := _ends_of(values)
	for mode: int in Gcpf.MODES:
		for is_ours: bool in [true, false]:
			var bytes := stored(values, false, mode)
			if is_ours:
				check_int(VarBatch.save_vars(path, values, false, mode), OK, "saving")
				bytes = FileAccess.get_file_as_bytes(path)
			var file := Gcpf.new(bytes)
			var lengths := PackedInt32Array([4, 15, 16, 19])
			for border: int in file.borders.slice(0, 3) + file.borders.slice(-2):
				lengths.append_array([border - 1, border, border + 1])
			for length: int in lengths:
				if length >= bytes.size() - 4:
					continue
				write(path, bytes.slice(0, length))
				var found: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
				var what := "mode %d, ours: %s, cut at %d" % [mode, is_ours, length]
				check(found.size() >= ends.bsearch(file.whole_len(length), false), what)
				check_same(found, values.slice(0, found.size()), what)
				var text := VarBatch.get_last_error_message()
				check(text.begins_with('"%s": ' % path) and " at byte " in text, what + ": " + text)
				check_forms("load_vars", [path], found, ERR_FILE_CORRUPT, [text], true)


## Values and lines are those of frames_to_vars(). The first line may say what else the file seems to
## be.
func _check_like_frames(bytes: PackedByteArray, what: String) -> void:
	write(path, bytes)
	var results: Array[Array] = []
	var texts := PackedStringArray()
	for line: String in logged(func() -> void: results.append(VarBatch.frames_to_vars(bytes))):
		var is_more := more_of(line) != Vector2i.ZERO
		var is_placed := line.begins_with("VarBatch.frames_to_vars: frame ") and " at byte " in line
		check(is_more or is_placed, "a line: " + line)
		var text := '"%s": ' % path + line.trim_prefix("VarBatch.frames_to_vars: ")
		texts.append(text + OF_FILES if is_more else text)
	var lines := logged(func() -> void: results.append(VarBatch.load_vars(path)))
	if texts and lines:
		var first := lines[0].trim_prefix("VarBatch.load_vars: ")
		var is_named := ": expected values as FileAccess.store_var() writes them, found " in first
		check(is_named or first.begins_with(texts[0]), "%s: %s" % [what, first])
		texts[0] = first
	var code := OK if texts.is_empty() else ERR_FILE_CORRUPT
	if errors.is_open():
		check_forms("load_vars", [path], results[0], code, texts, true)
	check_same(results[1], results[0], what)


## Loads the file, at once and by a task. Its values begin with [param first], if that is known.
func _check_bounded(what: String, first: Array = []) -> void:
	var load_async := func() -> Array: return VarBatch.load_vars_async(path).wait()
	for call_it: Callable in [func() -> Array: return VarBatch.load_vars(path), load_async]:
		MemoryProbe.reset_peak()
		var before := MemoryProbe.status("VmRSS:")
		var started := Time.get_ticks_msec()
		var found: Array = quietly(call_it)
		var growth := MemoryProbe.status("VmHWM:") - before
		check(growth < MAX_GROWTH, "%s: grew by %d KiB" % [what, growth / 1024])
		check_time(started, MAX_MSEC, what)
		check(first.is_empty() or found.slice(0, 1) == first, "%s: found %s" % [what, found])


## Where the frame of each of these values ends.
func _ends_of(values: Array) -> PackedInt32Array:
	var ends := PackedInt32Array()
	for value: Variant in values:
		ends.append((ends[-1] if ends else 0) + 4 + var_to_bytes(value).size())
	return ends

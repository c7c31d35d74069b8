extends "files_base.gd"
## Files that were cut or damaged: what comes before the damage is loaded, and one line says at
## which byte it is. frames_to_vars() says the same of the same bytes, so it is the model.

const MemoryProbe := preload("../hostile/memory_probe.gd")
const MIB := 1 << 20
## What a process may grow by for a small file that promises much.
const MAX_GROWTH := 16 * MIB

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
	for length: int in frames.size():
		_check_like_frames(frames.slice(0, length), "cut at byte %d" % length)


## Around the ends of frames, around those of whatever is read at once, and anywhere.
func test_truncations_of_a_large_file() -> void:
	var values := sized(60, func(i: int) -> int: return i * i * 25)
	values.append_array(sized(4000, func(i: int) -> int: return i % 100))
	values.append(_noise.to_int32_array())
	values.append_array(["日本語😀".repeat(30_000), [_noise, {"noise": _noise}]])
	var frames := stored(values)
	var random := RandomNumberGenerator.new()
	random.seed = 55
	var lengths := PackedInt32Array()
	for border: int in range(65_536, frames.size(), 65_536):
		if border % MIB == 0 or random.randi_range(0, 9) < 2:
			lengths.append_array([border - 4, border - 1, border, border + 1, border + 4])
	var at := 0
	for i: int in values.size():
		at += 4 + frames.decode_u32(at)
		if i < 2 or random.randi_range(0, 300) == 0 or i > values.size() - 4:
			lengths.append_array([at - 1, at, at + 1, at + 4, at + 5, at + 12])
	for i: int in part_of(200):
		lengths.append(random.randi_range(0, frames.size()))
	check(lengths.size() > 60, "only %d places" % lengths.size())
	for i: int in lengths.size():
		VarBatch.set_thread_count(THREAD_COUNTS[i % 3])
		_check_like_frames(frames.slice(0, lengths[i]), "cut at byte %d" % lengths[i])


## The frame is null, and those after it are loaded.
func test_bad_payloads() -> void:
	for is_large: bool in [false, true]:
		var good: PackedByteArray = stored([_noise]) if is_large else frame(var_to_bytes("good"))
		for hex: String in BAD_PAYLOADS:
			var payload := hex.replace(" ", "").hex_decode()
			var frames := good + frame(payload) + good + good
			_check_like_frames(frames, "payload %s" % hex)
			write(path, frames)
			var load_it := func() -> Array: return VarBatch.load_vars(path)
			var found: Array = expect_errors(
				load_it, 1, 'VarBatch.load_vars: "%s": frame 1: ' % path
			)
			var as_engine := read_loop(path)
			check_same(found, as_engine, "as the engine, payload %s" % hex)
			check_int(found.find(null), 1, "the null of payload %s" % hex)


## Bad ones among many.
func test_many_bad_payloads() -> void:
	var frames := PackedByteArray()
	for i: int in 3000:
		var payload := var_to_bytes(i)
		if i % 7 == 0:
			payload = payload.slice(0, i % 5)
		frames.append_array(frame(payload))
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		_check_like_frames(frames, "many bad ones, %d threads" % count)


func test_lengths_past_the_end() -> void:
	var good: PackedByteArray = frame(var_to_bytes(1.5))
	for length: int in [5, 13, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff]:
		for behind: int in [0, 1, 4, 100_000]:
			if behind < length:
				var frames := good + good + Values.u32(length) + _noise.slice(0, behind)
				_check_like_frames(frames, "%d bytes of %d" % [behind, length])


## A length is a promise that nothing is bought for.
func test_memory_for_huge_lengths() -> void:
	for length: int in [0x7ffffff0, 0xfffffff0, 0x10000000]:
		for first: String in ["1d000000 ffffff7f", "1e000000 ffffff1f", "04000000 f0ffff7f", ""]:
			var payload := first.replace(" ", "").hex_decode() + _noise
			write(path, frame(var_to_bytes("good")) + Values.u32(length) + payload)
			_check_growth("a length of %x, %s" % [length, first])
	for hex: String in ["1d000000 ffffff7f", "1c000000 ffffff7f", "1b000000 ffffff7f"]:
		write(path, frame(hex.replace(" ", "").hex_decode() + _noise))
		_check_growth("a count of %s" % hex)


## Any bytes at all.
func test_noise() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 56
	var frames := stored(Values.mixed(60))
	for i: int in part_of(600):
		var bytes := frames.slice(random.randi_range(0, frames.size() / 2))
		for change: int in random.randi_range(0, 5):
			bytes[random.randi_range(0, bytes.size() - 1)] = random.randi() & 0xff
		_check_like_frames(bytes, "noise %d" % i)


## Values and lines are those of frames_to_vars(), and a task says the same.
func _check_like_frames(bytes: PackedByteArray, what: String) -> void:
	write(path, bytes)
	var decoded: Array[Array] = []
	var lines := logged(func() -> void: decoded.append(VarBatch.frames_to_vars(bytes)))
	var expected := decoded[0]
	_refuse_more_than_start(lines)
	var texts := PackedStringArray()
	for line: String in lines:
		var text := '"%s": ' % path + line.trim_prefix("VarBatch.frames_to_vars: ")
		texts.append(text + OF_FILES if more_of(line) != Vector2i.ZERO else text)
	var loaded: Array[Array] = []
	lines = logged(func() -> void: loaded.append(VarBatch.load_vars(path)))
	_check_named(lines, _each("VarBatch.load_vars: ", texts), what)
	check_same(loaded[0], expected, what)
	var tasks: Array[VarBatchTask] = []
	var load_async := func() -> Array:
		tasks.append(VarBatch.load_vars_async(path))
		return tasks[0].wait()
	lines = logged(func() -> void: loaded.append(load_async.call() as Array))
	_check_named(lines, _each("VarBatch.load_vars_async: ", texts), what + ", async")
	check_same(loaded[1], expected, what + ", async")
	var code := OK if texts.is_empty() else ERR_FILE_CORRUPT
	if errors.is_open():
		check_int(tasks[0].get_error(), code, "get_error of " + what)
		var message := "\n".join(lines).replace("VarBatch.load_vars_async: ", "")
		check_value(tasks[0].get_error_message(), message, "message of " + what)


## The first line may say what else the file seems to be.
func _check_named(lines: PackedStringArray, expected: PackedStringArray, what: String) -> void:
	if lines == expected:
		return
	check_int(lines.size(), expected.size(), "lines of " + what)
	check(lines.slice(1) == expected.slice(1), "%s: %s" % [what, lines])
	var is_named := ": expected values as FileAccess.store_var() writes them, found " in lines[0]
	check(is_named or lines[0].begins_with(expected[0]), "%s: %s" % [what, lines[0]])


## The lines are of frames_to_vars(), so that what is compared means something.
func _refuse_more_than_start(lines: PackedStringArray) -> void:
	for line: String in lines:
		if more_of(line) != Vector2i.ZERO:
			continue
		check(line.begins_with("VarBatch.frames_to_vars: frame "), "a line: " + line)
		check(" at byte " in line, "no byte in: " + line)


func _check_growth(what: String) -> void:
	MemoryProbe.reset_peak()
	var before := MemoryProbe.status("VmRSS:")
	var found: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
	var growth := MemoryProbe.status("VmHWM:") - before
	check(growth < MAX_GROWTH, "%s: grew by %d KiB" % [what, growth / 1024])
	check(found.count(null) == found.size() or found[0] == "good", "%s: found %s" % [what, found])
	MemoryProbe.reset_peak()
	before = MemoryProbe.status("VmRSS:")
	quietly(func() -> Variant: return VarBatch.load_vars_async(path).wait())
	growth = MemoryProbe.status("VmHWM:") - before
	check(growth < MAX_GROWTH, "%s, async: grew by %d KiB" % [what, growth / 1024])


static func _each(start: String, texts: PackedStringArray) -> PackedStringArray:
	var lines := PackedStringArray()
	for text: String in texts:
		lines.append(start + text)
	return lines

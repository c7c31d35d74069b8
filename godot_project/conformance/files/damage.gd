extends "files_base.gd"
## Files that were cut, damaged or made up, plain and compressed. What is before the damage is loaded,
## one line says at which byte of the file or of the values it is, and a small file needs little
## memory. frames_to_vars() says the same of the same bytes, so it is the model for plain files. How
## the blocks of a compressed file are read is tested in rust/storage/tests, compressed_damage.rs.

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

## What is in compressed files, and where the frame of each ends in the stream.
var _values: Array = []
var _ends := PackedInt32Array()


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
	for border: int in range(65_536, frames.size(), 65_536 * 3):
		lengths.append_array([border - 4, border - 1, border, border + 1, border + 4])
	for end: int in _ends_of(values).slice(-4):
		lengths.append_array([end - 1, end, end + 1, end + 4, end + 5])
	for i: int in part_of(200):
		lengths.append(random.randi_range(0, frames.size()))
	for i: int in lengths.size():
		VarBatch.set_thread_count(THREAD_COUNTS[i % 3])
		_check_like_frames(frames.slice(0, lengths[i]), "cut at byte %d" % lengths[i])


## The frame is null, and those after it are loaded.
func test_bad_payloads() -> void:
	for good: PackedByteArray in [stored([_noise]), frame(var_to_bytes("good"))]:
		for hex: String in BAD_PAYLOADS:
			var payload := hex.replace(" ", "").hex_decode()
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
	for count: int in Threads.new(THREAD_COUNTS):
		_check_like_frames(frames, "many bad ones, %d threads" % count)


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
			var payload := first.replace(" ", "").hex_decode() + _noise
			write(path, good + Values.u32(length) + payload)
			_check_bounded("a length of %x, %s" % [length, first], [1.5])
	for hex: String in ["1d000000 ffffff7f", "1c000000 ffffff7f", "1b000000 ffffff7f"]:
		write(path, frame(hex.replace(" ", "").hex_decode() + _noise))
		_check_bounded("a count of %s" % hex, [null])


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


## Cut, or a byte changed: that is found by what the format or the values themselves check, or it
## changes a value. Of ours the magic at the end may be missing, for which the engine does not ask.
func test_compressed() -> void:
	_values = ["first", 2, Crypto.new().generate_random_bytes(3000), [4, {"five": 5.5}], null]
	_values.append_array(sized(300, func(i: int) -> int: return i * 7))
	_ends = _ends_of(_values)
	var random := RandomNumberGenerator.new()
	random.seed = 57
	for mode: int in Gcpf.MODES:
		for is_ours: bool in [true, false]:
			var bytes := stored(_values, false, mode)
			if is_ours:
				check_int(VarBatch.save_vars(path, _values, false, mode), OK, "saving")
				bytes = FileAccess.get_file_as_bytes(path)
			var file := Gcpf.new(bytes)
			var what := "mode %d, ours: %s, " % [mode, is_ours]
			var lengths := PackedInt32Array(range(4, 20))
			for border: int in file.borders:
				if file.borders.size() < 20 or border % 5 == 0:
					lengths.append_array([border - 1, border, border + 1])
			for i: int in part_of(300):
				lengths.append(20 + i * (bytes.size() - 24) / part_of(300))
			for length: int in lengths + PackedInt32Array(range(bytes.size() - 6, bytes.size())):
				_check_cut(bytes, length, file, what + "cut at %d" % length)
			for i: int in part_of(400):
				var at := random.randi_range(file.borders[0], bytes.size() - 5)
				var changed := bytes.duplicate()
				changed[at] ^= 1 << random.randi_range(0, 7)
				write(path, changed)
				var found: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
				var good := _ends.bsearch(file.whole_len(at), false)
				check(found.size() >= good, what + "%d changed: %d values" % [at, found.size()])
				check_same(found.slice(0, good), _values.slice(0, good), what + "%d changed" % at)


## Heads that promise more than a file can hold, and a block of zeros, which takes next to nothing in
## the file, that says it is shorter.
func test_hostile_compressed() -> void:
	var rest := PackedByteArray()
	rest.resize(5000)
	var zeros := PackedByteArray()
	zeros.resize(64 * MIB)
	for mode: int in Gcpf.MODES:
		for block_len: int in [0, 1, 2, 4096, 0x7fffffff, 0x80000000, 0xffffffff]:
			for total: int in [0, 1, 4096, 0x7fffffff, 0xfffffffe, 0xffffffff]:
				for filler: int in [0, 1, 0xff]:
					rest.fill(filler)
					write(path, Gcpf.head(mode, block_len, total) + rest)
					_check_bounded("mode %d, %d of %d, %x" % [mode, block_len, total, filler])
		var block := zeros.compress(mode)
		for total: int in [100, 4095]:
			var head := Gcpf.head(mode, 4096, total) + Values.u32(block.size())
			write(path, head + block + Gcpf.MAGIC.to_ascii_buffer())
			_check_bounded("mode %d, a block of 64 MiB that says %d bytes" % [mode, total])


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


## All values in the blocks that are whole, perhaps more, and one line that says where.
func _check_cut(bytes: PackedByteArray, length: int, file: Gcpf, what: String) -> void:
	write(path, bytes.slice(0, length))
	var results: Array[Array] = []
	var lines := logged(func() -> void: results.append(VarBatch.load_vars(path)))
	var found := results[0]
	var good := _ends.bsearch(file.whole_len(length), false)
	check(found.size() >= good, "%s: %d values, not %d" % [what, found.size(), good])
	check_same(found, _values.slice(0, found.size()), what)
	if not errors.is_open() or length >= bytes.size() - 4:
		return
	check_int(lines.size(), 1, "lines of %s" % what)
	var text := (lines[0] if lines else "").trim_prefix("VarBatch.load_vars: ")
	check(text.begins_with('"%s": ' % path) and " at byte " in text, "%s: %s" % [what, text])
	var byte := text.substr(text.rfind("at byte ") + 8).to_int()
	var is_inside := byte >= 0 and byte <= length
	if not text.ends_with(" of the file"):
		is_inside = byte >= (_ends[good - 1] if good > 0 else 0) and byte <= _ends[-1]
	check(is_inside, "%s: %s" % [what, text])
	check_forms("load_vars", [path], found, ERR_FILE_CORRUPT, [text], true)


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

extends "files_base.gd"
## Files that were cut, damaged or made up: what is before the damage is loaded, and one line says at which byte of the
## file it is. frames_to_vars() says the same of the same bytes, so it is the model. Large and compressed files, and
## what a false length costs, are tested in rust/storage/tests, file_damage.rs and compressed_damage.rs.

const BAD_PAYLOADS: PackedStringArray = [
	"", "02000000", "27000000", "09000000 0102030405060708", "1e000000 ffffff7f 01020304",
	"1c000000 02000000 02000000 01000000 09000000",
]


func test_every_truncation() -> void:
	var values: Array = [7, PackedByteArray([1, 2, 3, 4, 5]), "text", Vector2(1, 2), null]
	var frames := stored(values)
	var ends := PackedInt32Array([0])
	for value: Variant in values:
		ends.append(ends[-1] + 4 + var_to_bytes(value).size())
	for length: int in frames.size():
		var what := "cut at byte %d" % length
		var found := _check_like_frames(frames.slice(0, length), int(not length in ends), what)
		check_same(found, values.slice(0, ends.bsearch(length + 1) - 1), what)


## The frame is null, and those after it are loaded.
func test_bad_payloads() -> void:
	for good: PackedByteArray in [stored([_noise]), frame(var_to_bytes("good"))]:
		for hex: String in BAD_PAYLOADS:
			var what := "payload %s" % hex
			var found := _check_like_frames(good + frame(Values.hex(hex)) + good + good, 1, what)
			check_same(found, read_loop(path), "as the engine, " + what)
			check_int(found.find(null), 1, "the null of " + what)


func test_many_bad_payloads() -> void:
	var frames := PackedByteArray()
	for i: int in 3000:
		var payload := var_to_bytes(i)
		frames.append_array(frame(payload.slice(0, i % 5) if i % 7 == 0 else payload))
	frames.append_array(stored(sized(60, func(i: int) -> int: return i * i * 25)))
	for count: int in Threads.new(THREAD_COUNTS):
		_check_like_frames(frames.slice(0, -count), MAX_LINES + 1, "many, %d threads" % count)


func test_lengths_past_the_end() -> void:
	var good := frame(var_to_bytes(1.5)) + frame(var_to_bytes(1.5))
	for length: int in [5, 13, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff]:
		for behind: int in [0, 1, 4, 100_000]:
			if behind < length:
				var frames := good + Values.u32(length) + _noise.slice(0, behind)
				_check_like_frames(frames, 1, "%d bytes of %d" % [behind, length])


## The engine's FileAccess gives what was in memory before for a block of FastLZ that is damaged.
func test_compressed() -> void:
	var bytes := stored(range(5000), false, FileAccess.COMPRESSION_FASTLZ, path)
	var at := 16 + 4 * 15
	for block: int in 3:
		at += bytes.decode_u32(16 + 4 * block)
	bytes[at] = 255
	write(path, bytes)
	var text := '"%s": expected FastLZ of 4096 bytes in block 3 of 15, found damage, ' % path
	text += "at byte %d of the file" % at
	check_forms("load_vars", [path], range(3 * 4096 / 12), ERR_FILE_CORRUPT, [text], true)


## Checks that values and lines, of which there are so many, are those of frames_to_vars(), which are
## returned. The first line may say what else the file seems to be.
func _check_like_frames(bytes: PackedByteArray, line_count: int, what: String) -> Array:
	write(path, bytes)
	var results: Array[Array] = []
	var texts := PackedStringArray()
	for line: String in logged(func() -> void: results.append(VarBatch.frames_to_vars(bytes))):
		var is_more := more_of(line) != Vector2i.ZERO
		var is_placed := line.begins_with("VarBatch.frames_to_vars: value ") and " at byte " in line
		check(is_more or is_placed, "a line: " + line)
		var text := line.trim_prefix("VarBatch.frames_to_vars: ")
		if " of a frame, found " in text:
			text = text.get_slice(": ", 0) + ": the file is cut off..."
		text = '"%s": ' % path + text
		texts.append(text + OF_FILES if is_more else text)
	var lines := logged(func() -> void: results.append(VarBatch.load_vars(path)))
	if texts and lines:
		var first := lines[0].trim_prefix("VarBatch.load_vars: ")
		var is_named := ": expected values as FileAccess.store_var() writes them, found " in first
		check(is_named or first.begins_with(texts[0].trim_suffix("...")), "%s: %s" % [what, first])
		texts[0] = first
	if errors.is_open():
		check_int(texts.size(), line_count, "lines, " + what)
		var code := OK if texts.is_empty() else ERR_FILE_CORRUPT
		var is_other := func(sign_of_it: String) -> bool: return sign_of_it in "".join(texts)
		if [": expected values as ", "its values can be read in", "its lengths are big-endian", "it is one value"].any(is_other):
			code = ERR_FILE_UNRECOGNIZED
		check_forms("load_vars", [path], results[0], code, texts, true)
	check_same(results[1], results[0], what)
	return results[0]

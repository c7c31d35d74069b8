extends "files_base.gd"
## Files that were cut, damaged or made up: what is before the damage is loaded, and one line says at which byte of the file
## it is. frames_to_vars() says the same of the same bytes, so it is the model. Files that hold no values, as the engine
## itself makes them: the error says what they are and what reads them, and that is true.

const BAD_PAYLOADS: PackedStringArray = [
	"", "02000000", "27000000", "09000000 0102030405060708", "1e000000 ffffff7f 01020304",
	"1c000000 02000000 02000000 01000000 09000000",
]
const START := '"%s": expected values as FileAccess.store_var() writes them, found '

var _values: Array = [{"level": 3, "name": "Ada"}, Vector2i(1, 2), _noise]


func test_every_truncation() -> void:
	var values: Array = [7, PackedByteArray([1, 2, 3, 4, 5]), "text", Vector2(1, 2), null]
	var frames := stored(values)
	var ends := PackedInt32Array(range(6).map(func(count: int) -> int: return stored(values.slice(0, count)).size()))
	for length: int in frames.size():
		var what := "cut at byte %d" % length
		var found := _check_like_frames(frames.slice(0, length), int(not length in ends), what)
		check_same(found, values.slice(0, ends.bsearch(length + 1) - 1), what)


func test_bad_payloads() -> void:
	for good: PackedByteArray in [stored([_noise]), frame(var_to_bytes("good"))]:
		for hex: String in BAD_PAYLOADS:
			var what := "payload %s" % hex
			var found := _check_like_frames(good + frame(Values.hex(hex)) + good + good, 1, what)
			check_same(found, read_loop(path), "as the engine, " + what)
			check_int(found.find(null), 1, "the null of " + what)


func test_many_bad_payloads() -> void:
	var payload := func(i: int) -> PackedByteArray: return var_to_bytes(i).slice(0, i % 5 if i % 7 == 0 else 8)
	var frames := frames_of(range(3000).map(payload)) + stored(sized(60, func(i: int) -> int: return i * i * 25))
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
	var text := '"%s": expected FastLZ of 4096 bytes in block 3 of 15, found damage, at byte %d of the file' % [path, at]
	check_forms("load_vars", [path], range(3 * 4096 / 12), ERR_FILE_CORRUPT, [text], true)


## Checks that values and lines, of which there are so many, are those of frames_to_vars(), which are
## returned. The first line may say what else the file seems to be.
func _check_like_frames(bytes: PackedByteArray, line_count: int, what: String) -> Array:
	write(path, bytes)
	var texts := PackedStringArray()
	var told := logged(call_method.bind(&"frames_to_vars", [bytes]))
	var values: Array = returned
	for line: String in told:
		var is_more := more_of(line) != Vector2i.ZERO
		var is_placed := line.begins_with("VarBatch.frames_to_vars: value ") and " at byte " in line
		check(is_more or is_placed, "a line: " + line)
		var text := line.trim_prefix("VarBatch.frames_to_vars: ")
		if " of a frame, found " in text:
			text = text.get_slice(": ", 0) + ": the file is cut off..."
		text = '"%s": ' % path + text
		texts.append(text + OF_FILES if is_more else text)
	var lines := logged(call_method.bind(&"load_vars", [path]))
	check_same(returned as Array, values, what)
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
		check_forms("load_vars", [path], values, code, texts, true)
	return values


func test_encrypted() -> void:
	for key: Variant in [filled_bytes(32), "secret"]:
		write(path, stored(_values), -1, key)
		_check_found('an encrypted file ("GDEC"), at byte 0; load_var() and load_vars() read it')
		var file := _open(path, FileAccess.READ, -1, key)
		check_same(VarBatch.frames_to_vars(file.get_buffer(file.get_length())), _values, "decrypted")


func test_resources() -> void:
	var curve := Curve.new()
	for i: int in 500:
		curve.add_point(Vector2(i / 500.0, 0.5))
	var node := Node.new()
	var scene := PackedScene.new()
	scene.pack(node)
	node.free()
	for name: String in ["saved.res", "saved.tres", "saved.scn", "saved.tscn"]:
		path = folder.path_join(name)
		for flags: int in [0, ResourceSaver.FLAG_COMPRESS]:
			var resource: Resource = scene if "sc" in name.get_extension() else curve
			check_int(ResourceSaver.save(resource, path, flags as ResourceSaver.SaverFlags), OK, "saving " + name)
			var what := 'a compressed resource ("RSCC")' if flags else 'a resource ("RSRC")'
			if "t" in name.get_extension():
				what = "a resource as text"
			_check_found(what + ", at byte 0; load() reads it")


func test_texts_images_and_archives() -> void:
	var config := ConfigFile.new()
	config.set_value("audio", "volume", 0.5)
	var texts: PackedStringArray = [JSON.stringify(_values), "{}  ", "{}", "[1]", "12\n", "Hello, world!"]
	texts.append(Marshalls.variant_to_base64({"gold": 12, "names": ["Ada", "Bo"]}))
	_check_found("text with sections and keys, at byte 0; ConfigFile.load() reads it", config.encode_to_text().to_utf8_buffer())
	for text: String in texts + PackedStringArray(["日本語😀\n".repeat(200)]):
		var bytes := text.to_utf8_buffer()
		_check_found("text, such as JSON, at byte 0; FileAccess.get_file_as_string() reads it", bytes)
		check(FileAccess.get_file_as_string(path) == text, "another text")
		for mode: Array in [["ZSTD", FileAccess.COMPRESSION_ZSTD], ["FASTLZ", FileAccess.COMPRESSION_FASTLZ]]:
			write(path, bytes, mode[1] as int)
			var advice := "FileAccess.open_compressed(path, FileAccess.READ, FileAccess.COMPRESSION_%s)" % mode[0]
			_check_found("text, such as JSON, at byte 0; " + advice)
			check(_open(path, FileAccess.READ, mode[1] as int).get_as_text() == text, "another text, by the engine")
	Image.create(8, 8, false, Image.FORMAT_RGB8).save_png(path)
	_check_found("a PNG image, at byte 0; Image.load_from_file() reads it")
	Image.create(8, 8, false, Image.FORMAT_RGB8).save_jpg(path)
	_check_found("a JPEG image, at byte 0; Image.load_from_file() reads it")
	Image.create(8, 8, false, Image.FORMAT_RGB8).save_webp(path)
	_check_found("a RIFF file, such as WAV or WebP, at byte 0; AudioStreamWAV.load_from_file() or Image.load_from_file()")
	var utf_16 := "\ufeff{}".to_utf16_buffer()
	_check_found("text in UTF-16, at byte 0; FileAccess.get_file_as_bytes(path).get_string_from_utf16() reads it", utf_16)
	check(utf_16.get_string_from_utf16() == "{}", "another text")
	var known := {"OggS": "an Ogg stream", "GDPC": 'a pack of Godot ("GDPC")', "SQLite format 3": "a store, or another SQLite file"}
	for what: String in known:
		_check_found(known[what] as String, what.to_ascii_buffer() + PackedByteArray([0, 2, 0, 0, 0, 0, 0, 0]))
	var packer := ZIPPacker.new()
	packer.open(path)
	packer.start_file("a.txt")
	packer.write_file("text".to_utf8_buffer())
	packer.close()
	_check_found("a ZIP archive, at byte 0; ZIPReader reads it")
	var stream := VarBatch.vars_to_frames(_values)
	var packed := stream.compress(FileAccess.COMPRESSION_GZIP)
	_check_found("a gzip stream, at byte 0; FileAccess.get_file_as_bytes(path).decompress_dynamic(", packed)
	check_bytes(packed.decompress_dynamic(-1, FileAccess.COMPRESSION_GZIP), stream, "unpacked")
	packed = stream.compress(FileAccess.COMPRESSION_ZSTD)
	_check_found("a Zstandard stream, at byte 0; FileAccess.get_file_as_bytes(path).decompress(size, ", packed)
	check_bytes(packed.decompress(stream.size(), FileAccess.COMPRESSION_ZSTD), stream, "unpacked")


func test_big_endian_lengths() -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.big_endian = true
	for value: Variant in _values:
		file.store_var(value)
	file.close()
	_check_hint("at byte 4; its lengths are big-endian: FileAccess.get_var() reads it with big_endian = true")
	file = FileAccess.open(path, FileAccess.READ)
	file.big_endian = true
	for value: Variant in _values:
		check_value(file.get_var(), value, "by the engine")


func test_one_value_without_a_length() -> void:
	for value: Variant in [_values, _values[0], "a text that is long enough", _noise, 1.5]:
		write(path, var_to_bytes(value))
		_check_hint("; it is one value without a length: VarBatch.bytes_to_var(VarBatch.load_bytes(path)) reads it")
		check_value(bytes_to_var(FileAccess.get_file_as_bytes(path)), value, "by the engine")


## As the help of transcode() saves them in Godot 3; however the file is stored, the advice reads them.
func test_one_value_of_another_engine_without_a_length() -> void:
	for value: Variant in [{"a": 1}, [1, 2.5, "three"], {"at": Vector3(1, 2, 3)}, range(50), {"pool": PackedVector2Array([Vector2(1, 2)])}]:
		for in_godot_3: bool in [false, true]:
			var bytes := VarBatch.var_to_bytes_in(value, GODOT_3) if in_godot_3 else var_to_bytes(value)
			for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "key"]]:
				var key: Variant = stored_as[1]
				DirAccess.remove_absolute(path)
				check_int(VarBatch.save_bytes(path, bytes, stored_as[0] as int, key), OK, "saving")
				var load := "VarBatch.load_bytes(path%s)" % (", key" if key else "")
				var read_it := "VarBatch.bytes_to_var_in(%s, VarBatch.DIALECT_GODOT_3)" if in_godot_3 else "VarBatch.bytes_to_var(%s)"
				_check_hint(read_it % load + " reads it", key)
				var read := VarBatch.load_bytes(path, key)
				check_value(VarBatch.bytes_to_var_in(read, GODOT_3 if in_godot_3 else GODOT_4), value, load)
			if not in_godot_3:
				write(path, bytes)
				_check_translation("VarBatch.bytes_to_var(VarBatch.load_bytes(path)) reads it", GODOT_3)


func test_saves_of_godot_3() -> void:
	for values: Array in [[{"level": 3}, PackedInt32Array([1])], [5, "text", [Color.RED, {}]], [[true, Color.RED]]]:
		write(path, VarBatch.vars_to_frames(values))
		check_int(VarBatch.transcode_file(path, path, GODOT_4, GODOT_3), OK, "to Godot 3")
		_check_hint("; its values can be read in DIALECT_GODOT_3")
		check_int(VarBatch.transcode_file(path, path + "-other", GODOT_3, GODOT_4), OK, "to another file")
		check_same(VarBatch.load_vars(path + "-other"), values, "its values")
		# It could not be loaded, but nothing of it is lost: it is not set aside.
		check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4), OK, "back")
		_check_translation("; its values can be read in DIALECT_GODOT_4", GODOT_3)
		check_int(VarBatch.transcode_file(path, path, GODOT_4, GODOT_3), OK, "to Godot 3 again")
		check_call("save_vars", [path, values, false, -1, null, true], OK, [])


func test_damaged_saves() -> void:
	write(path, VarBatch.vars_to_frames(_values).slice(0, -100))
	var text := "the file is cut off, 100 bytes are missing, at byte 80"
	check_forms("load_vars", [path], _values.slice(0, 2), ERR_FILE_CORRUPT, [text])
	quietly(call_method.bind(&"load_vars", [path]))
	check(VarBatch.get_last_error_message().ends_with("at byte 80"), VarBatch.get_last_error_message())


## Of the file that is there, or that has these bytes.
func _check_found(what: String, bytes := PackedByteArray()) -> void:
	if bytes:
		write(path, bytes)
	_check_hint((START % path) + what)


func _check_hint(text: String, key: Variant = null) -> void:
	var values: Array = quietly(func() -> Array: return VarBatch.load_vars(path, false, 0, -1, key))
	var code := ERR_UNAUTHORIZED if "GDEC" in text else ERR_FILE_UNRECOGNIZED
	check_forms("load_vars", [path, false, 0, -1, key], values, code, [text])
	check_forms("load_var", [path, 7, false, key], 7, code, [text])
	# What is said of a database is in beside_files.gd.
	if not (key or "SQLite" in text or "GDEC" in text or "open_compressed" in text or "bytes_to_var" in text or "DIALECT" in text):
		check_forms("append_vars", [path, [1]], code, code, [text.get_slice("; ", 1)])
	if not "its values can be read in DIALECT_GODOT_3" in text:
		_check_translation(text, GODOT_4, key)


func _check_translation(text: String, from: int, key: Variant = null) -> void:
	var arguments: Array = [path, folder.path_join("target"), from, GODOT_4 if key else from, key]
	var code := ERR_UNAUTHORIZED if "GDEC" in text else ERR_FILE_UNRECOGNIZED
	check_call(&"transcode_file", arguments, code, ["...%s..." % text], code)

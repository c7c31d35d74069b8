extends "files_base.gd"
## Files that hold no values, as the engine itself makes them: the error says what they are and what
## reads them, and that is true.

const START := '"%s": expected values as FileAccess.store_var() writes them, found '

var _values: Array = [{"level": 3, "name": "Ada"}, Vector2i(1, 2), _noise]


func test_encrypted() -> void:
	for key: Variant in [filled_bytes(32), "secret"]:
		var file := _open(path, FileAccess.WRITE, -1, key)
		for value: Variant in _values:
			file.store_var(value)
		file.close()
		_check_found('an encrypted file ("GDEC"), at byte 0; load_var() and load_vars() read it')
		file = _open(path, FileAccess.READ, -1, key)
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
	var texts: PackedStringArray = [JSON.stringify(_values), "{}  ", "Hello, world!"]
	write(path, config.encode_to_text().to_utf8_buffer())
	_check_found("text with sections and keys, at byte 0; ConfigFile.load() reads it")
	for text: String in texts + PackedStringArray(["日本語😀\n".repeat(200)]):
		write(path, text.to_utf8_buffer())
		_check_found("text, such as JSON, at byte 0; FileAccess.get_file_as_string() reads it")
		check(FileAccess.get_file_as_string(path) == text, "another text")
		var file := FileAccess.open_compressed(path, FileAccess.WRITE, FileAccess.COMPRESSION_ZSTD)
		file.store_string(text)
		file.close()
		_check_found("text, such as JSON, at byte 0; FileAccess.open_compressed(path, FileAccess.READ, FileAccess.COMPRESSION_ZSTD)")
	Image.create(8, 8, false, Image.FORMAT_RGB8).save_png(path)
	_check_found("a PNG image, at byte 0; Image.load_from_file() reads it")
	var packer := ZIPPacker.new()
	packer.open(path)
	packer.start_file("a.txt")
	packer.write_file("text".to_utf8_buffer())
	packer.close()
	_check_found("a ZIP archive, at byte 0; ZIPReader reads it")
	var stream := VarBatch.vars_to_frames(_values)
	var gzip := FileAccess.COMPRESSION_GZIP
	write(path, stream.compress(gzip))
	_check_found("a gzip stream, at byte 0; FileAccess.get_file_as_bytes(path).decompress_dynamic(")
	check_bytes(FileAccess.get_file_as_bytes(path).decompress_dynamic(-1, gzip), stream, "unpacked")


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
		_check_hint("; it is one value without a length: bytes_to_var(FileAccess.get_file_as_bytes(path)) reads it")
		check_value(bytes_to_var(FileAccess.get_file_as_bytes(path)), value, "by the engine")


func test_saves_of_godot_3() -> void:
	for values: Array in [[{"level": 3}, PackedInt32Array([1])], [5, "text", [Color.RED, {}]]]:
		write(path, VarBatch.vars_to_frames(values))
		check_int(VarBatch.transcode_file(path, path, GODOT_4, GODOT_3), OK, "to Godot 3")
		_check_hint("; its values can be read in DIALECT_GODOT_3")
		var other := path + "-other"
		check_int(VarBatch.transcode_file(path, other, GODOT_3, GODOT_4), OK, "to another file")
		# It could not be loaded, but nothing of it is lost: it is not set aside.
		check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4), OK, "back")
		_check_translation("; its values can be read in DIALECT_GODOT_4", GODOT_3)


## What is damaged, but ours, is called nothing else.
func test_damaged_saves() -> void:
	write(path, VarBatch.vars_to_frames(_values).slice(0, -100))
	var text := "the file is cut off, 100 bytes are missing, at byte 80"
	check_forms("load_vars", [path], _values.slice(0, 2), ERR_FILE_CORRUPT, [text])
	quietly(func() -> Array: return VarBatch.load_vars(path))
	var message := VarBatch.get_last_error_message()
	check(message.ends_with("at byte 80"), message)


func _check_found(what: String) -> void:
	_check_hint((START % path) + what)


## In one line of each call, wherever values are as in Godot 4.
func _check_hint(text: String) -> void:
	var values: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
	var code := ERR_UNAUTHORIZED if "GDEC" in text else ERR_FILE_UNRECOGNIZED
	check_forms("load_vars", [path], values, code, [text])
	check_forms("load_var", [path, 7], 7, code, [text])
	if not "DIALECT_GODOT_3" in text:
		_check_translation(text, GODOT_4)


func _check_translation(text: String, from: int) -> void:
	var arguments: Array = [path, folder.path_join("target"), from, from]
	var code := ERR_UNAUTHORIZED if "GDEC" in text else ERR_FILE_UNRECOGNIZED
	check_call(&"transcode_file", arguments, code, ["...%s..." % text], code)

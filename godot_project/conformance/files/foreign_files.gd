extends "files_base.gd"
## Files that hold no values, as the engine itself makes them: the error says what they are and what
## reads them, and that is true.

const START := '"%s": expected values as FileAccess.store_var() writes them, found '

var _values: Array = [{"level": 3, "name": "Ada"}, Vector2i(1, 2), _noise]


func test_encrypted() -> void:
	var key := PackedByteArray()
	key.resize(32)
	var files: Array[FileAccess] = [
		FileAccess.open_encrypted_with_pass(path, FileAccess.WRITE, "secret"),
	]
	for value: Variant in _values:
		files[0].store_var(value)
	files.clear()
	_check_found('an encrypted file ("GDEC"), at byte 0; FileAccess.open_encrypted_with_pass()')
	var file := FileAccess.open_encrypted_with_pass(path, FileAccess.READ, "secret")
	check_values(VarBatch.frames_to_vars(file.get_buffer(file.get_length())), _values, "decrypted")
	file = FileAccess.open_encrypted(path, FileAccess.WRITE, key)
	file.store_buffer(VarBatch.vars_to_frames(_values))
	file.close()
	_check_found('an encrypted file ("GDEC")')
	file = FileAccess.open_encrypted(path, FileAccess.READ, key)
	check_values(VarBatch.frames_to_vars(file.get_buffer(file.get_length())), _values, "by key")


func test_resources() -> void:
	var curve := Curve.new()
	for i: int in 500:
		curve.add_point(Vector2(i / 500.0, 0.5))
	for name: String in ["saved.res", "saved.tres", "saved.scn", "saved.tscn"]:
		path = folder.path_join(name)
		for flags: int in [0, ResourceSaver.FLAG_COMPRESS]:
			var resource: Resource = curve
			if "sc" in name.get_extension():
				resource = PackedScene.new()
				var node := Node.new()
				(resource as PackedScene).pack(node)
				node.free()
			var error := ResourceSaver.save(resource, path, flags as ResourceSaver.SaverFlags)
			check_int(error, OK, "saving " + name)
			var what := "a resource as text, at byte 0; load() reads it"
			if not "t" in name.get_extension():
				what = 'a resource ("RSRC"), at byte 0; load() reads it'
				if flags:
					what = 'a compressed resource ("RSCC"), at byte 0; load() reads it'
			_check_found(what)


func test_texts() -> void:
	var config := ConfigFile.new()
	config.set_value("audio", "volume", 0.5)
	for text: String in [
		JSON.stringify(_values),
		"{}  ",
		"Hello, world!",
		config.encode_to_text(),
		"日本語😀\n".repeat(200)
	]:
		write(path, text.to_utf8_buffer())
		_check_found("text, such as JSON, at byte 0; FileAccess.get_file_as_string() reads it")
		check(FileAccess.get_file_as_string(path) == text, "another text")
		var file := FileAccess.open_compressed(path, FileAccess.WRITE, FileAccess.COMPRESSION_ZSTD)
		file.store_string(text)
		file.close()
		_check_found("text, such as JSON")


func test_images_and_archives() -> void:
	Image.create(8, 8, false, Image.FORMAT_RGB8).save_png(path)
	_check_found("a PNG image, at byte 0; Image.load_from_file() reads it")
	var packer := ZIPPacker.new()
	packer.open(path)
	packer.start_file("a.txt")
	packer.write_file("text".to_utf8_buffer())
	packer.close_file()
	packer.close()
	_check_found("a ZIP archive, at byte 0; ZIPReader reads it")
	var stream := VarBatch.vars_to_frames(_values)
	write(path, stream.compress(FileAccess.COMPRESSION_GZIP))
	_check_found("a gzip stream, at byte 0; FileAccess.get_file_as_bytes(path).decompress_dynamic(")
	var packed := FileAccess.get_file_as_bytes(path)
	check_bytes(packed.decompress_dynamic(-1, FileAccess.COMPRESSION_GZIP), stream, "unpacked")


func test_big_endian_lengths() -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.big_endian = true
	for value: Variant in _values:
		file.store_var(value)
	file.close()
	_check_hint(
		"at byte 4; its lengths are big-endian: FileAccess.get_var() reads it with big_endian = true"
	)
	file = FileAccess.open(path, FileAccess.READ)
	file.big_endian = true
	for value: Variant in _values:
		check_value(file.get_var(), value, "by the engine")


func test_one_value_without_a_length() -> void:
	for value: Variant in [_values, _values[0], "a text that is long enough", _noise, 1.5]:
		write(path, var_to_bytes(value))
		_check_hint(
			"; it is one value without a length: bytes_to_var(FileAccess.get_file_as_bytes(path)) reads it"
		)
		check_value(bytes_to_var(FileAccess.get_file_as_bytes(path)), value, "by the engine")


func test_saves_of_godot_3() -> void:
	for values: Array in [[{"level": 3}, PackedInt32Array([1])], [5, "text", [Color.RED, {}]]]:
		write(path, VarBatch.vars_to_frames(values))
		var to_3 := VarBatch.DIALECT_GODOT_3
		var to_4 := VarBatch.DIALECT_GODOT_4
		check_int(VarBatch.transcode_file(path, path, to_4, to_3), OK, "to Godot 3")
		_check_hint("; its values can be read in DIALECT_GODOT_3")
		check_int(VarBatch.transcode_file(path, path, to_3, to_4), OK, "back")
		# And the other way round.
		var wrong := func() -> int: return VarBatch.transcode_file(path, path, to_3, to_3)
		check_int(
			expect_errors(wrong, 1, "; its values can be read in DIALECT_GODOT_4"), 16, "wrong"
		)


## What is damaged, but ours, is called nothing else.
func test_damaged_saves() -> void:
	var bytes := VarBatch.vars_to_frames(_values)
	write(path, bytes.slice(0, -100))
	var load_it := func() -> Array: return VarBatch.load_vars(path)
	check_int(expect_errors(load_it, 1, "for the payload of a frame, found").size(), 2, "values")
	check(
		VarBatch.get_last_error_message().ends_with("at byte 80"), VarBatch.get_last_error_message()
	)


## Refused at once, with the engine's code: to open a pipe would wait for who writes to it.
func test_special_files() -> void:
	var special: PackedStringArray = [folder]
	if OS.get_name() in ["Linux", "macOS"]:
		special.append_array(["/dev/zero", "/dev/null", "/dev/tty", folder.path_join("pipe")])
		check_int(OS.execute("mkfifo", [absolute(special[-1])]), 0, "making a pipe")
	for from: String in special:
		check(FileAccess.open(from, FileAccess.READ) == null, "the engine opens " + from)
		var code := FileAccess.get_open_error()
		check_int(code, ERR_FILE_CANT_OPEN, "code of the engine for " + from)
		var text := 'cannot load "%s": ' % from
		expect_errors(func() -> Array: return VarBatch.load_vars(from), 1, text)
		check_int(VarBatch.get_last_error(), code, "load_vars of " + from)
		expect_errors(func() -> Variant: return VarBatch.load_var(from), 1, text)
		check_int(VarBatch.get_last_error(), code, "load_var of " + from)
		expect_errors(func() -> Variant: return VarBatch.load_vars_async(from).wait(), 1, text)
		var same := VarBatch.DIALECT_GODOT_4
		var translate := func() -> int: return VarBatch.transcode_file(from, path, same, same)
		check_int(expect_errors(translate, 1, text), code, "transcode_file of " + from)
		check(not FileAccess.file_exists(path), "a file is left")
		write(path, VarBatch.vars_to_frames([1]))
		var replace := func() -> int: return VarBatch.transcode_file(path, from, same, same)
		check_int(expect_errors(replace, 1, 'cannot save "%s": ' % from), code, "to " + from)
		DirAccess.remove_absolute(path)


## No values are saved as an empty file, and loaded from one.
func test_an_empty_file() -> void:
	check_int(VarBatch.save_vars(path, []), OK, "saving nothing")
	check_int(FileAccess.get_file_as_bytes(path).size(), 0, "bytes of nothing")
	check_value(VarBatch.load_vars(path), [], "loading nothing")
	check_int(VarBatch.get_last_error(), OK, "loading nothing")
	var load_one := func() -> Variant: return VarBatch.load_var(path, 7)
	check_value(expect_errors(load_one, 1, "expected a value, found an empty file"), 7, "one value")


func _check_found(what: String) -> void:
	_check_hint((START % path) + what)


## In one line of each call.
func _check_hint(text: String) -> void:
	check_value(
		expect_errors(func() -> Array: return VarBatch.load_vars(path), 1, text) is Array,
		true,
		text
	)
	check_int(VarBatch.get_last_error(), ERR_FILE_CORRUPT, text)
	check_value(
		expect_errors(func() -> Variant: return VarBatch.load_var(path, 7), 1, text), 7, text
	)
	var tasks: Array[VarBatchTask] = []
	var wait := func() -> Variant:
		tasks.append(VarBatch.load_vars_async(path))
		return tasks[0].wait()
	expect_errors(wait, 1, text)
	check_int(tasks[0].get_error(), ERR_FILE_CORRUPT, text)
	if not "DIALECT_GODOT_3" in text:
		var translate := func() -> int:
			var same := VarBatch.DIALECT_GODOT_4
			return VarBatch.transcode_file(path, folder.path_join("target"), same, same)
		check_int(expect_errors(translate, 1, text), ERR_FILE_CORRUPT, text)

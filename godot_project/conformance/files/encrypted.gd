extends "files_base.gd"
## Encrypted files: those of open_encrypted() and open_encrypted_with_pass() of FileAccess, both ways.
## Nothing is returned of one that was changed. More sizes are in rust/storage/tests, encrypted.rs.

const SavedItem := preload("../support/saved_item.gd")

const SECRET := "seCret-pässword 𐍈"
const DAMAGED := "the key is right, but the file is damaged"
const WRONG := "the key is not that of the file, or the file is damaged"
const CUT := "it is cut off, or its head is damaged"
const HEAD := 44

var _key: PackedByteArray = range(32)


func test_both_ways() -> void:
	var large: Array = [_noise, "x".repeat(3_000_000)] + range(3000)
	for key: Variant in [SECRET, "", "plain", _key]:
		for values: Array in [[], [null], Values.mixed(80), large]:
			for header: PackedByteArray in [PackedByteArray(), "GDEC 1\n".to_utf8_buffer()]:
				for count: int in by_threads():
					_check_both_ways(values, key, header)
	check_names([path.get_file()], "encrypted files")


func _check_both_ways(values: Array, key: Variant, header: PackedByteArray) -> void:
	var what := "%d values, %s, %d bytes before" % [values.size(), var_to_str(key), header.size()]
	for form: String in ["", "_async"]:
		var arguments: Array = [path, values, false, -1, key, header]
		var save := func() -> int: return call_and_wait("save_vars" + form, arguments)
		check_int(save_as_told(save, values), OK, "saving " + what)
		var file := _engine(FileAccess.READ, key)
		check_bytes(file.get_buffer(header.size()), header, "header of " + what)
		check_bytes(file.get_buffer(1 << 24), stored(values), "for the engine, " + what)
		for range_of: Array in [[0, -1], [1, -1], [-2, 1], [0, 0]]:
			var expected := VarBatch.frames_to_vars(stored(values))
			var from: int = range_of[0]
			if range_of != [0, -1]:
				expected = expected.slice(from, expected.size() if range_of[1] < 0 else from + range_of[1])
			arguments = [path, false] + range_of + [key, header.size()]
			check_same(call_and_wait("load_vars" + form, arguments) as Array, expected, what)
		file = _engine(FileAccess.WRITE, key)
		file.store_buffer(header)
		for value: Variant in values:
			file.store_var(value)
		file.close()


func test_what_was_changed() -> void:
	check_int(VarBatch.save_var(path, {"gold": 12}, false, -1, SECRET), OK, "saving")
	var good := FileAccess.get_file_as_bytes(path)
	var end := HEAD + stored([{"gold": 12}]).size()
	for at: int in good.size():
		write(path, good.slice(0, at))
		_check_fails(SECRET, [CUT if at >= 4 else "GDEC"], "cut at byte %d" % at)
		var changed := good.duplicate()
		changed[at] ^= 1 << (at % 8)
		write(path, changed)
		if at >= end:
			check_value(VarBatch.load_var(path, 5, false, SECRET), {"gold": 12}, "padding, as the engine")
		elif at < 4:
			_check_fails(SECRET, ["GDEC"], "changed byte %d" % at)
		elif at >= 20 and at < HEAD + 16:
			_check_fails(SECRET, [WRONG, DAMAGED, CUT], "changed byte %d" % at)
		else:
			_check_fails(SECRET, [DAMAGED], "changed byte %d" % at)
	write(path, good)
	for key: Variant in [SECRET + " ", "", _key]:
		_check_fails(key, [WRONG], "another key")
	check_int(VarBatch.save_var(path, 7), OK, "saving without a key")
	_check_fails(SECRET, ["without a key"], "a plain file")


## Objects of classes that are listed; none is made of a file that was changed.
func test_objects() -> void:
	check_int(VarBatch.save_var(path, [SavedItem.new()], true, -1, _key), OK, "saving an object")
	var found: Array = VarBatch.load_var(path, [null], [SavedItem], _key)
	check(found[0] is SavedItem, "no object was loaded")
	var bytes := FileAccess.get_file_as_bytes(path)
	bytes[-40] ^= 1
	write(path, bytes)
	SavedItem.made = 0
	for objects: Variant in [true, [SavedItem]]:
		check_forms("load_vars", [path, objects, 0, -1, _key], [], ERR_FILE_CORRUPT, [DAMAGED])
	check_int(SavedItem.made, 0, "objects made")


func test_arguments() -> void:
	var code := ERR_INVALID_PARAMETER
	var text := "expected a compression mode or a key, found both"
	check_forms("save_var", [path, 1, false, 2, SECRET], code, code, [text])
	for key: Variant in [7, true, &"name", [SECRET], {SECRET: 1}, SECRET.to_utf8_buffer()]:
		check_forms("save_var", [path, 1, false, -1, key], code, code, [" as key, found "])
		check_forms("load_var", [path, 5, false, key], 5, code, [" as key, found "])
	check_forms("load_vars", [path, false, 0, -1, null, -1], [], code, ["as offset, found -1"])
	check_names([], "what was not saved")
	check_int(VarBatch.save_vars(path, [1], false, -1, SECRET), OK, "saving")
	var bytes := FileAccess.get_file_as_bytes(path)
	code = ERR_FILE_UNRECOGNIZED
	check_forms("append_vars", [path, [1]], code, code, ["without encryption, found an encrypted one"])
	check_bytes(FileAccess.get_file_as_bytes(path), bytes, "what was not appended to")
	check_forms("load_vars", [path, false, 0, -1, SECRET, 999], [], ERR_FILE_EOF, ["999 bytes before"])


func _check_fails(key: Variant, texts: PackedStringArray, what: String) -> void:
	var lines := logged(func() -> void: check_value(VarBatch.load_var(path, 5, false, key), 5, what))
	var message := VarBatch.get_last_error_message()
	var is_known := Array(texts).any(func(text: String) -> bool: return text in message)
	check(is_known and lines.size() <= 1, "%s: %s" % [what, message])
	check(not SECRET in "".join(lines), "a password is shown")
	check(VarBatch.get_last_error() in [ERR_FILE_CORRUPT, ERR_FILE_UNRECOGNIZED], "code of " + what)


func _engine(flags: FileAccess.ModeFlags, key: Variant) -> FileAccess:
	if key is String:
		return FileAccess.open_encrypted_with_pass(path, flags, key as String)
	return FileAccess.open_encrypted(path, flags, key as PackedByteArray)

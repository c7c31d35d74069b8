extends "files_base.gd"
## Encrypted files: those of open_encrypted() and open_encrypted_with_pass() of FileAccess, both ways.
## Nothing is returned of one that was changed. rust/storage/tests, encrypted.rs, changes each bit.

const SavedItem := preload("../support/saved_item.gd")

const SECRET := "seCret-pässword 𐍈"
const DAMAGED := "but the file is damaged"
const WRONG := "the key is not that of the file, or the file is damaged"
const ERRORS: PackedStringArray = ['"GDEC"', "cut off", DAMAGED, WRONG]
const HEAD := 44

var _key: PackedByteArray = range(32)


func test_both_ways() -> void:
	for key: Variant in [SECRET, "", _key]:
		for values: Array in [[], Values.mixed(80), [_noise, "x".repeat(3_000_000)] + range(3000)]:
			for header: PackedByteArray in [PackedByteArray(), "GDEC 1\n".to_utf8_buffer()]:
				for form: String in ["", "_async"]:
					for count: int in by_threads():
						_check_both_ways(values, key, header, form)
	check_names([path.get_file()], "encrypted files")


func _check_both_ways(values: Array, key: Variant, header: PackedByteArray, form: String) -> void:
	var what := "%d values, %s, %d bytes before" % [values.size(), var_to_str(key), header.size()]
	var arguments: Array = [path, values, false, -1, key, false, header]
	var save := func() -> int: return call_and_wait("save_vars" + form, arguments)
	check_int(save_as_told(save, values), OK, "saving " + what)
	var frames := stored(values)
	check_bytes(_open(path, FileAccess.READ, -1, key).get_buffer(1 << 24), header + frames, what)
	var all := VarBatch.frames_to_vars(frames)
	for from: int in [0, 1, -2]:
		arguments = [path, false, from, -1, key, header.size()]
		check_same(call_and_wait("load_vars" + form, arguments) as Array, all.slice(from), what)
		write(path, header + frames, -1, key)


func test_what_was_changed() -> void:
	check_int(VarBatch.save_var(path, {"gold": 12}, false, -1, SECRET), OK, "saving")
	var good := FileAccess.get_file_as_bytes(path)
	for at: int in HEAD + stored([{"gold": 12}]).size():
		write(path, good.slice(0, at))
		_check_fails(SECRET, "cut off")
		var changed := good.duplicate()
		changed[at] ^= 1 << (at % 8)
		write(path, changed)
		_check_fails(SECRET, DAMAGED if at > HEAD + 16 else "found")
	write(path, good)
	for key: Variant in [SECRET + " ", "", _key]:
		_check_fails(key, WRONG)
	var save := func() -> int: return VarBatch.save_var(path, 7)
	check_int(expect_logged(save, 0, 1, "is kept as") as int, OK, "saving without a key")
	_check_fails(SECRET, "without a key")


## What was decrypted is nothing then, but the zeros behind it tell that the key is right.
func test_damage_before_the_values() -> void:
	var value := {"gold": 12, "name": "Ada"}
	check_int(VarBatch.save_var(path, value, false, -1, SECRET), OK, "saving")
	var good := FileAccess.get_file_as_bytes(path)
	write(path + ".bak", good)
	var load_it := func() -> Variant: return VarBatch.load_var(path, 5, false, SECRET)
	for at: int in range(HEAD - 16, HEAD):
		var changed := good.duplicate()
		changed[at] ^= 1
		write(path, changed)
		check_value(expect_logged(load_it, 0, 1, DAMAGED), value, "the backup")
		write(path + ".other", changed)
		check_forms("load_vars", [path + ".other", false, 0, -1, SECRET], [], ERR_FILE_CORRUPT, [DAMAGED])


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
	check_forms("save_var", [path, 1, false, 2, SECRET], code, code, ["expected a compression mode or a key, found both"])
	for key: Variant in [7, true, &"name", [SECRET], SECRET.to_utf8_buffer()]:
		check_forms("save_var", [path, 1, false, -1, key], code, code, [" as key, found "])
		check_forms("load_var", [path, 5, false, key], 5, code, [" as key, found "])
	check_names([], "what was not saved")
	check_int(VarBatch.save_vars(path, [1], false, -1, SECRET), OK, "saving")
	code = ERR_FILE_UNRECOGNIZED
	check_forms("append_vars", [path, [1]], code, code, ["found an encrypted one"])
	check_forms("load_vars", [path, false, 0, -1, SECRET, 99], [], ERR_FILE_EOF, ["99 bytes"])


func _check_fails(key: Variant, text: String) -> void:
	var lines := logged(func() -> void: check_value(VarBatch.load_var(path, 5, false, key), 5, text))
	var found := VarBatch.get_last_error_message()
	var is_known := Array(ERRORS).any(func(error: String) -> bool: return error in found)
	check(is_known and text in found and lines.size() <= 1, "expected %s, found %s" % [text, found])
	check(not SECRET in found, "a password is shown")

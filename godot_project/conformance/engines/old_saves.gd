extends "../files/files_base.gd"
## Saves as games of Godot 3 and 4 leave them on a player's disk: each is recognized, and what is advised reads it.

## What Godot 3.2.3 wrote with open_encrypted_with_pass(path, File.WRITE, "mypass"), store_var({"gold": 12}) and
## store_var(Color(1, 0, 0)).
const ENCRYPTED := (
	"4744454301000000ffa3a7feb0f9ac43c4bbe0c604dcfb5938000000000000001743df7a86e6c8b29401b42555a5f26c4664e42d9b02802c"
	+ "29c8b54db9c81265f5772e43e7221269f64bb56f901316b85adafd896c286e68c9008190b482c258"
)


func test_encrypted_by_godot_3() -> void:
	write(path, ENCRYPTED.hex_decode())
	var code := ERR_UNAUTHORIZED
	var no_key := 'an encrypted file ("GDEC"), at byte 0; load_var() and load_vars() read it with its password'
	check_forms("load_vars", [path], [], code, [no_key])
	check_forms("load_vars", [path, false, 0, -1, "wrong"], [], code, ["the key is not that of the file"])
	# Decrypted, they are values of Godot 3.
	var hint := "; its values can be read in DIALECT_GODOT_3"
	check_forms("load_var", [path, 7, false, "mypass"], 7, ERR_FILE_UNRECOGNIZED, [hint])
	var target := folder + "/target"
	for key: Variant in ["mypass", "mypass".md5_text().to_ascii_buffer()]:
		check_int(VarBatch.transcode_file(path, target, GODOT_3, GODOT_4, key), OK, "converted")
		check_value(VarBatch.load_vars(target, false, 0, -1, key), [{"gold": 12}, Color.RED], "its values")
		var file := FileAccess.open_encrypted_with_pass(target, FileAccess.READ, "mypass")
		check_value(file.get_var(), {"gold": 12}, "by the engine")
	check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4, "mypass"), OK, "in place")
	check_bytes(FileAccess.get_file_as_bytes(path).slice(0, 4), "GDEC".to_ascii_buffer(), "encrypted still")
	check_value(VarBatch.load_vars(path, false, 0, 1, "mypass"), [{"gold": 12}], "in place")


func test_plain_of_godot_3() -> void:
	var values: Array = [{"player": {"pos": Vector2(3, 4)}, "bag": ["sword", 2]}, [true, Color.RED], "text"]
	for value: Variant in values:
		write(path, frame(VarBatch.var_to_bytes_in(value, GODOT_3)))
		var lines := logged(func() -> void: VarBatch.load_var(path))
		check("DIALECT_GODOT_3" in "".join(lines) or value is String, "not recognized: %s, %s" % [value, lines])
		check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4), OK, "converted")
		check_value(VarBatch.load_var(path), value, "its value")


## JSON that a game wrote with open_compressed(), in a mode that Godot 4 reads.
func test_compressed_json() -> void:
	var text := JSON.stringify({"pixels": range(200)})
	var file := FileAccess.open_compressed(path, FileAccess.WRITE, FileAccess.COMPRESSION_FASTLZ)
	file.store_string(text)
	file.close()
	var advice := "FileAccess.open_compressed(path, FileAccess.READ, FileAccess.COMPRESSION_FASTLZ) opens it"
	check_forms("load_vars", [path], [], ERR_FILE_UNRECOGNIZED, ["text, such as JSON, at byte 0; " + advice])
	file = FileAccess.open_compressed(path, FileAccess.READ, FileAccess.COMPRESSION_FASTLZ)
	check_value(file.get_as_text(), text, "by the engine")

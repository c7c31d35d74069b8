extends "../files/files_base.gd"
## Bytes after values: each call tells them in one line, with the dialect that reads all of them.

const FOUND := "expected nothing after the value, found %d bytes, at byte %d; they are ignored"
const GODOT_3_HINT := "; all of it can be read in DIALECT_GODOT_3: see transcode() and transcode_file()"

## What Godot 3 writes for {"gold": 12, "name": "Ada Lovelace, countess"}: for Godot 4 a Transform3D, and 12 bytes.
var _old := VarBatch.var_to_bytes_in({"gold": 12, "name": "Ada Lovelace, countess"}, GODOT_3)


func test_one_value() -> void:
	var line := WARNING + FOUND % [_old.size() - 52, 52] + GODOT_3_HINT
	for arguments: Array in [[_old], [_old, false], [_old, true], [_old, [&"Resource"]]]:
		check_call(&"bytes_to_var", arguments, bytes_to_var(_old), [line])
	var bytes := var_to_bytes("text") + PackedByteArray([255])
	line = WARNING + "expected nothing after the value, found 1 byte, at byte 12; they are ignored"
	check_call(&"bytes_to_var", [bytes], "text", [line])
	check_call(&"bytes_to_var_in", [bytes, GODOT_4], "text", [line])
	# Values one after the other, which a script reads by their offsets.
	check_call(&"bytes_to_var", [var_to_bytes("one") + var_to_bytes([2, 2]) + var_to_bytes(null)], "one", [])


## The first is named, and the others are counted.
func test_batches() -> void:
	var int_and_more := var_to_bytes(5) + PackedByteArray([255, 255])
	for count: int in by_threads():
		var values := filled(3000, 5)
		var buffers := filled(3000, var_to_bytes(5))
		var frames := PackedByteArray()
		for at: int in [7, 800, 2999]:
			buffers[at] = int_and_more
		for buffer: PackedByteArray in buffers:
			frames += frame(buffer)
		var line := WARNING + "%s 7: expected nothing after the value, found 2 bytes, at byte %d; they are ignored, as after 2 more values"
		check_forms("bytes_to_vars", [buffers], values, OK, [line % ["buffer", 8]], true)
		check_forms("frames_to_vars", [frames], values, OK, [line % ["value", 7 * 12 + 12]], true)
		write(path, frames)
		line = line.replace("%s 7", '"%s": value 7') % [path, 7 * 12 + 12]
		check_forms("load_vars", [path], values, OK, [line], true)
		check_forms("load_vars", [path, false, 8, 5], filled(5, 5), OK, [], true)


## Only the dialect that reads all of those values is named.
func test_saves_of_another_engine() -> void:
	write(path, frame(_old) + frame(_old))
	var line := WARNING + '"%s": value 0: ' % path + FOUND % [_old.size() - 52, 56] + ", as after 1 more values" + GODOT_3_HINT
	check_forms("load_vars", [path], [bytes_to_var(_old), bytes_to_var(_old)], OK, [line], true)
	write(path, frame(_old))
	check_forms("load_var", [path, 7], bytes_to_var(_old), OK, [line.replace(", as after 1 more values", "")], true)
	# It is kept, and is no backup.
	for keep_backup: bool in [false, true]:
		var aside := '...it is kept as "%s.set-aside%s"' % [path.get_file(), "-2" if keep_backup else ""]
		write(path, frame(_old))
		logged(func() -> void: VarBatch.load_var(path))
		check_call(&"save_var", [path, 1, false, -1, null, keep_backup], OK, [WARNING + aside])
	write(path, frame(_old))
	check_call(&"save_var", [path, 1, false, -1, null, true], OK, [WARNING + "...it is kept as..."])
	check(not FileAccess.file_exists(path + ".bak"), "a backup")
	write(path, frame(_old) + frame(var_to_bytes(5) + PackedByteArray([9])))
	line = line.trim_suffix(GODOT_3_HINT)
	check_forms("load_vars", [path], [bytes_to_var(_old), 5], OK, [line], true)


## With the dialects swapped, twice the same, or others, a file in place stays as it is.
func test_a_file_in_place_is_not_destroyed() -> void:
	write(path, frame(_old))
	for row: Array in [[GODOT_4, GODOT_3], [GODOT_4, GODOT_4], [GODOT_4, VarBatch.DIALECT_PANDEMONIUM]]:
		var code := ERR_FILE_UNRECOGNIZED
		var text := "...nothing was written, force = true leaves them out; its values can be read in DIALECT_GODOT_3..."
		check_call(&"transcode_file", [path, path, row[0], row[1]], code, [text], code)
		check_bytes(FileAccess.get_file_as_bytes(path), frame(_old), "the file")
	check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4), OK, "the right ones")
	check_value(VarBatch.load_var(path), {"gold": 12, "name": "Ada Lovelace, countess"}, "its value")

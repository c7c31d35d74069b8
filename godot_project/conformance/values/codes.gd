extends "../files/files_base.gd"
## The table of causes and codes in rust/docs/FORMAT.md is what each method returns, at once and in a task.

const Documents := preload("../documents/documents.gd")
const Item := preload("../support/saved_item.gd")
const Other := preload("../support/saved_child.gd")

const CODES: Dictionary[String, Error] = {
	"ERR_FILE_CORRUPT": ERR_FILE_CORRUPT, "ERR_INVALID_DATA": ERR_INVALID_DATA,
	"ERR_UNAUTHORIZED": ERR_UNAUTHORIZED, "ERR_FILE_UNRECOGNIZED": ERR_FILE_UNRECOGNIZED,
	"ERR_FILE_NOT_FOUND": ERR_FILE_NOT_FOUND, "ERR_FILE_CANT_OPEN": ERR_FILE_CANT_OPEN,
	"ERR_FILE_CANT_READ": ERR_FILE_CANT_READ, "ERR_FILE_EOF": ERR_FILE_EOF,
	"ERR_INVALID_PARAMETER": ERR_INVALID_PARAMETER,
}

var _table: Dictionary[String, Error] = {}
## The causes for which methods were called.
var _done: Dictionary[String, bool] = {}


func test_each_cause_has_one_code() -> void:
	_read_table()
	VarBatch.set_print_error_messages(false)
	_of_bytes("the bytes are cut off or damaged", PackedByteArray([255, 0, 0, 0]), true, false)
	_of_bytes("the bytes are cut off or damaged", var_to_bytes("cut off").slice(0, -4), true, false)
	_of_buffer(ERR_FILE_CORRUPT, PackedByteArray([TYPE_NODE_PATH, 0, 0, 0, 1, 0, 0, 0]), true, "a NodePath as before Godot 3")
	var item := var_to_bytes_with_objects(Item.new())
	_of_bytes("an object, where objects are not allowed", item, false, true)
	_of_bytes("an object of a class that is not listed", item, [Other], true)
	var gone := var_to_bytes_with_objects(RefCounted.new())
	gone[8] = "X".to_ascii_buffer()[0]
	_of_bytes("an object of a class that the game does not have", gone, true, false)
	_of_values()
	_of_files()
	_of_damaged_files()
	VarBatch.set_print_error_messages(true)
	for cause: String in _table:
		check(cause in _done, "no method was called for: " + cause)


func _read_table() -> void:
	var text := FileAccess.get_file_as_string(Documents.project_folder().path_join("../rust/docs/FORMAT.md").simplify_path())
	for line: String in text.get_slice("\n## 18. ", 1).split("\n"):
		var cells := line.split("|")
		if cells.size() == 4 and "`" in cells[2]:
			_table[cells[1].strip_edges()] = CODES[cells[2].get_slice("`", 1)]
	check_int(_table.size(), 21, "rows of the table")


## One buffer, by all methods that decode it.
func _of_bytes(cause: String, bytes: PackedByteArray, objects: Variant, in_store: bool) -> void:
	var record := frame(bytes)
	var code := _code(cause)
	_of_buffer(code, bytes, objects, cause)
	_check_forms(code, "frames_to_vars", [record, objects], cause)
	write(path, record)
	_check_forms(code, "load_var", [path, "default", objects], cause)
	_check_forms(code, "load_vars", [path, objects], cause)
	for method: StringName in [&"get_var", &"get_vars"]:
		var file := FileAccess.open(path, FileAccess.READ)
		var stream := StreamPeerBuffer.new()
		stream.data_array = record
		if code == ERR_FILE_CORRUPT:
			for cut: PackedByteArray in [record.slice(0, 2), record.slice(0, -1)]:
				var torn := StreamPeerBuffer.new()
				torn.data_array = cut
				_check(code, method, [torn], cause + ", cut off")
				if cut.size() > 4:
					torn.data_array = cut
					_check(code, method, [torn, objects] if method == &"get_var" else [torn, 1, objects], cause + ", cut off")
		for from: Object in [file, stream]:
			_check(code, method, [from, objects] if method == &"get_var" else [from, 1, objects], cause)
	var store := VarBatchStore.open(folder + "/store")
	if in_store and store.save_var("key", Item.new(), true) == OK:
		store.load_var("key", null, objects)
		check_int(VarBatch.get_last_error(), code, "VarBatchStore.load_var, " + cause)
		store.load_vars(["key"], objects)
		check_int(VarBatch.get_last_error(), code, "VarBatchStore.load_vars, " + cause)
		var task := store.load_vars_async(["key"], objects)
		task.wait()
		check_int(task.get_error(), code, "VarBatchStore.load_vars_async, " + cause)
	store.close()


func _of_buffer(code: Error, bytes: PackedByteArray, objects: Variant, cause: String) -> void:
	_check(code, &"bytes_to_var", [bytes, objects], cause)
	_check(code, &"bytes_to_var_in", [bytes, VarBatch.DIALECT_GODOT_4, objects], cause)
	_check(code, &"decode_var_size", [bytes, objects], cause)
	_check_forms(code, "bytes_to_vars", [[bytes], objects], cause)
	if code in [ERR_FILE_CORRUPT, ERR_FILE_EOF]:
		for method: StringName in [&"get_in", &"get_in_each"]:
			_check(code, method, [[bytes] if "each" in method else bytes, []], cause)
		_check(code, &"diff", [bytes, bytes.slice(1)], cause)
		_check(code, &"patch", [bytes, []], cause)
		_check(code, &"transcode", [bytes, VarBatch.DIALECT_GODOT_4, VarBatch.DIALECT_GODOT_3], cause)
		check_int(VarBatchState.new().restore(bytes), code, "restore, " + cause)


func _of_values() -> void:
	var deep := Engines.nested(1026)
	var cause := "a value that cannot be encoded"
	var code := _code(cause)
	_check(code, &"var_to_bytes", [deep], cause)
	_check(code, &"var_to_bytes_in", [deep, VarBatch.DIALECT_GODOT_3], cause)
	_check(code, &"store_var", [FileAccess.open(path, FileAccess.WRITE), deep], cause)
	_check(code, &"store_vars", [StreamPeerBuffer.new(), [deep]], cause)
	for method: String in ["vars_to_bytes", "vars_to_frames"]:
		_check_forms(code, method, [[deep]], cause)
	_check_forms(code, "save_var", [path, deep], cause)
	for method: String in ["save_vars", "append_vars"]:
		_check_forms(code, method, [path, [deep]], cause)
	var store := VarBatchStore.open(folder + "/store")
	check_int(store.save_var(1, deep), code, "VarBatchStore.save_var, " + cause)
	check_int(store.save_vars_async({1: deep}).wait() as int, code, "VarBatchStore.save_vars_async, " + cause)
	store.close()
	cause = "a value that another engine has no type for"
	code = _code(cause)
	_check(code, &"var_to_bytes_in", [Vector4i(), VarBatch.DIALECT_GODOT_3], cause)
	_check(code, &"transcode", [var_to_bytes(Vector4i()), GODOT_4, GODOT_3], cause)
	write(path, frame(var_to_bytes(Vector4i())))
	_check(code, &"transcode_file", [path, path, GODOT_4, GODOT_3], cause)
	cause = "bytes that are no delta"
	_check(_code(cause), &"apply_delta", [var_to_bytes(1), PackedByteArray([9])], cause)
	_check(_code(cause), &"apply_deltas", [[[var_to_bytes(1), PackedByteArray([9])]]], cause)
	cause = "an argument that is not supported"
	code = _code(cause)
	_check_forms(code, "load_vars", [path, 7], cause)
	_check_forms(code, "load_var", [path, 7, false, 7], cause)
	_check_forms(code, "bytes_to_vars", [[], [7]], cause)
	_check_forms(code, "save_var", [path, 7, false, 77], cause)
	_check(code, &"transcode_file", [path, path, 99, GODOT_3], cause)
	_check(code, &"transcode_file", [path, path, GODOT_4, GODOT_3, "a key"], cause)


func _of_files() -> void:
	var secret := folder + "/secret"
	check_int(VarBatch.save_var(secret, {"gold": 1}, false, -1, "right"), OK, "saving")
	_of_file("a key that is missing, or another one", secret)
	_of_file("a key that is missing, or another one", secret, "wrong")
	write(path, frame(var_to_bytes({"gold": 1})))
	_of_file("a key for a file that is not encrypted", path, "a key")
	for text: String in ['{"gold": 1}', "[section]\ngold=1\n", "[gd_resource]\n", "PK\u0003\u0004"]:
		write(path, text.to_utf8_buffer())
		_of_file("a file of another format, such as JSON", path)
	write(path, var_to_bytes({"gold": [1, 2.5]}))
	_of_file("a value without its length", path)
	for bytes: PackedByteArray in [VarBatch.var_to_bytes_in({"gold": 1}, GODOT_3), "{}".to_utf8_buffer()]:
		check_int(VarBatch.save_bytes(secret, bytes, -1, "right"), OK, "saving")
		_of_file("an encrypted file that holds no values, and whose checksum is right", secret, "right", false)
	write(path, frame(VarBatch.var_to_bytes_in(PackedVector2Array([Vector2(1, 2)]), GODOT_3)))
	_of_file("values of another engine", path)
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.big_endian = true
	file.store_var({"gold": [1, 2.5]})
	file.close()
	_of_file("lengths of the other byte order", path)
	for stored_as: Array in [[0, null], [-1, "right"]]:
		DirAccess.remove_absolute(path)
		if stored_as[1]:
			check_int(VarBatch.save_var(path, 1, false, -1, stored_as[1]), OK, "saving")
		else:
			file = FileAccess.open_compressed(path, FileAccess.WRITE)
			file.store_var(1)
			file.close()
		_check_forms(_code("a compressed or encrypted file to append to"), "append_vars", [path, [1]], "append")
	var store := VarBatchStore.open(folder + "/world")
	var cause := "a store where a file is to be saved"
	var code := _code(cause)
	for is_open: bool in [true, false]:
		for method: String in ["save_var", "save_vars", "save_bytes", "append_vars"]:
			var values: Variant = PackedByteArray([1]) if method == "save_bytes" else [1]
			_check_forms(code, method, [folder + "/world", values], cause)
		_check(code, &"transcode_file", [secret, folder + "/world", GODOT_4, GODOT_4, "right"], cause)
		store.close()
	_of_file("no file", folder + "/none")
	_of_file("a file that cannot be opened, such as a folder", folder)
	cause = "nothing where a value should begin"
	code = _code(cause)
	write(path, [])
	_check_forms(code, "load_var", [path], cause)
	_check_forms(code, "load_vars", [path, false, 0, -1, null, 1], cause)
	var whole := var_to_bytes({"gold": 1})
	_check(code, &"bytes_to_var", [whole, false, whole.size()], cause)
	_check(code, &"decode_var_size", [whole, false, whole.size()], cause)
	_of_buffer(code, PackedByteArray(), false, cause)
	for stream: Array in [[&"get_var", StreamPeerBuffer.new()], [&"get_vars", StreamPeerBuffer.new(), 1]]:
		_check(code, stream[0] as StringName, stream.slice(1), cause)
	_check(code, &"get_var", [FileAccess.open(path, FileAccess.READ)], cause)
	_check(code, &"get_vars", [FileAccess.open(path, FileAccess.READ), 1], cause)
	cause = "a file that is only open for writing"
	code = _code(cause)
	var opened: Array[FileAccess] = [
		FileAccess.open(folder + "/a", FileAccess.WRITE),
		FileAccess.open_compressed(folder + "/b", FileAccess.WRITE),
		FileAccess.open_encrypted_with_pass(folder + "/c", FileAccess.WRITE, "right"),
	]
	logged(func() -> void:
		for written: FileAccess in opened:
			_check(code, &"get_var", [written], cause)
			_check(code, &"get_vars", [written], cause))


func _of_file(cause: String, file: String, key: Variant = null, bytes := true) -> void:
	var code := _code(cause)
	_check_forms(code, "load_var", [file, null, false, key], cause)
	_check_forms(code, "load_vars", [file, false, 0, -1, key], cause)
	_check(code, &"transcode_file", [file, folder + "/target", GODOT_4, GODOT_4, key], cause)
	# Any bytes are whole, but not any encrypted file.
	if bytes and key != null or code in [ERR_UNAUTHORIZED, ERR_FILE_NOT_FOUND, ERR_FILE_CANT_OPEN]:
		_check_forms(code, "load_bytes", [file, key], cause)
	check(not FileAccess.file_exists(folder + "/target"), "something was written: " + cause)


## Plain, compressed and encrypted files that are cut off.
func _of_damaged_files() -> void:
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "right"]]:
		DirAccess.remove_absolute(path)
		check_int(VarBatch.save_var(path, {"gold": [1, 2.5], "x": 1}, false, stored_as[0], stored_as[1]), OK, "saving")
		var bytes := FileAccess.get_file_as_bytes(path)
		for size: int in [1, 2, 3, 5, 9, bytes.size() / 2, bytes.size() - 1]:
			write(path, bytes.slice(0, size))
			_of_file("the bytes are cut off or damaged", path, stored_as[1])
		# Each byte behind the head of an encrypted file.
		for at: int in range(44, 44 + 28 if stored_as[1] else 0):
			var damaged := bytes.duplicate()
			damaged[at] ^= 0x55
			write(path, damaged)
			_of_file("the bytes are cut off or damaged", path, stored_as[1])
			_check(ERR_FILE_CORRUPT, &"transcode_file", [path, folder + "/target", GODOT_3, GODOT_4, stored_as[1]], "damaged")


func _check_forms(code: Error, method: String, arguments: Array, cause: String) -> void:
	for form: String in ["", "_async"]:
		_check(code, method + form, arguments, cause)


func _check(code: Error, method: StringName, arguments: Array, cause: String) -> void:
	var result: Variant = call_method(method, arguments)
	var error: int = VarBatch.get_last_error()
	if result is VarBatchTask:
		(result as VarBatchTask).wait()
		error = (result as VarBatchTask).get_error()
	check_int(error, code, "VarBatch.%s, %s" % [method, cause])


func _code(cause: String) -> Error:
	_done[cause] = true
	return _table[cause]

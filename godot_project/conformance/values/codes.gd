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
	# A NodePath as before Godot 3.
	_of_buffer("the bytes are cut off or damaged", PackedByteArray([TYPE_NODE_PATH, 0, 0, 0, 1, 0, 0, 0]), true)
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
	_of_buffer(cause, bytes, objects)
	_check_forms(cause, "frames_to_vars", [record, objects])
	write(path, record)
	_check_forms(cause, "load_var", [path, "default", objects])
	_check_forms(cause, "load_vars", [path, objects])
	for count: Array in [[], [1]]:
		var method: StringName = &"get_vars" if count else &"get_var"
		for cut: PackedByteArray in [record.slice(0, 2), record.slice(0, -1)] if _table[cause] == ERR_FILE_CORRUPT else []:
			_check(cause, method, [_stream(cut)])
			if cut.size() > 4:
				_check(cause, method, [_stream(cut)] + count + [objects])
		for from: Object in [FileAccess.open(path, FileAccess.READ), _stream(record)]:
			_check(cause, method, [from] + count + [objects])
	var store := VarBatchStore.open(folder + "/store")
	if in_store and store.save_var("key", Item.new(), true) == OK:
		store.load_var("key", null, objects)
		_check_code(cause, VarBatch.get_last_error(), "VarBatchStore.load_var")
		store.load_vars(["key"], objects)
		_check_code(cause, VarBatch.get_last_error(), "VarBatchStore.load_vars")
		var task := store.load_vars_async(["key"], objects)
		task.wait()
		_check_code(cause, task.get_error(), "VarBatchStore.load_vars_async")


func _stream(bytes: PackedByteArray) -> StreamPeerBuffer:
	var stream := StreamPeerBuffer.new()
	stream.data_array = bytes
	return stream


func _of_buffer(cause: String, bytes: PackedByteArray, objects: Variant) -> void:
	_check(cause, &"bytes_to_var", [bytes, objects])
	_check(cause, &"bytes_to_var_in", [bytes, GODOT_4, objects])
	_check(cause, &"decode_var_size", [bytes, objects])
	_check_forms(cause, "bytes_to_vars", [[bytes], objects])
	if _table[cause] in [ERR_FILE_CORRUPT, ERR_FILE_EOF]:
		_check(cause, &"get_in", [bytes, []])
		_check(cause, &"get_in_each", [[bytes], []])
		_check(cause, &"diff", [bytes, bytes.slice(1)])
		_check(cause, &"patch", [bytes, []])
		_check(cause, &"transcode", [bytes, GODOT_4, GODOT_3])
		_check_code(cause, VarBatchState.new().restore(bytes), "restore")


func _of_values() -> void:
	var deep := Engines.nested(1026)
	var cause := "a value that cannot be encoded"
	_check(cause, &"var_to_bytes", [deep])
	_check(cause, &"var_to_bytes_in", [deep, GODOT_3])
	_check(cause, &"store_var", [FileAccess.open(path, FileAccess.WRITE), deep])
	_check(cause, &"store_vars", [StreamPeerBuffer.new(), [deep]])
	_check_forms(cause, "vars_to_bytes", [[deep]])
	_check_forms(cause, "vars_to_frames", [[deep]])
	_check_forms(cause, "save_var", [path, deep])
	_check_forms(cause, "save_vars", [path, [deep]])
	_check_forms(cause, "append_vars", [path, [deep]])
	var store := VarBatchStore.open(folder + "/store")
	_check_code(cause, store.save_var(1, deep), "VarBatchStore.save_var")
	_check_code(cause, store.save_vars_async({1: deep}).wait() as int, "VarBatchStore.save_vars_async")
	cause = "a value that another engine has no type for"
	_check(cause, &"var_to_bytes_in", [Vector4i(), GODOT_3])
	_check(cause, &"transcode", [var_to_bytes(Vector4i()), GODOT_4, GODOT_3])
	write(path, frame(var_to_bytes(Vector4i())))
	_check(cause, &"transcode_file", [path, path, GODOT_4, GODOT_3])
	cause = "bytes that are no delta"
	_check(cause, &"apply_delta", [var_to_bytes(1), PackedByteArray([9])])
	_check(cause, &"apply_deltas", [[[var_to_bytes(1), PackedByteArray([9])]]])
	cause = "an argument that is not supported"
	_check_forms(cause, "load_vars", [path, 7])
	_check_forms(cause, "load_var", [path, 7, false, 7])
	_check_forms(cause, "bytes_to_vars", [[], [7]])
	_check_forms(cause, "save_var", [path, 7, false, 77])
	_check(cause, &"transcode_file", [path, path, 99, GODOT_3])
	_check(cause, &"transcode_file", [path, path, GODOT_4, GODOT_3, "a key"])


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
	for stored_as: Array in [[FileAccess.COMPRESSION_FASTLZ, null], [-1, "right"]]:
		write(path, frame(var_to_bytes(1)), stored_as[0] as int, stored_as[1])
		_check_forms("a compressed or encrypted file to append to", "append_vars", [path, [1]])
	var store := VarBatchStore.open(folder + "/world")
	var cause := "a store where a file is to be saved"
	for is_open: bool in [true, false]:
		for method: String in ["save_var", "save_vars", "append_vars"]:
			_check_forms(cause, method, [folder + "/world", [1]])
		_check_forms(cause, "save_bytes", [folder + "/world", PackedByteArray([1])])
		_check(cause, &"transcode_file", [secret, folder + "/world", GODOT_4, GODOT_4, "right"])
		store.close()
	_of_file("no file", folder + "/none")
	_of_file("a file that cannot be opened, such as a folder", folder)
	cause = "nothing where a value should begin"
	write(path, [])
	_check_forms(cause, "load_var", [path])
	_check_forms(cause, "load_vars", [path, false, 0, -1, null, 1])
	var whole := var_to_bytes({"gold": 1})
	_check(cause, &"bytes_to_var", [whole, false, whole.size()])
	_check(cause, &"decode_var_size", [whole, false, whole.size()])
	_of_buffer(cause, PackedByteArray(), false)
	for from: Object in [StreamPeerBuffer.new(), FileAccess.open(path, FileAccess.READ)]:
		_check(cause, &"get_var", [from])
		_check(cause, &"get_vars", [from, 1])
	cause = "a file that is only open for writing"
	var opened: Array[FileAccess] = [
		FileAccess.open(folder + "/a", FileAccess.WRITE),
		FileAccess.open_compressed(folder + "/b", FileAccess.WRITE),
		FileAccess.open_encrypted_with_pass(folder + "/c", FileAccess.WRITE, "right"),
	]
	logged(func() -> void:
		for written: FileAccess in opened:
			_check(cause, &"get_var", [written])
			_check(cause, &"get_vars", [written]))


func _of_file(cause: String, file: String, key: Variant = null, bytes := true) -> void:
	_check_forms(cause, "load_var", [file, null, false, key])
	_check_forms(cause, "load_vars", [file, false, 0, -1, key])
	_check(cause, &"transcode_file", [file, folder + "/target", GODOT_4, GODOT_4, key])
	# Any bytes are whole, but not any encrypted file.
	if bytes and key != null or _table[cause] in [ERR_UNAUTHORIZED, ERR_FILE_NOT_FOUND, ERR_FILE_CANT_OPEN]:
		_check_forms(cause, "load_bytes", [file, key])
	check(not FileAccess.file_exists(folder + "/target"), "something was written: " + cause)


## Plain, compressed and encrypted files that are cut off.
func _of_damaged_files() -> void:
	const CAUSE := "the bytes are cut off or damaged"
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "right"]]:
		DirAccess.remove_absolute(path)
		check_int(VarBatch.save_var(path, {"gold": [1, 2.5], "x": 1}, false, stored_as[0], stored_as[1]), OK, "saving")
		var bytes := FileAccess.get_file_as_bytes(path)
		for size: int in [1, 2, 3, 5, 9, bytes.size() / 2, bytes.size() - 1]:
			write(path, bytes.slice(0, size))
			_of_file(CAUSE, path, stored_as[1])
		# Each byte behind the head of an encrypted file.
		for at: int in range(44, 44 + 28 if stored_as[1] else 0):
			var damaged := bytes.duplicate()
			damaged[at] ^= 0x55
			write(path, damaged)
			_of_file(CAUSE, path, stored_as[1])
			_check(CAUSE, &"transcode_file", [path, folder + "/target", GODOT_3, GODOT_4, stored_as[1]])


func _check_forms(cause: String, method: String, arguments: Array) -> void:
	for form: String in ["", "_async"]:
		_check(cause, method + form, arguments)


func _check(cause: String, method: StringName, arguments: Array) -> void:
	var result: Variant = call_method(method, arguments)
	var error: int = VarBatch.get_last_error()
	if result is VarBatchTask:
		(result as VarBatchTask).wait()
		error = (result as VarBatchTask).get_error()
	_check_code(cause, error, "VarBatch.%s" % method)


func _check_code(cause: String, error: int, what: String) -> void:
	_done[cause] = true
	check_int(error, _table[cause], "%s, %s" % [what, cause])

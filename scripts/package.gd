## Packs the addon's folder into a zip, or unpacks one. Run by package.sh.
## Arguments: `pack ADDON_FOLDER ZIP` or `unpack ZIP FOLDER`.
## Closes with `packed N files` or `unpacked N files`.
extends SceneTree

const PREFIX := "addons/varbatch/"
const MANIFEST := "varbatch.gdextension"
const FILES: Array[String] = [
	"LICENSE",
	"README.md",
	"icon.svg",
	"icon_state.svg",
	"icon_task.svg",
	"icon_undo_recorder.svg",
	MANIFEST
]

const ENTRY_SIGNATURE := 0x02014b50
const END_SIGNATURE := 0x06054b50
const END_SIZE := 22
## 1980-01-01 00:00, the earliest time that a zip can hold. The date is in the high 16 bits.
const FIXED_TIME := 0x00210000


func _initialize() -> void:
	var arguments: PackedStringArray = OS.get_cmdline_user_args()
	var error: Error = ERR_INVALID_PARAMETER
	if arguments.size() == 3:
		match arguments[0]:
			"pack":
				error = _pack(arguments[1], arguments[2])
			"unpack":
				error = _unpack(arguments[1], arguments[2])
	if error != OK:
		printerr("package.gd: %s: %s" % [" ".join(arguments), error_string(error)])
	quit(0 if error == OK else 1)


func _pack(folder: String, zip: String) -> Error:
	var files: Array[String] = FILES + _libraries(folder)
	var contents: Dictionary[String, PackedByteArray] = {}
	for file: String in files:
		contents[file] = FileAccess.get_file_as_bytes(folder.path_join(file))
		if contents[file].is_empty():
			printerr("package.gd: %s is missing or empty" % file)
			return ERR_FILE_NOT_FOUND
	files.sort()

	var packer := ZIPPacker.new()
	var error: Error = packer.open(zip)
	for file: String in files:
		if error == OK:
			error = packer.start_file(PREFIX + file)
		if error == OK:
			error = packer.write_file(contents[file])
		if error == OK:
			error = packer.close_file()
	if error == OK:
		error = packer.close()
	if error == OK:
		error = _fix_times(zip)
	print("packed %d files" % files.size())
	return error


## Returns the libraries that the manifest names and the folder has. The manifest in the zip names
## the others too: an export for their platforms then fails, where it would otherwise make a game
## without VarBatch.
func _libraries(folder: String) -> Array[String]:
	var found: Array[String] = []
	for line: String in FileAccess.get_file_as_string(folder.path_join(MANIFEST)).split("\n"):
		# Such as `linux.debug.x86_64 = "bin/x.so"`.
		var file: String = line.get_slice("=", 1).strip_edges().trim_prefix('"').trim_suffix('"')
		var is_new: bool = file.begins_with("bin/") and not file in found
		if is_new and FileAccess.file_exists(folder.path_join(file)):
			found.append(file)
	if found.is_empty():
		printerr("package.gd: %s has no library" % folder)
	return found


## Sets the times of all entries, so that the same files always give the same zip.
func _fix_times(zip: String) -> Error:
	var bytes: PackedByteArray = FileAccess.get_file_as_bytes(zip)
	var end_at: int = bytes.size() - END_SIZE
	if end_at < 0 or bytes.decode_u32(end_at) != END_SIGNATURE:
		return ERR_FILE_CORRUPT
	var entry_at: int = bytes.decode_u32(end_at + 16)
	for i: int in bytes.decode_u16(end_at + 10):
		if bytes.decode_u32(entry_at) != ENTRY_SIGNATURE:
			return ERR_FILE_CORRUPT
		bytes.encode_u32(entry_at + 12, FIXED_TIME)
		bytes.encode_u32(bytes.decode_u32(entry_at + 42) + 10, FIXED_TIME)
		# After the 46 fixed bytes come the name, the extra field and the comment.
		var next_at: int = entry_at + 46
		for length_at: int in [28, 30, 32]:
			next_at += bytes.decode_u16(entry_at + length_at)
		entry_at = next_at
	var file := FileAccess.open(zip, FileAccess.WRITE)
	if file == null:
		return FileAccess.get_open_error()
	file.store_buffer(bytes)
	return file.get_error()


func _unpack(zip: String, folder: String) -> Error:
	var reader := ZIPReader.new()
	var error: Error = reader.open(zip)
	if error != OK:
		return error
	var files: PackedStringArray = reader.get_files()
	for name: String in files:
		DirAccess.make_dir_recursive_absolute(folder.path_join(name).get_base_dir())
		var file := FileAccess.open(folder.path_join(name), FileAccess.WRITE)
		if file == null or not file.store_buffer(reader.read_file(name)):
			return ERR_FILE_CANT_WRITE
	print("unpacked %d files" % files.size())
	return OK

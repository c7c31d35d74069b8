extends Node
## Saves and loads in a process of its own, which has no rights or no space. Started by
## errors.gd with three arguments: what to try, the code to expect, and a folder. Prints
## lines of CHECK, what was looked at, the expected and the found, told apart by SEPARATOR.

const CHECK := "check"
const SEPARATOR := "\t"

const Child := preload("../support/child.gd")
const ErrorLog := preload("../support/error_log.gd")
const Files := preload("files_base.gd")

const OLD: Array = ["the old file", 1, 2.5]

var _errors := ErrorLog.new()
var _kind := Child.own_arguments()[0]
var _code := Child.own_arguments()[1]
var _folder := Child.own_arguments()[2].path_join("probed")
var _old := PackedByteArray()


func _ready() -> void:
	_errors.open()
	DirAccess.make_dir_recursive_absolute(_folder)
	_old = VarBatch.vars_to_frames(OLD)
	_write(_folder.path_join("old.bin"))
	match _kind:
		"read-only":
			_read_only()
		"unreadable":
			_unreadable()
		"full":
			_full()
	_errors.close()
	FileAccess.set_unix_permissions(_folder, 0x1ff)
	print(Child.LAST_LINE)
	get_tree().quit()


## A folder in which nothing can be made, with a file that could be written to.
func _read_only() -> void:
	FileAccess.set_unix_permissions(_folder, 0x16d)  # 0555
	var file := FileAccess.open(_folder.path_join("engine.bin"), FileAccess.WRITE)
	_tell("whether the engine opens a file", false, file != null)
	_tell("the engine's code", _code, FileAccess.get_open_error())
	for named: String in ["new.bin", "old.bin"]:
		for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
			_save(named, [1, 2], mode)


func _unreadable() -> void:
	var path := _folder.path_join("old.bin")
	FileAccess.set_unix_permissions(path, 0)
	var file := FileAccess.open(path, FileAccess.READ)
	_tell("whether the engine opens the file", false, file != null)
	_tell("the engine's code", _code, FileAccess.get_open_error())
	_errors.take()
	var found := VarBatch.load_vars(path)
	_tell_line("load_vars", 'cannot load "%s": ' % path)
	_tell("values loaded", [], found)
	var task := VarBatch.load_vars_async(path)
	_tell("values loaded async", [], task.wait())
	_tell("get_error", _code, task.get_error())
	_tell_line("load_vars_async", 'cannot load "%s": ' % path)
	FileAccess.set_unix_permissions(path, 0x1a4)
	_tell_old()


## More than fits: in one piece, in many, and such as no compression makes fit.
func _full() -> void:
	var noise := Crypto.new().generate_random_bytes(1 << 20)
	var pieces: Array = []
	for i: int in 1024:
		pieces.append(noise.slice(1024 * i, 1024 * i + 1024))
	var texts: Array = pieces.map(func(piece: PackedByteArray) -> String: return piece.hex_encode())
	for values: Array in [[noise], pieces, texts, [pieces, texts]]:
		for mode: int in [-1, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_DEFLATE]:
			for named: String in ["new.bin", "old.bin"]:
				_save(named, values, mode)
	# There is space again.
	var path := _folder.path_join("new.bin")
	_tell("a small save", OK, VarBatch.save_vars(path, OLD))
	_tell("its bytes", true, FileAccess.get_file_as_bytes(path) == _old)


func _save(named: String, values: Array, mode: int) -> void:
	var path := _folder.path_join(named)
	var shown := "%s, mode %d" % [named, mode]
	_errors.take()
	_tell("save_vars of " + shown, _code, VarBatch.save_vars(path, values, false, mode))
	_tell_line("save_vars", 'cannot save "%s": ' % path)
	var task := VarBatch.save_vars_async(path, values, false, mode)
	_tell("result of " + shown, _code, task.wait())
	_tell("get_error of " + shown, _code, task.get_error())
	_tell_line("save_vars_async", 'cannot save "%s": ' % path)
	_tell_old()


## The old file is as it was, and alone.
func _tell_old() -> void:
	_tell("files", PackedStringArray(["old.bin"]), Files.names(_folder))
	var bytes := FileAccess.get_file_as_bytes(_folder.path_join("old.bin"))
	_tell("whether the old file is as it was", true, bytes == _old)


func _tell_line(method: String, text: String) -> void:
	if not _errors.is_open():
		return
	var entries := _errors.take()
	var found := "no line"
	if entries.size() == 1:
		found = str(entries[0].text).left(("VarBatch.%s: " % method + text).length())
	elif entries.size() > 1:
		found = "%d lines" % entries.size()
	_tell("line", "VarBatch.%s: " % method + text, found)


func _tell(what: String, expected: Variant, found: Variant) -> void:
	print(SEPARATOR.join([CHECK, what, str(expected), str(found)]))


func _write(path: String) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_buffer(_old)
	file.close()

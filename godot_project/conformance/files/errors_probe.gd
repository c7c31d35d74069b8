extends "files_base.gd"
## Saves and loads in a process of its own, which has no rights or no space. Started by errors.gd
## with three arguments: what to try, the code to expect, and a folder. Prints what failed, each
## after FAILURE, and how much was checked.

const FAILURE := "failure: "
const CHECKS := "checks: "

const Child := preload("../support/child.gd")

const OLD: Array = ["the old file", 1, 2.5]

var _code := Child.own_arguments()[1].to_int()
var _folder := Child.own_arguments()[2].path_join("probed")
var _old := VarBatch.vars_to_frames(OLD)


func _ready() -> void:
	errors = ErrorLog.new()
	errors.open()
	DirAccess.make_dir_recursive_absolute(_folder)
	write(_folder.path_join("old.bin"), _old)
	match Child.own_arguments()[0]:
		"read-only":
			_read_only()
		"unreadable":
			_unreadable()
		"full":
			_full()
	finish()
	errors.close()
	FileAccess.set_unix_permissions(_folder, 0x1ff)
	for failure: String in failures:
		print(FAILURE + failure)
	print(CHECKS, checks)
	print(Child.LAST_LINE)
	get_tree().quit()


## A folder in which nothing can be made, with a file that could be written to.
func _read_only() -> void:
	FileAccess.set_unix_permissions(_folder, 0x16d)  # 0555
	var file := FileAccess.open(_folder.path_join("engine.bin"), FileAccess.WRITE)
	check(file == null, "the engine opens a file")
	check_int(FileAccess.get_open_error(), _code, "the engine's code")
	for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
		_check_save([1, 2], mode)


func _unreadable() -> void:
	var from := _folder.path_join("old.bin")
	FileAccess.set_unix_permissions(from, 0)
	check(FileAccess.open(from, FileAccess.READ) == null, "the engine opens the file")
	check_int(FileAccess.get_open_error(), _code, "the engine's code")
	check_forms("load_vars", [from], [], _code, ['cannot load "%s": ' % from])
	FileAccess.set_unix_permissions(from, 0x1a4)
	_check_old()


## More than fits: in one piece, in many, and such as no compression makes fit.
func _full() -> void:
	var noise := Crypto.new().generate_random_bytes(1 << 20)
	var pieces: Array = []
	for i: int in 1024:
		pieces.append(noise.slice(1024 * i, 1024 * i + 1024))
	var texts: Array = pieces.map(func(piece: PackedByteArray) -> String: return piece.hex_encode())
	for values: Array in [[noise], pieces, texts, [pieces, texts]]:
		for mode: int in [-1, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_DEFLATE]:
			_check_save(values, mode)
	# There is space again.
	var to := _folder.path_join("new.bin")
	check_int(VarBatch.save_vars(to, OLD), OK, "a small save")
	check_bytes(FileAccess.get_file_as_bytes(to), _old, "a small save")


## To a new file and to the old one: neither can be.
func _check_save(values: Array, mode: int) -> void:
	for named: String in ["new.bin", "old.bin"]:
		var to := _folder.path_join(named)
		var text := 'cannot save "%s": ' % to
		check_forms("save_vars", [to, values, false, mode], _code, _code, [text])
		_check_old()


## The old file is as it was, and alone.
func _check_old() -> void:
	check_names(["old.bin"], "the folder", _folder)
	check_bytes(FileAccess.get_file_as_bytes(_folder.path_join("old.bin")), _old, "the old file")

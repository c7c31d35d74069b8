extends "../files/files_base.gd"
## Files that cannot be translated: the engine's own code, one line with the path, the old target as
## it was, and no other file.

const GODOT_4 := VarBatch.DIALECT_GODOT_4
const GODOT_3 := VarBatch.DIALECT_GODOT_3
const OLD: Array = ["the old file", 1, 2.5]
const GOOD: Array = [1, "two", [3.0, {"four": 5}]]

var _target := folder + "/target.bin"


func test_no_source_and_no_target() -> void:
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	var no_folder := folder + "/missing/x"
	for from: String in [
		folder + "/missing.bin", no_folder, folder, folder + "/inner", "", "res://a"
	]:
		check(FileAccess.open(from, FileAccess.READ) == null, "the engine opens %s" % from)
		var code := FileAccess.get_open_error()
		write(_target, stored(OLD))
		_check_fails(from, _target, code, 'cannot load "%s": ' % from)
		check_names(["inner", "target.bin"], "no source")
	write(path, stored(GOOD))
	for to: String in [no_folder, folder + "/inner", folder, "", path + "/x"]:
		check(FileAccess.open(to, FileAccess.WRITE) == null, "the engine opens %s" % to)
		var code := FileAccess.get_open_error()
		_check_fails(path, to, code, 'cannot save "%s": ' % to)
		check_names(["inner", path.get_file(), "target.bin"], "no target")
	check_bytes(FileAccess.get_file_as_bytes(path), stored(GOOD), "the source")


## Every part of a good file that ends inside a frame.
func test_truncated() -> void:
	var whole := stored(GOOD)
	var ends: PackedInt32Array = [0]
	for value: Variant in GOOD:
		ends.append(ends[-1] + 4 + var_to_bytes(value).size())
	for size: int in whole.size():
		if size not in ends:
			write(path, whole.slice(0, size))
			_check_damaged(ERR_FILE_CORRUPT, " more bytes for the ")


## The frame, its byte in the file, and where in the value it is, whichever piece it is in.
func test_bad_values() -> void:
	var bad := frame("1b00000000000000".hex_decode()) + frame(var_to_bytes(1))
	var foreign := VarBatch.vars_to_frames([{"a": [Vector4i()]}, Vector3i(), 5])
	for count: int in [0, 3, 40_000]:
		var good := VarBatch.vars_to_frames(range(count))
		write(path, good + bad)
		var text := "frame %d: expected a type from 0 to 26, found 27, at byte %d"
		_check_damaged(ERR_FILE_CORRUPT, text % [count, good.size() + 4])
		write(path, good + foreign)
		text = 'frame %d: expected a type that Godot 3 has, found Vector4i, at byte %d inside ["a"][0]'
		_check_damaged(ERR_INVALID_DATA, text % [count, good.size() + 4 + 28], GODOT_4, GODOT_3)


func test_compressed() -> void:
	for mode: FileAccess.CompressionMode in [
		FileAccess.COMPRESSION_FASTLZ, FileAccess.COMPRESSION_ZSTD
	]:
		var file := FileAccess.open_compressed(path, FileAccess.WRITE, mode)
		file.store_buffer(VarBatch.vars_to_frames(range(3000)))
		file.close()
		var bytes := FileAccess.get_file_as_bytes(path)
		bytes[bytes.size() / 2] ^= 0x55
		bytes[40] ^= 0x55
		write(path, bytes)
		_check_damaged(ERR_FILE_CORRUPT, '"%s": ' % path)


## The target is as it was, whether it is another file, none, or the source itself.
func _check_damaged(code: int, text: String, from := GODOT_3, to := GODOT_4) -> void:
	var source := FileAccess.get_file_as_bytes(path)
	for threads: int in THREAD_COUNTS:
		VarBatch.set_thread_count(threads)
		for target: String in [_target, path]:
			for is_there: bool in [true, false]:
				DirAccess.remove_absolute(_target)
				var left: PackedStringArray = [path.get_file()]
				if is_there:
					write(_target, stored(OLD))
					left.append(_target.get_file())
				_check_fails(path, target, code, text, from, to)
				check_names(left, text)
				check_bytes(FileAccess.get_file_as_bytes(path), source, "the source")


func _check_fails(
	from: String, to: String, code: int, text: String, engine := GODOT_3, other := GODOT_4
) -> void:
	check(code != OK, "no error to expect for %s to %s" % [from, to])
	var translate := func() -> int: return VarBatch.transcode_file(from, to, engine, other)
	check_int(expect_errors(translate, 1, text) as int, code, "code of " + text)
	check_int(VarBatch.get_last_error(), code, "last error of " + text)
	if FileAccess.file_exists(_target):
		check_bytes(FileAccess.get_file_as_bytes(_target), stored(OLD), "the old target")

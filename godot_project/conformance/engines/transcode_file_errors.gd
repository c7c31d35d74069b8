extends "../files/files_base.gd"
## Files that cannot be translated: the engine's own code, one line with the path, the old target as
## it was, and no other file.

const GODOT_4 := VarBatch.DIALECT_GODOT_4
const GODOT_3 := VarBatch.DIALECT_GODOT_3
const OLD: Array = ["the old file", 1, 2.5]
const GOOD: Array = [1, "two", [3.0, {"four": 5}]]

var _target := folder + "/target.bin"


func test_no_source() -> void:
	write(_target, stored(OLD))
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	for from: String in [
		folder + "/missing.bin",
		folder + "/missing/x",
		folder,
		folder + "/inner",
		"",
		"res://no file"
	]:
		var file := FileAccess.open(from, FileAccess.READ)
		check(file == null, "the engine opens %s" % from)
		var code := FileAccess.get_open_error()
		_check_fails(from, _target, code, 'cannot load "%s": ' % from, ["inner", "target.bin"])


func test_bad_targets() -> void:
	write(path, stored(GOOD))
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	for to: String in [folder + "/missing/x", folder + "/inner", folder, "", path + "/x"]:
		var file := FileAccess.open(to, FileAccess.WRITE)
		check(file == null, "the engine opens %s" % to)
		var code := FileAccess.get_open_error()
		_check_fails(path, to, code, 'cannot save "%s": ' % to, ["inner", path.get_file()])
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


func test_damaged_value() -> void:
	for count: int in [0, 3, 40_000]:
		var good := VarBatch.vars_to_frames(range(count))
		var bad := frame("1b00000000000000".hex_decode()) + frame(var_to_bytes(1))
		write(path, good + bad)
		var text := (
			"frame %d: expected a type from 0 to 26, found 27, at byte %d"
			% [count, good.size() + 4]
		)
		_check_damaged(ERR_FILE_CORRUPT, text)


func test_values_without_a_place() -> void:
	for count: int in [0, 3, 40_000]:
		var good := VarBatch.vars_to_frames(range(count))
		write(path, good + VarBatch.vars_to_frames([{"a": [Vector4i()]}, Vector3i(), 5]))
		var text := (
			'frame %d: expected a type that Godot 3 has, found Vector4i, at byte %d inside ["a"][0]'
			% [count, good.size() + 4 + 28]
		)
		_check_damaged(ERR_INVALID_DATA, text, GODOT_4, GODOT_3)


func test_compressed() -> void:
	var modes := [FileAccess.COMPRESSION_FASTLZ, FileAccess.COMPRESSION_ZSTD]
	for mode: FileAccess.CompressionMode in modes:
		var file := FileAccess.open_compressed(path, FileAccess.WRITE, mode)
		for i: int in 3000:
			file.store_var(i)
		file.close()
		var bytes := FileAccess.get_file_as_bytes(path)
		bytes[bytes.size() / 2] ^= 0x55
		bytes[40] ^= 0x55
		write(path, bytes)
		var translate := func() -> int: return VarBatch.transcode_file(path, _target, 1, 0)
		var code: int = expect_errors(translate, 1, 'VarBatch.transcode_file: "%s": ' % path)
		check_int(code, ERR_FILE_CORRUPT, "mode %d" % mode)
		check_names([path.get_file()], "mode %d" % mode)


## The target is as it was, whether it is another file, none, or the source itself.
func _check_damaged(code: int, text: String, from := GODOT_3, to := GODOT_4) -> void:
	var source := FileAccess.get_file_as_bytes(path)
	for threads: int in THREAD_COUNTS:
		VarBatch.set_thread_count(threads)
		for target: String in [_target, path]:
			for is_there: bool in [true, false]:
				DirAccess.remove_absolute(_target)
				if is_there:
					write(_target, stored(OLD))
				var found: Variant = expect_errors(
					func() -> int: return VarBatch.transcode_file(path, target, from, to), 1, text
				)
				check_value(found, code, text)
				var left: PackedStringArray = [path.get_file()]
				if is_there:
					left.append(_target.get_file())
					check_bytes(
						FileAccess.get_file_as_bytes(_target), stored(OLD), "the old target"
					)
				check_names(left, text)
				check_bytes(FileAccess.get_file_as_bytes(path), source, "the source")


func _check_fails(
	from: String, to: String, code: int, text: String, left: PackedStringArray
) -> void:
	check(code != OK, "no error to expect for %s to %s" % [from, to])
	var translate := func() -> int: return VarBatch.transcode_file(from, to, GODOT_3, GODOT_4)
	var found: int = expect_errors(translate, 1, "VarBatch.transcode_file: " + text)
	check_int(found, code, "code of " + text)
	check_names(left, text)
	if FileAccess.file_exists(_target):
		check_bytes(FileAccess.get_file_as_bytes(_target), stored(OLD), "the old target")

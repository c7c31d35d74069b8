extends "../files/files_base.gd"
## transcode_file(): files of frames of other engines to what a loop of get_var() reads, and back.
## What cannot be translated: the engine's own code, one line with the path, the old target as it was,
## and no other file.

const Dialects := preload("dialects_base.gd")
const GODOT_4 := VarBatch.DIALECT_GODOT_4
const GODOT_3 := VarBatch.DIALECT_GODOT_3
const COMPRESSIONS: PackedInt32Array = [
	FileAccess.COMPRESSION_DEFLATE, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP
]
const OLD: Array = ["the old file", 1, 2.5]
const GOOD: Array = [1, "two", [3.0, {"four": 5}]]

var _target := folder + "/target.bin"


func test_values_of_any_number_and_size() -> void:
	var frames := PackedByteArray()
	var values: Array = []
	for pair: Array in Dialects.godot_3_values():
		frames.append_array(frame(Values.hex(pair[1] as String)))
		values.append(pair[0])
	_check_file(frames, values, "a value of each type")
	_check_file(PackedByteArray(), [], "an empty file")
	values = []
	for i: int in 3000:
		values.append({"id": i, "pos": Vector3(i, 0.5, -i), "name": "日本 %d" % i, "tags": [null]})
	_check_file(_written(values), values, "a save")
	values = sized(1500, func(i: int) -> int: return 90_000 if i % 100 == 0 else i % 90)
	values.append(Values.Packed.make(TYPE_PACKED_VECTOR3_ARRAY, 700_000))
	values.append_array(range(20_000))
	_check_file(_written(values), values, "small and large values")


func test_compressed() -> void:
	var values := sized(600, func(i: int) -> int: return i * 20)
	for mode: FileAccess.CompressionMode in COMPRESSIONS:
		_write_compressed(_written(values), mode)
		_translate(path, _target, GODOT_3, GODOT_4, "mode %d" % mode)
		check_bytes(_read_compressed(_target, mode), stored(values), "mode %d" % mode)
		_translate(_target, _target, GODOT_4, GODOT_3, "back, mode %d" % mode)
		_translate(_target, _target, GODOT_3, GODOT_4, "again, mode %d" % mode)
		check_bytes(_read_compressed(_target, mode), stored(values), "again, mode %d" % mode)


func test_in_place() -> void:
	var values := sized(400, func(i: int) -> int: return i * 50)
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		write(path, stored(values))
		for to: VarBatch.Dialect in [GODOT_3, VarBatch.DIALECT_PANDEMONIUM, GODOT_4]:
			var from: VarBatch.Dialect = {1: 0, 2: 1, 0: 2}[to]
			_translate(path, path, from, to, "in place, to %d" % to)
			check_names([path.get_file()], "in place")
		check_bytes(FileAccess.get_file_as_bytes(path), stored(values), "in place, and back")


## What a link leads to is replaced, by a file with its rights; a path may be of any kind.
func test_paths() -> void:
	write(path, stored([1, "two"]))
	if is_unix():
		write(folder + "/old", "old".to_utf8_buffer())
		check_int(DirAccess.open(folder).create_link("old", absolute(_target)), OK, "a link")
		var to := _target
		check_int(VarBatch.transcode_file(absolute(path), to, GODOT_4, GODOT_3), OK, "to a link")
		check_values(read_loop(folder + "/old"), [1, "two"], "through a link")
		check_names(["old", path.get_file(), _target.get_file()], "a link")
	var from := "res://conformance/support/suite.gd"
	var code := ERR_FILE_CORRUPT
	var line := '"%s": ...' % from
	check_call(&"transcode_file", [from, _target, GODOT_3, GODOT_4], code, [line], code)


## Bytes behind a value inside its frame are left out.
func test_what_is_lost() -> void:
	var ints: Array[int] = [1]
	var file := WARNING + '"%s": ' % path
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		write(path, stored([5, ints, rid_from_int64(1), [ints, rid_from_int64(2)]]))
		var lines: Array = [file + "2 typed containers became untyped, the first at byte 16"]
		lines.append(file + "2 RIDs lost their ids, the first at byte 40")
		check_call(&"transcode_file", [path, _target, GODOT_4, GODOT_3], OK, lines)
		write(path, frame(Values.hex("13000000 00000000 09")) + frame(var_to_bytes(6)))
		lines = [file + "1 value was followed by bytes that are none of its, at byte 12"]
		check_call(&"transcode_file", [path, _target, GODOT_3, GODOT_4], OK, lines)
		check_bytes(FileAccess.get_file_as_bytes(_target), stored([[], 6]), "without them")


func test_objects() -> void:
	write(path, stored([[Resource.new()], RefCounted.new()], true))
	_translate(path, _target, GODOT_4, GODOT_3, "objects to Godot 3")
	var there := FileAccess.get_file_as_bytes(_target)
	check_int(there.decode_u32(4 + 8), 17, "type of an object in Godot 3")
	_translate(_target, _target, GODOT_3, GODOT_4, "and back")
	check_values(read_loop(_target, true), [[Resource.new()], RefCounted.new()], "objects, back")


func test_many_at_once() -> void:
	var values := sized(300, func(i: int) -> int: return i * 100)
	write(path, stored(values))
	var work := func(i: int) -> int:
		var to := "%s.%d" % [_target, i]
		var code := VarBatch.transcode_file(path, to, GODOT_4, GODOT_3)
		return code if code else VarBatch.transcode_file(to, to, GODOT_3, GODOT_4)
	var codes := end_threads(start_threads(8, work))
	for i: int in codes.size():
		check_int(codes[i] as int, OK, "result of file %d" % i)
		var bytes := FileAccess.get_file_as_bytes("%s.%d" % [_target, i])
		check_bytes(bytes, stored(values), "file %d" % i)


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


func test_damaged_compressed() -> void:
	for mode: FileAccess.CompressionMode in [
		FileAccess.COMPRESSION_FASTLZ, FileAccess.COMPRESSION_ZSTD
	]:
		_write_compressed(VarBatch.vars_to_frames(range(3000)), mode)
		var bytes := FileAccess.get_file_as_bytes(path)
		bytes[bytes.size() / 2] ^= 0x55
		bytes[40] ^= 0x55
		write(path, bytes)
		_check_damaged(ERR_FILE_CORRUPT, '"%s": ' % path)


func _write_compressed(frames: PackedByteArray, mode: FileAccess.CompressionMode) -> void:
	var file := FileAccess.open_compressed(path, FileAccess.WRITE, mode)
	file.store_buffer(frames)
	file.close()


## What the engine reads of a file that was compressed before, and still is.
func _read_compressed(file_path: String, mode: FileAccess.CompressionMode) -> PackedByteArray:
	var file := FileAccess.open_compressed(file_path, FileAccess.READ, mode)
	return file.get_buffer(file.get_length()) if file else PackedByteArray()


## The frames of Godot 3.
func _written(values: Array) -> PackedByteArray:
	var frames := PackedByteArray()
	for value: Variant in values:
		frames.append_array(frame(VarBatch.var_to_bytes_in(value, GODOT_3)))
	return frames


func _translate(
	from: String, to: String, engine: VarBatch.Dialect, other: VarBatch.Dialect, what: String
) -> void:
	check_int(VarBatch.transcode_file(from, to, engine, other), OK, what)


## Read by the engine as these values, and back as it was; the same with any number of threads.
func _check_file(frames: PackedByteArray, values: Array, what: String) -> void:
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		var shown := "%s, %d threads" % [what, count]
		write(path, frames)
		_translate(path, _target, GODOT_3, GODOT_4, shown)
		check_bytes(FileAccess.get_file_as_bytes(_target), stored(values), shown)
		check_same(read_loop(_target), values, "what the engine reads of " + shown)
		_translate(_target, path, GODOT_4, GODOT_3, "back, " + shown)
		check_bytes(FileAccess.get_file_as_bytes(path), frames, "back, " + shown)
		check_names([path.get_file(), _target.get_file()], shown)


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

extends "../files/files_base.gd"
## transcode_file(): files of frames of other engines to what a loop of get_var() reads, and back.

const Dialects := preload("dialects_base.gd")
const GODOT_4 := VarBatch.DIALECT_GODOT_4
const GODOT_3 := VarBatch.DIALECT_GODOT_3
const COMPRESSIONS: PackedInt32Array = [
	FileAccess.COMPRESSION_DEFLATE, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP
]

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
		var file := FileAccess.open_compressed(path, FileAccess.WRITE, mode)
		file.store_buffer(_written(values))
		file.close()
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
	var codes := PackedInt32Array()
	codes.resize(8)
	var work := func(i: int) -> void:
		var to := "%s.%d" % [_target, i]
		var code := VarBatch.transcode_file(path, to, GODOT_4, GODOT_3)
		codes[i] = code if code else VarBatch.transcode_file(to, to, GODOT_3, GODOT_4)
	WorkerThreadPool.wait_for_group_task_completion(WorkerThreadPool.add_group_task(work, 8))
	for i: int in codes.size():
		var to := "%s.%d" % [_target, i]
		check_int(codes[i], OK, "result of file %d" % i)
		check_bytes(FileAccess.get_file_as_bytes(to), stored(values), "file %d" % i)


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

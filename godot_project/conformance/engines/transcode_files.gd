extends "../files/files_base.gd"
## transcode_file(): files of frames of other engines to what a loop of get_var() reads, and back.

const Dialects := preload("dialects_base.gd")
const Generator := preload("../support/generator.gd")
const GODOT_4 := VarBatch.DIALECT_GODOT_4
const GODOT_3 := VarBatch.DIALECT_GODOT_3
const COMPRESSIONS: PackedInt32Array = [
	FileAccess.COMPRESSION_DEFLATE, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP
]

var _target := folder + "/target.bin"


func test_by_hand() -> void:
	var frames := PackedByteArray()
	var values: Array = []
	for pair: Array in Dialects.godot_3_values():
		frames.append_array(frame(Dialects.bytes_of(pair[1] as String)))
		values.append(pair[0])
	_check_file(frames, values, "a value of each type")


func test_no_values() -> void:
	_check_file(PackedByteArray(), [], "an empty file")


func test_a_save() -> void:
	var values: Array = []
	var frames := PackedByteArray()
	for i: int in 3000:
		values.append({"id": i, "pos": Vector3(i, 0.5, -i), "name": "日本 %d" % i, "tags": [i, null]})
		frames.append_array(frame(VarBatch.var_to_bytes_in(values[i], GODOT_3)))
	_check_file(frames, values, "a save")


func test_small_and_large_values() -> void:
	var values := sized(1500, func(i: int) -> int: return 90_000 if i % 100 == 0 else i % 90)
	values.append(Values.Packed.make(TYPE_PACKED_VECTOR3_ARRAY, 700_000))
	values.append_array(range(20_000))
	var frames := PackedByteArray()
	for value: Variant in values:
		frames.append_array(frame(VarBatch.var_to_bytes_in(value, GODOT_3)))
	_check_file(frames, values, "small and large values")


## Bytes behind a value inside its frame are left out.
func test_trailing_bytes_in_a_frame() -> void:
	write(path, frame(Dialects.bytes_of("13000000 00000000 09")) + frame(var_to_bytes(6)))
	var rest := "1 value was followed by bytes that are none of its, at byte 12"
	var lines: PackedStringArray = [WARNING + 'VarBatch.transcode_file: "%s": %s' % [path, rest]]
	var translate := func() -> int:
		return VarBatch.transcode_file(path, _target, GODOT_3, GODOT_4)
	check_value(expect_lines(translate, lines), OK, "with trailing bytes")
	check_bytes(FileAccess.get_file_as_bytes(_target), stored([[], 6]), "without them")


func test_compressed() -> void:
	var values := sized(600, func(i: int) -> int: return i * 20)
	for mode: FileAccess.CompressionMode in COMPRESSIONS:
		var file := FileAccess.open_compressed(path, FileAccess.WRITE, mode)
		for value: Variant in values:
			var bytes := VarBatch.var_to_bytes_in(value, GODOT_3)
			file.store_32(bytes.size())
			file.store_buffer(bytes)
		file.close()
		check_int(VarBatch.transcode_file(path, _target, GODOT_3, GODOT_4), OK, "mode %d" % mode)
		check_bytes(_read_compressed(_target, mode), stored(values), "mode %d" % mode)
		check_int(VarBatch.transcode_file(_target, _target, GODOT_4, GODOT_3), OK, "back, mode %d" % mode)
		check_int(VarBatch.transcode_file(_target, _target, GODOT_3, GODOT_4), OK, "again, mode %d" % mode)
		check_bytes(_read_compressed(_target, mode), stored(values), "again, mode %d" % mode)


func test_in_place() -> void:
	var values := sized(400, func(i: int) -> int: return i * 50)
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		write(path, stored(values))
		for to: VarBatch.Dialect in [GODOT_3, VarBatch.DIALECT_PANDEMONIUM, GODOT_4]:
			var from: VarBatch.Dialect = {1: 0, 2: 1, 0: 2}[to]
			check_int(VarBatch.transcode_file(path, path, from, to), OK, "in place, to %d" % to)
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
	var damaged := func() -> int: return VarBatch.transcode_file(from, _target, GODOT_3, GODOT_4)
	var code: int = expect_errors(damaged, 1, 'VarBatch.transcode_file: "%s": ' % from)
	check_int(code, ERR_FILE_CORRUPT, "a file of the project")


func test_what_is_lost() -> void:
	var ints: Array[int] = [1]
	write(path, stored([5, ints, rid_from_int64(1), [ints, rid_from_int64(2)]]))
	var start := WARNING + 'VarBatch.transcode_file: "%s": ' % path
	var lines: PackedStringArray = [
		start + "2 typed containers became untyped, the first at byte 16",
		start + "2 RIDs lost their ids, the first at byte 40",
	]
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		var translate := func() -> int:
			return VarBatch.transcode_file(path, _target, GODOT_4, GODOT_3)
		check_value(expect_lines(translate, lines), OK, "with losses")


func test_objects() -> void:
	write(path, stored([[Resource.new()], RefCounted.new()], true))
	check_int(VarBatch.transcode_file(path, _target, GODOT_4, GODOT_3), OK, "objects to Godot 3")
	var there := FileAccess.get_file_as_bytes(_target)
	check_int(there.decode_u32(4 + 8), 17, "type of an object in Godot 3")
	check_int(VarBatch.transcode_file(_target, _target, GODOT_3, GODOT_4), OK, "and back")
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


## Read by the engine as these values, and back as it was; the same with any number of threads.
func _check_file(frames: PackedByteArray, values: Array, what: String) -> void:
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		var shown := "%s, %d threads" % [what, count]
		write(path, frames)
		check_int(VarBatch.transcode_file(path, _target, GODOT_3, GODOT_4), OK, shown)
		check_bytes(FileAccess.get_file_as_bytes(_target), stored(values), shown)
		check_same(read_loop(_target), values, "what the engine reads of " + shown)
		check_int(VarBatch.transcode_file(_target, path, GODOT_4, GODOT_3), OK, "back, " + shown)
		check_bytes(FileAccess.get_file_as_bytes(path), frames, "back, " + shown)
		check_names([path.get_file(), _target.get_file()], shown)

extends "files_base.gd"
## What save_vars() writes and load_vars() reads, against loops of store_var() and get_var().

const Generator := preload("../support/generator.gd")

## Values of which a file has more than one vectored write can take.
const MANY := 5000


func test_no_values() -> void:
	check_file([], "no values")
	check_int(FileAccess.get_file_as_bytes(path).size(), 0, "size of no values")


func test_one_value_of_each() -> void:
	for value: Variant in [null, 0, "", [], {}, PackedByteArray(), Vector3.ONE, NodePath("a/b")]:
		check_file([value], "one %s" % type_string(typeof(value)))


func test_every_value() -> void:
	check_file(Values.all(), "every value")


func test_mixed_values() -> void:
	check_file(Values.mixed(1000), "mixed values")


func test_nested_values() -> void:
	var generator := Generator.new(50_005)
	var values: Array = []
	for i: int in part_of(3000):
		values.append(generator.value())
	check_file(values, "random values")


## Deeper than scripts can compare values.
func test_deep_values() -> void:
	var values: Array = [1, Values.Engines.nested(1000, [_noise]), "end"]
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		check_int(VarBatch.save_vars(path, values), OK, "saving a deep value")
		check_bytes(FileAccess.get_file_as_bytes(path), stored(values), "a deep value")
		check_values(VarBatch.load_vars(path), values, "a deep value")


func test_small_values() -> void:
	for count: int in [499, 500, 501, 10_000, 20_001]:
		check_file(range(count), "%d ints" % count)
		check_file(sized(count, func(i: int) -> int: return i % 90), "%d small arrays" % count)
	var entry := func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i, null]}
	check_file(range(10_000).map(entry), "10,000 dictionaries")
	check_file(range(10_000).map(str), "10,000 texts")


## Each of them is borrowed, and written from where it lies.
func test_many_large_values() -> void:
	check_file(sized(MANY, func(_i: int) -> int: return 3001), "many arrays of 3 KB")
	check_file(sized(1023, func(_i: int) -> int: return 20_000), "1023 arrays of 20 KB")
	var zigzag := func(i: int) -> int: return 9000 if i % 3 == 0 else i % 40
	check_file(sized(MANY, zigzag), "large ones among small ones")
	var list := func(value: PackedByteArray) -> Array: return [value, {"value": value}]
	check_file(sized(MANY / 4, zigzag).map(list), "lists of large and small ones")


func test_large_values() -> void:
	var values: Array = []
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		values.append(Values.Packed.make(type, 200_003))
	check_file(values, "large arrays")
	check_file(["日本語😀".repeat(100_000), "long ".repeat(400_000)], "long texts")
	check_file([values, {"values": values}], "large arrays in one value")


## Sizes around those at which anything could be cut into pieces.
func test_sizes_around_borders() -> void:
	var noise := _noise.duplicate()
	while noise.size() < (4 << 20) + 64:
		noise.append_array(noise)
	for shift: int in range(9, 23):
		var values: Array = []
		for step: int in range(-16, 17, 4 if shift < 20 else 8):
			values.append(noise.slice(0, (1 << shift) + step))
			values.append(step)
		check_file(values, "arrays of about 2^%d" % shift)


func test_64_mib() -> void:
	var block := _noise.duplicate()
	while block.size() < 4 << 20:
		block.append_array(block)
	var values: Array = []
	for i: int in 16:
		values.append(block.slice(i, i + (4 << 20) - 4 * i))
	check_file(values, "64 MiB")


func test_typed_and_read_only_arrays() -> void:
	var ints: Array[int] = [1, -2, 1 << 35]
	var packed: Array[PackedByteArray] = [PackedByteArray([1]), _noise]
	packed.make_read_only()
	var vectors: Array[Vector3] = [Vector3.ONE, Vector3(-0.0, 1, INF)]
	for values: Array in [ints, packed, vectors]:
		check_file(values, "an array of %s" % type_string(values.get_typed_builtin()))


func test_full_objects() -> void:
	var objects := Values.Engines.storable_objects()
	check_file(objects, "objects", true)
	var among: Array = []
	for i: int in 1200:
		among.append([objects[i % 7], _noise.slice(0, i)] if i % 100 == 0 else i)
	check_file(among, "objects among others", true)


## What must not be made is null, with a line each, and the others are loaded.
func test_objects_without_permission() -> void:
	var values: Array = [1, Resource.new(), "two", [RefCounted.new()], PackedInt32Array([3])]
	check_int(VarBatch.save_vars(path, values, true), OK, "saving objects")
	var load_them := func() -> Array: return VarBatch.load_vars(path)
	var start := 'VarBatch.load_vars: "%s": frame ' % path
	var found: Array = expect_errors(load_them, 2, start)
	check_values(found, [1, null, "two", null, PackedInt32Array([3])], "without permission")
	var frames := FileAccess.get_file_as_bytes(path)
	var lines := logged(func() -> Array: return VarBatch.frames_to_vars(frames))
	for i: int in lines.size():
		lines[i] = lines[i].replace("VarBatch.frames_to_vars: frame ", start)
	expect_lines(load_them, lines)


## Bytes behind a value inside its frame are ignored, as by get_var().
func test_trailing_bytes_in_a_frame() -> void:
	write(path, frame(var_to_bytes(5) + PackedByteArray([9, 9, 9])) + frame(var_to_bytes(6)))
	check_values(VarBatch.load_vars(path), [5, 6], "with trailing bytes")


## A file is replaced whole, whether it was longer or shorter.
func test_saved_again() -> void:
	for size: int in [0, 70_000, 3, 20_000, 0, 1]:
		var values: Array = [_noise.slice(0, size), size]
		for round_number: int in 5:
			check_int(VarBatch.save_vars(path, values), OK, "saving %d bytes" % size)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(values), "%d bytes" % size)
	check_names([path.get_file()], "many rounds")


## Who has the old file open still reads the old one, whole.
func test_saved_while_open_for_reading() -> void:
	var old: Array = sized(40, func(i: int) -> int: return i * 1000)
	var new: Array = ["new"]
	write(path, stored(old))
	var file := FileAccess.open(path, FileAccess.READ)
	var first: Variant = file.get_var()
	check_int(VarBatch.save_vars(path, new), OK, "saving an open file")
	var read: Array = [first]
	while file.get_position() < file.get_length():
		read.append(file.get_var())
	check_same(read, old, "the old file, still open")
	file.close()
	check_values(VarBatch.load_vars(path), new, "the new file")
	check_names([path.get_file()], "a file that was open")


func test_what_load_gives_is_its_own() -> void:
	var values: Array = [_noise, [_noise, "text"], {"key": _noise}]
	check_int(VarBatch.save_vars(path, values), OK, "saving")
	var found := VarBatch.load_vars(path)
	check(not found.is_typed() and not found.is_read_only(), "no plain array")
	found.append(1)
	(found[0] as PackedByteArray).fill(7)
	(found[1] as Array).append(2)
	(found[2] as Dictionary).erase("key")
	check_values(VarBatch.load_vars(path), values, "after the first was changed")


## A browser stores files after the engine has closed one that it had opened to write, and that sets
## the error of the last opening. A save also does so there, once its file is in place.
func test_files_in_a_browser() -> void:
	var copy := path + ".copy"
	var saves: Array[Callable] = [
		func() -> Error: return VarBatch.save_vars(path, [1, 2]),
		func() -> Error: return VarBatch.save_vars(path, [1], false, FileAccess.COMPRESSION_ZSTD),
		func() -> Error: return VarBatch.save_var(path, [1, 2, 3]),
		func() -> Error: return VarBatch.transcode_file(path, copy, 0, 0),
	]
	for i: int in saves.size():
		check(FileAccess.open(path + ".none", FileAccess.READ) == null, "a file that nobody made")
		check_int(saves[i].call(), OK, "code of save %d" % i)
		var expected := OK if tells_of_files else ERR_FILE_NOT_FOUND
		check_int(FileAccess.get_open_error(), expected, "the last opening, after save %d" % i)
	check_values(VarBatch.load_vars(copy), [[1, 2, 3]], "the file")

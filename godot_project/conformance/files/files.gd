extends "files_base.gd"
## What save_vars() writes and load_vars() reads, against loops of store_var() and get_var(), plain and
## compressed as by FileAccess.open_compressed(). Sizes around those at which files are cut into pieces
## and blocks are tested in rust/storage/tests, file_save.rs, file_load.rs and compressed.rs.


func test_few_values() -> void:
	check_file([], "no values", false, ALL_MODES)
	check_int(VarBatch.save_vars(path, []), OK, "saving no values")
	check_int(FileAccess.get_file_as_bytes(path).size(), 0, "size of no values")
	for value: Variant in [null, 0, "", [], {}, PackedByteArray(), Vector3.ONE, NodePath("a/b")]:
		check_file([value], "one %s" % type_string(typeof(value)))
	var ints: Array[int] = [1, -2, 1 << 35]
	var packed: Array[PackedByteArray] = [PackedByteArray([1]), _noise]
	packed.make_read_only()
	var vectors: Array[Vector3] = [Vector3.ONE, Vector3(-0.0, 1, INF)]
	for values: Array in [ints, packed, vectors]:
		check_file(values, "an array of %s" % type_string(values.get_typed_builtin()))


func test_every_value() -> void:
	check_file(Values.all(), "every value", false, ALL_MODES)
	check_file(Values.mixed(1000), "mixed values", false, ALL_MODES)
	var generator := Generator.new(50_005)
	check_file(range(part_of(3000)).map(generator.value.unbind(1)), "random values")


func test_small_values() -> void:
	for count: int in [499, 500, 501, 10_000, 20_001]:
		var modes := ALL_MODES if count == 10_000 else PackedInt32Array([-1])
		var arrays := sized(count, func(i: int) -> int: return i % 90)
		check_file(range(count), "%d ints" % count, false, modes)
		check_file(arrays, "%d small arrays" % count, false, modes)
	var entry := func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i, null]}
	check_file(range(10_000).map(entry), "10,000 dictionaries")
	check_file(range(10_000).map(str), "10,000 texts")


func test_large_values() -> void:
	var values: Array = range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX).map(Packed.make.bind(200_003))
	check_file(values, "large arrays")
	check_file(["日本語😀".repeat(100_000), "long ".repeat(400_000)], "long texts")
	check_file([values, {"values": values}], "large arrays in one value")
	# Less of them, and 64 MiB, compressed.
	values = values.map(func(value: Variant) -> Variant: return value.slice(0, sized_part_of(30_000)))
	check_file(values, "large arrays", false, COMPRESSIONS)
	check_file([values, "日本語😀".repeat(20_000)], "large arrays in one value", false, COMPRESSIONS)
	values = range(640).map(func(i: int) -> PackedByteArray: return _noise.slice(i))
	check_file(values, "64 MiB", false, [FileAccess.COMPRESSION_ZSTD])


## Such as only grow by compression, and such as all but vanish. A file is padded to a 256th, as
## nobody unpacks more from one.
func test_noise_and_nothing() -> void:
	var zeros := filled_bytes(3 << 20)
	var values: Array = [Crypto.new().generate_random_bytes(1 << 20), zeros, "end"]
	check_file(values, "noise and zeros", false, COMPRESSIONS)
	zeros.resize(80 << 20)
	for mode: int in COMPRESSIONS:
		check_int(VarBatch.save_vars(path, [zeros], false, mode), OK, "saving zeros")
		check_int(FileAccess.get_size(path), ((80 << 20) + 12 + 255) / 256, "bytes of the file")
		check_same(read_loop(path, false, mode), [zeros], "zeros, read by the engine")
		check_same(VarBatch.load_vars(path), [zeros], "zeros, loaded")


func test_full_objects() -> void:
	var objects := Engines.storable_objects()
	check_file(objects, "objects", true, ALL_MODES)
	var among: Array = []
	for i: int in 1200:
		among.append([objects[i % 7], _noise.slice(0, i)] if i % 100 == 0 else i)
	check_file(among, "objects among others", true)


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
	check_same(VarBatch.load_vars(copy), [[1, 2, 3]], "the file")

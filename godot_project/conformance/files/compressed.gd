extends "files_base.gd"
## Compressed files: the engine's FileAccess.open_compressed() reads ours, and load_vars() reads the
## engine's, whatever the mode.

const Gcpf := preload("gcpf.gd")
const MIB := 1 << 20

## Lengths of blocks that anyone might use.
const BLOCKS: PackedInt32Array = [4096, 16_384, 65_536, 131_072, 262_144]


func test_no_values() -> void:
	_check([], "no values")


func test_every_value() -> void:
	_check(Values.all(), "every value")


func test_mixed_values() -> void:
	_check(Values.mixed(1000), "mixed values")


func test_many_small_values() -> void:
	_check(range(10_000), "ints")
	_check(sized(10_000, func(i: int) -> int: return i % 90), "small arrays")


func test_large_values() -> void:
	var values: Array = []
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		values.append(Values.Packed.make(type, sized_part_of(100_000) + 3))
	_check(values, "large arrays")
	_check([values, "日本語😀".repeat(sized_part_of(100_000))], "large arrays in one value")


## Such as only grow by compression, and such as all but vanish.
func test_noise_and_nothing() -> void:
	var zeros := PackedByteArray()
	zeros.resize(3 * MIB)
	_check([Crypto.new().generate_random_bytes(MIB), zeros, "end"], "noise and zeros")
	for mode: int in Gcpf.MODES:
		check_int(VarBatch.save_vars(path, [zeros], false, mode), OK, "saving zeros")
		var size := FileAccess.get_file_as_bytes(path).size()
		check(size < zeros.size() / 50, "mode %d: %d bytes for zeros" % [mode, size])


## The whole stream is as long as a block or some, a bit less, or a bit more.
func test_lengths_around_borders() -> void:
	for block: int in BLOCKS:
		for times: int in [1, 2, 3]:
			for step: int in [-8, -4, 0, 4, 8]:
				var of := times * block + step
				_check_length([], of, Gcpf.MODES[times % 3])
				if block < BLOCKS[-1]:
					_check_length(["first", 2], of, Gcpf.MODES[(times + 1) % 3])


## Lengths of frames lie across the borders of blocks at each byte.
func test_lengths_across_borders() -> void:
	for block: int in BLOCKS.slice(0, 3):
		for step: int in range(-16, 5, 4):
			var first := _noise.slice(0, block - 12 + step)
			_check_mode([first, "second", 3, [4]], Gcpf.MODES[absi(step) / 4 % 3], "across")


func test_full_objects() -> void:
	_check(Values.Engines.storable_objects(), "objects", true)


func test_64_mib() -> void:
	var values: Array = []
	for i: int in 640:
		values.append(_noise.slice(i))
	_check_mode(values, FileAccess.COMPRESSION_ZSTD, "64 MiB")


## The file is padded to a 256th, as nobody unpacks more from one.
func test_zeros_beyond_64_mib() -> void:
	var zeros := PackedByteArray()
	zeros.resize(80 * MIB)
	for mode: int in Gcpf.MODES:
		check_int(VarBatch.save_vars(path, [zeros], false, mode), OK, "saving zeros")
		check_int(FileAccess.get_size(path), (80 * MIB + 12 + 255) / 256, "bytes of the file")
		check_same(read_loop(path, false, mode), [zeros], "zeros, read by the engine")
		check_same(VarBatch.load_vars(path), [zeros], "zeros, loaded")


## The same bytes, however many threads compress.
func test_threads_make_no_difference() -> void:
	var values := sized(400, func(i: int) -> int: return i * 100)
	for mode: int in Gcpf.MODES:
		var first := PackedByteArray()
		for count: int in THREAD_COUNTS:
			VarBatch.set_thread_count(count)
			check_int(VarBatch.save_vars(path, values, false, mode), OK, "saving")
			var bytes := FileAccess.get_file_as_bytes(path)
			if count == THREAD_COUNTS[0]:
				first = bytes
			check_bytes(bytes, first, "mode %d, %d threads" % [mode, count])


## From plain to compressed and back: what is there does not matter.
func test_replaced_by_another_mode() -> void:
	for mode: int in [-1, 2, -1, 1, 3, 2, -1]:
		check_int(VarBatch.save_vars(path, [mode, _noise], false, mode), OK, "saving")
		var is_compressed := Gcpf.is_compressed(FileAccess.get_file_as_bytes(path))
		check(is_compressed == (mode >= 0), "mode %d, compressed: %s" % [mode, is_compressed])
		check_values(VarBatch.load_vars(path), [mode, _noise], "mode %d" % mode)


func test_modes_that_cannot_be_read() -> void:
	for mode: int in Gcpf.UNKNOWN_MODES:
		write(
			path,
			Gcpf.head(mode, 4096, 8) + Values.u32(8) + _noise.slice(0, 8) + "GCPF".to_ascii_buffer()
		)
		_check_refused("mode %d" % mode)


func _check_refused(what: String) -> void:
	var start := '"%s": ' % path
	var load_it := func() -> Array: return VarBatch.load_vars(path)
	check_value(expect_errors(load_it, 1, start), [], what)
	var tasks: Array[VarBatchTask] = []
	var load_async := func() -> Variant:
		tasks.append(VarBatch.load_vars_async(path))
		return tasks[0].wait()
	check_value(expect_errors(load_async, 1, start), [], what + ", async")
	check(tasks[0].get_error() != OK, "no error for %s" % what)
	check(start in tasks[0].get_error_message(), tasks[0].get_error_message())


func _check_length(front: Array, length: int, mode: int) -> void:
	var values := front.duplicate()
	values.append(_noise.slice(0, 1))
	var padding := length - stored(values).size()
	var noise := _noise + _noise + _noise + _noise + _noise + _noise + _noise + _noise
	values[-1] = noise.slice(0, padding + 4)
	check_int(stored(values).size(), length, "length of the stream")
	_check_mode(values, mode, "a stream of %d bytes" % length)


func _check(values: Array, what: String, objects := false) -> void:
	for mode: int in Gcpf.MODES:
		_check_mode(values, mode, what, objects)


## Saved by us and read by the engine, stored by the engine and loaded by us, by each number of
## threads, at once and as a task.
func _check_mode(values: Array, mode: int, what: String, objects := false) -> void:
	write(path, stored(values, objects))
	var expected := read_loop(path, objects)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var shown := "%s, mode %d, %d threads" % [what, mode, count]
		# A save of IDs warns of them.
		var save := func() -> int: return VarBatch.save_vars(path, values, objects, mode)
		check_int(quietly(save) as int, OK, "saving " + shown)
		check_same(read_loop(path, objects, mode), expected, "read by the engine, " + shown)
		check_same(VarBatch.load_vars(path, objects), expected, "loaded, " + shown)
		var file := FileAccess.open_compressed(
			path, FileAccess.WRITE, mode as FileAccess.CompressionMode
		)
		for value: Variant in values:
			file.store_var(value, objects)
		file.close()
		check_same(VarBatch.load_vars(path, objects), expected, "the engine's, " + shown)
		var loaded: Array = VarBatch.load_vars_async(path, objects).wait()
		check_same(loaded, expected, "the engine's, async, " + shown)
		var save_async := func() -> Variant:
			return VarBatch.save_vars_async(path, values, objects, mode).wait()
		check_value(quietly(save_async), OK as int, "saving async " + shown)
		check_same(read_loop(path, objects, mode), expected, "read by the engine, async, " + shown)
	check_names([path.get_file()], what)

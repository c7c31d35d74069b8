extends "files_base.gd"
## Compressed files: sizes at which their blocks end, and what is there of each mode. Other values are
## in files.gd.

const Gcpf := preload("gcpf.gd")
const MIB := 1 << 20

## Lengths of blocks that anyone might use.
const BLOCKS: PackedInt32Array = [4096, 16_384, 65_536, 131_072, 262_144]


## Such as only grow by compression, and such as all but vanish. A file is padded to a 256th, as
## nobody unpacks more from one.
func test_noise_and_nothing() -> void:
	var zeros := PackedByteArray()
	zeros.resize(3 * MIB)
	var values: Array = [Crypto.new().generate_random_bytes(MIB), zeros, "end"]
	check_file(values, "noise and zeros", false, Gcpf.MODES)
	for mode: int in Gcpf.MODES:
		check_int(VarBatch.save_vars(path, [zeros], false, mode), OK, "saving zeros")
		var size := FileAccess.get_size(path)
		check(size < zeros.size() / 50, "mode %d: %d bytes for zeros" % [mode, size])
	zeros.resize(80 * MIB)
	for mode: int in Gcpf.MODES:
		check_int(VarBatch.save_vars(path, [zeros], false, mode), OK, "saving zeros")
		check_int(FileAccess.get_size(path), (80 * MIB + 12 + 255) / 256, "bytes of the file")
		check_same(read_loop(path, false, mode), [zeros], "zeros, read by the engine")
		check_same(VarBatch.load_vars(path), [zeros], "zeros, loaded")


## The whole stream is as long as a block or some, a bit less, or a bit more, and lengths of frames
## lie across the borders of blocks at each byte.
func test_lengths_around_borders() -> void:
	for block: int in BLOCKS:
		for times: int in [1, 2, 3]:
			for step: int in [-8, -4, 0, 4, 8]:
				var of := times * block + step
				_check_length([], of, Gcpf.MODES[times % 3])
				if block < BLOCKS[-1]:
					_check_length(["first", 2], of, Gcpf.MODES[(times + 1) % 3])
	for block: int in BLOCKS.slice(0, 3):
		for step: int in range(-16, 5, 4):
			var first := _noise.slice(0, block - 12 + step)
			var mode := Gcpf.MODES[absi(step) / 4 % 3]
			check_file([first, "second", 3, [4]], "across", false, [mode])


## The same bytes, however many threads compress.
func test_threads_make_no_difference() -> void:
	var values := sized(400, func(i: int) -> int: return i * 100)
	for mode: int in Gcpf.MODES:
		var first := PackedByteArray()
		for count: int in Threads.new(THREAD_COUNTS):
			check_int(VarBatch.save_vars(path, values, false, mode), OK, "saving")
			var bytes := FileAccess.get_file_as_bytes(path)
			first = first if first else bytes
			check_bytes(bytes, first, "mode %d, %d threads" % [mode, count])


func test_modes_that_cannot_be_read() -> void:
	for mode: int in Gcpf.UNKNOWN_MODES:
		var block := _noise.slice(0, 8) + "GCPF".to_ascii_buffer()
		write(path, Gcpf.head(mode, 4096, 8) + Values.u32(8) + block)
		quietly(func() -> Array: return VarBatch.load_vars(path))
		var code := VarBatch.get_last_error()
		check(code != OK, "no error for mode %d" % mode)
		check_forms("load_vars", [path], [], code, ['"%s": ' % path])


func _check_length(front: Array, length: int, mode: int) -> void:
	var padding := length - stored(front + [PackedByteArray([1])]).size()
	var noise := _noise
	while noise.size() < padding + 4:
		noise = noise + noise
	var values := front + [noise.slice(0, padding + 4)]
	check_int(stored(values).size(), length, "length of the stream")
	check_file(values, "a stream of %d bytes" % length, false, [mode])

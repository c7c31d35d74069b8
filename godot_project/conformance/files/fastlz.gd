extends "files_base.gd"
## FastLZ, which FileAccess.open_compressed() writes unless it is told otherwise: what the engine
## packs is loaded, what its decoder refuses is refused, and nothing is written so.

const Gcpf := preload("gcpf.gd")
const MODE := FileAccess.COMPRESSION_FASTLZ
## From this many bytes on, the engine's encoder takes level 2.
const LEVEL_2_FROM := 65_536
## The value of a file that holds any block: its length, and a PackedByteArray of two blocks.
const VALUE_HEAD := 12
const HOSTILE := 400


func test_saves_of_the_engine() -> void:
	var zeros := PackedByteArray()
	zeros.resize(300_000)
	var noise := Crypto.new().generate_random_bytes(300_000)
	for values: Array in [
		[],
		Values.all(),
		Values.mixed(1000),
		range(10_000),
		[noise, zeros, "end"],
		["日本語😀".repeat(30_000), _voxels(90_000), _noise],
		Values.Engines.storable_objects(),
	]:
		var objects := values.size() > 1 and values[0] is Object
		check_int(Gcpf.new(stored(values, objects, MODE, path)).mode, MODE, "mode of the engine")
		var expected := read_loop(path, objects, MODE)
		check_int(expected.size(), values.size(), "values that the engine reads")
		for count: int in Threads.new(THREAD_COUNTS):
			var what := "%d values, %d threads" % [values.size(), count]
			check_same(VarBatch.load_vars(path, objects), expected, what)
			check_same(VarBatch.load_vars_async(path, objects).wait() as Array, expected, what)


## What is left for the last block of 4096 bytes has any length, also one that the engine pads.
func test_lengths() -> void:
	var text := "the player has a sword and three keys of iron; ".repeat(1500).to_utf8_buffer()
	for start: int in [0, 4096, 69_632]:
		for length: int in range(start, start + 80, 4):
			for from: PackedByteArray in [_voxels(length), text, _noise]:
				var bytes := from.slice(0, length)
				stored([bytes], false, MODE, path)
				check_values(VarBatch.load_vars(path), [bytes], "%d bytes" % length)


## Longer blocks than the engine writes, which it reads.
func test_long_blocks_of_level_2() -> void:
	var far := _noise.slice(0, 9000)
	for bytes: PackedByteArray in [
		_voxels(71_000), far + far + far + far + far + far + far, _noise
	]:
		var stream := VarBatch.vars_to_frames([bytes])
		for length: int in [LEVEL_2_FROM - 1, LEVEL_2_FROM, 70_001]:
			var blocks: Array[PackedByteArray] = []
			for at: int in range(0, stream.size() / length * length + 1, length):
				var block := stream.slice(at, at + length)
				block.resize(maxi(block.size(), 16))
				blocks.append(block.compress(MODE))
			write(path, _file_of(blocks, length, stream.size()))
			check_values(read_loop(path, false, MODE), [bytes], "by the engine")
			check_values(VarBatch.load_vars(path), [bytes], "in blocks of %d bytes" % length)


## Blocks with some bytes changed: the same bytes come of them, or an error.
func test_hostile_blocks() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 15
	var accepted := 0
	for i: int in HOSTILE:
		var length := 16 + random.randi() % 200
		if i % 16 == 0:
			length += LEVEL_2_FROM
		var block := _mostly_alike(random, length).compress(MODE)
		for times: int in random.randi() % 3:
			var at := random.randi() % mini(block.size(), 200)
			block[at] = block[at] ^ (1 << random.randi() % 8)
		var found := _unpacked_by_us(block, length)
		# The engine's says of less than it was to give how much that is.
		var expected := block.decompress(length, MODE)
		accepted += int(expected.size() == length)
		if expected.size() == length:
			check_bytes(found, expected, "block %d, %s" % [i, block.hex_encode()])
		else:
			check(found.is_empty(), "block %d is accepted: %s" % [i, block.hex_encode()])
	check(accepted > HOSTILE / 4 and accepted < HOSTILE, "%d blocks are accepted" % accepted)


## The engine's FileAccess gives what was in memory before for a block that is damaged.
func test_damage() -> void:
	var bytes := stored(range(5000), false, MODE, path)
	var at := Gcpf.new(bytes).borders[3]
	bytes[at] = 255
	write(path, bytes)
	var text := '"%s": expected FastLZ of 4096 bytes in block 3 of 15, found damage, ' % path
	text += "at byte %d of the file" % at
	check_forms("load_vars", [path], range(3 * 4096 / 12), ERR_FILE_CORRUPT, [text], true)


func test_translated_to_zstandard() -> void:
	var same := VarBatch.DIALECT_GODOT_4
	for values: Array in [[], [1, "two", _noise], range(30_000)]:
		for to: String in [folder.path_join("target.bin"), path]:
			stored(values, false, MODE, path)
			check_int(VarBatch.transcode_file(path, to, same, same), OK, "translation")
			var mode := Gcpf.new(FileAccess.get_file_as_bytes(to)).mode
			check_int(mode, FileAccess.COMPRESSION_ZSTD, "mode")
			# No mode is given, as by a game that saves with FastLZ.
			check_values(read_loop(to, false, MODE), values, "by the engine")


func test_it_is_not_written() -> void:
	write(path, "old".to_ascii_buffer())
	var text := "found 0 (COMPRESSION_FASTLZ, which can only be loaded: use COMPRESSION_ZSTD)"
	var code := ERR_INVALID_PARAMETER
	check_forms("save_vars", [path, [1], false, MODE], code, code, [text])
	check_bytes(FileAccess.get_file_as_bytes(path), "old".to_ascii_buffer(), "the old file")


## What comes of a block, by a file whose value has it behind a block that is as long. Nothing if
## it is refused.
func _unpacked_by_us(block: PackedByteArray, length: int) -> PackedByteArray:
	var head := PackedByteArray()
	head.resize(length)
	head.encode_u32(0, 2 * length - 4)
	head.encode_u32(4, TYPE_PACKED_BYTE_ARRAY)
	head.encode_u32(8, 2 * length - VALUE_HEAD)
	var last := PackedByteArray([0]).compress(MODE)
	write(path, _file_of([head.compress(MODE), block, last], length, 2 * length))
	var values: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
	if values.is_empty():
		return []
	return (values[0] as PackedByteArray).slice(length - VALUE_HEAD)


func _file_of(blocks: Array[PackedByteArray], block_len: int, total: int) -> PackedByteArray:
	var bytes := Gcpf.head(MODE, block_len, total)
	for block: PackedByteArray in blocks:
		bytes.append_array(Values.u32(block.size()))
	for block: PackedByteArray in blocks:
		bytes.append_array(block)
	return bytes + Gcpf.MAGIC.to_ascii_buffer()


func _voxels(length: int) -> PackedByteArray:
	var bytes := PackedByteArray()
	while bytes.size() < length:
		var run := PackedByteArray()
		run.resize(1 + bytes.size() % 97)
		run.fill(bytes.size() % 5)
		bytes.append_array(run)
	return bytes.slice(0, length)


func _mostly_alike(random: RandomNumberGenerator, length: int) -> PackedByteArray:
	var bytes := PackedByteArray()
	while bytes.size() < length:
		if bytes.is_empty() or random.randi() % 3 == 0:
			bytes.append(random.randi() % 256)
		else:
			var from := random.randi() % bytes.size()
			bytes.append_array(bytes.slice(from, from + 1 + random.randi() % 60))
	return bytes.slice(0, length)

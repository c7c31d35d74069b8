extends "files_base.gd"
## FastLZ, which FileAccess.open_compressed() writes unless it is told otherwise: what the engine
## packs is loaded, and nothing is written so. Blocks that it packed, and what its decoder makes of
## damaged ones, are tested in rust/storage/tests, fastlz.rs.

const Gcpf := preload("gcpf.gd")
const MODE := FileAccess.COMPRESSION_FASTLZ


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


func _voxels(length: int) -> PackedByteArray:
	var bytes := PackedByteArray()
	while bytes.size() < length:
		var run := PackedByteArray()
		run.resize(1 + bytes.size() % 97)
		run.fill(bytes.size() % 5)
		bytes.append_array(run)
	return bytes.slice(0, length)

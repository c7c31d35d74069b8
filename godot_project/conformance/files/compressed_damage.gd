extends "files_base.gd"
## Compressed files that were cut, changed or made up. What is before the damage is loaded, one line
## says at which byte of the file or of the values it is, and a small file needs little memory.

const Gcpf := preload("gcpf.gd")
const MemoryProbe := preload("../hostile/memory_probe.gd")
const MIB := 1 << 20
const MAX_GROWTH := 16 * MIB

var _values: Array = []
## Where each of their frames ends in the stream.
var _ends: PackedInt32Array = []


func _init() -> void:
	_values = ["first", 2, Crypto.new().generate_random_bytes(3000), [4, {"five": 5.5}], null]
	for i: int in 300:
		_values.append(_noise.slice(i, i + i * 7))
	var at := 0
	for value: Variant in _values:
		at += 4 + var_to_bytes(value).size()
		_ends.append(at)


func test_truncations() -> void:
	for mode: int in Gcpf.MODES:
		for is_ours: bool in [true, false]:
			var bytes := _compressed(mode, is_ours)
			var file := Gcpf.new(bytes)
			var lengths := PackedInt32Array(range(4, 20))
			for border: int in file.borders:
				if file.borders.size() < 20 or border % 5 == 0:
					lengths.append_array([border - 1, border, border + 1])
			lengths.append_array([bytes.size() - 5, bytes.size() - 4])
			for i: int in part_of(300):
				lengths.append(20 + i * (bytes.size() - 24) / part_of(300))
			for length: int in lengths:
				if length < bytes.size() - 3:
					_check_cut(bytes, length, file, "mode %d, ours: %s" % [mode, is_ours])


## The magic at the end is nothing that the engine asks for, and no value is missing.
func test_without_the_end() -> void:
	for mode: int in Gcpf.MODES:
		var bytes := _compressed(mode, true)
		for missing: int in [1, 2, 3, 4]:
			write(path, bytes.slice(0, -missing))
			var found: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
			check_same(found, _values, "mode %d without the last %d bytes" % [mode, missing])


## A changed byte is found by what the format or the values themselves check, or it changes a value,
## but what is before it stays.
func test_changed_bytes() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 57
	for mode: int in Gcpf.MODES:
		for is_ours: bool in [true, false]:
			var bytes := _compressed(mode, is_ours)
			var file := Gcpf.new(bytes)
			for i: int in part_of(400):
				var at := random.randi_range(file.borders[0], bytes.size() - 5)
				var changed := bytes.duplicate()
				changed[at] ^= 1 << random.randi_range(0, 7)
				write(path, changed)
				var found: Array = quietly(func() -> Array: return VarBatch.load_vars(path))
				var good := _count_before(file.whole_len(at))
				var what := "mode %d, ours: %s, byte %d changed" % [mode, is_ours, at]
				check(found.size() >= good, "%s: %d values of %d" % [what, found.size(), good])
				check_same(found.slice(0, good), _values.slice(0, good), what)


## Any byte of the head and the table.
func test_changed_heads() -> void:
	for mode: int in Gcpf.MODES:
		var bytes := _compressed(mode, false)
		for at: int in range(0, 40):
			for change: int in [1, 0x80, 0xff]:
				var changed := bytes.duplicate()
				changed[at] ^= change
				write(path, changed)
				_check_bounded("mode %d, byte %d changed by %x" % [mode, at, change])


## Heads that promise more than a file can hold.
func test_hostile_heads() -> void:
	var rest := PackedByteArray()
	rest.resize(5000)
	for mode: int in Gcpf.MODES:
		for block_len: int in [0, 1, 2, 4096, 0x7fffffff, 0x80000000, 0xffffffff]:
			for total: int in [0, 1, 4096, 0x7fffffff, 0xfffffffe, 0xffffffff]:
				for filler: int in [0, 1, 0xff]:
					rest.fill(filler)
					write(path, Gcpf.head(mode, block_len, total) + rest)
					_check_bounded("mode %d, %d of %d, %x" % [mode, block_len, total, filler])


## A block of zeros takes next to nothing in the file. It is bounded by what the head says of it.
func test_a_block_that_is_longer_than_it_says() -> void:
	var zeros := PackedByteArray()
	zeros.resize(64 * MIB)
	for mode: int in Gcpf.MODES:
		var block := zeros.compress(mode)
		check(block.size() < MIB, "mode %d: %d bytes for zeros" % [mode, block.size()])
		for total: int in [100, 4095]:
			var head := Gcpf.head(mode, 4096, total) + Values.u32(block.size())
			write(path, head + block + Gcpf.MAGIC.to_ascii_buffer())
			_check_bounded("mode %d, a block of 64 MiB that says %d bytes" % [mode, total])


func _compressed(mode: int, is_ours: bool) -> PackedByteArray:
	if is_ours:
		check_int(VarBatch.save_vars(path, _values, false, mode), OK, "saving")
	else:
		var file := FileAccess.open_compressed(
			path, FileAccess.WRITE, mode as FileAccess.CompressionMode
		)
		for value: Variant in _values:
			file.store_var(value)
		file.close()
	return FileAccess.get_file_as_bytes(path)


## All values in the blocks that are whole, perhaps more, and one line that says where.
func _check_cut(bytes: PackedByteArray, length: int, file: Gcpf, which: String) -> void:
	var what := "%s, cut at %d of %d" % [which, length, bytes.size()]
	write(path, bytes.slice(0, length))
	var found: Array[Array] = []
	var lines := logged(func() -> void: found.append(VarBatch.load_vars(path)))
	var good := _count_before(file.whole_len(length))
	check(found[0].size() >= good, "%s: %d values, not %d" % [what, found[0].size(), good])
	check_same(found[0], _values.slice(0, found[0].size()), what)
	if not errors.is_open() or length == bytes.size() - 4:
		return
	check_int(lines.size(), 1, "lines of %s" % what)
	if lines.is_empty():
		return
	var line := lines[0]
	check(line.begins_with('VarBatch.load_vars: "%s": ' % path), "%s: %s" % [what, line])
	var at := line.rfind("at byte ")
	check(at >= 0, "%s: no byte in %s" % [what, line])
	var byte := line.substr(at + 8).to_int()
	if line.ends_with(" of the file"):
		check(byte >= 0 and byte <= length, "%s: byte %d of the file" % [what, byte])
	else:
		var least := _ends[good - 1] if good > 0 else 0
		check(byte >= least and byte <= _ends[-1], "%s: byte %d, not from %d" % [what, byte, least])
	var task := VarBatch.load_vars_async(path)
	check_same(quietly(task.wait) as Array, found[0], what + ", async")
	check_int(task.get_error(), ERR_FILE_CORRUPT, what)


## How many of the values are in so many bytes.
func _count_before(length: int) -> int:
	return _ends.bsearch(length, false)


func _check_bounded(what: String) -> void:
	MemoryProbe.reset_peak()
	var before := MemoryProbe.status("VmRSS:")
	var started := Time.get_ticks_msec()
	quietly(func() -> Array: return VarBatch.load_vars(path))
	var growth := MemoryProbe.status("VmHWM:") - before
	check(growth < MAX_GROWTH, "%s: grew by %d KiB" % [what, growth / 1024])
	check_time(started, 2000, what)

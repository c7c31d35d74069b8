extends "../tasks/tasks_base.gd"
## load_vars() with `from` and `count`: a slice of what it gives without them, whatever the file is,
## and little else is read.

const Gcpf := preload("gcpf.gd")
const MIB := 1 << 20
const MIN_INT := -0x7fffffffffffffff - 1
const MAX_INT := 0x7fffffffffffffff
## What is much longer than such a load takes, and much shorter than one of all.
const QUICK_MSEC := 20


func test_every_range_of_few_values() -> void:
	_check_ranges([], "no values", true)
	_check_ranges([[1, 2]], "a value", true)
	_check_ranges([1, "two", _noise, null, {"k": _noise}, 6.5, [_noise, _noise]], "values", true)


func test_ranges_of_many_values() -> void:
	_check_ranges(range(sized_part_of(100_000)), "ints")
	_check_ranges(sized(500, func(i: int) -> int: return i * i), "arrays")
	_check_ranges(Values.mixed(2000), "mixed values")


func test_ranges_of_every_value() -> void:
	_check_ranges(Values.all(), "every value")


## Files of the engine have shorter blocks.
func test_files_of_the_engine() -> void:
	var values := sized(300, func(i: int) -> int: return i * 40)
	for mode: int in Gcpf.MODES + PackedInt32Array([FileAccess.COMPRESSION_FASTLZ]):
		var file := FileAccess.open_compressed(
			path, FileAccess.WRITE, mode as FileAccess.CompressionMode
		)
		for value: Variant in values:
			file.store_var(value)
		file.close()
		_check_slices(path, values, "the engine's, mode %d" % mode)


## The engine opens these, in the project or in a pack.
func test_project_files() -> void:
	var values: Array = [1, "two", _noise, _noise, 5, "six"]
	var project_path := "res://conformance_range_%d.tmp" % OS.get_process_id()
	for mode: int in PackedInt32Array([-1]) + Gcpf.MODES:
		check_int(VarBatch.save_vars(project_path, values, false, mode), OK, "saving")
		_check_slices(project_path, values, "in the project, mode %d" % mode, true)
	DirAccess.remove_absolute(project_path)


func test_objects() -> void:
	var curve := Curve2D.new()
	curve.add_point(Vector2(3, 4))
	check_int(VarBatch.save_vars(path, [0, curve, 2, curve], true), OK, "saving objects")
	var found := VarBatch.load_vars(path, true, 1, 1)
	check(found.size() == 1 and found[0] is Curve2D, "an object: %s" % [found])
	check_values(VarBatch.load_vars(path, false, 2, 1), [2], "beside objects")
	var load_it := func() -> Array: return VarBatch.load_vars(path, false, -1)
	expect_errors(load_it, 1, 'VarBatch.load_vars: "%s": frame 3: ' % path)


## A value is named by its index in the file.
func test_damaged_values() -> void:
	var good: PackedByteArray = frame(var_to_bytes("good"))
	var bad: PackedByteArray = frame("27000000".hex_decode())
	write(path, good + bad + good + good + bad + good)
	for lines: Array in [
		[0, 1, []],
		[2, 2, []],
		[-1, -1, []],
		[1, 1, [1]],
		[1, 4, [1, 4]],
		[-2, -1, [4]],
		[-100, 5, []],
		[-7, 6, [1, 4]],
	]:
		var from: int = lines[0]
		var count: int = lines[1]
		var bad_ones: Array = lines[2]
		var all: Array = ["good", null, "good", "good", null, "good"]
		for is_async: bool in [false, true]:
			var loaded: Array[Array] = []
			var texts := logged(func() -> void: loaded.append(_load(path, from, count, is_async)))
			check_same(loaded[0], part(all, from, count), "%d, %d" % [from, count])
			if not errors.is_open():
				continue
			check_int(texts.size(), bad_ones.size(), "lines of %d, %d" % [from, count])
			for i: int in mini(texts.size(), bad_ones.size()):
				var start := ': "%s": frame %d: ' % [path, bad_ones[i]]
				check(start in texts[i], "%s in %s" % [start, texts[i]])
		var code := OK if bad_ones.is_empty() else ERR_FILE_CORRUPT
		quietly(func() -> Array: return VarBatch.load_vars(path, false, from, count))
		check_int(VarBatch.get_last_error(), code, "error of %d, %d" % [from, count])


## Reported where it is reached, and the whole values are given.
func test_torn_ends() -> void:
	var values: Array = [1, "two", _noise, 4, _noise]
	var frames := stored(values)
	write(path, frames.slice(0, frames.size() - 10))
	var whole := values.slice(0, 4)
	var line := '"%s": frame 4: expected ' % path
	for arguments: Array in [[0, -1], [3, 2], [4, 1], [5, 1], [-1, -1], [-2, 1], [-50, 2]]:
		var from: int = arguments[0]
		var count: int = arguments[1]
		for is_async: bool in [false, true]:
			var load_it := func() -> Array: return _load(path, from, count, is_async)
			var found: Array = expect_errors(load_it, 1, line)
			check_same(found, part(whole, from, count), "torn, %d, %d" % [from, count])
	for arguments: Array in [[0, 4], [3, 1], [1, 2], [7, 0], [-1, 0]]:
		var found := VarBatch.load_vars(path, false, arguments[0] as int, arguments[1] as int)
		check_same(
			found, part(whole, arguments[0] as int, arguments[1] as int), "before the torn end"
		)
		check_int(VarBatch.get_last_error(), OK, "error before the torn end")


## A compressed block of a value that nobody asked for.
func test_damaged_blocks() -> void:
	var noise := Crypto.new().generate_random_bytes(MIB)
	var values: Array = ["first", noise, "middle", noise, "last"]
	for mode: int in Gcpf.MODES:
		check_int(VarBatch.save_vars(path, values, false, mode), OK, "saving")
		var bytes := FileAccess.get_file_as_bytes(path)
		var gcpf := Gcpf.new(bytes)
		var at := gcpf.borders[8] + 100
		for i: int in 20:
			bytes[at + i] = bytes[at + i] ^ 0x5a
		write(path, bytes)
		for arguments: Array in [[0, 1], [2, 1], [2, -1], [4, 1], [-1, -1], [-3, 2]]:
			var from: int = arguments[0]
			var count: int = arguments[1]
			check_same(
				VarBatch.load_vars(path, false, from, count),
				part(values, from, count),
				"beside a damaged block, mode %d, %d, %d" % [mode, from, count]
			)
		for from: int in [0, 1, -4]:
			var load_it := func() -> Array: return VarBatch.load_vars(path, false, from)
			var found: Array = expect_errors(load_it, 1, "in block 8 of ")
			check_same(found, ["first"] if from == 0 else [], "with a damaged block")


func test_wrong_arguments() -> void:
	write(path, stored([1, 2, 3]))
	for count: int in [-2, -3, -100, MIN_INT]:
		for from: int in [0, 1, -1, MAX_INT]:
			for is_async: bool in [false, true]:
				var text := 'cannot load "%s": expected -1 or more as count, found ' % path
				text += str(count)
				var load_it := func() -> Array: return _load(path, from, count, is_async)
				check_same(expect_errors(load_it, 1, text) as Array, [], "a count of %d" % count)
				if not is_async:
					check_int(VarBatch.get_last_error(), ERR_INVALID_PARAMETER, "error of %d" % count)
	var none := folder + "/none"
	expect_errors(func() -> Array: return VarBatch.load_vars(none, false, 5, 1), 1, "cannot load ")
	check_int(VarBatch.get_last_error(), ERR_FILE_NOT_FOUND, "error of no file")


## A header is loaded at once, however large the rest is.
func test_a_header_is_quick() -> void:
	var header := {"name": "slot", "time": 12.5}
	var half: PackedByteArray = Values.Packed.make(
		TYPE_PACKED_BYTE_ARRAY, sized_part_of(32 * MIB)
	)
	var values: Array = [header, half, "middle", half, "last"]
	for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
		check_int(VarBatch.save_vars(path, values, false, mode), OK, "saving")
		for from: int in [0, 2, 4, -1, -3]:
			var started := Time.get_ticks_msec()
			var found := VarBatch.load_vars(path, false, from, 1)
			check_time(started, QUICK_MSEC, "value %d of mode %d" % [from, mode])
			check_same(found, part(values, from, 1), "value %d" % from)


## A search through many values moves on, and ends when it is cancelled.
func test_long_searches() -> void:
	var bytes := frame(var_to_bytes(7))
	while bytes.size() < 64 * MIB:
		bytes.append_array(bytes)
	write(path, bytes)
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var what := "a search, %d threads" % count
		var watch := Watch.new(VarBatch.load_vars_async(path, false, -2))
		check_value(await finished(watch, what), [7, 7], what)
		for delay: int in [0, 1000, 5000]:
			var task := VarBatch.load_vars_async(path, false, -2)
			watch = Watch.new(task)
			OS.delay_usec(delay)
			var started := Time.get_ticks_msec()
			task.cancel()
			var result: Variant = await finished(watch, what)
			check_time(started, 1000, "cancelling " + what)
			# It may have been done.
			if task.get_error() == OK:
				check_value(result, [7, 7], what)
			else:
				check_int(task.get_error(), ERR_SKIP, "error of a cancelled search")
				check_value(result, null, "a cancelled search")


## Fractions of a load of a part go from 0 to 1.
func test_progress() -> void:
	var bytes := PackedByteArray()
	bytes.resize(48 * MIB)
	var values: Array = [bytes, 2, bytes.to_int64_array(), 4]
	for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
		check_int(VarBatch.save_vars(path, values, false, mode), OK, "saving")
		for from: int in [1, -2]:
			var watch := Watch.new(VarBatch.load_vars_async(path, false, from, 2))
			var what := "values from %d, mode %d" % [from, mode]
			check_value(await finished(watch, what), part(values, from, 2), what)
			check(not watch.fractions.is_empty(), "%s: no progress" % what)


## What slice() gives, with a count.
static func part(all: Array, from: int, count: int) -> Array:
	var size := all.size()
	var begin := size + from if from < 0 else mini(from, size)
	var end := begin + (count if begin < 0 else mini(count, size))
	return all.slice(maxi(begin, 0), size if count < 0 else clampi(end, 0, size))


func _load(from_path: String, from: int, count: int, is_async: bool) -> Array:
	if is_async:
		return VarBatch.load_vars_async(from_path, false, from, count).wait()
	return VarBatch.load_vars(from_path, false, from, count)


## Plain and in each mode, by each number of threads.
func _check_ranges(all: Array, what: String, is_every := false) -> void:
	write(path, stored(all))
	var expected := read_loop(path)
	_check_slices(path, expected, what, is_every)
	for mode: int in Gcpf.MODES:
		var save := func() -> int: return VarBatch.save_vars(path, all, false, mode)
		check_int(quietly(save) as int, OK, "saving " + what)
		_check_slices(path, expected, "%s, mode %d" % [what, mode], is_every)


func _check_slices(from_path: String, all: Array, what: String, is_every := false) -> void:
	var size := all.size()
	var froms: Array = [0, 1, size - 1, size, -1, -2, -size, size / 2, MAX_INT, MIN_INT]
	var counts: Array = [-1, 0, 1, 3, size / 3, MAX_INT]
	if is_every:
		froms.append_array(range(-size - 2, size + 3))
		counts.append_array(range(0, size + 2))
	for i: int in froms.size():
		VarBatch.set_thread_count(THREAD_COUNTS[i % 3])
		for j: int in counts.size():
			var from: int = froms[i]
			var count: int = counts[j]
			var found := _load(from_path, from, count, (i + j) % 2 == 0)
			check_same(found, part(all, from, count), "%s, %d from %d" % [what, count, from])

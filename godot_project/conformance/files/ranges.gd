extends "../tasks/tasks_base.gd"
## load_vars() with `from` and `count`: a slice of what it gives without them, whatever the file is. A
## value is named by its index in the file. What of a file is read, and what damage means to it, is
## tested in rust/storage/tests, file_range.rs and file_range_damage.rs.

const Gcpf := preload("gcpf.gd")
const MIB := 1 << 20
const MIN_INT := -0x7fffffffffffffff - 1
const MAX_INT := 0x7fffffffffffffff


func test_every_range_of_few_values() -> void:
	_check_ranges([], "no values", true)
	_check_ranges([[1, 2]], "a value", true)
	_check_ranges([1, "two", _noise, null, {"k": _noise}, 6.5, [_noise, _noise]], "values", true)


func test_ranges_of_many_values() -> void:
	_check_ranges(range(sized_part_of(100_000)), "ints")
	_check_ranges(sized(500, func(i: int) -> int: return i * i), "arrays")
	_check_ranges(Values.mixed(2000), "mixed values")
	_check_ranges(Values.all(), "every value")


## Files of the engine have shorter blocks. It opens those in the project, or in a pack.
func test_files_of_the_engine() -> void:
	var sizes := sized(300, func(i: int) -> int: return i * 40)
	stored(sizes, false, FileAccess.COMPRESSION_FASTLZ, path)
	_check_slices(path, sizes, "the engine's")
	var few: Array = [1, "two", _noise, _noise, 5, "six"]
	var project_path := "res://conformance_range_%d.tmp" % OS.get_process_id()
	for mode: int in PackedInt32Array([-1]) + Gcpf.MODES:
		check_int(VarBatch.save_vars(project_path, few, false, mode), OK, "saving")
		_check_slices(project_path, few, "in the project, mode %d" % mode, true)
	DirAccess.remove_absolute(project_path)


func test_objects() -> void:
	var curve := Curve2D.new()
	curve.add_point(Vector2(3, 4))
	check_int(VarBatch.save_vars(path, [0, curve, 2, curve], true), OK, "saving objects")
	check_values(VarBatch.load_vars(path, true, 1, 1), [curve], "an object")
	check_values(VarBatch.load_vars(path, false, 2, 1), [2], "beside objects")
	var text := '"%s": frame 3: ' % path
	check_forms("load_vars", [path, false, -1], [null], ERR_FILE_CORRUPT, [text])


## What is damaged or torn is reported where it is reached: [from, count, the indices that are bad].
func test_damage() -> void:
	var good: PackedByteArray = frame(var_to_bytes("good"))
	var bad: PackedByteArray = frame("27000000".hex_decode())
	var all: Array = ["good", null, "good", "good", null, "good"]
	var whole := good + bad + good + good + bad + good
	write(path, whole)
	for row: Array in [[0, 1], [2, 2], [-1, -1], [1, 1, 1], [1, 4, 1, 4], [-2, -1, 4], [-100, 5]]:
		_check_range(all, row)
	_check_range(all, [-7, 6, 1, 4])
	write(path, whole + good.slice(0, -3))
	for row: Array in [
		[2, 2], [-1, -1, 6], [0, 1], [5, 2, 6], [6, 1, 6], [7, 1, 6], [7, 0], [-1, 0]
	]:
		_check_range(all, row)


func test_wrong_arguments() -> void:
	write(path, stored([1, 2, 3]))
	for count: int in [-2, -3, -100, MIN_INT]:
		for from: int in [0, 1, -1, MAX_INT]:
			var text := 'cannot load "%s": expected -1 or more as count, found %d' % [path, count]
			check_forms("load_vars", [path, false, from, count], [], ERR_INVALID_PARAMETER, [text])
	var none := folder + "/none"
	var text := 'cannot load "%s": ' % none
	check_forms("load_vars", [none, false, 5, 1], [], ERR_FILE_NOT_FOUND, [text])


## A search through many values moves on, and ends when it is cancelled.
func test_long_searches() -> void:
	var bytes := frame(var_to_bytes(7))
	while bytes.size() < 64 * MIB:
		bytes.append_array(bytes)
	write(path, bytes)
	for count: int in by_threads():
		var what := "a search, %d threads" % count
		var watch := Watch.new(VarBatch.load_vars_async(path, false, -2))
		check_value(await finished(watch, what), [7, 7], what)
		for delay: int in [0, 1000, 5000]:
			var task := VarBatch.load_vars_async(path, false, -2)
			OS.delay_usec(delay)
			var started := Time.get_ticks_msec()
			task.cancel()
			# It may have been done.
			var is_done: bool = task.wait() != null
			check_time(started, 1000, "cancelling " + what)
			check_int(task.get_error(), OK if is_done else ERR_SKIP, "error of a cancelled search")


## Fractions of a load of a part go from 0 to 1.
func test_progress() -> void:
	var bytes := PackedByteArray()
	bytes.resize(48 * MIB)
	var all: Array = [bytes, 2, bytes.to_int64_array(), 4]
	for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
		check_int(VarBatch.save_vars(path, all, false, mode), OK, "saving")
		for from: int in [1, -2]:
			var watch := Watch.new(VarBatch.load_vars_async(path, false, from, 2))
			var what := "values from %d, mode %d" % [from, mode]
			check_value(await finished(watch, what), part(all, from, 2), what)
			check(not watch.fractions.is_empty(), "%s: no progress" % what)


## What slice() gives, with a count.
static func part(all: Array, from: int, count: int) -> Array:
	var size := all.size()
	var begin := size + from if from < 0 else mini(from, size)
	var end := begin + (count if begin < 0 else mini(count, size))
	return all.slice(maxi(begin, 0), size if count < 0 else clampi(end, 0, size))


## In both forms, with a line for each of the indices in [param row].
func _check_range(all: Array, row: Array) -> void:
	var texts := PackedStringArray()
	for index: int in row.slice(2):
		texts.append('"%s": frame %d: ' % [path, index])
	var code := OK if texts.is_empty() else ERR_FILE_CORRUPT
	var expected := part(all, row[0] as int, row[1] as int)
	check_forms("load_vars", [path, false, row[0], row[1]], expected, code, texts)


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
			var arguments: Array = [from_path, false, froms[i], counts[j]]
			var found: Array = call_and_wait("load_vars" + ["_async", ""][(i + j) % 2], arguments)
			var expected := part(all, froms[i] as int, counts[j] as int)
			check_same(found, expected, "%s, %d from %d" % [what, counts[j], froms[i]])

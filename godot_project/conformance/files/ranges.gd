extends "../tasks/tasks_base.gd"
## load_vars() with `from` and `count`: a slice of what it gives without them, whatever the file is. A
## value is named by its index in the file.

const MIB := 1 << 20
const MIN_INT := -0x7fffffffffffffff - 1
const MAX_INT := 0x7fffffffffffffff


## Plain and in each mode, in a folder of the system and in the project, where the engine opens it, by
## each number of threads.
func test_every_range() -> void:
	var project_path := "res://conformance_range_%d.tmp" % OS.get_process_id()
	for all: Array in [[], [1, "two", _noise, null, {"k": _noise}, 6.5], range(20_000)]:
		var size := all.size()
		var froms: Array = [0, 1, -1, size / 2, -size, size, MAX_INT, MIN_INT]
		froms += range(-size - 2, size + 3) if size < 10 else []
		for mode: int in ALL_MODES:
			for to: String in [path, project_path]:
				check_int(VarBatch.save_vars(to, all, false, mode), OK, "saving")
				for i: int in froms.size():
					VarBatch.set_thread_count(THREAD_COUNTS[i % 3])
					for count: int in [-1, 0, 1, 3, size / 3, MAX_INT]:
						var form: String = ["load_vars", "load_vars_async"][(i + count) % 2]
						var found: Array = call_and_wait(form, [to, false, froms[i], count])
						var what := "%d from %d of %d, mode %d" % [count, froms[i], size, mode]
						check_same(found, part(all, froms[i] as int, count), what)
		DirAccess.remove_absolute(project_path)


func test_objects() -> void:
	var curve := Curve2D.new()
	curve.add_point(Vector2(3, 4))
	check_int(VarBatch.save_vars(path, [0, curve, 2, curve], true), OK, "saving objects")
	check_same(VarBatch.load_vars(path, true, 1, 1), [curve], "an object")
	check_same(VarBatch.load_vars(path, false, 2, 1), [2], "beside objects")
	check_forms("load_vars", [path, false, -1], [null], ERR_INVALID_DATA, ['"%s": value 3: ' % path])


## What is damaged or torn is reported where it is reached: [from, count, the indices that are bad].
func test_damage() -> void:
	var good: PackedByteArray = frame(var_to_bytes("good"))
	var bad: PackedByteArray = frame("27000000".hex_decode())
	var all: Array = ["good", null, "good", "good", null, "good"]
	write(path, good + bad + good + good + bad + good + good.slice(0, -3))
	for row: Array in [[2, 2], [1, 4, 1, 4], [-2, -1, 4, 6], [5, 2, 6], [7, 0], [-1, 0]]:
		var texts := row.slice(2).map(func(index: int) -> String: return '"%s": value %d: ' % [path, index])
		var expected := part(all, row[0] as int, row[1] as int)
		check_forms("load_vars", [path, false, row[0], row[1]], expected, ERR_FILE_CORRUPT if texts else OK, texts)


func test_wrong_arguments() -> void:
	write(path, stored([1, 2, 3]))
	for count: int in [-2, -3, -100, MIN_INT]:
		for from: int in [0, 1, -1, MAX_INT]:
			var text := 'cannot load "%s": expected -1 or more as count, found %d' % [path, count]
			check_forms("load_vars", [path, false, from, count], [], ERR_INVALID_PARAMETER, [text])
	var none := folder + "/none"
	check_forms("load_vars", [none, false, 5, 1], [], ERR_FILE_NOT_FOUND, ['cannot load "%s": ' % none])


func test_long_searches() -> void:
	write(path, Packed.repeated(frame(var_to_bytes(7)), 12 << 23) as PackedByteArray)
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


func test_progress() -> void:
	var bytes := filled_bytes(48 * MIB)
	var all: Array = [bytes, 2, bytes.to_int64_array(), 4]
	for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
		check_int(VarBatch.save_vars(path, all, false, mode), OK, "saving")
		for from: int in [1, -2]:
			var watch := Watch.new(VarBatch.load_vars_async(path, false, from, 2))
			var what := "values from %d, mode %d" % [from, mode]
			check_value(await finished(watch, what), part(all, from, 2), what)
			check(not watch.fractions.is_empty(), "%s: no progress" % what)


static func part(all: Array, from: int, count: int) -> Array:
	var size := all.size()
	var begin := size + from if from < 0 else mini(from, size)
	var end := begin + (count if begin < 0 else mini(count, size))
	return all.slice(maxi(begin, 0), size if count < 0 else clampi(end, 0, size))

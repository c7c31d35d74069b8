extends "../tasks/tasks_base.gd"
## Values that are added to a file: its bytes are those of the engine's loop over all values, and whatever
## cannot be added changes nothing. Short appends of tasks that wait for one file are written to the disk
## together, in the order of the calls, each as if it were alone. What is cut off: rust/storage/tests.

const Errors := preload("errors.gd")

const NEW: Array = ["new", 2]
const COMPRESSED := "expected a file without compression, found a compressed one"
const DAMAGED := "expected whole records and at most the beginning of one, found something else"
const ONE_VALUE := "expected values with their lengths, found what can be one value without a length"


func test_appends() -> void:
	var all: Array = []
	for count: int in Threads.new(THREAD_COUNTS):
		for part: Array in [[1], [], NEW, [[], {}, null], sized(300, func(i: int) -> int: return i * 9)]:
			check_int(VarBatch.append_vars(path, part), OK, "appending %d values" % part.size())
			var task := VarBatch.append_vars_async(path, part)
			check_value(task.wait(), OK as int, "a task that appends")
			check_over(task, "a task that appends, %d threads" % count)
			all.append_array(part + part)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(all), "the file")
	check_int(VarBatch.append_vars(path, [Vector2i.ONE] as Array[Vector2i]), OK, "a typed array")
	check_value(VarBatch.load_vars(path)[-1], Vector2i.ONE, "its element")
	check_names([path.get_file()], "appends")


## A crash in the middle, and a power cut after the length of the file reached the disk and before its
## data did: what is whole is loaded, and the rest makes way.
func test_torn_ends() -> void:
	var torn := stored([["torn", 5]])
	var zeros := filled_bytes(4096)
	var text := '"%s": ' % path
	for before: Array in [[], NEW, range(3000)]:
		var whole := stored(before)
		var of_zeros := text + "value %d: expected a value, found nothing but zeros (4096 bytes), at byte %d"
		for end: PackedByteArray in [zeros, torn.slice(0, 9), torn.slice(0, -1)]:
			write(path, whole + end)
			var told := of_zeros % [before.size(), whole.size()] if end == zeros else text
			check_forms("load_vars", [path], before, ERR_FILE_CORRUPT, [told])
			check_int(VarBatch.append_vars(path, NEW), OK, "appending behind a torn end")
			check_bytes(FileAccess.get_file_as_bytes(path), stored(before + NEW), "in the end")


func test_what_is_not_of_values() -> void:
	write(path, '{"name": "Ada"}'.to_utf8_buffer())
	_check_refused(ERR_FILE_UNRECOGNIZED, "expected values as FileAccess.store_var() writes them, found text")
	for value: Variant in [3, 2.0, "Ada", [1, 2, 3], {"hp": 3}]:
		write(path, var_to_bytes(value))
		_check_refused(ERR_FILE_UNRECOGNIZED, ONE_VALUE)
	for mode: int in [FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP]:
		VarBatch.save_vars(path, NEW, false, mode)
		_check_refused(ERR_FILE_UNRECOGNIZED, COMPRESSED)
	DirAccess.remove_absolute(path)
	DirAccess.make_dir_absolute(path)
	_check_refused(ERR_FILE_CANT_OPEN, "")
	path = folder + "/missing/log"
	_check_refused(ERR_FILE_NOT_FOUND, "")


func test_values_that_cannot_be_encoded() -> void:
	var deep: Variant = Engines.nested(2000, [])
	for old: Array in [[], NEW]:
		for bad: Array in [[1, deep], many() + [deep]]:
			DirAccess.remove_absolute(path)
			if old:
				VarBatch.save_vars(path, old)
			_check_refused(ERR_INVALID_DATA, "value %d: " % (bad.size() - 1), bad)
			check_names([path.get_file()] if old else [], "a value that cannot be encoded")


func test_objects() -> void:
	var curve := Curve.new()
	curve.add_point(Vector2(0.5, 1))
	check_int(VarBatch.append_vars(path, [1, [curve]], true), OK, "an object in full")
	check_value(VarBatch.append_vars_async(path, [curve], true).wait(), OK as int, "by a task")
	var found := VarBatch.load_vars(path, true)
	check_int(found.size(), 3, "values")
	check_value(found[2], curve, "the object")
	check_forms("append_vars", [path, [curve]], OK as int, OK, [WARNING + '"%s": saved only the ID of 1 object' % path])
	const CODE := ERR_INVALID_PARAMETER
	for flag: Variant in [2, null]:
		check_forms("append_vars", [path, NEW, flag], CODE, CODE, ['cannot append to "%s": ' % path])
	check_int(VarBatch.load_vars(path, true).size(), 5, "values in the end")


func test_an_object_that_appends() -> void:
	for form: String in ["append_vars", "append_vars_async"]:
		DirAccess.remove_absolute(path)
		var inner: Array[int] = []
		var outer := Meddler.new()
		Meddler.on_get = func() -> void: inner.append(VarBatch.append_vars(path, ["inner"]))
		check_value(call_and_wait(form, [path, [outer], true]), OK as int, "the outer append")
		Meddler.reset()
		check(inner.size() > 0 and inner.max() == OK, "the inner ones: %s" % [inner])
		var found := VarBatch.load_vars(path, true)
		check_int(found.size(), inner.size() + 1, "values")
		check(found[-1] is Meddler, "the outer one is the last")


func _check_refused(code: int, why: String, added := NEW) -> void:
	var before := FileAccess.get_file_as_bytes(path)
	check_forms("append_vars", [path, added], code, code, ['cannot append to "%s": %s' % [path, why]])
	check_bytes(FileAccess.get_file_as_bytes(path), before, "the file")


func test_many_take_the_time_of_a_few() -> void:
	const COUNT := 1000
	var started := Time.get_ticks_usec()
	for i: int in COUNT:
		check_int(VarBatch.append_vars(path, [i]), OK, "an append")
	var alone := Time.get_ticks_usec() - started
	DirAccess.remove_absolute(path)
	started = Time.get_ticks_usec()
	end_saves(range(COUNT).map(func(i: int) -> VarBatchTask: return VarBatch.append_vars_async(path, [i])))
	var together := Time.get_ticks_usec() - started
	check_value(VarBatch.load_vars(path), range(COUNT), "all values")
	check(together < (alone / 3 + 100_000) * slowness, "%d us together, %d one by one" % [together, alone])


## Of any length, from short to long, with calls between that are none of tasks, under two names of the file,
## and some of them cancelled.
func test_many_in_order() -> void:
	var random := Values.seeded(8)
	var other := folder + "/other"
	if is_unix():
		check_int(VarBatch.save_vars(path, []), OK, "a file")
		link(path.get_file(), other)
	for count: int in by_threads():
		for round: int in 10:
			check_int(VarBatch.save_vars(path, []), OK, "a new file")
			var expected: Array = []
			var calls: Array = []
			for i: int in 80:
				var to := other if is_unix() and random.randi() % 8 == 0 else path
				var value: Array = [i, _noise.slice(0, [0, 10, 1000, 40_000, 90_000][random.randi() % 5] as int)]
				if random.randi() % 20 == 0:
					check_int(VarBatch.append_vars(to, [value]), OK, "at once")
					expected.append([value, null])
				else:
					var task := VarBatch.append_vars_async(to, [value])
					expected.append([value, task])
					calls.append(task)
				if calls and random.randi() % 10 == 0:
					(calls.pick_random() as VarBatchTask).cancel()
			var kept: Array = []
			for pair: Array in expected:
				var code: int = (pair[1] as VarBatchTask).wait() if pair[1] else OK
				check(code == OK or code == ERR_SKIP, "an append gives %d" % code)
				if code == OK:
					kept.append(pair[0])
			check_value(VarBatch.load_vars(path), kept, "values of round %d" % round)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(kept), "bytes of round %d" % round)


## What a save replaces is no error, and what is added after it is there.
func test_saves_between() -> void:
	for count: int in by_threads():
		for round: int in 10:
			var tasks: Array = []
			for i: int in 60:
				if i % 20 == 19:
					tasks.append(VarBatch.save_vars_async(path, ["saved", i]))
				tasks.append(VarBatch.append_vars_async(path, [i]))
			end_saves(tasks)
			check_value(VarBatch.load_vars(path), ["saved", 59, 59], "the last save, and what is behind it")


func test_torn_ends_of_many() -> void:
	var whole := stored([1, 2])
	for torn: PackedByteArray in [stored([["torn", 5]]).slice(0, 13), filled_bytes(4096)]:
		write(path, whole + torn)
		end_saves(range(3, 100).map(func(i: int) -> VarBatchTask: return VarBatch.append_vars_async(path, [i])))
		check_bytes(FileAccess.get_file_as_bytes(path), stored(range(1, 100)), "all values")


func test_files_that_take_none() -> void:
	for mode: int in [FileAccess.COMPRESSION_ZSTD, -1]:
		write(path, "no values".to_utf8_buffer(), mode)
		var before := FileAccess.get_file_as_bytes(path)
		var append := func(i: int) -> VarBatchTask: return VarBatch.append_vars_async(path, [i])
		var is_refused := func(task: VarBatchTask) -> bool:
			return task.wait() != OK and "cannot append to" in task.get_error_message()
		var fail := func() -> bool: return range(50).map(append).all(is_refused)
		check(quietly(fail) as bool, "one of many was not refused")
		check_bytes(FileAccess.get_file_as_bytes(path), before, "the file")


func test_without_space() -> void:
	Child.probe(self, "files/errors", ["append", str(ERR_FILE_CANT_WRITE), absolute(path)], Errors.WITHOUT_SPACE)

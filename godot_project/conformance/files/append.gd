extends "../tasks/tasks_base.gd"
## Values that are added to a file: its bytes are those of the engine's loop over all values, in the
## order of the calls, and whatever cannot be added changes nothing.

const Appending := preload("appending.gd")

const NEW: Array = ["new", 2]
const COMPRESSED := "expected a file without compression, found a compressed one"
const DAMAGED := "expected whole records and at most the beginning of one, found something else"
const ONE_VALUE := "expected values with their lengths, found what can be one value without a length"


func test_appends() -> void:
	var all: Array = []
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		for part: Array in [[1], [], NEW, [[], {}, null], sized(300, func(i: int) -> int: return i * 9)]:
			check_int(VarBatch.append_vars(path, part), OK, "appending %d values" % part.size())
			all.append_array(part)
			var task := VarBatch.append_vars_async(path, part)
			check_value(task.wait(), OK as int, "a task that appends")
			check_over(task, "a task that appends")
			all.append_array(part)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(all), "the file")
	var typed: Array[Vector2i] = [Vector2i.ONE]
	check_int(VarBatch.append_vars(path, typed), OK, "a typed array")
	check_value(VarBatch.load_vars(path)[-1], Vector2i.ONE, "its element")
	check_names([path.get_file()], "appends")


func test_large() -> void:
	values = large()
	var small := many()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		check_int(VarBatch.save_vars(path, NEW), OK, "the file")
		check_int(VarBatch.append_vars(path, values), OK, "large values")
		check_value(VarBatch.append_vars_async(path, small).wait(), OK as int, "many values")
		check_same(VarBatch.load_vars(path), NEW + values + small, "all, %d threads" % count)


func test_values_that_change_after_the_call() -> void:
	var changing: Array = [PackedInt32Array([1, 2]), {"a": [1]}]
	var task := VarBatch.append_vars_async(path, changing)
	changing[0][0] = 5
	changing[1]["a"].append(2)
	changing.clear()
	check_value(task.wait(), OK as int, "the append")
	check_value(VarBatch.load_vars(path), [PackedInt32Array([1, 2]), {"a": [1]}], "as they were")


## A crash in the middle, at each byte of the last value.
func test_torn() -> void:
	var last := ["torn", 5, [1.5, PackedByteArray([1, 2, 3])]]
	for before: Array in [[], NEW]:
		var whole := stored(before)
		var torn := stored(before + [last])
		for size: int in range(whole.size() + 1, torn.size()):
			write(path, torn.slice(0, size))
			var load_it := func() -> Array: return VarBatch.load_vars(path)
			var found: Array = expect_errors(load_it, 1, 'VarBatch.load_vars: "')
			check_value(found, before, "what is whole, %d bytes" % size)
			if size < 8:
				# Too little to tell what the file is.
				_check_refused(ERR_FILE_CORRUPT, DAMAGED)
				continue
			var append := func() -> int: return VarBatch.append_vars(path, [size])
			check_int(append.call() as int, OK, "appending after %d bytes" % size)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(before + [size]), "in the end")


## A power cut, after the length of the file reached the disk and before its data did.
func test_zeros() -> void:
	for before: Array in [[], NEW, range(3000)]:
		var whole := stored(before)
		for count: int in [4, 5, 4096, 3 << 20]:
			var zeros := PackedByteArray()
			zeros.resize(count)
			write(path, whole + zeros)
			var end := "nothing but zeros (%d bytes), at byte %d" % [count, whole.size()]
			var line := '"%s": frame %d: expected a frame, found %s' % [path, before.size(), end]
			var load_it := func() -> Array: return VarBatch.load_vars(path)
			var found: Array = expect_errors(load_it, 1, "VarBatch.load_vars: " + line)
			check_same(found, before, "what is whole")
			load_it = func() -> Array: return VarBatch.load_vars_async(path).wait()
			found = expect_errors(load_it, 1, "VarBatch.load_vars_async: " + line)
			check_same(found, before, "what is whole, by a task")
			check_int(VarBatch.append_vars(path, NEW), OK, "appending behind %d zeros" % count)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(before + NEW), "in the end")


## A high score, or settings: what var_to_bytes() has written.
func test_one_value() -> void:
	var all := [3, 812, 2.0, true, Vector2(1, 2), "Ada", [1, 2, 3], [1, 2, 3, 4], {"hp": 3}]
	for value: Variant in all:
		var bytes := var_to_bytes(value)
		write(path, bytes)
		_check_refused(ERR_FILE_UNRECOGNIZED, ONE_VALUE)
		check_bytes(FileAccess.get_file_as_bytes(path), bytes, "the file of %s" % str(value))


## The values behind it are worth more than a new one.
func test_a_damaged_length() -> void:
	var bytes := stored([{"gold": 1}, [1, 2], "three", range(50)])
	for at: int in 3:
		for byte: int in 256:
			var damaged := bytes.duplicate()
			damaged[at] = byte
			write(path, damaged)
			logged(func() -> void: VarBatch.append_vars(path, NEW))
			var found := FileAccess.get_file_as_bytes(path).slice(0, bytes.size())
			check_bytes(found, damaged, "byte %d is %d" % [at, byte])


func test_what_is_not_of_values() -> void:
	var picture := Image.create_empty(16, 16, false, Image.FORMAT_RGB8).save_png_to_buffer()
	for bytes: PackedByteArray in [picture, '{"name": "Ada"}'.to_utf8_buffer(), "4.2\n".to_utf8_buffer()]:
		write(path, bytes)
		_check_refused(ERR_FILE_CORRUPT, DAMAGED)
		check_bytes(FileAccess.get_file_as_bytes(path), bytes, "the file")
	for mode: int in [FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP]:
		VarBatch.save_vars(path, NEW, false, mode)
		_check_refused(ERR_FILE_UNRECOGNIZED, COMPRESSED)
		check_value(VarBatch.load_vars(path), NEW, "the compressed file")
	DirAccess.remove_absolute(path)
	DirAccess.make_dir_absolute(path)
	_check_refused(ERR_FILE_CANT_OPEN, "")
	path = folder + "/missing/log"
	_check_refused(ERR_FILE_NOT_FOUND, "")


## All of it or nothing, whether there was a file or not.
func test_values_that_cannot_be_encoded() -> void:
	var deep: Variant = Values.Engines.nested(2000, [])
	for old: Array in [[], NEW]:
		for bad: Array in [[1, deep], many() + [deep]]:
			DirAccess.remove_absolute(path)
			if old:
				VarBatch.save_vars(path, old)
			values = bad
			_check_refused(ERR_INVALID_DATA, "value %d: " % (bad.size() - 1))
			check_names([path.get_file()] if old else [], "a value that cannot be encoded")
			if old:
				check_bytes(FileAccess.get_file_as_bytes(path), stored(old), "the old file")


func test_objects() -> void:
	var curve := Curve.new()
	curve.add_point(Vector2(0.5, 1))
	check_int(VarBatch.append_vars(path, [1, [curve]], true), OK, "an object in full")
	check_value(VarBatch.append_vars_async(path, [curve], true).wait(), OK as int, "by a task")
	var found := VarBatch.load_vars(path, true)
	check_int(found.size(), 3, "values")
	check_value(found[2], curve, "the object")
	var lines := logged(func() -> void: VarBatch.append_vars(path, [curve]))
	check(lines.size() == 1 and lines[0].begins_with(WARNING + "VarBatch.append_vars: "), str(lines))
	for flag: Variant in [2, null]:
		var fail := func() -> int: return VarBatch.append_vars(path, NEW, flag)
		var start := 'VarBatch.append_vars: cannot append to "%s": ' % path
		check_int(expect_errors(fail, 1, start) as int, ERR_INVALID_PARAMETER, "a flag %s" % flag)
	check_int(VarBatch.load_vars(path, true).size(), 4, "values in the end")


## A script that the engine runs for a value may append to the same file: nobody waits for himself.
func test_an_object_that_appends() -> void:
	for is_task: bool in [false, true]:
		DirAccess.remove_absolute(path)
		Appending.to = path
		Appending.results = []
		if is_task:
			check_value(VarBatch.append_vars_async(path, [Appending.new()], true).wait(), 0, "outer")
		else:
			check_int(VarBatch.append_vars(path, [Appending.new()], true), OK, "the outer append")
		Appending.to = ""
		check(Appending.results.size() > 0 and Appending.results.max() == OK, "the inner ones")
		var found := VarBatch.load_vars(path, true)
		check_int(found.size(), Appending.results.size() + 1, "values")
		check(found[-1] is Appending, "the outer one is the last")


## A task that saves is waited for, by an append at once and by one in the background.
func test_a_save_and_appends() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for is_late: bool in [false, true]:
			DirAccess.remove_absolute(path)
			var save := VarBatch.save_vars_async(path, values)
			var first := VarBatch.append_vars_async(path, [1])
			var second := VarBatch.append_vars_async(path, [2])
			var expected := values + [1, 2, 3]
			if is_late:
				expected.pop_back()
				check_value(await finished(Watch.new(second), "an append"), OK as int, "second")
			else:
				check_int(VarBatch.append_vars(path, [3]), OK, "at once")
			check_same(VarBatch.load_vars(path), expected, "in order, %d threads" % count)
			for task: VarBatchTask in [save, first, second]:
				check(task.is_finished(), "an earlier call is still under way")
				check_value(task.wait(), OK as int, "result")
				check_value(task.get_error_message(), "", "message")


## One after the other, whoever waits for which of them.
func test_many_appends() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in ["signals", "last", "first", "at once"]:
			DirAccess.remove_absolute(path)
			var tasks: Array[VarBatchTask] = []
			for i: int in 40:
				tasks.append(VarBatch.append_vars_async(path, [i]))
			match kind:
				"signals":
					var all_over := func() -> bool:
						return tasks.all(func(task: VarBatchTask) -> bool: return task.is_finished())
					await until(all_over, "all are over")
				"last":
					check_value(tasks[-1].wait(), OK as int, "the last one")
				"first":
					for task: VarBatchTask in tasks:
						task.wait()
				"at once":
					check_int(VarBatch.append_vars(path, [40]), OK, "one more")
			var shown := "%s, %d threads" % [kind, count]
			check_value(VarBatch.load_vars(path), range(41 if kind == "at once" else 40), shown)
			for task: VarBatchTask in tasks:
				check_over(task, shown)


func test_overtaken() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for is_there: bool in [false, true]:
			DirAccess.remove_absolute(path)
			if is_there:
				VarBatch.save_vars(path, [0])
			var task := VarBatch.append_vars_async(path, values)
			check_int(VarBatch.save_vars(path, NEW), OK, "the later save")
			check_value(task.wait(), OK as int, "result of the append")
			var message := task.get_error_message()
			check(message == OVERTAKEN or message.is_empty() and count > 1, "'%s'" % message)
			check_value(VarBatch.load_vars(path), NEW, "the save alone, %d threads" % count)
			check_names([path.get_file()], "overtaken")


## One that is cancelled adds nothing, and holds nobody up.
func test_cancelled() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for delay: int in [0, 500, 5000, 30_000]:
			VarBatch.save_vars(path, [0])
			var save := VarBatch.save_vars_async(path, [1])
			var first := VarBatch.append_vars_async(path, values)
			var second := VarBatch.append_vars_async(path, [2])
			OS.delay_usec(delay)
			first.cancel()
			check_value(second.wait(), OK as int, "the append after it")
			var result: int = first.wait()
			check(result in [OK, ERR_SKIP], "a cancelled append: %d" % result)
			check_value(save.wait(), OK as int, "the save before it")
			var expected := [1] + (values if result == OK else []) + [2]
			check_same(VarBatch.load_vars(path), expected, "%d threads, %d us" % [count, delay])


func test_threads_at_once() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		DirAccess.remove_absolute(path)
		var append := func(thread: int) -> int:
			var worst := 0
			for i: int in 10:
				VarBatch.append_vars_async(path, [[thread, 2 * i]])
				worst = maxi(worst, VarBatch.append_vars(path, [[thread, 2 * i + 1]]))
			return worst
		var threads := []
		for i: int in 3:
			var thread := Thread.new()
			thread.start(append.bind(i))
			threads.append(thread)
		# Without other threads, the tasks run here.
		var are_over := func() -> bool:
			return threads.all(func(thread: Thread) -> bool: return not thread.is_alive())
		await until(are_over, "all threads are over")
		var next := [0, 0, 0]
		for thread: Thread in threads:
			check_int(thread.wait_to_finish() as int, OK, "appends on a thread")
		for value: Array in VarBatch.load_vars(path):
			check_int(value[1] as int, next[value[0]] as int, "the next one of a thread")
			next[value[0]] += 1
		check_value(next, [20, 20, 20], "values of each thread")


func test_thread_count_meanwhile() -> void:
	values = large()
	for i: int in 6:
		VarBatch.set_thread_count(1 + i % 3)
		var task := VarBatch.save_vars_async(path, values)
		VarBatch.set_thread_count(1 + (i + 1) % 3)
		var append := VarBatch.append_vars_async(path, [1])
		VarBatch.set_thread_count(1 + (i + 2) % 3)
		check_int(VarBatch.append_vars(path, [2]), OK, "the last append")
		check_value([task.wait(), append.wait()], [OK as int, OK as int], "the tasks")
		check_same(VarBatch.load_vars(path), values + [1, 2], "round %d" % i)


## That `values`, or others, cannot be appended to the file, in both forms.
func _check_refused(code: int, why: String) -> void:
	var added := values if values else NEW
	var start := ': cannot append to "%s": %s' % [path, why]
	var at_once := func() -> int: return VarBatch.append_vars(path, added)
	check_int(expect_errors(at_once, 1, "VarBatch.append_vars" + start) as int, code, why)
	check_int(VarBatch.get_last_error(), code, "get_last_error")
	var by_task := func() -> int: return VarBatch.append_vars_async(path, added).wait()
	check_int(expect_errors(by_task, 1, "VarBatch.append_vars_async" + start) as int, code, why)

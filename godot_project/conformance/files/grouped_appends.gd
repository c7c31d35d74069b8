extends "../tasks/tasks_base.gd"
## Short appends of tasks that wait for one file, which are written to the disk together: in the order of
## the calls, each of them as if it were alone. Kills and power cuts are in crash_game.gd and power_game.gd.

const Child := preload("../support/child.gd")
const Probe := preload("errors_probe.gd")
const WITHOUT_SPACE := "trap '' XFSZ; ulimit -f 64; exec \"$@\""


func test_many_take_the_time_of_a_few() -> void:
	const COUNT := 1000
	var started := Time.get_ticks_usec()
	for i: int in COUNT:
		check_int(VarBatch.append_vars(path, [i]), OK, "an append")
	var alone := Time.get_ticks_usec() - started
	DirAccess.remove_absolute(path)
	started = Time.get_ticks_usec()
	_wait(range(COUNT).map(func(i: int) -> VarBatchTask: return VarBatch.append_vars_async(path, [i])))
	var together := Time.get_ticks_usec() - started
	check_value(VarBatch.load_vars(path), range(COUNT), "all values")
	check(together < (alone / 3 + 100_000) * slowness, "%d us together, %d one by one" % [together, alone])


## Of any length, from short to long, with calls between that are none of tasks, under two names of the file,
## and some of them cancelled.
func test_order() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 8
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
				var length: int = [0, 10, 1000, 40_000, 90_000][random.randi() % 5]
				var value: Array = [i, _noise.slice(0, length)]
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
			_wait(tasks)
			check_value(VarBatch.load_vars(path), ["saved", 59, 59], "the last save, and what is behind it")


func test_torn_ends() -> void:
	var whole := stored([1, 2])
	for torn: PackedByteArray in [stored([["torn", 5]]).slice(0, 13), filled_bytes(4096)]:
		write(path, whole + torn)
		_wait(range(3, 100).map(func(i: int) -> VarBatchTask: return VarBatch.append_vars_async(path, [i])))
		check_bytes(FileAccess.get_file_as_bytes(path), stored(range(1, 100)), "all values")


## Each of them fails for itself.
func test_files_that_take_none() -> void:
	var compressed := func() -> void: VarBatch.save_vars(path, [1], false, FileAccess.COMPRESSION_ZSTD)
	var damaged := func() -> void: write(path, "no values".to_utf8_buffer())
	for begin: Callable in [compressed, damaged]:
		begin.call()
		var before := FileAccess.get_file_as_bytes(path)
		var fail := func() -> void:
			for i: int in 50:
				var task := VarBatch.append_vars_async(path, [i])
				check(task.wait() != OK and "cannot append to" in task.get_error_message(), "an append")
			var tasks := range(50).map(func(i: int) -> VarBatchTask: return VarBatch.append_vars_async(path, [i]))
			for task: VarBatchTask in tasks:
				check(task.wait() != OK and "cannot append to" in task.get_error_message(), "one of many")
		quietly(fail)
		check_bytes(FileAccess.get_file_as_bytes(path), before, "the file")


## Those that fit are added, and those behind them are not: see errors_probe.gd.
func test_without_space() -> void:
	var arguments: PackedStringArray = ["append", str(ERR_FILE_CANT_WRITE), absolute(path)]
	for line: String in Child.probe(self, "files/errors_probe", arguments, WITHOUT_SPACE):
		check(not line.begins_with(Probe.FAILURE), line)


func _wait(tasks: Array) -> void:
	for task: VarBatchTask in tasks:
		check_int(task.wait() as int, OK, "an append")

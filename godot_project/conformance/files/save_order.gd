extends "../tasks/tasks_base.gd"
## Saves to one file: the last call wins, whichever is complete first. Most begin with a task that
## takes long, and look at the file when everything has ended.

const NEW: Array = ["new", 2]

var _relative := "conformance_%d.tmp" % OS.get_process_id()


## What an autosave and a save on quitting do.
func test_a_task_and_a_save_at_once() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
			var task := VarBatch.save_vars_async(path, values, false, mode)
			check_int(VarBatch.save_vars(path, NEW), OK, "the later save")
			check_value(VarBatch.load_vars(path), NEW, "at once, %d threads" % count)
			_check_overtaken(task, count == 1)
			check_value(VarBatch.load_vars(path), NEW, "in the end, %d threads" % count)
			check_names([path.get_file()], "%d threads" % count)


func test_a_save_at_once_and_a_task() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		check_int(VarBatch.save_vars(path, [1]), OK, "the first save")
		var task := VarBatch.save_vars_async(path, NEW)
		_check_saved(task)
		check_value(VarBatch.load_vars(path), NEW, "%d threads" % count)


## The first takes longer; waited for in both orders.
func test_two_tasks() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for is_first_awaited: bool in [true, false]:
			var tasks: Array[VarBatchTask] = [
				VarBatch.save_vars_async(path, values), VarBatch.save_vars_async(path, NEW)
			]
			if is_first_awaited:
				_check_overtaken(tasks[0], false)
			_check_saved(tasks[1])
			check_value(VarBatch.load_vars(path), NEW, "when the second has ended")
			_check_overtaken(tasks[0], count == 1 and not is_first_awaited)
			check_value(VarBatch.load_vars(path), NEW, "when both have ended")


## With signals instead of wait(): `finished` of each, with OK.
func test_many_tasks() -> void:
	var block := large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var watches: Array[Watch] = []
		for i: int in 10:
			block[0] = i
			watches.append(Watch.new(VarBatch.save_vars_async(path, block if i % 3 == 0 else [i])))
			if i == 4:
				check_int(VarBatch.save_vars(path, ["between"]), OK, "a save between")
		for watch: Watch in watches:
			check_value(await finished(watch, "a save"), OK as int, "one of many")
		check_value(VarBatch.load_vars(path)[0], 9, "the last one")


## The same file by another name.
func test_spellings() -> void:
	var sub := folder + "/sub"
	DirAccess.make_dir_recursive_absolute(sub + "/inner")
	var dir := DirAccess.open(folder)
	var in_sub := sub + "/save"
	var spellings: PackedStringArray = [
		in_sub, absolute(in_sub), sub + "/inner/../save", sub + "/./save", sub + "\\save"
	]
	for link: String in ["folder", "link"]:
		if dir.create_link(absolute(sub if link == "folder" else in_sub), link) == OK:
			spellings.append(folder + ("/folder/save" if link == "folder" else "/link"))
	check(OS.get_name() == "Windows" or spellings.size() == 7, "links could not be made")
	for older: String in spellings:
		for newer: String in spellings:
			_check_spellings(older, newer, in_sub)
	_check_spellings(absolute("res://" + _relative), "res://" + _relative, "res://" + _relative)
	_check_spellings("./" + _relative, _relative, _relative)
	for at: String in ["res://" + _relative, _relative]:
		DirAccess.remove_absolute(at)


## A later save that is cancelled swallows nothing, at whatever moment it is.
func test_cancelled() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for delay: int in [0, 200, 1000, 5000, 20_000, 40_000]:
			VarBatch.save_vars(path, [0])
			var first := VarBatch.save_vars_async(path, [1])
			var later := VarBatch.save_vars_async(path, values)
			OS.delay_usec(delay)
			later.cancel()
			_check_overtaken(first, false)
			var result: int = later.wait()
			check(result in [OK, ERR_SKIP], "a cancelled save: %d" % result)
			var found := VarBatch.load_vars(path)
			if result == OK:
				check_int(found.size(), values.size(), "it was done before")
			else:
				check_value(found, [1], "the earlier save, %d threads" % count)
			check_names([path.get_file()], "cancelled")


## One that fails swallows nothing either.
func test_failed() -> void:
	var task := VarBatch.save_vars_async(path, NEW)
	var fail := func() -> int:
		return VarBatch.save_vars(path, [NEW, Values.Engines.nested(2000, [])])
	check_int(
		expect_errors(fail, 1, "VarBatch.save_vars: cannot save") as int, ERR_INVALID_DATA, "it"
	)
	_check_saved(task)
	check_value(VarBatch.load_vars(path), NEW, "the task's")


func test_deleted_meanwhile() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var task := VarBatch.save_vars_async(path, values)
		check_int(VarBatch.save_vars(path, NEW), OK, "the later save")
		check_int(DirAccess.remove_absolute(path), OK, "it is deleted")
		_check_overtaken(task, count == 1)
		check_names([], "deleted, %d threads" % count)


func test_thread_count_meanwhile() -> void:
	values = large()
	for i: int in 6:
		VarBatch.set_thread_count(1 + i % 3)
		var task := VarBatch.save_vars_async(path, values)
		VarBatch.set_thread_count(1 + (i + 1) % 3)
		check_int(VarBatch.save_vars(path, NEW), OK, "the later save")
		VarBatch.set_thread_count(1 + (i + 2) % 3)
		_check_overtaken(task, false)
		check_value(VarBatch.load_vars(path), NEW, "round %d" % i)


func test_threads_at_once() -> void:
	values = large()
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var task := VarBatch.save_vars_async(path, values)
		var save := func(i: int) -> int: return VarBatch.save_vars(path, [i])
		var threads := start_threads(4, save)
		check_value(end_threads(threads), [0, 0, 0, 0], "saves on threads")
		var found := VarBatch.load_vars(path)
		check(found.size() == 1 and found[0] in range(4), "found %s" % [found])
		_check_overtaken(task, count == 1)
		check_value(VarBatch.load_vars(path), found, "the task was first")


func test_transcoded() -> void:
	values = large()
	var source := folder + "/godot3"
	write(source, frame(VarBatch.var_to_bytes_in(NEW, VarBatch.DIALECT_GODOT_3)))
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		var task := VarBatch.save_vars_async(path, values)
		var from_godot_3 := VarBatch.DIALECT_GODOT_3
		var result := VarBatch.transcode_file(source, path, from_godot_3, VarBatch.DIALECT_GODOT_4)
		check_int(result, OK, "transcoding")
		_check_overtaken(task, count == 1)
		check_value(VarBatch.load_vars(path), [NEW], "what was transcoded last")
		task = VarBatch.save_vars_async(path, [1])
		_check_saved(task)
		check_value(VarBatch.load_vars(path), [1], "what was saved last")


func _check_spellings(older: String, newer: String, at: String) -> void:
	var what := "%s, then %s" % [older, newer]
	VarBatch.set_thread_count(1)
	var task := VarBatch.save_vars_async(older, [1])
	check_int(VarBatch.save_vars(newer, NEW), OK, what)
	_check_overtaken(task, true)
	check_value(VarBatch.load_vars(at), NEW, what)


## A task that is not the last: it is no failure. One that has not begun is told that it is late.
func _check_overtaken(task: VarBatchTask, is_surely_late: bool) -> void:
	check_value(task.wait(), OK as int, "result of an earlier save")
	check_int(task.get_error(), OK, "error of an earlier save")
	var message := task.get_error_message()
	check(
		message == OVERTAKEN or message.is_empty() and not is_surely_late, "message '%s'" % message
	)


func _check_saved(task: VarBatchTask) -> void:
	check_value(task.wait(), OK as int, "result of a save")
	check_over(task, "a save")
	check_value(task.get_error_message(), "", "message of a save")

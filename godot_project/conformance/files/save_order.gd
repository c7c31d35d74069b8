extends "../tasks/tasks_base.gd"
## Saves to one file: the last call wins, whichever is complete first. Most begin with a task that
## takes long, and look at the file when everything has ended. The order of the calls in itself is
## tested in rust/storage/tests, file_order.rs.

const NEW: Array = ["new", 2]
const GODOT_3 := VarBatch.DIALECT_GODOT_3
const GODOT_4 := VarBatch.DIALECT_GODOT_4

var _relative := "conformance_%d.tmp" % OS.get_process_id()


## What an autosave and a save on quitting do, and other calls that the engine waits for.
func test_a_task_and_a_later_call() -> void:
	values = large()
	var source := folder + "/godot3"
	write(source, frame(VarBatch.var_to_bytes_in(NEW, GODOT_3)))
	var save := func(of: Variant) -> int: return VarBatch.save_vars(path, of as Array)
	var save_on_threads := func() -> int:
		return end_threads(start_threads(4, func(i: int) -> int: return save.call([i]))).max()
	var translate := func() -> int: return VarBatch.transcode_file(source, path, GODOT_3, GODOT_4)
	var remove := func() -> int: return save.call(NEW) + DirAccess.remove_absolute(path)
	var calls: Dictionary[String, Array] = {
		"a save": [save.bind(NEW), NEW],
		"saves on threads": [save_on_threads, [0], [1], [2], [3]],
		"a translation": [translate, [NEW]],
		"a save that is removed": [remove, []],
	}
	for count: int in by_threads():
		for what: String in calls:
			for mode: int in [-1, FileAccess.COMPRESSION_ZSTD]:
				var task := VarBatch.save_vars_async(path, values, false, mode)
				check_value((calls[what][0] as Callable).call(), OK as int, what)
				var is_there := FileAccess.file_exists(path)
				check(is_there != ("removed" in what), "%s: there: %s" % [what, is_there])
				var found := VarBatch.load_vars(path) if is_there else []
				check(found in calls[what].slice(1), "%s: found %s" % [what, found])
				check_overtaken(task, count == 1)
				check_int(int(FileAccess.file_exists(path)), int(is_there), "in the end, " + what)
				check_value(VarBatch.load_vars(path) if is_there else [], found, what)
				var names: Array = ["godot3"] + ([path.get_file()] if is_there else [])
				check_names(names, "%s, %d threads" % [what, count])
		_check_saved(VarBatch.save_vars_async(path, [1]))
		check_value(VarBatch.load_vars(path), [1], "a task after them")


## Threads and tasks that save to one file: it is one of theirs, whole, at any time.
func test_threads_at_once() -> void:
	for count: int in by_threads():
		write(path, VarBatch.vars_to_frames([9, _noise, 9]))
		var save := func(i: int) -> int:
			var worst := 0
			for turn: int in 10:
				var mode := -1 if turn % 3 else int(FileAccess.COMPRESSION_ZSTD)
				var form: String = ["save_vars_async", "save_vars"][turn % 2]
				worst = maxi(worst, call_and_wait(form, [path, [i, _noise, i], false, mode]) as int)
			return worst
		var threads := start_threads(4, save)
		while any_alive(threads):
			var found := VarBatch.load_vars(path)
			var is_whole: bool = found.size() == 3 and found[0] == found[2] and found[1] == _noise
			check(is_whole, "%d values in the file" % found.size())
			await get_tree().process_frame
		check_value(end_threads(threads), [0, 0, 0, 0], "saves by %d threads" % count)
		check_names([path.get_file()], "one file")


## With signals instead of wait(): `finished` of each, with OK.
func test_many_tasks() -> void:
	var block := large()
	for count: int in by_threads():
		var watches: Array[Watch] = []
		for i: int in 10:
			block[0] = i
			watches.append(Watch.new(VarBatch.save_vars_async(path, block if i % 3 == 0 else [i])))
			if i == 4:
				check_int(VarBatch.save_vars(path, ["between"]), OK, "a save between")
		for watch: Watch in watches:
			check_value(await finished(watch, "a save"), OK as int, "one of many")
		check_value(VarBatch.load_vars(path)[0], 9, "the last one, %d threads" % count)


## The same file by another name. Links are tested in rust/storage/tests, file_order.rs.
func test_spellings() -> void:
	var spellings: PackedStringArray = [
		path,
		absolute(path),
		folder + "/inner/../saved.bin",
		folder + "/./saved.bin",
		folder + "\\saved.bin"
	]
	DirAccess.make_dir_absolute(folder + "/inner")
	for older: String in spellings:
		for newer: String in spellings:
			_check_spellings(older, newer, path)
	_check_spellings(absolute("res://" + _relative), "res://" + _relative, "res://" + _relative)
	_check_spellings("./" + _relative, _relative, _relative)
	for at: String in ["res://" + _relative, _relative]:
		DirAccess.remove_absolute(at)


## A later save that is cancelled swallows nothing, at whatever moment it is, nor one that fails.
func test_cancelled_and_failed() -> void:
	values = large()
	for count: int in by_threads():
		for delay: int in [0, 200, 1000, 5000, 20_000, 40_000]:
			VarBatch.save_vars(path, [0])
			var first := VarBatch.save_vars_async(path, [1])
			var later := VarBatch.save_vars_async(path, values)
			OS.delay_usec(delay)
			later.cancel()
			check_overtaken(first, false)
			var result: int = later.wait()
			check(result in [OK, ERR_SKIP], "a cancelled save: %d" % result)
			var found := VarBatch.load_vars(path)
			check_same(found, values if result == OK else [1], "cancelled, %d threads" % count)
			check_names([path.get_file()], "cancelled")
	var task := VarBatch.save_vars_async(path, NEW)
	var deep: Array = [NEW, Values.Engines.nested(2000, [])]
	var fail := func() -> int: return VarBatch.save_vars(path, deep)
	var code: int = expect_errors(fail, 1, "VarBatch.save_vars: cannot save")
	check_int(code, ERR_INVALID_DATA, "a save that fails")
	_check_saved(task)
	check_value(VarBatch.load_vars(path), NEW, "the task's")


func _check_spellings(older: String, newer: String, at: String) -> void:
	var what := "%s, then %s" % [older, newer]
	VarBatch.set_thread_count(1)
	var task := VarBatch.save_vars_async(older, [1])
	check_int(VarBatch.save_vars(newer, NEW), OK, what)
	check_overtaken(task, true)
	check_value(VarBatch.load_vars(at), NEW, what)


func _check_saved(task: VarBatchTask) -> void:
	check_value(task.wait(), OK as int, "result of a save")
	check_over(task, "a save")
	check_value(task.get_error_message(), "", "message of a save")

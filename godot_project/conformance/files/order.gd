extends "../tasks/tasks_base.gd"
## Saves and appends to one file, at once and by tasks that take long, under any of its names: it holds
## what the calls give one after the other, whichever is complete first.

const ROUNDS := 120
const SAVES: PackedStringArray = ["save_vars", "save_vars_async", "translate", "fail"]
const APPENDS: PackedStringArray = ["append_vars", "append_vars_async", "append_vars_async"]

var _random := RandomNumberGenerator.new()
var _large := large()
var _source := folder + "/godot3"
var _relative := "conformance_%d.tmp" % OS.get_process_id()
## The names of two files.
var _names: Array[PackedStringArray] = [
	[path, absolute(path), folder + "/in/../saved.bin", folder + "\\saved.bin"],
	["res://" + _relative, absolute("res://" + _relative), _relative, "./" + _relative],
]


func test_any_calls() -> void:
	DirAccess.make_dir_absolute(folder + "/in")
	write(_source, frame(VarBatch.var_to_bytes_in("translated", GODOT_3)))
	# In a browser, nothing can be removed from the project.
	if OS.has_feature("web"):
		_names.resize(1)
	for turn: int in ROUNDS / 3 if is_quick else ROUNDS:
		_random.seed = turn
		await _check_round(_names[turn % _names.size()], "round %d" % turn)
		DirAccess.remove_absolute(_names[turn % _names.size()][0])
		check_names(["godot3", "in"], "round %d" % turn)


func test_waiting_for_one_of_many() -> void:
	VarBatch.set_thread_count(1)
	var save := func(i: int) -> VarBatchTask: return VarBatch.save_var_async("%s/%d" % [folder, i], i)
	var tasks := range(200).map(save)
	end_saves(tasks.slice(-1))
	check_int(DirAccess.get_files_at(folder).size(), 1, "files after one was waited for")
	end_saves(tasks)
	check_int(DirAccess.get_files_at(folder).size(), tasks.size(), "files in the end")


## A removed file does not come back with an earlier save.
func _check_round(names_of_file: PackedStringArray, what: String) -> void:
	var count := _random.randi_range(1, 3)
	VarBatch.set_thread_count(count)
	# What is compressed takes no appends.
	var mode: int = [-1, -1, FileAccess.COMPRESSION_ZSTD][_random.randi() % 3]
	var calls: Array[Call] = []
	for number: int in _random.randi_range(2, 5):
		var methods := SAVES if mode >= 0 else SAVES + APPENDS
		var called := _called(methods[_random.randi() % methods.size()], number)
		_begin(called, names_of_file[_random.randi() % names_of_file.size()], mode)
		if called.method == "append_vars":
			var is_over := func(earlier: Call) -> bool: return earlier.is_finished()
			check(calls.all(is_over), "an earlier call is under way, " + what)
		calls.append(called)
		if count > 1:
			VarBatch.set_thread_count(_random.randi_range(2, 3))
	var file := names_of_file[0]
	var is_removed := calls[-1].method == "save_vars" and _random.randi() % 2 == 0
	if is_removed:
		check_int(DirAccess.remove_absolute(file), OK, "removing the file, " + what)
	await _end(calls)
	var expected: Array = []
	for at: int in calls.size():
		var is_late := at + 1 < calls.size() and calls[at + 1].method in ["save_vars", "translate"]
		if _check_ended(calls[at], is_late and count == 1) == OK:
			expected = (expected if calls[at].method in APPENDS else []) + calls[at].values
	what += ": %s" % [calls.map(func(of: Call) -> String: return of.method)]
	check(FileAccess.file_exists(file) != (is_removed or expected.is_empty()), "the file, " + what)
	if FileAccess.file_exists(file):
		check_same(VarBatch.load_vars(file), expected, what)


func _called(method: String, number: int) -> Call:
	var called := Call.new()
	called.method = method
	called.values = [number]
	if method == "translate":
		called.values = ["translated"]
	elif method == "fail":
		called.values.append(Engines.nested(2000))
	elif method.ends_with("_async") and _random.randi() % 2:
		called.values += _large
	return called


func _begin(called: Call, to: String, mode: int) -> void:
	if called.method == "translate":
		called.result = VarBatch.transcode_file(_source, to, GODOT_3, GODOT_4)
	elif called.method == "fail":
		var fail := func() -> int: return VarBatch.save_vars(to, called.values)
		called.result = expect_errors(fail, 1, "VarBatch.save_vars: cannot save")
	else:
		var more: Array = [] if called.method in APPENDS else [false, mode]
		called.result = call_method(called.method, [to, called.values] + more)
	if called.task():
		called.watch = Watch.new(called.task())
		OS.delay_usec([0, 0, 300, 3000, 30_000][_random.randi() % 5])
		called.is_cancelled = _random.randi() % 4 == 0
		if called.is_cancelled:
			called.task().cancel()


func _end(calls: Array[Call]) -> void:
	var tasks := calls.filter(func(called: Call) -> bool: return called.task() != null)
	var first := _random.randi_range(-1, 1)
	if tasks and first < 1:
		(tasks[first] as Call).task().wait()
	for called: Call in tasks:
		var result: Variant = await finished(called.watch, called.method)
		check_value(result, called.task().wait(), "the result, " + called.method)
		check_value(result, called.task().get_error(), "the error, " + called.method)
		called.result = result


## Returns the code of a call. A save or append that was not the last one has not failed.
func _check_ended(called: Call, is_surely_late: bool) -> int:
	var code: int = called.result
	if called.watch == null:
		check_int(code, ERR_INVALID_DATA if called.method == "fail" else OK, called.method)
	else:
		check(code == OK or called.is_cancelled and code == ERR_SKIP, "code %d" % code)
		var text := called.last_task.get_error_message()
		var is_told := text == OVERTAKEN or code == ERR_SKIP or text.is_empty() and not is_surely_late
		check(is_told, "the message of %s: '%s'" % [called.method, text])
	return code


func test_saves_of_threads() -> void:
	for count: int in by_threads():
		write(path, VarBatch.vars_to_frames([9, _noise, 9]))
		var save := func(i: int) -> int:
			var worst := 0
			for turn: int in 10:
				var mode := -1 if turn % 3 else int(FileAccess.COMPRESSION_ZSTD)
				var form: String = ["save_vars_async", "save_vars"][turn % _names.size()]
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


func test_appends_of_threads() -> void:
	for count: int in by_threads():
		DirAccess.remove_absolute(path)
		var append := func(thread: int) -> int:
			var worst := 0
			for i: int in 10:
				VarBatch.append_vars_async(path, [[thread, 2 * i]])
				worst = maxi(worst, VarBatch.append_vars(path, [[thread, 2 * i + 1]]))
			return worst
		var threads := start_threads(3, append)
		# Without other threads, the tasks run here.
		await until(func() -> bool: return not any_alive(threads), "all threads are over")
		check_value(end_threads(threads), [0, 0, 0], "appends on %d threads" % count)
		var next := [0, 0, 0]
		for value: Array in VarBatch.load_vars(path):
			check_int(value[1] as int, next[value[0]] as int, "the next one of a thread")
			next[value[0]] += 1
		check_value(next, [20, 20, 20], "values of each thread")


class Call:
	var method := ""
	var values: Array = []
	## The code, or the task until it has ended.
	var result: Variant
	var watch: Watch
	var is_cancelled := false
	var last_task: VarBatchTask

	func task() -> VarBatchTask:
		last_task = result if result is VarBatchTask else last_task
		return last_task

	func is_finished() -> bool:
		return task() == null or task().is_finished()

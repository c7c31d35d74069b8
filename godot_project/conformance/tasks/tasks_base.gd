extends "../files/files_base.gd"
## Base of the suites on tasks: every kind of task beside the call that does the same at once.

## More than any task takes, in milliseconds: then it is said to hang.
const PATIENCE := 20_000
const KINDS: PackedStringArray = ["to bytes", "to frames", "from bytes", "from frames", "save", "load"]
const METHODS: Dictionary[String, String] = {
	"to bytes": "vars_to_bytes", "to frames": "vars_to_frames", "from bytes": "bytes_to_vars",
	"from frames": "frames_to_vars", "save": "save_vars", "load": "load_vars",
}
const FROM: PackedStringArray = ["from bytes", "from frames", "load"]

## How a task may end.
const ENDS: PackedStringArray = ["await", "wait", "wait on a thread", "signals"]

## The message of a save that is not the last one.
const OVERTAKEN := "a later save of the same file replaced it"

## What plain() and start() work on.
var values: Array = []
var objects := false

var _buffers: Array = []
var _frames := PackedByteArray()
var _loaded_path := folder + "/loaded.bin"


func use(these: Array, whole_objects := false) -> void:
	values = these
	objects = whole_objects
	_buffers = VarBatch.vars_to_bytes(values, objects)
	_frames = VarBatch.vars_to_frames(values, objects)
	write(_loaded_path, _frames)


## What the call of this kind gives at once. It has the only reference to what it decodes, not as
## where it is called by its name.
func plain(kind: String) -> Variant:
	match kind:
		"from bytes":
			return VarBatch.bytes_to_vars(_buffers, objects)
		"from frames":
			return VarBatch.frames_to_vars(_frames, objects)
	return call_method(METHODS[kind], _arguments(kind))


func start(kind: String) -> VarBatchTask:
	return call_method(METHODS[kind] + "_async", _arguments(kind))


func _arguments(kind: String) -> Array:
	match kind:
		"from bytes":
			return [_buffers, objects]
		"from frames":
			return [_frames, objects]
		"save":
			return [path, values, objects]
		"load":
			return [_loaded_path, objects]
	return [values, objects]


func check_result(found: Variant, expected: Variant, kind: String, what: String) -> void:
	var shown := "%s, %s" % [kind, what]
	check_like(found, expected, shown)
	if kind == "save":
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "file of " + shown)


func each_kind(test: Callable, kinds := KINDS) -> void:
	for count: int in by_threads():
		for kind: String in kinds:
			await test.call(kind, "%d threads" % count)


## The result of a task that ends in one of the ways. While a thread waits, the game goes on.
func result_of(task: VarBatchTask, end: String) -> Variant:
	match end:
		"await":
			return await task.finished
		"wait":
			return task.wait()
		"signals":
			return await finished(Watch.new(task), end)
	var threads := start_threads(1, task.wait.unbind(1))
	await until(func() -> bool: return not any_alive(threads), "a thread ends")
	return end_threads(threads)[0]


## Waits until the task of [param watch] has finished, looks at its signals, and returns its result.
func finished(watch: Watch, what: String) -> Variant:
	await until(watch.is_finished, "%s has finished" % what)
	await frames_pass(2)
	check_int(watch.results.size(), 1, "finished, %s" % what)
	check(watch.problems.is_empty(), "signals of %s: %s" % [what, watch.problems])
	return watch.results[0] if watch.results else null


func frames_pass(count: int) -> void:
	for i: int in count:
		await get_tree().process_frame


func until(condition: Callable, what: String) -> void:
	var limit := Time.get_ticks_msec() + PATIENCE * slowness
	while not condition.call() and Time.get_ticks_msec() < limit:
		await get_tree().process_frame
	check(condition.call() as bool, "in vain waited until %s" % what)


func check_over(task: VarBatchTask, what: String) -> void:
	check(task.is_finished(), "%s: not finished" % what)
	check(task.get_progress() == 1.0, "%s: progress %s" % [what, task.get_progress()])
	check_int(task.get_error(), OK, "get_error of %s" % what)
	var message := task.get_error_message()
	check(message in ["", OVERTAKEN], "get_error_message of %s: '%s'" % [what, message])


## Values that take some tens of milliseconds at least: 32 MiB that are borrowed.
func large() -> Array:
	var block := _noise + _noise + _noise
	return range(110).map(func(i: int) -> PackedByteArray: return block.slice(i))


## Values that take as long in many small steps.
func many() -> Array:
	return range(60_000).map(func(i: int) -> Dictionary: return {"i": i, "name": str(i), "at": Vector3(i, 0, -i)})


## Hears the signals of one task, and notes what they said, and where.
class Watch:
	## What `finished` was emitted with, each time.
	var results: Array = []
	var fractions: PackedFloat64Array = []
	## Signals that did not come on the main thread, and `progressed` after `finished`.
	var problems := PackedStringArray()

	var _mutex := Mutex.new()

	func _init(task: VarBatchTask) -> void:
		task.progressed.connect(_on_progressed)
		task.finished.connect(_on_finished)

	func is_finished() -> bool:
		_mutex.lock()
		var found := not results.is_empty()
		_mutex.unlock()
		return found

	func _on_progressed(fraction: float) -> void:
		var least := fractions[-1] if fractions else 0.0
		_refuse(not (fraction >= least and fraction <= 1.0), "a fraction of %s after %s" % [fraction, least])
		_refuse(is_finished(), "progressed after finished")
		_refuse(OS.get_thread_caller_id() != OS.get_main_thread_id(), "progressed on another thread")
		fractions.append(fraction)

	func _on_finished(result: Variant) -> void:
		_refuse(OS.get_thread_caller_id() != OS.get_main_thread_id(), "finished on another thread")
		_mutex.lock()
		results.append(result)
		_mutex.unlock()

	func _refuse(is_bad: bool, problem: String) -> void:
		if is_bad:
			_mutex.lock()
			problems.append(problem)
			_mutex.unlock()

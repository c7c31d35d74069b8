extends "../files/files_base.gd"
## Base of the suites on tasks: every kind of task beside the call that does the same at once.

const Watch := preload("watch.gd")

## More than any task takes, in milliseconds: then it is said to hang.
const PATIENCE := 20_000
const KINDS: PackedStringArray = [
	"to bytes", "to frames", "from bytes", "from frames", "save", "load"
]

## The message of a save that is not the last one.
const OVERTAKEN := "a later save of the same file replaced it"

## What plain() and start() work on.
var values: Array = []
var objects := false

var _buffers: Array[PackedByteArray] = []
var _frames := PackedByteArray()
var _loaded_path := folder + "/loaded.bin"


## The values of the tasks that follow.
func use(these: Array, whole_objects := false) -> void:
	values = these
	objects = whole_objects
	_buffers = VarBatch.vars_to_bytes(values, objects)
	_frames = VarBatch.vars_to_frames(values, objects)
	write(_loaded_path, _frames)


## What the call of this kind gives at once.
func plain(kind: String) -> Variant:
	match kind:
		"to bytes":
			return VarBatch.vars_to_bytes(values, objects)
		"to frames":
			return VarBatch.vars_to_frames(values, objects)
		"from bytes":
			return VarBatch.bytes_to_vars(_buffers, objects)
		"from frames":
			return VarBatch.frames_to_vars(_frames, objects)
		"save":
			return VarBatch.save_vars(path, values, objects) as int
	return VarBatch.load_vars(_loaded_path, objects)


func start(kind: String) -> VarBatchTask:
	match kind:
		"to bytes":
			return VarBatch.vars_to_bytes_async(values, objects)
		"to frames":
			return VarBatch.vars_to_frames_async(values, objects)
		"from bytes":
			return VarBatch.bytes_to_vars_async(_buffers, objects)
		"from frames":
			return VarBatch.frames_to_vars_async(_frames, objects)
		"save":
			return VarBatch.save_vars_async(path, values, objects)
	return VarBatch.load_vars_async(_loaded_path, objects)


## Two results of this kind; a save's file is looked at as well.
func check_result(found: Variant, expected: Variant, kind: String, what: String) -> void:
	var shown := "%s, %s" % [kind, what]
	if expected is Array and not (expected as Array).is_typed():
		check(found is Array, "%s: found a %s" % [shown, type_string(typeof(found))])
		if found is Array:
			check_same(found as Array, expected as Array, shown)
	else:
		check_value(found, expected, shown)
	if kind == "save":
		check_bytes(FileAccess.get_file_as_bytes(path), _frames, "file of " + shown)


## Waits until the task of [param watch] has finished, looks at its signals, and returns its result.
func finished(watch: Watch, what: String) -> Variant:
	var until := Time.get_ticks_msec() + PATIENCE * slowness
	while not watch.is_finished() and Time.get_ticks_msec() < until:
		await get_tree().process_frame
	# There must not be another one.
	await frames_pass(2)
	check_int(watch.results.size(), 1, "finished, %s" % what)
	check(watch.problems.is_empty(), "signals of %s: %s" % [what, watch.problems])
	return watch.results[0] if watch.results else null


func frames_pass(count: int) -> void:
	for i: int in count:
		await get_tree().process_frame


## Waits until [param condition] holds.
func until(condition: Callable, what: String) -> void:
	var limit := Time.get_ticks_msec() + PATIENCE * slowness
	while not condition.call() and Time.get_ticks_msec() < limit:
		await get_tree().process_frame
	check(condition.call() as bool, "in vain waited until %s" % what)


## How many objects there are some frames from now. Counted within a function that is awaited, as in
## until_objects(): each of those is an object.
func count_objects() -> int:
	await frames_pass(3)
	return _object_count()


## Waits until there are no more than so many.
func until_objects(count: int, what: String) -> void:
	var limit := Time.get_ticks_msec() + PATIENCE * slowness
	while _object_count() > count and Time.get_ticks_msec() < limit:
		await get_tree().process_frame
	check(_object_count() <= count, "%s: %d objects, not %d" % [what, _object_count(), count])


## That a task is over, well.
func check_over(task: VarBatchTask, what: String) -> void:
	check(task.is_finished(), "%s: not finished" % what)
	check(task.get_progress() == 1.0, "%s: progress %s" % [what, task.get_progress()])
	check_int(task.get_error(), OK, "get_error of %s" % what)
	var message := task.get_error_message()
	check(message in ["", OVERTAKEN], "get_error_message of %s: '%s'" % [what, message])


## Values that take some tens of milliseconds at least: 32 MiB that are borrowed.
func large() -> Array:
	var block := _noise + _noise + _noise
	var made: Array = []
	for i: int in 110:
		made.append(block.slice(i))
	return made


## Values that take as long in many small steps.
func many() -> Array:
	var made: Array = []
	for i: int in 60_000:
		made.append({"i": i, "name": str(i), "at": Vector3(i, 0, -i)})
	return made


static func _object_count() -> int:
	return roundi(Performance.get_monitor(Performance.OBJECT_COUNT))

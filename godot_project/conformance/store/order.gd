extends "store_base.gd"
## Calls to one store take effect in the order in which they were made, whichever thread makes them, in
## the background or not.

const Meddler := preload("../hostile/meddler.gd")
const Child := preload("../support/child.gd")

## In microseconds: what a call in the background may take its caller, and what a test's machine may add.
const MAX_BLOCKED := 1000

var random := RandomNumberGenerator.new()


func finish() -> void:
	Meddler.reset()
	super()


## Random calls against a Dictionary. Nothing waits for the tasks until the end.
func test_random_calls() -> void:
	random.seed = 34
	for _count: int in by_threads():
		store = open()
		var model := {}
		for key: Variant in store.get_keys():
			model[key] = store.load_var(key)
		var tasks: Array[VarBatchTask] = []
		var expected: Array = []
		for turn: int in 60 if is_quick else 400:
			_call_at_random(turn, model, tasks, expected)
		for i: int in tasks.size():
			check_value(tasks[i].wait(), expected[i], "task %d" % i)
		check_value(store.load_vars(model.keys()), model.values(), "the values at the end")
		check_int(store.get_key_count(), model.size(), "their number")
		store.close()


func _call_at_random(turn: int, model: Dictionary, tasks: Array[VarBatchTask], expected: Array) -> void:
	var some := {}
	for i: int in random.randi_range(1, 12):
		some[random.randi_range(0, 30)] = filled_bytes(random.randi_range(0, 20_000), turn % 256)
	match random.randi_range(0, 7):
		0:
			check_int(store.save_vars(some), OK, "save")
			model.merge(some, true)
		1, 2, 3:
			tasks.append(store.save_vars_async(some, [turn % 30]))
			expected.append(OK)
			model.erase(turn % 30)
			model.merge(some, true)
			# The task saves what the values were.
			for key: int in some:
				(some[key] as PackedByteArray).append(1)
		4, 5:
			var keys := some.keys()
			tasks.append(store.load_vars_async(keys))
			expected.append(keys.map(func(key: int) -> Variant: return model.get(key)))
		6:
			var key := random.randi_range(0, 40)
			check_value(store.load_var(key, "none"), model.get(key, "none"), "load %d" % key)
		7:
			tasks.append(store.compact_async())
			expected.append(OK)


## Scripts that run while objects are loaded and saved use the same store.
func test_meddling() -> void:
	store = open()
	check_int(store.save_vars({1: Meddler.new(), 2: Meddler.new(), 3: 0}, [], true), OK, "save")
	for method: String in ["load_vars", "load_vars_async"]:
		Meddler.on_init = func() -> void: store.save_var(3, store.load_var(3) + 1)
		var found: Variant = store.call(method, [1, 2], [Meddler])
		# Waits for the reading of the task, and not for its scripts.
		check(store.load_var(3) >= 0, "a load meanwhile")
		var both: Array = (found as VarBatchTask).wait() if found is VarBatchTask else found
		Meddler.reset()
		check(both[0] is Meddler and both[1] is Meddler, "%s: %s" % [method, both])
	check_int(store.load_var(3) as int, 4, "saves by scripts")
	Meddler.on_get = func() -> void: store.save_var(4, 4)
	check_int(store.save_vars({5: Meddler.new()}, [], true), OK, "a getter that saves")
	check(store.has_key(4) and store.has_key(5), "both saves")


func test_threads() -> void:
	store = open()
	var work := func(index: int) -> int:
		var wrong := 0
		for turn: int in 30:
			wrong += int(store.save_vars({index: turn, "last": index}) != OK)
			wrong += int(store.load_var(index) != turn)
			wrong += int(store.load_vars_async([index]).wait() != [turn])
		return wrong
	for wrong: int in end_threads(start_threads(4, work)):
		check_int(wrong, 0, "wrong results of a thread")
	check_int(store.get_key_count(), 5, "keys")


func test_cancel() -> void:
	store = open()
	check_int(store.save_var("whole", 1), OK, "save")
	var values := {}
	for key: int in 500:
		values[key] = filled_bytes(20_000, 7)
	var cancelled := 0
	for turn: int in 10:
		var task := store.save_vars_async(values, ["whole"])
		OS.delay_usec(turn * 500)
		task.cancel()
		task.wait()
		cancelled += int(task.get_error() == ERR_SKIP)
		var is_saved := task.get_error() == OK
		check_int(store.get_key_count(), 500 if is_saved else 1, "all or nothing")
		check(store.erase_keys(range(500)) == OK and store.save_var("whole", 1) == OK, "saves go on")
	check(cancelled > 0, "no task was cancelled")


## A hundred chunks, with checkpoints under way: the caller goes on at once.
func test_blocked() -> void:
	store = open()
	var chunks := {}
	for key: int in 200:
		chunks[Vector2i(key, key)] = filled_bytes(16_384, key)
	var blocked: Array[int] = []
	var tasks: Array[VarBatchTask] = []
	for turn: int in 30:
		var started := Time.get_ticks_usec()
		tasks.append(store.save_vars_async(chunks))
		blocked.append(Time.get_ticks_usec() - started)
	for task: VarBatchTask in tasks:
		check_int(task.wait() as int, OK, "save")
	blocked.sort()
	check(blocked[15] < MAX_BLOCKED * slowness, "a caller waited, in microseconds: %s" % [blocked])


## A process that has the file keeps another one out, until it ends.
func test_two_processes() -> void:
	store = open()
	check_int(store.save_var(1, 1), OK, "save")
	for expected: String in ["busy", "opened"]:
		var lines := Child.probe(self, "store/other_process", [path])
		if lines.is_empty():
			return  # No other process can be started here.
		check("it is " + expected in lines, "it is not %s: %s" % [expected, lines])
		store.close()
	store = open()
	check_value(store.load_var(1), 2, "what the other one has saved")

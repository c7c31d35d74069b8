extends "store_base.gd"
## Calls to one store take effect in the order in which they were made, whichever thread makes them, in the
## background or not. What a load finds while saves wait, and saves that share a commit.

## In microseconds: what a call in the background may take its caller, and what a test's machine may add.
const MAX_BLOCKED := 1000

var random := Values.seeded(34)


func test_random_calls() -> void:
	for _count: int in by_threads():
		store = open()
		var model := Values.keyed(store.get_keys(), func(key: Variant) -> Variant: return store.load_var(key))
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


func test_meddling() -> void:
	open_with({1: Meddler.new(), 2: Meddler.new(), 3: 0}, true)
	for method: String in ["load_vars", "load_vars_async"]:
		Meddler.on_init = func() -> void: store.save_var(3, store.load_var(3) + 1)
		var found: Variant = store.call(method, [1, 2], [Meddler])
		# Waits for the reading of the task, and not for its scripts.
		check(store.load_var(3) >= 0, "a load meanwhile")
		var both: Array = waited(found)
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
	check_value(end_threads(start_threads(4, work)), [0, 0, 0, 0], "wrong results of threads")
	check_int(store.get_key_count(), 5, "keys")


func test_cancel() -> void:
	open_with({"whole": 1})
	var values := Values.keyed(range(500), func(_key: int) -> PackedByteArray: return filled_bytes(20_000, 7))
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
	var places := range(200).map(func(i: int) -> Vector2i: return Vector2i(i, i))
	var chunks := Values.keyed(places, func(at: Vector2i) -> PackedByteArray: return filled_bytes(16_384, at.x))
	var blocked: Array[int] = []
	var tasks: Array[VarBatchTask] = []
	for turn: int in 30:
		var started := Time.get_ticks_usec()
		tasks.append(store.save_vars_async(chunks))
		blocked.append(Time.get_ticks_usec() - started)
	end_saves(tasks)
	blocked.sort()
	check(blocked[15] < MAX_BLOCKED * slowness, "a caller waited, in microseconds: %s" % [blocked])


## A process that opens the store whose path it is given, saves, and is killed by its end.
func run_alone() -> void:
	VarBatch.set_print_error_messages(false)
	store = open(Child.own_arguments()[0])
	print("it is ", "opened" if store else "busy" if VarBatch.get_last_error() == ERR_BUSY else "refused")
	if store:
		store.save_vars_async({1: 2})


func test_two_processes() -> void:
	open_with({1: 1})
	for expected: String in ["busy", "opened"]:
		var lines := Child.probe(self, "store/order", [path])
		if lines.is_empty():
			return  # No other process can be started here.
		check("it is " + expected in lines, "it is not %s: %s" % [expected, lines])
		store.close()
	store = open()
	check_value(store.load_var(1), 2, "what the other one has saved")


func test_queued_values() -> void:
	for _count: int in by_threads():
		open_with({1: "old", 2: "old", 3: "old", "a": 1, "b": 2, "c": 3})
		var tasks: Array[VarBatchTask] = [
			store.save_vars_async({0: Packed.make(TYPE_PACKED_BYTE_ARRAY, 20_000_000), 1: "new"}),
			store.save_vars_async({2: "newer", 5: null}, [3]),
			store.erase_range_async("b", "c"),
			store.save_vars_async({"bb": [7]}),
		]
		var loaded: Array = ["new", "newer", null, null, 1, null, [7]]
		check_value(store.load_vars([1, 2, 3, 5, "a", "b", "bb"]), loaded, "loads")
		check_value(store.load_var(3, "default"), "default", "erased")
		check_value(store.load_var(5, "default"), null, "a null that was saved")
		check(store.has_key(5) and not store.has_key(3) and not store.has_key("b") and store.has_key("bb"), "has_key")
		check_value(Array(store.check_keys([0, 1, 3, 5, "b", "bb", 9])), [1, 1, 0, 1, 0, 1, 0], "check_keys")
		check_value(store.get_keys(), [0, 1, 2, 5, "a", "bb", "c"], "keys")
		check_int(store.get_key_count(1, 5), 2, "keys from 1 to 4")
		check_value(store.get_keys_async("a", "c").wait(), ["a", "bb"], "keys, by a task")
		end_saves(tasks)
		check_value(store.get_keys(), [0, 1, 2, 5, "a", "bb", "c"], "keys, saved")
		check_value(store.load_vars([1, 2, 3, 5, "a", "b", "bb"]), loaded, "saved")
		check_int(store.erase_all(), OK, "erase all")
		store.close()


func test_cancelled() -> void:
	open_with({1: 0, 2: 0})
	for i: int in 60:
		store.save_vars_async({0: filled_bytes(300_000, i)})
		var kept := store.save_vars_async({1: i})
		var dropped := store.save_vars_async({1: -1, 3: i})
		var last := store.save_vars_async({2: i})
		if i % 3 == 0:
			OS.delay_usec(i * 50)
		dropped.cancel()
		var is_cancelled: bool = dropped.wait() == ERR_SKIP
		check_value(store.load_vars([1, 2]), [i if is_cancelled else -1, i], "as if it had not been called")
		end_saves([kept, last])
		check_value(store.load_vars([1, 2]), [i if is_cancelled else -1, i], "saved")
		check(store.has_key(3) != is_cancelled or i > 0, "its other key")
		store.erase_keys([3])
	var task := store.compact_async()
	task.cancel()
	check(task.wait() in [OK, ERR_SKIP], "a compaction that was cancelled is %s" % [task.get_result()])


## A thousand saves are a few commits, and take little time each however many there are.
func test_many_saves() -> void:
	store = open()
	var times: PackedInt64Array = []
	for count: int in [500, 2000]:
		var started := Time.get_ticks_usec()
		var tasks: Array[VarBatchTask] = []
		for i: int in count:
			tasks.append(store.save_vars_async({"x": i, i: i}))
			if i % 100 == 0:
				check_value(store.load_var("x"), i, "while they wait")
		end_saves(tasks)
		times.append(Time.get_ticks_usec() - started)
		check_value([store.load_var("x"), store.get_key_count()], [count - 1, count + 1], "all are saved")
	check(times[1] < 12 * times[0] + 500_000, "four times as many took %s us" % [times])


## Against a Dictionary: ranges that are erased and saves on top of each other, some of them cancelled, while all of them wait.
func test_queued_ranges() -> void:
	random.seed = 52
	for round: int in 12:
		var model := Values.keyed(range(200), func(_i: int) -> int: return -1)
		open_with(model)
		# Long, so that the others wait for it.
		store.save_vars_async({-1: Packed.make(TYPE_PACKED_BYTE_ARRAY, 4_000_000)})
		for turn: int in 60:
			var from := random.randi_range(0, 210)
			var to := random.randi_range(0, 210)
			var is_cancelled := random.randi() % 5 == 0
			var task: VarBatchTask
			var next := model.duplicate()
			if random.randi() % 2:
				task = store.erase_range_async(from, to)
				for i: int in range(from, to):
					next.erase(i)
			else:
				task = store.save_vars_async({from: turn}, [to])
				next.erase(to)
				next[from] = turn
			if is_cancelled:
				task.cancel()
				is_cancelled = task.wait() == ERR_SKIP
			model = model if is_cancelled else next
			var key := random.randi_range(0, 210)
			check_value(store.load_var(key, "none"), model.get(key, "none"), "key %d" % key)
		var keys := model.keys()
		keys.sort()
		check_value(store.get_keys(0), keys, "keys")
		check_value(store.load_vars(keys), keys.map(func(key: int) -> Variant: return model[key]), "values")
		close_and_open()
		check_value(store.get_keys(0), keys, "keys, opened again")
		check_int(store.erase_all(), OK, "erase all")
		store.close()


## Times as many saves and ranges wait, and loads take as many times as long.
func test_many_ranges() -> void:
	var load_all := func(tasks: Array) -> void:
		for i: int in tasks.size():
			check_value(store.load_var(i * 10), null, "erased")
	_check_time_of(load_all, 10)


## Times as many are cancelled, and the next save takes as many times as long.
func test_many_ranges_that_are_cancelled() -> void:
	var cancel := func(tasks: Array) -> void:
		tasks.map(func(task: VarBatchTask) -> void: task.cancel())
		check_int(store.save_var(0, 0), OK, "save")
		check_value(store.load_var(0), 0, "what was saved")
	_check_time_of(cancel, 8)


## Of [param action], while a long save and ranges wait.
func _check_time_of(action: Callable, most: int) -> void:
	store = open()
	var erase := func(i: int) -> VarBatchTask: return store.erase_range_async(i * 10, i * 10 + 5)
	var times: PackedInt64Array = []
	for count: int in [1000, 4000]:
		store.save_vars_async({"long": Packed.make(TYPE_PACKED_BYTE_ARRAY, 30_000_000)})
		var tasks := range(count).map(erase)
		var started := Time.get_ticks_usec()
		action.call(tasks)
		times.append(Time.get_ticks_usec() - started)
		check_int(store.save_var(0, 0), OK, "save")
	check(times[1] < most * times[0] + 100_000, "four times as many took %s us" % [times])


## A thread loads without a pause: the file becomes smaller, and the journal does not grow.
func test_upkeep_beside_loads() -> void:
	open_with({0: filled_bytes(100_000, 1), 1: 1})
	var is_over := [false]
	var work := func(_index: int) -> int:
		var count := 0
		while not is_over[0]:
			count += store.load_vars([0, 1]).size()
		return count
	var threads := start_threads(1, work)
	# On a machine with much else to do, the loads have turns for longer.
	var count := 0
	var journal := 0
	while count < 600 or count < 6000 and journal > 80_000 * count:
		check_int(store.save_var(count % 20 + 2, filled_bytes(100_000, count % 256)), OK, "save")
		journal = FileAccess.get_size(path + "-wal")
		count += 1
	for i: int in 5:
		check_int(store.erase_range(2 + i, 3 + i), OK, "erase")
		check_int(store.compact_async().wait() as int, OK, "compact")
	is_over[0] = true
	end_threads(threads)
	check(journal < 80_000 * count, "the journal has %d bytes after %d saves" % [journal, count])
	# A copy holds an older state for longer.
	var backup := store.backup_async(folder + "/backup.store")
	check_int(store.compact_async().wait() as int, OK, "compact beside a copy")
	check_int(backup.wait() as int, OK, "backup")


## Whoever erases all waits for loads; a load waits for neither.
func test_loads_beside_one_that_erases() -> void:
	if not OS.has_feature("threads"):
		return
	store = open()
	var work := func(index: int) -> int:
		OS.delay_msec(5 * index)
		var begin := Time.get_ticks_usec()
		if index == 0:
			store.load_vars(range(100))
		else:
			check_int(store.erase_all(), OK, "erase all")
		return Time.get_ticks_usec() - begin
	for _attempt: int in 20:
		for from: int in range(0, 100, 20):
			var values := Values.keyed(range(from, from + 20), func(i: int) -> PackedByteArray: return filled_bytes(1_000_000, i))
			check_int(store.save_vars(values), OK, "save")
		close_and_open()
		var threads := start_threads(2, work)
		OS.delay_msec(10)
		var begin := Time.get_ticks_usec()
		store.load_var(5)
		var took := Time.get_ticks_usec() - begin
		var others := end_threads(threads)
		if took < mini(others[0] as int, others[1] as int) / 2:
			return
	check(false, "each load waited for the long one")


func test_more_loads_than_readers() -> void:
	if not OS.has_feature("threads"):
		return
	store = open()
	var is_over := [false]
	var work := func(_index: int) -> int:
		while not is_over[0]:
			store.load_vars([1, 2, 3])
		return OK
	var threads := start_threads(8, work)
	var codes := {}
	for turn: int in 100:
		codes[store.erase_all()] = turn
		check_int(store.save_var(1, turn), OK, "save")
	is_over[0] = true
	end_threads(threads)
	check_value(codes.keys(), [OK], "erase_all")


func test_one_that_fails() -> void:
	open_with({0: 0})
	store.save_vars_async({9: Packed.make(TYPE_PACKED_BYTE_ARRAY, 10_000_000)})
	var good := store.save_vars_async({1: 1})
	var deep := Engines.nested(1100)
	var bad: Variant = expect_errors(func() -> Variant: return store.save_vars_async({2: deep}).wait(), 1, "key 2: ")
	check_int(bad as int, ERR_INVALID_DATA, "too deep")
	end_saves([store.save_vars_async({3: 3}), good])
	check_value(store.load_vars([1, 2, 3]), [1, null, 3], "what is saved")


func test_ranges() -> void:
	store = open()
	var values := {}
	for x: int in range(-20, 20):
		for y: int in range(-20, 20):
			values[Vector2i(x, y)] = x * 100 + y
	for i: int in range(-50, 50):
		values[i] = i
		values["key/%d" % i] = i
		values[&"name/%d" % i] = i
	check_int(store.save_vars(values), OK, "save")
	check_value(store.get_keys(-3, 4), range(-3, 4), "ints")
	var column: Array = range(-20, 20).map(func(y: int) -> Vector2i: return Vector2i(-7, y))
	check_value(store.get_keys(Vector2i(-7, -20), Vector2i(-6, -20)), column, "a column")
	check_value(store.get_keys(Vector2i(19, 18)), [Vector2i(19, 18), Vector2i(19, 19)], "to the last")
	check_int(store.get_key_count(null, 0), 50, "from the first")
	check_int(store.get_key_count(), values.size(), "all")
	check_int(store.get_key_count_with_prefix("key/"), 100, "a prefix")
	check_value(store.get_keys_with_prefix("key/4"), ["key/4"] + range(40, 50).map(func(i: int) -> String: return "key/%d" % i), "prefix")
	check_int(store.erase_range(0, 10), OK, "erase a range")
	check_int(store.erase_prefix("key/-"), OK, "erase a prefix")
	check_value(store.get_keys(-2, 12), [-2, -1, 10, 11], "what is left")
	check_int(store.get_key_count_with_prefix("key/"), 50, "of the prefix")
	check_int(store.erase_prefix_async("name/").wait() as int, OK, "in the background")
	check_int(store.get_key_count(), values.size() - 10 - 50 - 100, "all that is left")
	check_int(store.get_key_count(10, 0), 0, "an empty range")
	close_and_open()
	check_int(store.get_key_count(), values.size() - 10 - 50 - 100, "opened again")


func test_freed_objects_are_no_keys() -> void:
	store = open()
	var node := Node.new()
	var keys: Array = [node, [1, node]]
	node.free()
	for key: Variant in keys:
		expect_errors(store.save_var.bind(key, 1), 1, "expected a key without objects")
		expect_errors(store.has_key.bind(key), 1, "expected a key without objects")
	check_int(store.get_key_count(), 0, "keys")

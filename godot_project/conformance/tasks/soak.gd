extends "tasks_base.gd"
## Tasks of all kinds by the thousand, started, cancelled, waited for, awaited and let go at random, by several threads
## and the main one, while the number of threads changes, with calls that do the same at once among them. Every result
## is right, or the task was cancelled; each task says once that it is over; and nothing is left of them.

const TASKS := 10_000
const THREADS := 4
const QUARTERS := 4
## Tasks that one thread holds at a time.
const HELD := 8
const KIB := 1024
## What a process may grow by from the second quarter to the last. Memory that the engine counts is
## as it was, but for what it keeps for later; what the system counts goes up and down.
const MAX_STATIC_GROWTH := 512 * KIB
const MAX_RESIDENT_GROWTH := 24 * 1024 * KIB

var _payloads: Array[Payload] = []
## Of numbers of threads.
var _counts := Values.seeded(5)
var _mutex := Mutex.new()
var _problems := PackedStringArray()
## Those of the main thread: of others a signal may come before there is time to connect to it.
var _watches: Array[Watch] = []
var _skipped := 0


func test_at_random() -> void:
	var lists: Array[Array] = [
		[], Values.mixed(40).filter(is_kept), [_noise], range(2000),
		sized(300, func(i: int) -> int: return i * 5),
		range(200).map(func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i]}),
		["日本語 text".repeat(2000), PackedStringArray(range(500).map(str))],
	]
	for i: int in lists.size():
		_payloads.append(Payload.new(lists[i], "%s/load %d.bin" % [folder, i]))
	# The first one makes what all of them share.
	call_and_wait("save_vars_async", _payloads[0].arguments("save", path, -1))
	await frames_pass(3)
	var static_memory := PackedInt64Array()
	var resident := PackedInt64Array()
	for quarter: int in QUARTERS:
		await _run_quarter(quarter)
		static_memory.append(OS.get_static_memory_usage())
		resident.append(Child.status("VmRSS:"))
	check(_problems.is_empty(), "%d problems: %s" % [_problems.size(), _problems.slice(0, 4)])
	var started := QUARTERS * (THREADS + 1) * (part_of(TASKS) / QUARTERS / (THREADS + 1))
	check(_skipped > started / 50, "only %d of %d were cancelled" % [_skipped, started])
	var growth := static_memory[3] - static_memory[1]
	check(growth <= MAX_STATIC_GROWTH, "memory after each quarter: %s" % static_memory)
	growth = resident[3] - resident[1]
	check(growth <= MAX_RESIDENT_GROWTH, "resident after each quarter: %s" % resident)
	var text := "  soak: %d tasks, %d cancelled; KiB after each quarter: %s counted, %s resident"
	print(text % [started, _skipped, _in_kib(static_memory), _in_kib(resident)])


func _run_quarter(quarter: int) -> void:
	await frames_pass(1)
	var before := await count_objects()
	await _run_threads(quarter, part_of(TASKS) / QUARTERS / (THREADS + 1))
	var have_told := func() -> bool: return _watches.all(func(watch: Watch) -> bool: return watch.is_finished())
	await until(have_told, "all have told that they are over")
	await frames_pass(5)
	# Not where objects are counted, as its variable keeps one.
	var are_good := func(watch: Watch) -> bool: return watch.results.size() == 1 and watch.problems.is_empty()
	check(_watches.all(are_good), "signals of a task")
	_watches.clear()
	var left := await count_objects(before, PATIENCE)
	check(left <= before, "tasks and what they made: %d objects, not %d" % [left, before])
	VarBatch.set_thread_count(2)
	await frames_pass(5)


## A function of its own, as it holds objects, which are counted after it.
func _run_threads(quarter: int, count: int) -> void:
	var threads := start_threads(THREADS, func(i: int) -> void: _work(10 * quarter + i, count))
	await _work(10 * quarter + THREADS, count, true)
	while any_alive(threads):
		_change_thread_count()
		await get_tree().process_frame
	end_threads(threads)


## On the main thread with frames in between, and signals that are awaited.
func _work(seed_number: int, count: int, is_main := false) -> void:
	var random := Values.seeded(seed_number)
	var held: Array[Array] = []
	for i: int in count:
		held.append(_start(random))
		if is_main:
			_watches.append(Watch.new(held[-1][0] as VarBatchTask))
			if i % 20 == 0:
				_change_thread_count()
		while held.size() > random.randi_range(0, HELD):
			var entry: Array = held.pop_at(random.randi_range(0, held.size() - 1))
			var task: VarBatchTask = entry[0]
			var how := random.randi_range(0, 9) if is_main else 9
			if how < 3 and not task.is_finished():
				# Unless it is over, and has told so: then there is nothing to await.
				await task.finished
			elif how == 3:
				await get_tree().process_frame
			if how < 3:
				_look(entry)
			else:
				_end(entry, random)
	held.map(_look if is_main else _end.bind(random))


## [task, kind, payload]. Some do the same at once before.
func _start(random: RandomNumberGenerator) -> Array:
	var kind := KINDS[random.randi_range(0, KINDS.size() - 1)]
	var payload := _payloads[random.randi_range(0, _payloads.size() - 1)]
	var saved_path := "%s/saved %d.bin" % [folder, random.seed % 10]
	var arguments := payload.arguments(kind, saved_path, [-1, 1, 2, 3][random.randi_range(0, 3)])
	if random.randi_range(0, 4) == 0:
		var result: Variant = call_method(METHODS[kind], arguments)
		_note("" if payload.is_right(kind, result) else kind + " at once: another result")
	return [call_method(METHODS[kind] + "_async", arguments), kind, payload]


func _end(entry: Array, random: RandomNumberGenerator) -> void:
	var task: VarBatchTask = entry[0]
	var how := random.randi_range(0, 9)
	if how < 2:
		return  # It is let go, and ends some time.
	if how == 5:
		OS.delay_usec(random.randi_range(0, 3000))
	elif how == 6:
		var limit := Time.get_ticks_msec() + 50
		while not task.is_finished() and Time.get_ticks_msec() < limit:
			OS.delay_usec(200)
	if how < 6:
		task.cancel()
	if how > 2:
		_look(entry)


func _look(entry: Array) -> void:
	var task: VarBatchTask = entry[0]
	var payload: Payload = entry[2]
	var result: Variant = task.wait()
	var is_skipped := task.get_error() == ERR_SKIP
	var problem := ""
	var skipped: Variant = ERR_SKIP as int if entry[1] == "save" else null
	if not task.is_finished():
		problem = "not finished after wait()"
	elif is_skipped:
		problem = "" if is_same(result, skipped) else "cancelled, and yet a result"
	elif task.get_error() != OK:
		problem = "error %d: %s" % [task.get_error(), task.get_error_message()]
	elif not payload.is_right(entry[1] as String, result):
		problem = "another result"
	_note("%s: %s" % [entry[1], problem] if problem else "", is_skipped)


func _note(problem: String, is_skipped := false) -> void:
	_mutex.lock()
	_skipped += int(is_skipped)
	if not problem.is_empty():
		_problems.append(problem)
	_mutex.unlock()


func _change_thread_count() -> void:
	VarBatch.set_thread_count(_counts.randi_range(0, 3))


static func _in_kib(sizes: PackedInt64Array) -> Array:
	return Array(sizes).map(func(size: int) -> int: return size / KIB)


## Values for the tasks, and what each kind of task has to make of them. Any thread may ask.
class Payload:
	## Those of each kind, but for what a save is given.
	var _arguments: Dictionary[String, Array] = {}
	## What each kind gives, FROM of which as what it encodes to: ids of objects become those of new ones.
	var _expected: Dictionary[String, Variant] = {"save": OK as int}

	func _init(values: Array, path: String) -> void:
		var buffers := VarBatch.vars_to_bytes(values)
		var frames := VarBatch.vars_to_frames(values)
		_expected.merge({"to bytes": buffers, "to frames": frames})
		for kind: String in FROM:
			_expected[kind] = VarBatch.vars_to_frames(VarBatch.frames_to_vars(frames), true)
		# By each mode once, which loading finds out by itself.
		VarBatch.save_vars(path, values, false, [-1, 2][hash(path) % 2] as int)
		_arguments = {
			"to bytes": [values], "to frames": [values], "from bytes": [buffers], "from frames": [frames],
			"save": [values], "load": [path],
		}

	## What the task of this kind is started with.
	func arguments(kind: String, saved_path: String, mode: int) -> Array:
		return [saved_path] + _arguments[kind] + [false, mode] if kind == "save" else _arguments[kind]

	func is_right(kind: String, result: Variant) -> bool:
		var found: Variant = result
		if kind in FROM and result is Array:
			found = VarBatch.vars_to_frames(result as Array, true)
		return typeof(found) == typeof(_expected[kind]) and found == _expected[kind]

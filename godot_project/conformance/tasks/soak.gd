extends "tasks_base.gd"
## Tasks of all kinds by the thousand, started, cancelled, waited for, awaited and let go at random,
## by several threads and the main one, while the number of threads changes. Every result is right,
## or the task was cancelled; each task says once that it is over; and nothing is left of them.

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

const Payload := preload("soak_payload.gd")
const MemoryProbe := preload("../hostile/memory_probe.gd")

var _payloads: Array[Payload] = []
## Numbers of threads.
var _counts := RandomNumberGenerator.new()
var _mutex := Mutex.new()
var _problems := PackedStringArray()
## Those of the main thread: of others a signal may come before there is time to connect to it.
var _watches: Array[Watch] = []
var _started := 0
var _skipped := 0


func test_at_random() -> void:
	_make_payloads()
	_counts.seed = 5
	# The first one makes what all of them share.
	_payloads[0].start("save", path, 0).wait()
	await frames_pass(3)
	var static_memory := PackedInt64Array()
	var resident := PackedInt64Array()
	for quarter: int in QUARTERS:
		await _run_quarter(quarter)
		static_memory.append(OS.get_static_memory_usage())
		resident.append(MemoryProbe.status("VmRSS:"))
	check(_problems.is_empty(), "%d problems: %s" % [_problems.size(), _problems.slice(0, 4)])
	check(_skipped > _started / 50, "only %d of %d were cancelled" % [_skipped, _started])
	var growth := static_memory[3] - static_memory[1]
	check(growth <= MAX_STATIC_GROWTH, "memory after each quarter: %s" % static_memory)
	growth = resident[3] - resident[1]
	check(growth <= MAX_RESIDENT_GROWTH, "resident after each quarter: %s" % resident)
	print(
		(
			"  soak: %d tasks, %d cancelled; KiB after each quarter: %s counted, %s resident"
			% [_started, _skipped, _in_kib(static_memory), _in_kib(resident)]
		)
	)


func _make_payloads() -> void:
	var lists: Array[Array] = [
		[],
		Values.mixed(40).filter(is_kept),
		[_noise],
		range(2000),
		sized(300, func(i: int) -> int: return i * 5),
		range(200).map(func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i]}),
		["日本語 text".repeat(2000), PackedStringArray(range(500).map(str))],
	]
	for i: int in lists.size():
		_payloads.append(Payload.new(lists[i], "%s/load %d.bin" % [folder, i]))


## Ends when nothing is left of its tasks.
func _run_quarter(quarter: int) -> void:
	var before := await count_objects()
	await _run_threads(quarter, part_of(TASKS) / QUARTERS / (THREADS + 1))
	var have_told := func() -> bool:
		return _watches.all(func(watch: Watch) -> bool: return watch.is_finished())
	await until(have_told, "all have told that they are over")
	await frames_pass(5)
	_check_watches()
	await until_objects(before, "tasks and what they made")
	VarBatch.set_thread_count(2)
	await frames_pass(5)


func _run_threads(quarter: int, count: int) -> void:
	var threads := start_threads(THREADS, func(i: int) -> void: _work(10 * quarter + i, count))
	await _work_awaiting(10 * quarter + THREADS, count)
	while any_alive(threads):
		_change_thread_count()
		await get_tree().process_frame
	end_threads(threads)


func _check_watches() -> void:
	for watch: Watch in _watches:
		check_int(watch.results.size(), 1, "signals of a task")
		check(watch.problems.is_empty(), "signals of a task: %s" % watch.problems)
	_watches.clear()


func _work(seed_number: int, count: int) -> void:
	var random := RandomNumberGenerator.new()
	random.seed = seed_number
	var held: Array[Array] = []
	for i: int in count:
		held.append(_start(random))
		while held.size() > random.randi_range(0, HELD):
			var entry: Array = held.pop_at(random.randi_range(0, held.size() - 1))
			_end(entry, random)
	for entry: Array in held:
		_end(entry, random)


## The same on the main thread, with frames in between, and signals that are awaited.
func _work_awaiting(seed_number: int, count: int) -> void:
	var random := RandomNumberGenerator.new()
	random.seed = seed_number
	var held: Array[Array] = []
	for i: int in count:
		held.append(_start(random))
		_watches.append(Watch.new(held[-1][0] as VarBatchTask))
		if i % 20 == 0:
			_change_thread_count()
		while held.size() > random.randi_range(0, HELD):
			var entry: Array = held.pop_at(random.randi_range(0, held.size() - 1))
			var task: VarBatchTask = entry[0]
			match random.randi_range(0, 9):
				0, 1, 2:
					if not task.is_finished():
						# Unless it is over, and has told so: then there is nothing to await.
						await task.finished
					_look(entry)
				3:
					await get_tree().process_frame
					_end(entry, random)
				_:
					_end(entry, random)
	for entry: Array in held:
		_look(entry)


## [task, kind, payload]
func _start(random: RandomNumberGenerator) -> Array:
	var kind := KINDS[random.randi_range(0, KINDS.size() - 1)]
	var payload := _payloads[random.randi_range(0, _payloads.size() - 1)]
	var saved_path := "%s/saved %d.bin" % [folder, random.seed % 10]
	var task := payload.start(kind, saved_path, random.randi_range(0, 3))
	_mutex.lock()
	_started += 1
	_mutex.unlock()
	return [task, kind, payload]


func _end(entry: Array, random: RandomNumberGenerator) -> void:
	var task: VarBatchTask = entry[0]
	match random.randi_range(0, 9):
		0, 1:
			pass  # It is let go, and ends some time.
		2:
			task.cancel()
		3, 4:
			task.cancel()
			_look(entry)
		5:
			OS.delay_usec(random.randi_range(0, 3000))
			task.cancel()
			_look(entry)
		6:
			var limit := Time.get_ticks_msec() + 50
			while not task.is_finished() and Time.get_ticks_msec() < limit:
				OS.delay_usec(200)
			_look(entry)
		_:
			_look(entry)


## Waits for it, and looks at its result.
func _look(entry: Array) -> void:
	var task: VarBatchTask = entry[0]
	var payload: Payload = entry[2]
	var result: Variant = task.wait()
	var problem := ""
	if not task.is_finished():
		problem = "not finished after wait()"
	elif task.get_error() == ERR_SKIP:
		_mutex.lock()
		_skipped += 1
		_mutex.unlock()
		var expected: Variant = ERR_SKIP as int if entry[1] == "save" else null
		if typeof(result) != typeof(expected) or result != expected:
			problem = "cancelled, and yet a result"
	elif task.get_error() != OK:
		problem = "error %d: %s" % [task.get_error(), task.get_error_message()]
	else:
		problem = payload.problem(entry[1] as String, result)
	if not problem.is_empty():
		_mutex.lock()
		_problems.append("%s: %s" % [entry[1], problem])
		_mutex.unlock()


func _change_thread_count() -> void:
	VarBatch.set_thread_count(_counts.randi_range(0, 3))


static func _in_kib(sizes: PackedInt64Array) -> Array:
	return Array(sizes).map(func(size: int) -> int: return size / KIB)

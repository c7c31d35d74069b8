extends "round_trip.gd"
## Calls from any thread, several at once.

const ROUNDS := 10
const THREADS := 4

var _values: Array = Values.mixed(150)
var _buffers: Array[PackedByteArray] = Values.engine_bytes(_values)
var _expected: Array[PackedByteArray] = []  # what the decoded values encode to
var _frames := PackedByteArray()
var _thread_count := VarBatch.get_thread_count()
var _mutex := Mutex.new()
var _problems := PackedStringArray()


func _init() -> void:
	# Large enough that VarBatch may share it among its own threads.
	for type: int in [TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_STRING_ARRAY]:
		_values.append(Values.Packed.make(type, 20_000))
		_buffers.append(var_to_bytes(_values[-1]))
	for buffer: PackedByteArray in _buffers:
		_frames.append_array(frame(buffer))
	for buffer: PackedByteArray in _buffers:
		_expected.append_array(_encoded([bytes_to_var(buffer)]))


func finish() -> void:
	VarBatch.set_thread_count(_thread_count)
	super()


func test_from_threads_and_the_main_thread() -> void:
	var threads: Array[Thread] = []
	for i: int in THREADS:
		var thread := Thread.new()
		check_int(thread.start(_work.bind(ROUNDS)), OK, "start of a thread")
		threads.append(thread)
	_work(ROUNDS)
	for thread: Thread in threads:
		thread.wait_to_finish()
	_check_no_problems()


func test_from_the_worker_pool() -> void:
	var task := WorkerThreadPool.add_group_task(func(_i: int) -> void: _work(2), 8)
	_work(ROUNDS)
	WorkerThreadPool.wait_for_group_task_completion(task)
	_check_no_problems()


func test_thread_count_changes_under_way() -> void:
	var thread := Thread.new()
	check_int(thread.start(_work.bind(ROUNDS)), OK, "start of a thread")
	for i: int in 300:
		VarBatch.set_thread_count(i % 4)
		OS.delay_usec(200)
	thread.wait_to_finish()
	_check_no_problems()


## A bad buffer on another thread: null and an error line, as anywhere.
func test_errors_on_a_thread() -> void:
	var bad: Array = [_buffers[0], PackedByteArray([1, 2]), _buffers[0]]
	var run := func() -> Array:
		var thread := Thread.new()
		thread.start(func() -> Array: return VarBatch.bytes_to_vars(bad))
		return thread.wait_to_finish()
	var found: Array = expect_errors(run, 1, "VarBatch.bytes_to_vars: buffer 1: ")
	var good: Variant = bytes_to_var(_buffers[0])
	check_values(found, [good, null, good], "values on a thread")


func test_thread_count() -> void:
	check(VarBatch.get_thread_count() >= 1, "no threads to begin with")
	for count: int in [1, 2, 3, 1]:
		VarBatch.set_thread_count(count)
		check_int(VarBatch.get_thread_count(), count, "thread count in effect")
	VarBatch.set_thread_count(0)
	var one_a_core := VarBatch.get_thread_count()
	check(
		one_a_core >= 1 and one_a_core <= OS.get_processor_count(),
		"one a core gives %d of %d" % [one_a_core, OS.get_processor_count()]
	)


func test_version() -> void:
	var pattern := RegEx.create_from_string(
		"^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$"
	)
	var version := VarBatch.get_version()
	check(pattern.search(version) != null, "no semantic version: '%s'" % version)


## Looks for itself, as the checks of a suite are for one thread.
func _work(rounds: int) -> void:
	for i: int in rounds:
		if VarBatch.vars_to_bytes(_values) != _buffers:
			_note("vars_to_bytes differs")
		if VarBatch.vars_to_frames(_values) != _frames:
			_note("vars_to_frames differs")
		if _encoded(VarBatch.bytes_to_vars(_buffers)) != _expected:
			_note("bytes_to_vars differs")
		if _encoded(VarBatch.frames_to_vars(_frames)) != _expected:
			_note("frames_to_vars differs")
		for at: int in range(i % 5, _values.size(), 5):
			if VarBatch.var_to_bytes(_values[at]) != _buffers[at]:
				_note("bytes of value %d differ" % at)
			if _encoded([VarBatch.bytes_to_var(_buffers[at])])[0] != _expected[at]:
				_note("value %d differs" % at)


## With objects whole: an id becomes a new object, which has another id.
func _encoded(values: Array) -> Array[PackedByteArray]:
	var buffers: Array[PackedByteArray] = []
	for value: Variant in values:
		buffers.append(var_to_bytes_with_objects(value))
	return buffers


func _note(problem: String) -> void:
	_mutex.lock()
	_problems.append(problem)
	_mutex.unlock()


func _check_no_problems() -> void:
	check(_problems.is_empty(), "%d problems: %s" % [_problems.size(), _problems.slice(0, 3)])

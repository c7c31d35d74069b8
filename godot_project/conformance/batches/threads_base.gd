extends "../support/round_trip.gd"
## Base of the suites on calls from any thread, several at once.

const THREADS := 4

## How often a thread calls.
var rounds := 10
var _mutex := Mutex.new()
var _problems := PackedStringArray()


func test_from_threads_and_the_main_thread() -> void:
	prepare()
	var threads := start_threads(THREADS, work.bind(rounds).unbind(1))
	work(rounds)
	end_threads(threads)
	check_no_problems()


func test_from_the_worker_pool() -> void:
	prepare()
	var task := WorkerThreadPool.add_group_task(func(_i: int) -> void: work(rounds / 5), 8)
	work(rounds)
	WorkerThreadPool.wait_for_group_task_completion(task)
	check_no_problems()


func test_thread_count_changes_under_way() -> void:
	prepare()
	var thread := Thread.new()
	check_int(thread.start(work.bind(rounds)), OK, "start of a thread")
	for i: int in 300:
		VarBatch.set_thread_count(i % 4)
		OS.delay_usec(200)
	thread.wait_to_finish()
	check_no_problems()


## Called before any thread.
func prepare() -> void:
	pass


## Calls so often what the suite is about, on whatever thread. Overridden, with [method note] in the
## place of checks: those are for one thread.
func work(_count: int) -> void:
	note("nothing was done")


func note(problem: String) -> void:
	_mutex.lock()
	_problems.append(problem)
	_mutex.unlock()


func check_no_problems() -> void:
	check(_problems.is_empty(), "%d problems: %s" % [_problems.size(), _problems.slice(0, 3)])

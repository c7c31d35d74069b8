extends "../files/files_base.gd"
## Base of the suites on calls from any thread, several at once.

const THREADS := 4

## How often a thread calls.
var rounds := 10
var _mutex := Mutex.new()
var _problems := PackedStringArray()


## While the main thread works too, and while it lives its frames, so that tasks are told to be over meanwhile.
func test_from_threads() -> void:
	prepare()
	for is_working: bool in [true, false]:
		var threads := start_threads(THREADS, work.bind(rounds).unbind(1))
		if is_working:
			work(rounds)
		while any_alive(threads):
			await get_tree().process_frame
		end_threads(threads)
	check_no_problems()


func test_from_the_worker_pool() -> void:
	prepare()
	var task := WorkerThreadPool.add_group_task(func(_i: int) -> void: work(maxi(rounds / 5, 1)), 8)
	work(rounds)
	WorkerThreadPool.wait_for_group_task_completion(task)
	check_no_problems()


func test_thread_count_changes_under_way() -> void:
	prepare()
	var threads := start_threads(2, work.bind(rounds).unbind(1))
	var change := 0
	while any_alive(threads) or change < 300:
		change += 1
		VarBatch.set_thread_count(change % 4)
		OS.delay_usec(200)
	end_threads(threads)
	check_no_problems()


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


func note_other(found: Variant, expected: Variant, what: String) -> void:
	if found != expected:
		note("%s differs" % what)


func check_no_problems() -> void:
	check(_problems.is_empty(), "%d problems: %s" % [_problems.size(), _problems.slice(0, 3)])
	_problems.clear()

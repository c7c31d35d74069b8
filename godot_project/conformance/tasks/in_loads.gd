extends "tasks_base.gd"
## Tasks that are started and waited for while a thread loads a resource. The engine gives such a
## thread a message queue of its own, which is flushed there or dropped with what is in it: signals
## come on the main thread all the same, and always.

const Loader := preload("warming_loader.gd")

## The source of a main loop that starts tasks as soon as it can.
const MAIN_LOOP := """extends %s

const Early := preload("res://conformance/support/before_frames.gd")


func _init() -> void:
	Early.start("_init")
	Early.begin_load()


func _initialize() -> void:
	Early.start("_initialize")


func _process(_delta: float) -> bool:
	return Early.is_over()
"""

## How long a load goes on after it has used tasks, in milliseconds.
const LOADING := 60

var _loader := Loader.new()
var _loaded_resource := "%s/thing.%s" % [folder, Loader.EXTENSION]


func _enter_tree() -> void:
	super()
	write(_loaded_resource, PackedByteArray([1]))
	ResourceLoader.add_resource_format_loader(_loader)
	use([1, "two", {"k": [Vector2.ONE, _noise]}, _noise])


func _exit_tree() -> void:
	Loader.action = Callable()
	ResourceLoader.remove_resource_format_loader(_loader)
	super()


## What a load starts, and waits for or not, and what the main thread starts and awaits meanwhile. The
## load has gone on to wait for its tasks, more than once, when its queue is dropped.
func test_started_in_a_load() -> void:
	for sub_threads: bool in [false, true]:
		for waits: bool in [false, true]:
			for count: int in by_threads():
				var what := "%d threads, sub-threads %s, waits %s" % [count, sub_threads, waits]
				var watches: Array[Watch] = []
				var results: Array = []
				var begin := func() -> void:
					for kind: String in KINDS + KINDS:
						var task := start(kind)
						watches.append(Watch.new(task))
						results.append(task.wait() if waits else null)
					OS.delay_msec(LOADING)
				_begin_load(begin, sub_threads)
				OS.delay_msec(LOADING / 2)
				for kind: String in KINDS:
					check_result(await start(kind).finished, plain(kind), kind, "awaited, " + what)
					check_int(OS.get_thread_caller_id(), OS.get_main_thread_id(), "awaited, " + what)
				await _end_load()
				check_int(watches.size(), 2 * KINDS.size(), "tasks of a load, %s" % what)
				for i: int in watches.size():
					var kind := KINDS[i % KINDS.size()]
					check_result(await finished(watches[i], what), plain(kind), kind, what)
					if waits:
						check_result(results[i], plain(kind), kind, "waited for, " + what)
				await _check_alive(what)


func test_tasks_of_the_main_thread_in_a_load() -> void:
	use(large())
	for count: int in by_threads():
		for is_cancelled: bool in [false, true]:
			var tasks: Array = Array(KINDS).map(start)
			var watches := tasks.map(func(task: VarBatchTask) -> Watch: return Watch.new(task))
			var use_tasks := func() -> void:
				for task: VarBatchTask in tasks:
					if is_cancelled:
						task.cancel()
					task.wait()
			_begin_load(use_tasks, true)
			await _end_load()
			for i: int in KINDS.size():
				var result: Variant = await finished(watches[i] as Watch, KINDS[i])
				if not is_cancelled:
					check_result(result, plain(KINDS[i]), KINDS[i], "waited for in a load")
			await _check_alive("%d threads, cancelled %s" % [count, is_cancelled])


func test_one_worker() -> void:
	var semaphore := Semaphore.new()
	var hold_up := func(_i: int) -> int: return WorkerThreadPool.add_task(semaphore.wait, true)
	var workers := range(OS.get_processor_count() - 1).map(hold_up)
	for count: int in by_threads():
		var what := "one worker, %d threads" % count
		var watches: Array[Watch] = []
		var begin := func() -> void:
			for kind: String in KINDS:
				watches.append(Watch.new(start(kind)))
			start("to bytes").wait()
		for sub_threads: bool in [false, true]:
			_begin_load(begin, sub_threads)
			await _check_alive(what)
			await _end_load()
		check_int(watches.size(), 2 * KINDS.size(), "tasks of a load on one worker")
		for watch: Watch in watches:
			await finished(watch, what)
	for worker: int in workers:
		semaphore.post()
		WorkerThreadPool.wait_for_task_completion(worker)


## Before the first frame, and where there never is one: in main loops of their own.
func test_before_the_first_frame() -> void:
	var command := Child.own_command()
	if command.is_empty() or not OS.has_feature("editor"):
		check(true, "this build runs no script as its main loop")
		return
	var script := folder + "/main_loop.gd"
	for main_loop: String in ["SceneTree", "MainLoop"]:
		write(script, (MAIN_LOOP % main_loop).to_utf8_buffer())
		for count: int in by_threads():
			# The last argument is the scene of the suites.
			var arguments := command.slice(0, -1)
			arguments.append_array(["--script", script, "--", str(count), _loaded_resource])
			var run := Child.sh('timeout %d "$@"' % (60 * slowness), arguments)
			var lines: PackedStringArray = run[1]
			var what := "%s, %d threads" % [main_loop, count]
			check_int(run[0] as int, 0, "exit status of %s: %s" % [what, lines])
			check_value(lines[-1] if lines else "", "all were heard on the main thread", what)


func _begin_load(action: Callable, sub_threads: bool) -> void:
	Loader.action = action
	const MODE := ResourceLoader.CACHE_MODE_REPLACE
	var code := ResourceLoader.load_threaded_request(_loaded_resource, "Resource", sub_threads, MODE)
	check_int(code, OK, "a threaded load")


func _end_load() -> void:
	var is_over := func() -> bool:
		return ResourceLoader.load_threaded_get_status(_loaded_resource) != ResourceLoader.THREAD_LOAD_IN_PROGRESS
	await until(is_over, "a resource is loaded")
	# Its thread lets go of it a moment later. If it is taken before, the engine may leak its token.
	await frames_pass(3)
	check(ResourceLoader.load_threaded_get(_loaded_resource) is Resource, "no resource was loaded")


func _check_alive(what: String) -> void:
	var watch := Watch.new(VarBatch.vars_to_bytes_async([1]))
	check_int((await finished(watch, what) as Array).size(), 1, "a task after it, " + what)

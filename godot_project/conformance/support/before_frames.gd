extends RefCounted
## Tasks that are started before there are frames, for main loops that tasks/in_loads.gd writes. Each notes where its
## signal comes. Arguments: the number of threads, and what is to be loaded.

const Loader := preload("../tasks/warming_loader.gd")
## In milliseconds.
const PATIENCE := 20_000

static var _expected: Array[String] = []
static var _heard: Array[String] = []
static var _problems: Array[String] = []
static var _until := Time.get_ticks_msec() + PATIENCE


static func _static_init() -> void:
	VarBatch.set_thread_count(OS.get_cmdline_user_args()[0].to_int())
	start("static")


static func start(name: String) -> VarBatchTask:
	_expected.append(name)
	var task := VarBatch.vars_to_frames_async([name, PackedByteArray([1, 2, 3])])
	task.finished.connect(_on_finished.bind(name))
	return task


## Loads on threads, which start tasks and wait for them.
static func begin_load() -> void:
	ResourceLoader.add_resource_format_loader(Loader.new())
	_expected.append("loaded")
	Loader.action = func() -> void:
		start("in a load")
		start("waited for in a load").wait()
		OS.delay_msec(50)
		_on_finished.call_deferred(null, "loaded")
	ResourceLoader.load_threaded_request(OS.get_cmdline_user_args()[1])


static func is_over() -> bool:
	if _heard.size() < _expected.size() and Time.get_ticks_msec() <= _until:
		return false
	if ResourceLoader.load_threaded_get(OS.get_cmdline_user_args()[1]) == null:
		_problems.append("nothing was loaded")
	_expected.sort()
	_heard.sort()
	if _heard != _expected:
		_problems.append("heard %s of %s" % [_heard, _expected])
	print(_problems if _problems else "all were heard on the main thread")
	return true


static func _on_finished(_result: Variant, name: String) -> void:
	if OS.get_thread_caller_id() != OS.get_main_thread_id() and name != "loaded":
		_problems.append("%s on another thread" % name)
	_heard.append(name)

extends Control
## Entry of the demo: encodes and decodes a world of chunks and what else games hold, and saves
## while a game runs; both with the engine and with VarBatch.
##
##     godot [--headless] --path godot_project res://demo/demo.tscn [-- OPTIONS]
##
## Without a display it prints all tables and quits. With one it shows them in a window, one tab
## each. This script never names VarBatch, so that it can report what is missing if the library is.

const AnyRun = preload("res://demo/any_run.gd")
const Options = preload("res://demo/options.gd")

## The script of each run.
const _BYTES := "res://demo/run.gd"
const _SAVES := "res://demo/save/run.gd"
const _TABLES: Dictionary[String, String] = {
	_BYTES: "res://demo/table.gd", _SAVES: "res://demo/save/table.gd"
}

var _options: Options
## The window, or null without a display.
var _view: Control
## The run of each kind: the last or the next one.
var _runs: Dictionary[String, AnyRun] = {}
## The kind of the current run, or "".
var _running := ""
var _is_all_right := true


func _ready() -> void:
	_options = Options.new(OS.get_cmdline_user_args())
	if not _options.problem.is_empty():
		_fail(_options.problem + "\n" + Options.USAGE)
		return
	if not ClassDB.class_exists(&"VarBatch"):
		_fail("the VarBatch extension is not loaded; build it with scripts/build.sh")
		return
	if DisplayServer.get_name() == "headless":
		_begin(_BYTES)
	else:
		_view = load("res://demo/window.tscn").instantiate()
		add_child(_view)
		for kind: String in [_BYTES, _SAVES]:
			_make_run(kind)
		_view.connect(&"run_requested", _begin_shown)
		_view.connect(&"tab_opened", _begin_if_new)
		if _options.shows_saves:
			_view.call(&"open_saves")
		else:
			_begin_if_new()


func _exit_tree() -> void:
	for run: AnyRun in _runs.values():
		run.tidy()


## One step per frame, so that the progress is visible. There is no loop with `await`: closing the
## window would leak it.
func _process(_delta: float) -> void:
	if _running.is_empty():
		return
	var goes_on := _runs[_running].advance()
	if _view != null:
		_view.call(&"refresh")
	if not goes_on:
		_finish()


func _begin(kind: String) -> void:
	_running = kind
	# A run may begin again: saves add a round, and memory is cold only once.
	if kind not in _runs:
		_make_run(kind)
	_let_frames_run(kind == _SAVES)
	_runs[kind].begin()
	if _view != null:
		_view.call(&"start")


func _begin_shown() -> void:
	if _running.is_empty():
		_begin(_shown())


func _begin_if_new() -> void:
	if not _runs[_shown()].is_begun:
		_begin_shown()


func _shown() -> String:
	return _SAVES if _view.call(&"shows_saves") else _BYTES


func _finish() -> void:
	var kind := _running
	var run := _runs[kind]
	_running = ""
	_let_frames_run(false)
	if run.problem.is_empty():
		print(load(_TABLES[kind]).call(&"text", run))
	else:
		_is_all_right = false
		printerr("demo: FAILED: ", run.problem)
	if _view == null:
		_finish_headless(kind)
	else:
		_finish_shown(kind)


func _finish_headless(kind: String) -> void:
	if kind == _BYTES:
		print()
		_begin(_SAVES)
		return
	if _is_all_right:
		print("demo: all bytes, values and files equal")
	get_tree().quit(0 if _is_all_right else 1)


func _finish_shown(kind: String) -> void:
	_view.call(&"finish")
	if _is_all_right:
		print("demo: all bytes and values equal" if kind == _BYTES else "demo: all files equal")
	if not _options.screenshot.is_empty():
		await _save_screenshot()
	if _options.quit:
		get_tree().quit(0 if _is_all_right else 1)
	else:
		_begin_if_new()  # Another tab may be open by now.


func _make_run(kind: String) -> void:
	_runs[kind] = load(kind).new(_options)
	if _view != null:
		_view.call(&"show_run", _runs[kind])


## Runs frames like a game: one after another, 60 per second if no display sets the pace.
func _let_frames_run(on: bool) -> void:
	var has_pace := _view != null
	if has_pace:
		has_pace = DisplayServer.window_get_vsync_mode() != DisplayServer.VSYNC_DISABLED
	Engine.max_fps = 60 if on and not has_pace else 0
	OS.low_processor_usage_mode = not on


func _save_screenshot() -> void:
	await get_tree().process_frame  # Waits for the layout of the last change.
	queue_redraw()  # Without a change there may be no frame to wait for.
	await RenderingServer.frame_post_draw
	var error := get_viewport().get_texture().get_image().save_png(_options.screenshot)
	if error != OK:
		_fail("cannot save %s: %s" % [_options.screenshot, error_string(error)])


func _fail(message: String) -> void:
	printerr("demo: ", message)
	get_tree().quit(1)

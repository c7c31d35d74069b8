extends Control
## Entry of the demo: a world of chunks to bytes and back, by the engine and by VarBatch.
##
##     godot [--headless] --path godot_project res://demo/demo.tscn [-- OPTIONS]
##
## Without a display it prints a table and ends. With one it shows the same table in a window.
## This script never names VarBatch, so that it can say what is missing when the library is.

const Options = preload("res://demo/options.gd")

var _options: Options
## The window, or null without a display.
var _view: Control


func _ready() -> void:
	_options = Options.new(OS.get_cmdline_user_args())
	if not _options.problem.is_empty():
		_fail(_options.problem + "\n" + Options.USAGE)
		return
	if not ClassDB.class_exists(&"VarBatch"):
		_fail("the VarBatch extension is not loaded; build it with scripts/build.sh")
		return
	if DisplayServer.get_name() != "headless":
		_view = load("res://demo/window.tscn").instantiate()
		add_child(_view)
		_view.connect(&"run_requested", _run)
	_run()


## One step a frame, so that the progress is seen.
func _run() -> void:
	var run: RefCounted = load("res://demo/run.gd").new(_options)
	if _view != null:
		_view.call(&"start", run)
		await get_tree().process_frame
	while run.call(&"advance"):
		if _view != null:
			_view.call(&"refresh")
		await get_tree().process_frame
	if _view != null:
		_view.call(&"finish")
	var problem: String = run.get(&"problem")
	print(load("res://demo/table.gd").call(&"text", run))
	if problem.is_empty():
		print("demo: all bytes and values equal")
	else:
		printerr("demo: WRONG: ", problem)
	if _view != null and not _options.screenshot.is_empty():
		await _save_screenshot()
	if _view == null or _options.quit:
		get_tree().quit(0 if problem.is_empty() else 1)


func _save_screenshot() -> void:
	await get_tree().process_frame  # The layout of what was shown last.
	queue_redraw()  # Without a change there may be no frame to wait for.
	await RenderingServer.frame_post_draw
	var error := get_viewport().get_texture().get_image().save_png(_options.screenshot)
	if error != OK:
		_fail("cannot save %s: %s" % [_options.screenshot, error_string(error)])


func _fail(message: String) -> void:
	printerr("demo: ", message)
	get_tree().quit(1)

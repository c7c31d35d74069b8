extends Control
## Entry of the undo demo: a person drags and turns nodes in a window, and undoes it.
##
##     godot [--headless] --path godot_project res://demo/undo.tscn [-- OPTIONS]
##
## This script never names VarBatch, so that it can report what is missing if the library is.

const AnyRun = preload("res://demo/any_run.gd")

const USAGE := """options:
  --auto             let the demo drag and undo by itself, look whether all is as it was, and end
  --screenshot PATH  save a picture of the window after that, with all edits done again"""

const _HEADLESS_SIZE := Vector2i(1152, 648)

var _window: Control
var _person: AnyRun
var _screenshot := ""


func _ready() -> void:
	set_process(false)
	var arguments := OS.get_cmdline_user_args()
	if arguments.size() == 2 and arguments[0] == "--screenshot":
		_screenshot = arguments[1]
	elif not arguments.is_empty() and arguments != PackedStringArray(["--auto"]):
		_fail("unknown options: %s\n%s" % [" ".join(arguments), USAGE])
		return
	if not ClassDB.class_exists(&"VarBatch"):
		_fail("the VarBatch extension is not loaded; build it with scripts/build.sh")
		return
	if DisplayServer.get_name() == "headless":
		get_window().size = _HEADLESS_SIZE  # Otherwise it would be as small as an icon.
	_window = load("res://demo/undo/window.tscn").instantiate()
	add_child(_window)
	set_process(not arguments.is_empty())


## One event per frame, so that each is visible. The layout is ready from the second frame on.
func _process(_delta: float) -> void:
	if _person == null:
		_person = load("res://demo/undo/person.gd").new(_window)
	elif not _person.is_begun:
		_person.begin()
	elif not _person.advance():
		set_process(false)
		_finish()


func _finish() -> void:
	if not _person.problem.is_empty():
		_fail("FAILED: " + _person.problem)
		return
	if not _screenshot.is_empty():
		await _save_screenshot()
	print(
		"undo: %d edits undone and done again, all nodes as they were" % _person.get(&"edit_count")
	)
	get_tree().quit()


func _save_screenshot() -> void:
	for _edit: int in _person.get(&"edit_count"):
		_window.get(&"redo_button").pressed.emit()
	await get_tree().process_frame  # Waits for the layout of the last change.
	queue_redraw()  # Without a change there may be no frame to wait for.
	await RenderingServer.frame_post_draw
	var error := get_viewport().get_texture().get_image().save_png(_screenshot)
	if error != OK:
		_fail("cannot save %s: %s" % [_screenshot, error_string(error)])


func _fail(message: String) -> void:
	printerr("undo: ", message)
	get_tree().quit(1)

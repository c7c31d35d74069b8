extends "res://demo/any_run.gd"
## A simulated person who tries everything in the window of the undo demo, one mouse or keyboard
## event per frame, and checks the nodes after each event.

const Field = preload("res://demo/undo/field.gd")
const Token = preload("res://demo/undo/token.gd")
const UndoWindow = preload("res://demo/undo/window.gd")

## The number of edits in a run.
const EDITS := 5

## Mouse events per drag.
const _DRAG_STEPS := 8

var edit_count := 0

var _window: UndoWindow
var _field: Field
## The whole field at the start, and after each edit.
var _snapshots: Array[PackedByteArray] = []
var _steps: Array[Callable] = []
var _steps_done := 0
var _events: Array[InputEvent] = []
## The last mouse position.
var _at := Vector2.ZERO
var _holds_shift := false


func _init(window: UndoWindow) -> void:
	_window = window
	_field = window.field


func begin() -> void:
	super()
	_snapshots = [_field.history.snapshot()]
	var undo := _push_key.bind(KEY_Z)
	var redo := _push_key.bind(KEY_Z, true)
	_steps = [
		_drag_node.bind(30, Vector2.ZERO),
		_has_edited_nothing,
		# A new edit after an undo drops the undone edits.
		_drag_node.bind(12, Vector2(-900.0, 15.0)),
		_is_inside.bind(12),
		undo,
		_is_after.bind(0),
		_drag_node.bind(12, Vector2(90.0, -35.0)),
		_has_edited.bind("Move 1 node", ["position"]),
		_is_at.bind(12, _field.tokens[12].position + Vector2(90.0, -35.0)),
		_drag_node.bind(45, Vector2(-120.0, 8.0), true),
		_has_edited.bind("Move 1 node", ["position:x"]),
		_is_at.bind(45, _field.tokens[45].position + Vector2(-120.0, 0.0)),
		_click_button.bind(_window.shuffle_button),
		_has_edited.bind("Shuffle all", ["position", "position:x", "position:y", "rotation"]),
		_push_key.bind(KEY_A),
		_turn,
		_has_edited.bind("Turn 60 nodes", ["rotation"]),
		_draw_frame.bind(Rect2(60.0, 60.0, 250.0, 170.0)),
		_drag_selection.bind(Vector2(140.0, 90.0)),
		_has_edited.bind("Move", ["position"]),
	]
	_steps.append_array(_there_and_back(undo, redo))
	_steps.append_array(
		_there_and_back(
			_click_button.bind(_window.undo_button), _click_button.bind(_window.redo_button)
		)
	)
	_steps.append_array(_back(undo))
	_steps.append(_rest)


func advance() -> bool:
	if not problem.is_empty():
		is_finished = true
	elif not _events.is_empty():
		_window.get_viewport().push_input(_events.pop_front())
	elif _steps_done < _steps.size():
		_steps[_steps_done].call()
		_steps_done += 1
	else:
		is_finished = true
	return not is_finished


func progress() -> float:
	return float(_steps_done) / maxf(_steps.size(), 1.0)


## Undoes all edits, one after another, and redoes them.
func _there_and_back(undo: Callable, redo: Callable) -> Array[Callable]:
	var steps := _back(undo)
	for edits: int in range(1, EDITS + 1):
		steps.append_array([redo, _is_after.bind(edits)])
	return steps


func _back(undo: Callable) -> Array[Callable]:
	var steps: Array[Callable] = []
	for edits: int in range(EDITS - 1, -1, -1):
		steps.append_array([undo, _is_after.bind(edits)])
	return steps


func _has_edited(title: String, paths: PackedStringArray) -> void:
	edit_count += 1
	_snapshots.append(_field.history.snapshot())
	var undo_redo := _field.history.undo_redo
	_expect(_snapshots[-1] != _snapshots[-2], "'%s' has changed nothing" % title)
	_expect(undo_redo.get_history_count() == edit_count, "'%s' is no action" % title)
	var found := undo_redo.get_current_action_name()
	_expect(found.begins_with(title), "expected '%s', found '%s'" % [title, found])
	for row: Dictionary in _field.history.current().modifications:
		_expect(row.property in paths, "%s: changed %s" % [title, row.property])
		var node: Node2D = row.object
		var value: Variant = node.get_indexed(NodePath(row.property as String))
		_expect(value == row.new, "%s: reported %s, found %s" % [title, row.new, value])


func _has_edited_nothing() -> void:
	var count := _field.history.undo_redo.get_history_count()
	_expect(count == edit_count, "expected %d actions, found %d" % [edit_count, count])


## Moves the mouse to a position where it highlights nothing.
func _rest() -> void:
	_push_motion(Vector2.ZERO)
	_expect(edit_count == EDITS, "expected %d edits, found %d" % [EDITS, edit_count])


func _is_at(index: int, place: Vector2) -> void:
	var found := _field.tokens[index].position
	_expect(found == place, "node %d: expected at %s, found at %s" % [index, place, found])


func _is_inside(index: int) -> void:
	var found := _field.tokens[index].position
	var is_inside := Rect2(Vector2.ZERO, _field.size).has_point(found)
	_expect(is_inside, "node %d is outside of the field, at %s" % [index, found])


func _is_after(edits: int) -> void:
	_expect(_field.history.snapshot() == _snapshots[edits], "not as it was after %d edits" % edits)


func _expect(is_good: bool, what: String) -> void:
	if not is_good and problem.is_empty():
		problem = what


func _drag_node(index: int, way: Vector2, along_an_axis := false) -> void:
	_holds_shift = along_an_axis
	_drag(_field.tokens[index].position, way)
	_holds_shift = false


func _draw_frame(frame: Rect2) -> void:
	_drag(_place_beside(frame.position), frame.size)


func _drag_selection(way: Vector2) -> void:
	_expect(_field.selected().size() > 2, "the frame has selected no nodes")
	if not problem.is_empty():
		return
	_drag(_field.selected()[0].position, way)
	# Undo has to wait until the nodes are released.
	var release: InputEvent = _events.pop_back()
	_push_key(KEY_Z)
	_events.append(release)


func _turn() -> void:
	_push_motion(_field.get_global_rect().get_center())
	_push_button(MOUSE_BUTTON_WHEEL_DOWN, true)
	_push_button(MOUSE_BUTTON_WHEEL_DOWN, false)


func _click_button(button: Button) -> void:
	_expect(not button.disabled, "the button '%s' is disabled" % button.text)
	_at = button.get_global_rect().get_center()
	_push_motion(_at)
	_push_button(MOUSE_BUTTON_LEFT, true)
	_push_button(MOUSE_BUTTON_LEFT, false)


## In the field's coordinates.
func _drag(from: Vector2, way: Vector2) -> void:
	var origin := _field.get_global_rect().position + from
	_push_motion(origin)
	_push_button(MOUSE_BUTTON_LEFT, true)
	for step: int in _DRAG_STEPS:
		_push_motion(origin + way * (step + 1.0) / _DRAG_STEPS)
	_push_button(MOUSE_BUTTON_LEFT, false)


func _push_motion(to: Vector2) -> void:
	var event := InputEventMouseMotion.new()
	event.relative = to - _at
	_at = to
	_push_mouse(event)


func _push_button(button: MouseButton, is_pressed: bool) -> void:
	var event := InputEventMouseButton.new()
	event.button_index = button
	event.pressed = is_pressed
	_push_mouse(event)


func _push_mouse(event: InputEventMouse) -> void:
	event.position = _at
	event.global_position = _at
	event.shift_pressed = _holds_shift
	_events.append(event)


func _push_key(key: Key, holds_shift := false) -> void:
	for is_pressed: bool in [true, false]:
		var event := InputEventKey.new()
		event.keycode = key
		event.pressed = is_pressed
		event.shift_pressed = holds_shift
		if OS.has_feature("macos"):
			event.meta_pressed = true
		else:
			event.ctrl_pressed = true
		_events.append(event)


## The nearest position without a node.
func _place_beside(place: Vector2) -> Vector2:
	var found := place
	# The function holds what `found` is when it is made.
	while _field.tokens.any(
		func(token: Token) -> bool: return token.position.distance_to(found) <= Token.RADIUS
	):
		found.x += 1.0
	return found

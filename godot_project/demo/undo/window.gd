extends Control
## The window of the undo demo: the field, the changes of the last action, and the history.

const Field = preload("res://demo/undo/field.gd")
const Rows = preload("res://demo/undo/rows.gd")

@onready var field: Field = %Field
@onready var undo_button: Button = %Undo
@onready var redo_button: Button = %Redo
@onready var shuffle_button: Button = %Shuffle
@onready var _modifications: Rows = %Modifications
@onready var _actions: Rows = %Actions
@onready var _time: Label = %Time
@onready var _delta: Label = %Delta
@onready var _snapshot: Label = %Snapshot


func _ready() -> void:
	field.changed.connect(_refresh)
	undo_button.pressed.connect(field.undo)
	redo_button.pressed.connect(field.redo)
	shuffle_button.pressed.connect(field.shuffle)
	_refresh()


func _unhandled_key_input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if not key.pressed or not key.is_command_or_control_pressed():
		return
	match key.keycode:
		KEY_Z when key.shift_pressed:
			field.redo()
		KEY_Y:
			field.redo()
		KEY_Z:
			field.undo()
		KEY_A:
			field.select(field.tokens.duplicate())
		_:
			return
	get_viewport().set_input_as_handled()


func _refresh() -> void:
	var undo_redo := field.history.undo_redo
	undo_button.disabled = not undo_redo.has_undo()
	redo_button.disabled = not undo_redo.has_redo()
	_actions.rows = _action_rows(undo_redo)
	# The first row is the state before all actions.
	_actions.marked = undo_redo.get_current_action() + 1
	_actions.title = "History: %d of %d" % [_actions.marked, undo_redo.get_history_count()]
	var edit := field.history.current()
	if edit == null:
		_modifications.title = "No modifications"
		_modifications.rows = []
		for label: Label in [_time, _delta, _snapshot]:
			label.text = "–"
		return
	var count := edit.modifications.size()
	_modifications.title = "%d modification%s" % [count, "" if count == 1 else "s"]
	_modifications.rows = edit.rows()
	_time.text = "%d µs" % edit.usec
	_delta.text = "%d B" % edit.delta_size
	_snapshot.text = "%d B" % edit.snapshot_size


func _action_rows(undo_redo: UndoRedo) -> Array[PackedStringArray]:
	var rows: Array[PackedStringArray] = [PackedStringArray(["", "As it was", ""])]
	for action: int in undo_redo.get_history_count():
		var row := PackedStringArray([str(action + 1), undo_redo.get_action_name(action), ""])
		rows.append(row)
	return rows

extends RefCounted
## The undo history of the field, and the changes of each of its actions.

const Edit = preload("res://demo/undo/edit.gd")
const Token = preload("res://demo/undo/token.gd")

var undo_redo := UndoRedo.new()

## The edit of each action.
var _edits: Array[Edit] = []
var _recorder := VarBatchUndoRecorder.new()
## A second recorder, for the modifications: commit_action() does not return them.
var _teller := VarBatchUndoRecorder.new()
var _tokens: Array[Token]
var _before: PackedByteArray
var _record_usec := 0


func _init(tokens: Array[Token]) -> void:
	_tokens = tokens


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		undo_redo.free()


## Call this before an edit.
func begin(edited: Array[Token]) -> void:
	_before = snapshot()
	_recorder.record_all(edited)
	var started := Time.get_ticks_usec()
	_teller.record_all(edited)
	_record_usec = Time.get_ticks_usec() - started


## Call this after an edit. An edit that changed nothing adds no action.
func end(name: String) -> void:
	var edit := Edit.new()
	var started := Time.get_ticks_usec()
	edit.modifications = _teller.flush()
	edit.usec = _record_usec + Time.get_ticks_usec() - started
	if _recorder.commit(undo_redo, name) == 0:
		return
	var after := snapshot()
	edit.delta_size = VarBatch.make_delta(_before, after).size()
	edit.snapshot_size = after.size()
	_edits.resize(undo_redo.get_current_action())
	_edits.append(edit)


## The changes of the last action that is not undone, or null.
func current() -> Edit:
	var action := undo_redo.get_current_action()
	return _edits[action] if action >= 0 else null


## The whole field as bytes.
func snapshot() -> PackedByteArray:
	var states: Array = []
	for token: Token in _tokens:
		var state := {"position": token.position, "rotation": token.rotation, "color": token.color}
		states.append(state)
	return VarBatch.var_to_bytes(states)

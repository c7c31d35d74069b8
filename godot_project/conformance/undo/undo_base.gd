extends "../support/objects_suite.gd"
## Base of the suites on VarBatchUndoRecorder: objects to edit, rows as text, and going back and forth in a history.

const CLASS := "VarBatchUndoRecorder."
## What to do about a list that changed.
const COMPLETE := ": record it with record_complete()"
const ROUNDS := 3

var recorder := VarBatchUndoRecorder.new()
var history := UndoRedo.new()


func finish() -> void:
	history.free()
	super()


func edit(object: Object, values: Dictionary) -> void:
	for path: String in values:
		object.set_indexed(NodePath(path), values[path])


func edit_all(objects: Array, values: Dictionary) -> void:
	for object: Object in objects:
		edit(object, values)


## Undoes the last action and does it again: [param state] is as it was before, and as it is now.
func check_back_and_forth(state: Callable, before: Variant, after: Variant, what: String) -> void:
	history.undo()
	check_exact(state.call(), before, "undone, " + what)
	history.redo()
	check_exact(state.call(), after, "done again, " + what)


func edited(object: Object, values: Dictionary, names: Array = []) -> Array[Dictionary]:
	recorder.record(object, names)
	edit(object, values)
	return recorder.flush()


func change(before: Variant, after: Variant) -> Dictionary:
	var found := edited(box(before), {"value": after})
	check_int(found.size(), 1, "modifications of a %s to a %s" % [type_string(typeof(before)), type_string(typeof(after))])
	return found[0] if found.size() == 1 else {}


func shown(modifications: Array[Dictionary]) -> PackedStringArray:
	return PackedStringArray(modifications.map(_shown))


func _shown(row: Dictionary) -> String:
	return "%s: %s > %s" % [row.property, var_to_str(row.old), var_to_str(row.new)]


func check_shown(found: Array[Dictionary], expected: PackedStringArray, what: String) -> void:
	check(shown(found) == expected, "%s: expected %s, found %s" % [what, expected, shown(found)])


func check_flush(expected: PackedStringArray, what: String, lines: PackedStringArray = []) -> Array[Dictionary]:
	var found: Array[Dictionary] = expect_lines(func() -> Array[Dictionary]: return recorder.flush(), lines)
	check_shown(found, expected, what)
	return found


## Records and edits an object in turn, and checks what flush() gives. Each step is a Dictionary of
## edits, an Array of the arguments of record() behind the object, or true for record_complete().
func check_steps(object: Object, steps: Array, expected: PackedStringArray) -> void:
	for step: Variant in steps:
		if step is Dictionary:
			edit(object, step as Dictionary)
		elif step is Array:
			recorder.callv(&"record", [object] + (step as Array))
		else:
			recorder.record_complete(object)
	check_flush(expected, str(steps))


func skipped(object: Object, why: String) -> String:
	return WARNING + CLASS + "flush: skipped %s (id %d): %s" % [object.get_class(), object.get_instance_id(), why]


func check_exact(found: Variant, expected: Variant, what: String) -> void:
	check_bytes(var_to_bytes(found), var_to_bytes(expected), what)


## Checks what rows say of an object as it is now, and sets the old values.
func check_and_undo(rows: Array[Dictionary], object: Object, keys: Array) -> void:
	for row: Dictionary in rows:
		check(row.keys() == keys, "keys are %s" % [row.keys()])
		check(is_same(row.object, object), "the object of %s" % row.property)
		check(typeof(row.property) == TYPE_STRING, "a path is no String")
		var path := NodePath(row.property as String)
		check_exact(object.get_indexed(path), row.new, "new %s" % path)
		object.set_indexed(path, row.old)


func check_turns(state: Callable, before: PackedByteArray, after: PackedByteArray, what: String) -> void:
	for turn: int in ROUNDS:
		check(history.undo(), "undo, " + what)
		check_bytes(state.call() as PackedByteArray, before, "undone, " + what)
		check(history.redo(), "redo, " + what)
		check_bytes(state.call() as PackedByteArray, after, "done again, " + what)


static func state_of(object: Object) -> PackedByteArray:
	var list := object.get_property_list().filter(func(of: Dictionary) -> bool: return of.usage & PROPERTY_USAGE_STORAGE)
	return var_to_bytes(list.map(func(of: Dictionary) -> Array: return [of.name, object.get(of.name as StringName)]))


## A script for nodes.
class Fighter:
	extends Node2D
	@export var health := 3
	@export var bag: Array = []

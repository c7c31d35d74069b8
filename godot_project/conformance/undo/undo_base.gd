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


func edited(object: Object, values: Dictionary, names: Array = []) -> Array[Dictionary]:
	recorder.record(object, names)
	edit(object, values)
	return recorder.flush()


## The one modification of a Box's value.
func change(before: Variant, after: Variant) -> Dictionary:
	var found := edited(box(before), {"value": after})
	var types: Array = [type_string(typeof(before)), type_string(typeof(after))]
	check_int(found.size(), 1, "modifications of a %s to a %s" % types)
	return found[0] if found.size() == 1 else {}


## Texts of modifications: "property: old > new".
func shown(modifications: Array[Dictionary]) -> PackedStringArray:
	var lines := PackedStringArray()
	for row: Dictionary in modifications:
		lines.append("%s: %s > %s" % [row.property, var_to_str(row.old), var_to_str(row.new)])
	return lines


func check_shown(found: Array[Dictionary], expected: PackedStringArray, what: String) -> void:
	check(shown(found) == expected, "%s: expected %s, found %s" % [what, expected, shown(found)])


## Checks what flush() gives and which lines it logs.
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


## The line that flush() logs of an object without a name.
func skipped(object: Object, why: String) -> String:
	var text := WARNING + CLASS + "flush: skipped %s (id %d): %s"
	return text % [object.get_class(), object.get_instance_id(), why]


## Two values of the same bytes, with the same objects by their ids.
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


## Goes back and forth in the history: [param state] is [param before], then [param after].
func check_turns(state: Callable, before: PackedByteArray, after: PackedByteArray, what: String) -> void:
	for turn: int in ROUNDS:
		check(history.undo(), "undo, " + what)
		check_bytes(state.call() as PackedByteArray, before, "undone, " + what)
		check(history.redo(), "redo, " + what)
		check_bytes(state.call() as PackedByteArray, after, "done again, " + what)


static func state_of(object: Object) -> PackedByteArray:
	var state: Array = []
	for property: Dictionary in object.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			state.append([property.name, object.get(property.name as StringName)])
	return var_to_bytes(state)


## A script for nodes.
class Fighter:
	extends Node2D
	@export var health := 3
	@export var bag: Array = []

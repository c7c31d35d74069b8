extends "../support/suite.gd"
## Base of the suites on VarBatchUndoRecorder.

const Box := preload("box.gd")
const Values := preload("../support/values.gd")

var recorder := VarBatchUndoRecorder.new()
var _nodes: Array[Node] = []


func finish() -> void:
	Box.reset()
	for node: Variant in _nodes:
		if is_instance_valid(node):
			# The engine logs an error for each Container that another one made for itself.
			quietly((node as Node).free)
	super()


## A Box with this value.
func box(value: Variant) -> Box:
	var made := Box.new()
	made.value = value
	return made


## A node that is freed at the end of the test.
func node(made: Node) -> Node:
	_nodes.append(made)
	return made


## Records the value of a new Box, changes it to [param after], and returns the one modification.
func change(before: Variant, after: Variant) -> Dictionary:
	var object := box(before)
	recorder.record(object)
	object.value = after
	var found := recorder.flush()
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


## Two values of the same bytes, with the same objects by their ids.
func check_exact(found: Variant, expected: Variant, what: String) -> void:
	check_bytes(var_to_bytes(found), var_to_bytes(expected), what)


## Bytes of all stored properties of an object.
static func state_of(object: Object) -> PackedByteArray:
	var state: Array = []
	for property: Dictionary in object.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			var value: Variant = object.get(property.name as StringName)
			state.append([property.name, value])
	return var_to_bytes(state)

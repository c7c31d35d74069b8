extends "../support/suite.gd"
## Base of the suites on VarBatchState.

const Box := preload("../undo/box.gd")
const Listed := preload("../undo/listed.gd")
const EngineValues := preload("../support/engine_values.gd")

const CLASS := "VarBatchState."

var state := VarBatchState.new()
var _nodes: Array[Node] = []


func finish() -> void:
	Box.reset()
	state.clear()
	for made: Variant in _nodes:
		if is_instance_valid(made):
			(made as Node).free()
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


func make_nodes(count: int) -> Array:
	return range(count).map(func(_at: int) -> Node: return node(Node2D.new()))


func script_of(source: String) -> GDScript:
	var script := GDScript.new()
	script.source_code = source
	check_int(script.reload(), OK, "a script")
	return script


## An object as messages name it.
func shown(object: Object) -> String:
	return "%s (id %d)" % [object.get_class(), object.get_instance_id()]


## Checks that a capture is what the engine makes of these values.
func check_capture(expected: Array, what: String, lines: PackedStringArray = []) -> void:
	var bytes: PackedByteArray = expect_lines(
		func() -> PackedByteArray: return state.capture(), lines
	)
	check_bytes(bytes, var_to_bytes(expected), what)
	check_int(VarBatch.get_last_error(), OK, "last error, " + what)


## Restores bytes, which must log these lines.
func check_restore(
	bytes: PackedByteArray, what: String, lines: PackedStringArray = [], code := OK
) -> void:
	var found: int = expect_lines(func() -> int: return state.restore(bytes), lines)
	check_int(found, code, what)
	check_int(VarBatch.get_last_error(), code, "last error, " + what)

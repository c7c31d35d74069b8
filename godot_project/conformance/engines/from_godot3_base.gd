extends "../support/round_trip.gd"
## Base of the suites that look at what a real Godot 3 has written, and write what it then reads:
## see scripts/godot3-test.sh.

const Reasons := preload("from_godot3_reasons.gd")
const Vectors := preload("from_godot3_vectors.gd")

## The environment says in which folder the files are, and the version that wrote them: "3.6".
const FOLDER := "VARBATCH_GODOT3_FILES"
const VERSION := "VARBATCH_GODOT3_VERSION"


static func path_of(file: String) -> String:
	return OS.get_environment(FOLDER).path_join(file)


static func vectors_in(file: String) -> Array[RefCounted]:
	return Vectors.read(path_of(file), OS.get_environment(VERSION))


## What the engine reads: the real one, as far as it goes without printing.
func engine_value(bytes: PackedByteArray, objects: bool) -> Variant:
	return quietly((bytes_to_var_with_objects if objects else bytes_to_var).bind(bytes))


## What the engine reads of bytes that it must take for one value, all of them.
func engine_value_of_all(bytes: PackedByteArray, objects: bool, what: String) -> Variant:
	var value: Variant = engine_value(bytes, objects)
	if value is Object and not value is RefCounted:
		# decode_var_size() would make another, and lose it.
		var header := Values.header(TYPE_ARRAY) + Values.u32(2)
		var pair: Variant = engine_value(header + bytes + var_to_bytes(what), objects)
		check(pair is Array and (pair as Array)[1] == what, "%s: another size" % what)
		Values.discard(pair)
	else:
		var size: int = quietly(bytes.decode_var_size.bind(0, objects))
		check(size > 0 and size == bytes.size(), "%s: of another size: %d" % [what, size])
	return value


## The bytes of one engine as those of another; see good() for the warning.
func translated(bytes: PackedByteArray, from: int, to: int, warning: String, what: String) -> PackedByteArray:
	return good(call_method.bind(&"transcode", [bytes, from, to]), warning, what)


## That two byte arrays are the same, or differ if there is a reason for it: each way a test fails
## when it is no longer as it is said to be.
func check_bytes_or(reason: String, found: PackedByteArray, expected: PackedByteArray, what: String) -> void:
	if reason.is_empty():
		check_bytes(found, expected, what)
	else:
		check(found != expected, "%s: is the same, in spite of: %s" % [what, reason])


## Calls an action of VarBatch that must succeed. It must warn of what [param warning] says, or not
## at all.
func good(action: Callable, warning: String, what: String) -> Variant:
	var results: Array = []
	var is_told := warning.is_empty() or not errors.is_open()
	for line: String in logged(func() -> void: results.append(action.call())):
		# Other lines are the engine's, about properties of objects.
		if "VarBatch." in line.left(WARNING.length() + 9):
			var is_expected := warning and warning in line and line.begins_with(WARNING)
			check(is_expected, "%s: %s" % [what, line])
			is_told = is_told or is_expected
	check(is_told, "%s: no warning of '%s'" % [what, warning])
	return results[0]

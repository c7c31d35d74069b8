extends "../support/round_trip.gd"
## Base of the suites that look at what a real Godot 3 has written, and write what it then reads:
## see scripts/godot3-test.sh.

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


func translated(bytes: PackedByteArray, from: int, to: int, warning: String, what: String) -> PackedByteArray:
	return good(call_method.bind(&"transcode", [bytes, from, to]), warning, what)


## That two byte arrays are the same, or differ if there is a reason for it: each way a test fails
## when it is no longer as it is said to be.
func check_bytes_or(reason: String, found: PackedByteArray, expected: PackedByteArray, what: String) -> void:
	if reason.is_empty():
		check_bytes(found, expected, what)
	else:
		check(found != expected, "%s: is the same, in spite of: %s" % [what, reason])


## Calls an action of VarBatch that must succeed. It must warn of what [param warning] says, or not at all.
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


## One line of a file of vectors that a real Godot 3 filled in: see rust/codec/tests/vectors/.
class Vectors:
	## Behind the name of a vector that is about objects with their properties.
	const OBJECTS := " (objects)"
	## Behind the name of one that holds for that version alone.
	const VERSION := " (%s)"
	const VERSIONS: PackedStringArray = ["3.2", "3.6"]
	## What stands for no bytes.
	const NONE := "-"

	var name: String
	## What stands in the line, the name first.
	var parts: PackedStringArray
	var objects: bool

	## The vectors of a file that hold for a version, in their order.
	static func read(path: String, version: String) -> Array[RefCounted]:
		var vectors: Array[RefCounted] = []
		for line: String in FileAccess.get_file_as_string(path).split("\n", false):
			var vector := Vectors.new()
			vector.parts = Array(line.split("|")).map(func(part: String) -> String: return part.strip_edges())
			vector.name = vector.parts[0]
			vector.objects = vector.name.ends_with(OBJECTS)
			var is_of_another := func(other: String) -> bool: return other != version and VERSION % other in vector.name
			if not line.begins_with("#") and not Array(VERSIONS).any(is_of_another):
				vectors.append(vector)
		return vectors

	## The bytes in a part, none if there are none.
	func bytes(part: int) -> PackedByteArray:
		return PackedByteArray() if parts[part] == NONE else _expanded(parts[part]).hex_decode()

	## Without spaces, and "(...)xN" N times.
	static func _expanded(hex: String) -> String:
		var text := ""
		for part: String in hex.split("("):
			var halves := part.split(")x")
			if halves.size() == 2:
				var times := halves[1].get_slice(" ", 0)
				part = halves[0].repeat(times.to_int()) + halves[1].substr(times.length())
			text += part
		return text.replace(" ", "")


## For each vector that is not the same here as in Godot 3: why. What is not named has to be the
## same, and what is named has to differ, so that nothing stays in the list that is mended.
class Reasons:
	## What differs: what Godot 4 writes of the value, what comes back from its bytes, what is written
	## of the value, and what Godot 3 then reads of these two.
	enum { AGAIN, BACK, WRITTEN, BACK_READ, WRITTEN_READ }
	## It is refused, as too deep.
	const REFUSED := -1

	const ALL := [BACK, WRITTEN, BACK_READ, WRITTEN_READ]
	const EVERYWHERE := [AGAIN, BACK, WRITTEN, BACK_READ, WRITTEN_READ]
	const OF_VALUE := [AGAIN, WRITTEN, WRITTEN_READ]
	const ROOT := "Godot 3 writes that it is absolute, and does not read it"
	const NO_CHARACTER := "Godot 4 has U+FFFD for what is no character"
	const PAIR := "a pair of surrogates is the one character that it stands for"
	const MARK := "each reader drops one byte-order mark at the start"
	const IDS := "Godot 4 writes the id of the object that keeps the id which was read"
	const KEYS := "to Godot 4 these keys are equal"
	const SCRIPT := "Godot 4 takes paths for scripts, and no objects"
	const DEEP := "no engine since 3.4 goes as deep"
	const MORE := "the class has other properties too in Godot 4, which Godot 3 ignores"
	const OTHER := "a property of the class has another name or meaning in Godot 4, or none"
	const METADATA := "the metadata of an object is no property of that name in Godot 4"

	## Each row: why, where, what VarBatch has to warn of, if of anything, and the names, with "*" for
	## anything. The first row that has a name counts.
	const ROWS: Array[Array] = [
		[MARK, [BACK, WRITTEN], "", ["*_bom_first", "*_bom_only"]],
		[MARK, EVERYWHERE, "", ["string_bom_twice"]],
		[ROOT, [BACK, WRITTEN], "", ["node_path_root"]],
		[NO_CHARACTER, ALL, "U+FFFD", ["*_above_unicode", "string_5_and_6_bytes"]],
		[NO_CHARACTER, ALL, "U+FFFD", ["string_lone_* (3.2)", "string_*surrogates* (3.2)"]],
		[PAIR, ALL, "", ["string_surrogate_pair (3.2)"]],
		[IDS, OF_VALUE, "", ["object_id*", "*_of_ids"]],
		[KEYS, OF_VALUE, "same as an earlier one", ["dictionary_equal_dictionary_keys"]],
		[DEEP, [REFUSED], "", ["*_1026_deep (3.2)", "int_1025_deep (3.2)"]],
		[SCRIPT, ALL, "script", ["object_*with_script*"]],
		[MORE, [WRITTEN], "", ["object_curve (*", "object_gradient*", "object_in_object*"]],
		[OTHER, [WRITTEN, WRITTEN_READ], "", ["object_curve_with_values*", "object_*_shape*"]],
		[OTHER, [WRITTEN, WRITTEN_READ], "", ["object_animation*", "object_spatial*"]],
		[OTHER, [WRITTEN, WRITTEN_READ], "", ["object_node (*", "object_node_2d*"]],
		[METADATA, [WRITTEN, WRITTEN_READ], "metadata", ["object_with_meta*", "object_with_node_path*"]],
	]

	## Why a vector differs there, "" if it must not.
	static func of(name: String, where: int) -> String:
		var row := _row(name)
		return row[0] if row and where in row[1] else ""

	## What VarBatch has to warn of, "" for nothing.
	static func warning(name: String) -> String:
		var row := _row(name)
		return row[2] if row else ""

	static func _row(name: String) -> Array:
		for row: Array in ROWS:
			for pattern: String in row[3]:
				if name.match(pattern):
					return row
		return []

extends RefCounted
## For each vector that is not the same here as in Godot 3: why. What is not named has to be the
## same, and what is named has to differ, so that nothing stays in the list that is mended.

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

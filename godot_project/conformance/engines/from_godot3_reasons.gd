extends RefCounted
## For each vector that is not the same here as in Godot 3: why. What is not named has to be the
## same, and what is named has to differ, so that nothing stays in the list that is mended.

## What differs: what Godot 4 writes of the value, what comes back from its bytes, what is written
## of the value, and what Godot 3 then reads of these two.
enum { AGAIN, BACK, WRITTEN, BACK_READ, WRITTEN_READ }
## Of inputs: whether they are read, whether they are translated, and what is written of the value.
enum { IS_READ, IS_TRANSLATED, INPUT_WRITTEN }
## It is refused, as too deep.
const REFUSED := -1
## It is left out.
const LEFT_OUT := -2

const ALL := [BACK, WRITTEN, BACK_READ, WRITTEN_READ]
const NO_CHARACTER := "Godot 4 has U+FFFD for what is no character"
const PAIR := "a pair of surrogates is the one character that it stands for"
const MARK := "each reader drops one byte-order mark at the start"
const IDS := "Godot 4 writes the id of the object that keeps the id which was read"
const KEYS := "to Godot 4 these keys are equal"
const SCRIPT := "Godot 4 takes paths for scripts, and no objects"
const DEEP := "no engine since 3.4 goes as deep"

## Each row: why, where, and the names. With a warning, if VarBatch has to say something.
const OF_VALUES: Array[Dictionary] = [
	{
		"why": MARK,
		"where": [BACK, WRITTEN],
		"names":
		[
			"string_bom_first",
			"string_bom_only",
			"node_path_bom_first",
			"string_array_bom_first",
			"string_array_bom_only",
		],
	},
	{
		"why": MARK,
		"where": [AGAIN, BACK, WRITTEN, BACK_READ, WRITTEN_READ],
		"names": ["string_bom_twice"]
	},
	{
		"why": "Godot 3 writes that it is absolute, and does not read it",
		"where": [BACK, WRITTEN],
		"names": ["node_path_root"],
	},
	{
		"why": NO_CHARACTER,
		"warning": "U+FFFD",
		"where": ALL,
		"names":
		[
			"string_above_unicode",
			"string_5_and_6_bytes",
			"string_array_above_unicode",
			"string_lone_lead_surrogate (3.2)",
			"string_lone_trail_surrogate (3.2)",
			"string_surrogates_swapped (3.2)",
			"string_array_surrogates (3.2)",
		],
	},
	{"why": PAIR, "where": ALL, "names": ["string_surrogate_pair (3.2)"]},
	{
		"why": IDS,
		"where": [AGAIN, WRITTEN, WRITTEN_READ],
		"names":
		[
			"object_id",
			"object_id_of_reference",
			"object_id_encoded",
			"array_of_ids",
			"dictionary_of_ids",
		],
	},
	{
		"why": KEYS,
		"warning": "same as an earlier one",
		"where": [AGAIN, WRITTEN, WRITTEN_READ],
		"names": ["dictionary_equal_dictionary_keys"],
	},
	{
		"why": DEEP,
		"where": [REFUSED],
		"names": ["array_1026_deep (3.2)", "int_1025_deep (3.2)", "dictionary_1026_deep (3.2)"],
	},
	{
		"why": SCRIPT,
		"warning": "script",
		"where": ALL,
		"names":
		[
			"object_with_script (objects)",
			"object_node_with_script (3.2) (objects)",
			"object_node_with_script (3.6) (objects)",
		],
	},
	{
		"why": "the class has other properties too in Godot 4, which Godot 3 ignores",
		"where": [WRITTEN],
		"names":
		[
			"object_curve (objects)",
			"object_gradient (3.2) (objects)",
			"object_gradient (3.6) (objects)",
			"object_gradient_with_values (3.2) (objects)",
			"object_gradient_with_values (3.6) (objects)",
			"object_in_object (3.2) (objects)",
			"object_in_object (3.6) (objects)",
		],
	},
	{
		"why": "a property of the class has another name or meaning in Godot 4, or none",
		"where": [WRITTEN, WRITTEN_READ],
		"names":
		[
			"object_curve_with_values (objects)",
			"object_rectangle_shape (objects)",
			"object_box_shape (objects)",
			"object_animation (objects)",
			"object_node (3.2) (objects)",
			"object_node (3.6) (objects)",
			"object_node_2d (3.2) (objects)",
			"object_node_2d (3.6) (objects)",
			"object_spatial (3.2) (objects)",
			"object_spatial (3.6) (objects)",
		],
	},
	{
		"why": "the metadata of an object is no property of that name in Godot 4",
		"warning": "metadata",
		"where": [WRITTEN, WRITTEN_READ],
		"names": ["object_with_meta (objects)", "object_with_node_path (objects)"],
	},
]

const OF_INPUTS: Array[Dictionary] = [
	{
		"why": "a translation makes no objects, so it needs no leave",
		"where": [IS_TRANSLATED],
		"names": ["object_denied", "object_null_denied", "object_denied_in_array"],
	},
	{
		"why": "a translation makes no objects, so it does not know which classes there are",
		"where": [IS_TRANSLATED],
		"names": ["object_unknown_class (objects)", "object_virtual_class (objects)"],
	},
	{
		"why": "Godot 4 has this class",
		"where": [IS_READ, IS_TRANSLATED],
		"names": ["object_class_of_godot_4 (objects)"],
	},
	{
		"why": DEEP,
		"where": [IS_READ, IS_TRANSLATED],
		"names":
		[
			"array_1026_deep (3.2)",
			"nil_1025_deep (3.2)",
			"key_1025_deep (3.2)",
			"property_1025_deep (3.2) (objects)",
		],
	},
	{
		"why": "Godot 4 complains of each level of a key that is as deep",
		"where": [LEFT_OUT],
		"names": ["key_1024_deep"],
	},
	{"why": MARK, "where": [INPUT_WRITTEN], "names": ["bom_twice"]},
	{
		"why": PAIR,
		"where": [INPUT_WRITTEN],
		"names":
		[
			"surrogate_pair (3.2)",
			"surrogate_pair_lowest (3.2)",
			"surrogate_pair_highest (3.2)",
			"surrogate_pair_in_array (3.2)",
			"node_path_surrogates (3.2)",
		],
	},
	{
		"why": NO_CHARACTER,
		"warning": "U+FFFD",
		"where": [INPUT_WRITTEN],
		"names":
		[
			"surrogate_lead (3.2)",
			"surrogate_lead (3.6)",
			"surrogate_trail (3.2)",
			"surrogate_trail (3.6)",
			"surrogate_lead_at_end (3.2)",
			"surrogate_lead_at_end (3.6)",
			"surrogates_swapped (3.2)",
			"surrogates_swapped (3.6)",
			"surrogate_lead_lead_trail (3.2)",
			"surrogate_lead_lead_trail (3.6)",
			"surrogate_limits (3.2)",
			"surrogate_limits (3.6)",
			"overlong_5_1fffff",
			"overlong_6_1000000",
			"overlong_6_3ffffff",
			"above_unicode_110000",
			"above_unicode_1fffff",
			"above_unicode_f5",
			"above_unicode_200000",
			"above_unicode_3ffffff",
			"above_unicode_4000000",
			"above_unicode_7fffffff",
		],
	},
	{
		"why": IDS,
		"where": [INPUT_WRITTEN],
		"names":
		[
			"object_id",
			"object_id_64_bits",
			"object_id_high_bit",
			"object_id_all_flags",
			"object_id_in_array",
			"object_id_as_key",
		],
	},
	{
		"why": KEYS,
		"warning": "same as an earlier one",
		"where": [INPUT_WRITTEN],
		"names": ["dictionary_dictionary_twice", "dictionary_nil_and_null_object"],
	},
]


## Why a vector differs there, "" if it must not.
static func of(rows: Array[Dictionary], name: String, where: int) -> String:
	var row := _row(rows, name)
	return row.why if row and where in row.where else ""


## What VarBatch has to warn of, "" for nothing.
static func warning(rows: Array[Dictionary], name: String) -> String:
	return _row(rows, name).get("warning", "")


static func names(rows: Array[Dictionary]) -> PackedStringArray:
	var all := PackedStringArray()
	for row: Dictionary in rows:
		all.append_array(row.names as Array)
	return all


static func _row(rows: Array[Dictionary], name: String) -> Dictionary:
	for row: Dictionary in rows:
		if name in row.names:
			return row
	return {}

extends "undo_base.gd"
## Base of the suites on flush(true): makes rows, follows them to the new value and back, and shows them.

const Edits := preload("../changes/random_edits.gd")

const KEYS: Array = ["object", "property", "path", "op", "old", "new"]
## Their bytes do not show all that they are, so their array may be one change.
const HIDDEN: PackedInt32Array = [
	TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH, TYPE_CALLABLE, TYPE_PACKED_STRING_ARRAY
]

var whole_recorder := VarBatchUndoRecorder.new()


## Bytes do not show what is in a Callable, or text that UTF-8 cannot hold.
func hidden_values() -> Array:
	# A byte order mark at the start is lost.
	var odd := String.chr(0xfeff) + "a"
	var odder := String.chr(0xfeff) + "b"
	var values: Array = [get_parent, get_index, func() -> int: return 1, odd, odder]
	values.append_array([StringName(odd), NodePath(odd), PackedStringArray([odd])])
	return values + [PackedStringArray(["x", odder])]


func hide(value: Variant, random: RandomNumberGenerator) -> void:
	var hidden := hidden_values()
	var keys: Array = []
	if value is Array and not (value as Array).is_typed():
		keys = range((value as Array).size())
	elif value is Dictionary and not (value as Dictionary).is_typed():
		keys = (value as Dictionary).keys()
		if random.randi_range(0, 2) == 0:
			value[hidden[random.randi() % hidden.size()]] = [1, 2]
	for key: Variant in keys:
		if random.randi_range(0, 5) == 0:
			value[key] = hidden[random.randi() % hidden.size()]
		else:
			hide(value[key], random)


func record_twice(objects: Array, names: Array = ["value"]) -> void:
	for recorder_of: VarBatchUndoRecorder in [recorder, whole_recorder]:
		recorder_of.record_all(objects, names)


func deep(before: Variant, after: Variant, what: String) -> Array[Dictionary]:
	var object := box(before)
	record_twice([object])
	object.value = after
	var rows := recorder.flush(true)
	var wholes := whole_recorder.flush()
	check_int(wholes.size(), 1, "modifications, " + what)
	if rows.is_empty() or wholes.is_empty():
		check(false, "no changes, " + what)
		return [{"path": [], "op": "", "old": null, "new": null}]
	if wholes[0].property == "value":
		check(_hidden(wholes[0].old) == _hidden(before), "what was recorded, " + what)
		check(_hidden(wholes[0].new) == _hidden(after), "what was compared, " + what)
	check_rows(rows, wholes[0], what)
	return rows


func check_rows(rows: Array[Dictionary], whole: Dictionary, what: String) -> void:
	for row: Dictionary in rows:
		var keys := KEYS + ["index"] if row.has("index") else KEYS
		check(row.keys() == keys and is_same(row.object, whole.object), "keys %s, %s" % [row.keys(), what])
		var is_known: bool = row.property == whole.property and row.op in ["set", "insert", "remove"]
		check(is_known, "%s of %s, %s" % [row.op, row.property, what])
	if whole.property != "value":
		return
	# First, as each direction changes what it goes through, and values that were inserted.
	var bytes: Array[PackedByteArray] = [var_to_bytes(whole.old), var_to_bytes(whole.new)]
	var hidden: Array = [_hidden(whole.old), _hidden(whole.new)]
	var live := rows.map(func(row: Dictionary) -> Dictionary: return row.duplicate(true))
	var made: Variant = Edits.patched(whole.old, live)
	check_bytes(var_to_bytes(made), bytes[1], "made, " + what)
	check(_hidden(made) == hidden[1], "hidden values made, " + what)
	var undone: Variant = Edits.patched(whole.new, Edits.inverse(rows))
	check_bytes(var_to_bytes(undone), bytes[0], "undone, " + what)
	check(_hidden(undone) == hidden[0], "hidden values undone, " + what)


func check_deep(before: Variant, after: Variant, expected: PackedStringArray, what: String) -> void:
	var told := told_of(deep(before, after, what))
	check(told == expected, "%s: expected %s, found %s" % [what, expected, told])


func told_of(rows: Array[Dictionary]) -> PackedStringArray:
	var told := PackedStringArray()
	for row: Dictionary in rows:
		var place: String = " at %d" % row.index if row.has("index") else ""
		var path: String = ", ".join((row.path as Array).map(_text))
		told.append("%s [%s]%s: %s > %s" % [row.op, path, place, _text(row.old), _text(row.new)])
	return told


func _text(value: Variant) -> String:
	return "Box" if value is Box else var_to_str(value)


## All in a value whose bytes do not show what it is.
func _hidden(value: Variant) -> Array:
	var found: Array = []
	if value is Array:
		for element: Variant in value as Array:
			found.append_array(_hidden(element))
		found.append((value as Array).get_typed_script())
	elif value is Dictionary:
		for key: Variant in value as Dictionary:
			found.append_array(_hidden(key) + _hidden(value[key]))
	elif typeof(value) in HIDDEN:
		found.append(value)
	return found

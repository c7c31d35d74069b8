extends "from_godot3_base.gd"
## Bytes that a real Godot 3 was given, most of them broken: what it takes is taken here, as the
## value that it has read, and nothing else.

const FILE := "godot3_decoded.txt"
## What stands in a vector: its name, the bytes, how many are consumed, what Godot 3 writes then.
const BYTES_PART := 1
const CONSUMED_PART := 2
const AGAIN_PART := 3
## What transcode() warns of behind a value: perhaps the dialect is the wrong one.
const BEHIND := "followed by bytes"
## Godot 3's header of an Array.
const ONE_ELEMENT: PackedByteArray = [19, 0, 0, 0, 1, 0, 0, 0]


func test_the_same_inputs_are_good() -> void:
	for vector: Vectors in vectors_in(FILE):
		var consumed := vector.parts[CONSUMED_PART].to_int()
		var bytes := vector.bytes(BYTES_PART)
		var is_read: bool = quietly(_is_read.bind(bytes, vector.objects))
		_check_verdict(is_read, consumed > 0, vector.name, Reasons.IS_READ)
		var here: PackedByteArray = quietly(_translate.bind(bytes))
		_check_verdict(not here.is_empty(), consumed > 0, vector.name, Reasons.IS_TRANSLATED)
		var tree := VarBatch.describe(bytes, GODOT_3)
		_check_verdict(not tree.has("error"), consumed > 0, vector.name, Reasons.IS_TRANSLATED)
		if consumed > 0 and not tree.has("error"):
			check_int(tree.size as int, consumed, "size of " + vector.name)


func test_they_are_the_same_values() -> void:
	for vector: Vectors in vectors_in(FILE):
		if vector.parts[AGAIN_PART] == Vectors.NONE or _is_left_out(vector.name):
			continue
		var bytes := vector.bytes(BYTES_PART)
		var warning := Reasons.warning(Reasons.OF_INPUTS, vector.name)
		var has_more := vector.parts[CONSUMED_PART].to_int() < bytes.size()
		var told := BEHIND if has_more else warning
		var here := translated(bytes, GODOT_3, GODOT_4, told, vector.name)
		var value: Variant = engine_value_of_all(here, vector.objects, vector.name)
		var found: Variant = read_here(bytes, vector.objects, warning, vector.name)
		check_value(found, value, vector.name)
		var written := written_here(value, vector.objects, vector.name)
		var reason := Reasons.of(Reasons.OF_INPUTS, vector.name, Reasons.INPUT_WRITTEN)
		check_bytes_or(reason, written, vector.bytes(AGAIN_PART), "written, " + vector.name)
		discard([value, found])


func test_reasons_name_vectors() -> void:
	check_names(Reasons.names(Reasons.OF_INPUTS), FILE)


func _check_verdict(found: bool, in_godot_3: bool, what: String, where: int) -> void:
	var reason := Reasons.of(Reasons.OF_INPUTS, what, where)
	var expected := in_godot_3 if reason.is_empty() else not in_godot_3
	check(found == expected, "%s: good: %s, in Godot 3: %s; %s" % [what, found, in_godot_3, reason])


func _is_left_out(vector_name: String) -> bool:
	for where: int in [Reasons.LEFT_OUT, Reasons.IS_READ]:
		if not Reasons.of(Reasons.OF_INPUTS, vector_name, where).is_empty():
			return true
	return false


func _translate(bytes: PackedByteArray) -> PackedByteArray:
	return VarBatch.transcode(bytes, GODOT_3, GODOT_4)


## Whether it is a value. One that is null is told from none by an array around it.
func _is_read(bytes: PackedByteArray, objects: bool) -> bool:
	var value: Variant = VarBatch.bytes_to_var_in(bytes, GODOT_3, objects)
	discard(value)
	if typeof(value) != TYPE_NIL:
		return true
	return VarBatch.bytes_to_var_in(ONE_ELEMENT + bytes, GODOT_3, objects) != null

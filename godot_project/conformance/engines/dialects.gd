extends "dialects_base.gd"
## Values of other engines, one by one: read, written, and translated on the bytes alone. What cannot be read or
## written, and what is lost, each with one line that says where. Objects by other names, and without scripts.

const NO_OBJECTS := "expected no object with properties, as objects are not allowed (allow_objects: true, or a list of classes), found one, at "


func test_godot_3_by_hand() -> void:
	for pair: Array in godot_3_values():
		var bytes := Values.hex(pair[1] as String)
		var here := var_to_bytes(pair[0])
		check_call(&"bytes_to_var_in", [bytes, GODOT_3], pair[0], [])
		check_call(&"var_to_bytes_in", [pair[0], GODOT_3], bytes, [])
		check_call(&"transcode", [bytes, GODOT_3, GODOT_4], here, [])
		check_call(&"transcode", [here, GODOT_4, GODOT_3], bytes, [])
		check_call(&"transcode", [bytes, GODOT_3, GODOT_3], bytes, [])
		for other: VarBatch.Dialect in OTHERS:
			var there := VarBatch.transcode(bytes, GODOT_3, other)
			check_bytes(VarBatch.transcode(there, other, GODOT_3), bytes, "by way of others")


func test_every_value() -> void:
	var generator := Generator.new(271_828)
	for value: Variant in Values.all():
		_check_value(value, "a %s" % type_string(typeof(value)))
	for i: int in part_of(3000):
		_check_value(generator.value(), "random value %d" % i)


## Whatever the bytes are: what is translated is a value to the engine, and describe() has the same opinion.
func test_damaged_bytes() -> void:
	var generator := Generator.new(577_215)
	var whole := Values.hex("".join(godot_3_values().map(func(pair: Array) -> String: return pair[1])))
	var good := 0
	for i: int in part_of(40_000):
		var at := generator.random.randi_range(0, whole.size() / 4 - 2) * 4
		var bytes := whole.slice(at, at + 160)
		for change: int in generator.random.randi_range(0, 2):
			bytes[generator.random.randi() % mini(bytes.size(), 24)] = generator.random.randi()
		var from: VarBatch.Dialect = OTHERS.keys()[i % OTHERS.size()]
		var there := _transcoded(bytes, from, GODOT_4)
		var tree := VarBatch.describe(bytes, from)
		var shown := "%s of dialect %d" % [bytes.hex_encode(), from]
		check(tree.has("error") == there.is_empty(), "%s: described as %s" % [shown, tree])
		if not there.is_empty():
			good += 1
			var value: Variant = quietly(call_method.bind(&"bytes_to_var_in", [bytes, from]))
			check_value(value, quietly(bytes_to_var.bind(there)), shown)
			var reason := VarBatch.validate([there])[0]
			var is_value: bool = quietly(there.has_encoded_var.bind(0))
			check(is_value == reason.is_empty(), "%s: the engine differs: %s" % [shown, reason])
			check(is_value or "expected no object" in reason, "%s: no value: %s" % [shown, reason])
	check(good > 0, "none of them was good")


func test_large_values() -> void:
	var bytes := filled_bytes(20 << 20)
	for i: int in range(0, bytes.size(), 4099):
		bytes[i] = i
	var value := {"bytes": bytes, "list": range(50_000), "text": "日本語😀".repeat(50_000)}
	for threads: int in Threads.new([1, 2, 3]):
		var there := VarBatch.var_to_bytes_in(value, GODOT_3)
		check_value(VarBatch.bytes_to_var_in(there, GODOT_3), value, "large, %d threads" % threads)
		check_bytes(VarBatch.transcode(there, GODOT_3, GODOT_4), var_to_bytes(value), "translated")


func _check_value(value: Variant, what: String) -> void:
	var here := var_to_bytes(value)
	# Each reading costs a text the byte-order mark in front, so that of two the way there and back leaves none.
	if "efbbbfefbbbf" in here.hex_encode():
		return
	for dialect: VarBatch.Dialect in OTHERS:
		var shown := "%s in %s" % [what, OTHERS[dialect]]
		# Freed objects are among them, which a Callable must not hold itself.
		var lines := logged(call_method.bind(&"var_to_bytes_in", [value, dialect]))
		var there: PackedByteArray = returned
		var has_bytes := has_place(value, dialect)
		check(there.is_empty() != has_bytes, "%s has %d bytes" % [shown, there.size()])
		for line: String in lines:
			var start := WARNING + "VarBatch.var_to_bytes_in: " if has_bytes else "VarBatch.var_to_bytes_in: expected a type that "
			check(line.begins_with(start) and (has_bytes or lines.size() == 1), str(lines))
		if has_bytes:
			check_bytes(_transcoded(here, GODOT_4, dialect), there, "translated, " + shown)
			var expected: Variant = as_kept(bytes_to_var(here), dialect)
			check_value(VarBatch.bytes_to_var_in(there, dialect), expected, shown)
			check_value(bytes_to_var(VarBatch.transcode(there, dialect, GODOT_4)), expected, "as the engine reads it, " + shown)


func _transcoded(bytes: PackedByteArray, from: VarBatch.Dialect, to: VarBatch.Dialect) -> PackedByteArray:
	return quietly(func() -> PackedByteArray: return VarBatch.transcode(bytes, from, to))


func test_no_such_dialect() -> void:
	var one := var_to_bytes(1)
	var none := PackedByteArray()
	for dialect: int in [-1, 5, 255, 1 << 32, 1 << 62, 1 << 63]:
		var text := "expected a constant of VarBatch.Dialect, from 0 to 4, as the dialect, found %d"
		for row: Array in [
			[&"bytes_to_var_in", [none, dialect], null],
			[&"var_to_bytes_in", [1, dialect], none],
			[&"describe", [one, dialect], {}],
			[&"transcode", [one, dialect, 0], none],
			[&"transcode", [one, 0, dialect], none],
			[&"transcode", [one, dialect, 9], none],
			[&"transcode_file", ["user://no", "user://no", 0, dialect], ERR_INVALID_PARAMETER],
		]:
			check_call(row[0], row[1], row[2], [text % dialect], ERR_INVALID_PARAMETER)


func test_no_place() -> void:
	var ints := Values.hex("1a000000 01000000 08000000 01000000 02000000")
	var deep: Array = Engines.nested(1026)
	var too_deep := "expected at most 1024 levels of nesting, found one more..."
	var place := "a type that Godot 3 has, found %s, at byte %s"
	for row: Array in [
		[{"list": [1, {"v": Vector3i()}]}, GODOT_3, place % ["Vector3i", '56 inside ["list"][1]["v"]']],
		[{PackedVector4Array(): 1}, GODOT_3, place % ["PackedVector4Array", "8 inside [key 0]"]],
		[[Signal()], GODOT_3, place % ["Signal", "8 inside [0]"]],
		[[Callable()], PANDEMONIUM, "a type that Pandemonium 5 has, found Callable, at byte 8..."],
		[deep, GODOT_3, too_deep],
		[deep, GODOT_4, too_deep],
	]:
		var line := "expected %s" % (row[2] as String).trim_prefix("expected ")
		check_call(&"var_to_bytes_in", [row[0], row[1]], PackedByteArray(), [line])
	var line := "expected " + place % ["Vector2i", "8 inside [0]"]
	check_call(&"transcode", [ints, PANDEMONIUM, GODOT_3], PackedByteArray(), [line])


## One warning for each kind of it. Each kind: transcode_losses.rs of the codec's tests.
func test_what_is_lost() -> void:
	var ints: Array[int] = [1]
	var untyped := "1 typed container became untyped, at byte 0"
	var misread := "1 value is written that Pandemonium itself misreads, at byte %s"
	for row: Array in [
		[ints, PANDEMONIUM, []],
		[{} as Dictionary[String, Variant], PANDEMONIUM, [untyped]],
		[[7, Projection()], PANDEMONIUM, [misread % "16 inside [1]"]],
		[{"p": ^"/"}, GODOT_3, ['1 NodePath "/" became empty, at byte 20 inside ["p"]']],
		[
			[rid_from_int64(1), ints, rid_from_int64(2), {5: ints}],
			GODOT_3,
			[
				"2 RIDs lost their ids, the first at byte 8 inside [0]",
				"2 typed containers became untyped, the first at byte 20 inside [1]"
			]
		],
	]:
		var lines: Array = (row[2] as Array).map(func(line: String) -> String: return WARNING + line)
		var found: PackedByteArray = quietly(call_method.bind(&"var_to_bytes_in", [row[0], row[1]]))
		check(not found.is_empty(), "nothing is written with: %s" % [lines])
		check_call(&"var_to_bytes_in", [row[0], row[1]], found, lines)
		check_call(&"transcode", [var_to_bytes(row[0]), GODOT_4, row[1]], found, lines)
	var wide := Values.hex("05000100") + PackedFloat64Array([0.1, 1e39]).to_byte_array()
	var line := WARNING + "1 value is too large for 32 bits and became infinite, at byte 0"
	var single := Values.hex("05000000 cdcccc3d 0000807f")
	check_call(&"transcode", [wide, GODOT_4, GODOT_3], single, [line])
	if OS.has_feature("double"):
		check_call(&"var_to_bytes_in", [bytes_to_var(wide), GODOT_3], single, [line])


func test_what_is_lost_in_reading() -> void:
	# Two keys in Pandemonium: the engine gives the first one the value of the second.
	var key := "04000000 01000000 6b000000 00000000"
	var name := "18000000 01000000 6b000000 01000000 01000000"
	var line := "1 key is the same as an earlier one, whose value is lost, at byte 24 inside [key 1]"
	var twice := Values.hex("19000000 02000000" + key + name)
	check_call(&"bytes_to_var_in", [twice, PANDEMONIUM], {"k": true}, [WARNING + line])
	line = "1 text has U+FFFD for what is no character, at byte 8 inside [0]"
	var surrogates := Values.hex("13000000 01000000 04000000 08000000 61eda080 62edb080")
	check_call(&"bytes_to_var_in", [surrogates, GODOT_3], ["a\ufffdb\ufffd"], [WARNING + line])
	var longer := Values.hex("02000000 07000000 09")
	line = "1 value was followed by bytes that are none of its, at byte 8"
	check_call(&"bytes_to_var_in", [longer, GODOT_3], 7, [WARNING + line])
	check_call(&"transcode", [longer, GODOT_3, GODOT_4], var_to_bytes(7), [WARNING + line])


## The dialect of this engine is what the methods without a dialect do.
func test_godot_4() -> void:
	for value: Variant in [1, "text", [Vector3i(1, 2, 3), &"n"], {"k": Resource.new()}]:
		for objects: bool in [false, true]:
			var bytes := VarBatch.var_to_bytes(value, objects)
			check_bytes(VarBatch.var_to_bytes_in(value, GODOT_4, objects), bytes, "written")
			if objects or not value is Dictionary:
				check_value(VarBatch.bytes_to_var_in(bytes, GODOT_4, objects), bytes_to_var_with_objects(bytes), "read")
	var dropping := Values.typed_array(TYPE_INT, [null, 2])
	for bytes: PackedByteArray in [dropping, Values.hex("02000000 07"), Values.hex("18000000 01000000")]:
		var lines := logged(func() -> void: VarBatch.bytes_to_var(bytes))
		check_int(lines.size(), 1, "lines of %s" % bytes.hex_encode())
		var read := call_method.bind(&"bytes_to_var_in", [bytes, GODOT_4])
		expect_lines(read, [lines[0].replace("bytes_to_var:", "bytes_to_var_in:")])


## Cut bytes as well: the error is that of the other methods.
func test_describe() -> void:
	for pair: Array in godot_3_values():
		var bytes := Values.hex(pair[1] as String)
		var tree := VarBatch.describe(bytes, GODOT_3)
		check_value([tree.get("error"), tree.size], [null, bytes.size()], "tree of %s" % pair[1])
		check_value([tree.type, tree.type_name], [typeof(pair[0]), type_string(typeof(pair[0]))], pair[1])
		var part := bytes.slice(0, bytes.size() / 2)
		var error := str(VarBatch.describe(part, GODOT_3).get("error"))
		check_call(&"bytes_to_var_in", [part, GODOT_3], null, [error])
		check_call(&"transcode", [part, GODOT_3, GODOT_4], PackedByteArray(), [error])
	var tree := VarBatch.describe(Values.hex(SCRIPTED), GODOT_3)
	check_value(tree.get("class"), "Reference", "class of an object, as it stands there")
	check_value(tree.children[0].get("class"), "GDScript", "class of its script")
	tree = VarBatch.describe(Values.hex("22000000 02000000 01000000 02000000 03000000 04000000"), PANDEMONIUM)
	check_value(tree.get("type_name"), "Array[Vector2i]", "elements without headers")
	check_value(tree.children[1].get("offset"), 16, "the second of them")
	tree = VarBatch.describe(Values.hex("12000000 01000000" + PLAIN + "00000000"), GODOT_3)
	check_value(tree.children[0].get("key"), "Object", "a key that would have to be made")


## As the engine's own functions are, for objects with properties: refused unless they are allowed,
## where they are in the bytes that were given.
func test_objects() -> void:
	# A RID takes eight bytes less in Godot 3, so that what follows lies elsewhere.
	var bytes := Values.hex("13000000 02000000 10000000" + PLAIN)
	check_call(&"bytes_to_var_in", [bytes, GODOT_3], null, [NO_OBJECTS + "byte 12 inside [1]"])
	var found: Variant = VarBatch.bytes_to_var_in(bytes, GODOT_3, true)
	check_value(found, [RID(), RefCounted.new()], "an object")
	var here := VarBatch.transcode(bytes, GODOT_3, GODOT_4)
	check_value(bytes_to_var_with_objects(here), found, "as the engine reads it")
	check_bytes(VarBatch.var_to_bytes_in(found, GODOT_3, true), bytes, "an object, back")
	check_bytes(VarBatch.transcode(here, GODOT_4, GODOT_3), bytes, "an object, translated back")
	var ids := VarBatch.var_to_bytes_in(found, GODOT_3)
	check_int(ids.decode_u32(12), 0x10011, "header of an object's id")
	check_int(ids.decode_s64(16), (found[1] as Object).get_instance_id(), "id of an object")


## The source of a script is no script for another engine, and its path neither.
func test_scripts() -> void:
	var bytes := Values.hex("13000000 03000000 02000000 07000000" + SCRIPTED + PLAIN)
	var lost := WARNING + "1 script of an object was left out, at byte "
	var expected := [7, RefCounted.new(), RefCounted.new()]
	check_call(&"bytes_to_var_in", [bytes, GODOT_3, true], expected, [lost + "52 inside [1].script"])
	var write := call_method.bind(&"var_to_bytes_in", [Scripted.new(), GODOT_3, true])
	var there: PackedByteArray = expect_logged(write, 0, 1, lost.trim_prefix(WARNING))
	check_call(&"bytes_to_var_in", [there, GODOT_3, true], RefCounted.new(), [])


func test_unknown_classes() -> void:
	var start := "13000000 03000000 10000000" + SCRIPTED
	var bytes := Values.hex(start + "11000000 06000000 4e6f5375 63680000 00000000")
	var line := 'expected a class that can be instantiated, found "NoSuch", at byte %d inside [2]'
	line = line % Values.hex(start).size()
	check_call(&"bytes_to_var_in", [bytes, GODOT_3, true], null, [line])
	check(not VarBatch.describe(bytes, GODOT_3).has("error"), "the bytes are good")


func test_other_names() -> void:
	var node := Node3D.new()
	node.visible = false
	var resource := Resource.new()
	resource.resource_name = "é"
	var bytes := VarBatch.var_to_bytes_in([node, resource], GODOT_3, true)
	check_value(VarBatch.describe(bytes, GODOT_3).children[0].get("class"), "Spatial", "Node3D")
	var found: Array = VarBatch.bytes_to_var_in(bytes, GODOT_3, true)
	check_value(found[0].get_class(), "Node3D", "Spatial")
	check_value([found[0].visible, found[1].resource_name], [false, "é"], "properties")
	found[0].free()
	node.free()


func test_scripts_that_change_what_is_there() -> void:
	var values: Array = [Packed.make(TYPE_PACKED_BYTE_ARRAY, 300_000), Meddler.new(), "end"]
	Meddler.on_get = values.clear
	var bytes := VarBatch.var_to_bytes_in(values, GODOT_3, true)
	Meddler.reset()
	check_int(values.size(), 0, "elements that the getter left")
	var found: Array = VarBatch.bytes_to_var_in(bytes, GODOT_3, true)
	check_int(found.size(), 0, "elements that were written")
	var here := VarBatch.var_to_bytes([7, Meddler.new()], true)
	Meddler.on_init = here.clear
	found = VarBatch.bytes_to_var_in(here, GODOT_4, true)
	check_int((found[1] as Meddler).number, 0, "a property")
	check(Meddler.calls > 0, "no script was run")

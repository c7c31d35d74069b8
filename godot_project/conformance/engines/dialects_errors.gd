extends "dialects_base.gd"
## What cannot be read or written in other engines, and what is lost there: each with one line
## that says where. What describe() shows of bytes that are good or bad.


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


## The type, and the way to it.
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
	var names: Dictionary[String, Variant] = {}
	var untyped := "1 typed container became untyped, at byte 0"
	var misread := "1 value is written that Pandemonium itself misreads, at byte %s"
	for row: Array in [
		[ints, PANDEMONIUM, []],
		[names, PANDEMONIUM, [untyped]],
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
	# Components of builds with double precision.
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
	# What follows a value is gone.
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
				var found: Variant = VarBatch.bytes_to_var_in(bytes, GODOT_4, objects)
				check_value(found, bytes_to_var_with_objects(bytes), "read")
	var typed: Array[int] = [1, 2]
	var dropping := var_to_bytes(typed)
	dropping[12] = TYPE_NIL
	dropping = dropping.slice(0, 16) + dropping.slice(20)
	var others: Array[PackedByteArray] = [Values.hex("02000000 07"), Values.hex("18000000 01000000")]
	for bytes: PackedByteArray in [dropping] + others:
		var lines := logged(func() -> void: VarBatch.bytes_to_var(bytes))
		check_int(lines.size(), 1, "lines of %s" % bytes.hex_encode())
		var read := func() -> Variant: return VarBatch.bytes_to_var_in(bytes, GODOT_4)
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
	var of_ints := Values.hex("22000000 02000000 01000000 02000000 03000000 04000000")
	tree = VarBatch.describe(of_ints, PANDEMONIUM)
	check_value(tree.get("type_name"), "Array[Vector2i]", "elements without headers")
	check_value(tree.children[1].get("offset"), 16, "the second of them")
	tree = VarBatch.describe(Values.hex("12000000 01000000" + PLAIN + "00000000"), GODOT_3)
	check_value(tree.children[0].get("key"), "Object", "a key that would have to be made")

extends "dialects_base.gd"
## What cannot be read or written in other engines, and what is lost there: each with one line
## that says where. What describe() shows of bytes that are good or bad.


func test_no_such_dialect() -> void:
	for number: int in [-1, 5, 255, 1 << 32, 1 << 62, 1 << 63]:
		var dialect := number as VarBatch.Dialect
		var text := (
			"expected a constant of VarBatch.Dialect, from 0 to 4, as the dialect, found %d"
			% number
		)
		var calls: Dictionary[String, Callable] = {
			"bytes_to_var_in":
			func() -> Variant: return VarBatch.bytes_to_var_in(PackedByteArray(), dialect),
			"var_to_bytes_in": func() -> Variant: return VarBatch.var_to_bytes_in(1, dialect),
			"describe": func() -> Variant: return VarBatch.describe(var_to_bytes(1), dialect),
			"transcode": func() -> Variant: return VarBatch.transcode(var_to_bytes(1), dialect, 0),
			"transcode_file":
			func() -> Variant: return VarBatch.transcode_file("user://no", "user://no", 0, dialect),
		}
		var empty: Array = [null, PackedByteArray(), {}, PackedByteArray(), ERR_INVALID_PARAMETER]
		for method: String in calls:
			var line := "VarBatch.%s: %s" % [method, text]
			check_value(expect_lines(calls[method], [line]), empty.pop_front(), method)
	var both := func() -> PackedByteArray: return VarBatch.transcode(var_to_bytes(1), -1, 9)
	expect_errors(both, 1, "found -1")


## The type, and the way to it.
func test_no_place() -> void:
	var outer := {"list": [1, {"pos": Vector3i(1, 2, 3)}]}
	var text := "expected a type that Godot 3 has, found Vector3i, at byte 56"
	_check_not_written(outer, GODOT_3, text + ' inside ["list"][1]["pos"]')
	text = "expected a type that Pandemonium 5 has, found Callable, at byte 8 inside [0]"
	_check_not_written([Callable()], PANDEMONIUM, text)
	text = "expected a type that Godot 3 has, found PackedVector4Array, at byte 8 inside [key 0]"
	_check_not_written({PackedVector4Array(): 1}, GODOT_3, text)
	_check_not_written(
		[Signal()], GODOT_3, "expected a type that Godot 3 has, found Signal, at byte 8"
	)
	var ints := bytes_of("1a000000 01000000 08000000 01000000 02000000")
	text = "expected a type that Godot 3 has, found Vector2i, at byte 8 inside [0]"
	var line := "VarBatch.transcode: " + text
	var other := func() -> PackedByteArray: return VarBatch.transcode(ints, PANDEMONIUM, GODOT_3)
	check_value(expect_lines(other, [line]), PackedByteArray(), "from Pandemonium to Godot 3")
	var deep: Array = Values.Engines.nested(1026)
	_check_not_written(deep, GODOT_3, "expected at most 1024 levels of nesting, found one more")
	_check_not_written(deep, GODOT_4, "expected at most 1024 levels of nesting, found one more")


func test_truncations() -> void:
	for pair: Array in godot_3_values():
		var bytes := bytes_of(pair[1] as String)
		for size: int in bytes.size():
			if bytes[0] == 20 and size >= bytes.size() - 3:
				continue  # the padding of a PoolByteArray may be missing
			var part := bytes.slice(0, size)
			var tree := VarBatch.describe(part, GODOT_3)
			check(
				" at byte " in str(tree.get("error")), "error of %d bytes of %s" % [size, pair[1]]
			)
			var read := func() -> Variant: return VarBatch.bytes_to_var_in(part, GODOT_3)
			var line := "VarBatch.bytes_to_var_in: %s" % tree.get("error")
			check_value(expect_lines(read, [line]), null, "a part of " + str(pair[1]))
			var translate := func() -> Variant: return VarBatch.transcode(part, GODOT_3, GODOT_4)
			line = "VarBatch.transcode: %s" % tree.get("error")
			check_value(
				expect_lines(translate, [line]), PackedByteArray(), "a part of " + str(pair[1])
			)


func test_what_is_lost() -> void:
	var ints: Array[int] = [1]
	var names: Dictionary[String, Variant] = {}
	var mixed: Array[Array] = [ints, []]
	var misread := "1 value is written that Pandemonium itself misreads, at byte %s"
	for case: Array in [
		[ints, GODOT_3, "1 typed container became untyped, at byte 0"],
		[
			[1, names, ints],
			GODOT_3,
			"2 typed containers became untyped, the first at byte 16 inside [1]"
		],
		[names, PANDEMONIUM, "1 typed container became untyped, at byte 0"],
		[mixed, PANDEMONIUM, "1 typed container became untyped, at byte 0"],
		[{"v": Vector4(1, 2, 3, 4), "w": 7}, PANDEMONIUM, misread % '20 inside ["v"]'],
		[[7, Projection()], PANDEMONIUM, misread % "16 inside [1]"],
		[PackedVector4Array([Vector4(1, 2, 3, 4)]), PANDEMONIUM, misread % "0"],
		[rid_from_int64(5), GODOT_3, "1 RID lost its id, at byte 0"],
		[{"p": ^"/"}, GODOT_3, '1 NodePath "/" became empty, at byte 20 inside ["p"]'],
	]:
		var dialect: VarBatch.Dialect = case[1]
		var write := func() -> Variant: return VarBatch.var_to_bytes_in(case[0], dialect)
		var line := WARNING + "VarBatch.var_to_bytes_in: %s" % case[2]
		var found: PackedByteArray = expect_lines(write, [line])
		var translate := func() -> Variant:
			return VarBatch.transcode(var_to_bytes(case[0]), 0, dialect)
		check_value(
			expect_lines(translate, [WARNING + "VarBatch.transcode: %s" % case[2]]), found, ""
		)
	var nothing := func() -> Variant: return VarBatch.var_to_bytes_in(ints, PANDEMONIUM)
	expect_lines(nothing, [])
	# Two keys in Pandemonium: the engine gives the first one the value of the second.
	var twice := bytes_of(
		"19000000 02000000 04000000 01000000 6b000000 00000000 18000000 01000000 6b000000 01000000 01000000"
	)
	var read := func() -> Variant: return VarBatch.bytes_to_var_in(twice, PANDEMONIUM)
	var line := "1 key is the same as an earlier one, whose value is lost, at byte 24 inside [key 1]"
	var found: Variant = expect_lines(read, [WARNING + "VarBatch.bytes_to_var_in: " + line])
	check_value(found, {"k": true}, "two keys that are one")
	var several: Array = [rid_from_int64(1), ints, rid_from_int64(2)]
	var both := logged(func() -> void: VarBatch.var_to_bytes_in(several, GODOT_3))
	check_int(both.size(), 2, "lines of two kinds")
	check("2 RIDs lost their ids" in both[0] and "1 typed container" in both[1], str(both))


func test_text_that_is_no_text() -> void:
	var bytes := bytes_of("13000000 01000000 04000000 07000000 61eda080 62edb0")
	bytes[8 + 4] = 8
	bytes = bytes.slice(0, 16) + bytes_of("61eda080 62edb080")
	var read := func() -> Variant: return VarBatch.bytes_to_var_in(bytes, GODOT_3)
	var line := "1 text has U+FFFD for what is no character, at byte 8 inside [0]"
	var found: Variant = expect_lines(read, [WARNING + "VarBatch.bytes_to_var_in: " + line])
	check_value(found, ["a\ufffdb\ufffd"], "surrogates alone")


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
	for bytes: PackedByteArray in [
		dropping, bytes_of("02000000 07"), bytes_of("18000000 01000000")
	]:
		var lines := logged(func() -> void: VarBatch.bytes_to_var(bytes))
		check_int(lines.size(), 1, "lines of %s" % bytes.hex_encode())
		var expected := [lines[0].replace("bytes_to_var:", "bytes_to_var_in:")]
		var read := func() -> Variant: return VarBatch.bytes_to_var_in(bytes, GODOT_4)
		expect_lines(read, expected)


func test_a_bad_key_in_describe() -> void:
	var tree := VarBatch.describe(bytes_of("12000000 01000000" + PLAIN + "00000000"), GODOT_3)
	check_value(tree.children[0].get("key"), "Object", "a key that would have to be made")


func test_describe() -> void:
	for pair: Array in godot_3_values():
		var bytes := bytes_of(pair[1] as String)
		var tree := VarBatch.describe(bytes, GODOT_3)
		check(not tree.has("error"), "%s: %s" % [pair[1], tree])
		check_int(tree.size as int, bytes.size(), "size of %s" % pair[1])
		_check_node(tree, bytes, pair[0])
	var tree := VarBatch.describe(bytes_of(SCRIPTED), GODOT_3)
	check_value(tree.get("class"), "Reference", "class of an object, as it stands there")
	check_value(tree.children[0].get("class"), "GDScript", "class of its script")
	tree = VarBatch.describe(
		bytes_of("22000000 02000000 01000000 02000000 03000000 04000000"), PANDEMONIUM
	)
	check_value(tree.get("type_name"), "Array[Vector2i]", "elements without headers")
	check_value(tree.children[1].get("offset"), 16, "the second of them")


func _check_node(node: Dictionary, bytes: PackedByteArray, value: Variant) -> void:
	check_int(node.type as int, typeof(value), "type of %s" % node)
	check_value(node.type_name, type_string(typeof(value)), "name of %s" % node)
	check_int(bytes[node.offset as int], id_in(typeof(value), GODOT_3), "id at %s" % node)
	if value is Array or value is Dictionary:
		check_int((node.get("children", []) as Array).size(), len(value), "children of %s" % node)
		for child: Dictionary in node.get("children", []):
			_check_node(child, bytes, value[child.get("index", child.get("key"))])


func _check_not_written(value: Variant, dialect: VarBatch.Dialect, text: String) -> void:
	var write := func() -> Variant: return VarBatch.var_to_bytes_in(value, dialect)
	var found: Variant = expect_errors(write, 1, "VarBatch.var_to_bytes_in: " + text)
	check_value(found, PackedByteArray(), "bytes of what cannot be written")

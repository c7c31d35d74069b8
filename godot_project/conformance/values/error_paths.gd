extends "../support/round_trip.gd"
## Error lines: one for each failed value, with its index, its byte, and where in the value that is.
## How each key is shown, and what is long: paths.rs of the codec's tests.

## Found in the bytes of a value, it becomes a header of no type.
const MARK := 0x7fedcba987654321
const NO_TYPE := "expected a type from 0 to 38, found 39"


func test_places() -> void:
	var typed: Array[int] = [1, MARK]
	var table: Dictionary[String, int] = {"a": 1, "b": MARK}
	var places: Dictionary[String, Variant] = {
		"": MARK,
		" inside [0]": [MARK],
		" inside [1][0][2]": [0, [[1, 2, MARK]]],
		' inside ["name"]': {"a": 1, "name": MARK},
		' inside [3][&"sn"][-7]': {3: {&"sn": {-7: MARK}}},
		' inside ["日本😀"][Vector2]': {"日本😀": {Vector2(1, 2): MARK}},
		" inside [1.5][Object][Array]": {1.5: {self: {[1]: MARK}}},
		" inside [1]": typed,
		' inside ["b"]': table,
		" inside [key 2]": {1: 2, "x": [3], MARK: 4},
		" inside [key 1][0]": {1: 2, [MARK]: 4},
		' inside [0][key 0]["deep"][1]': [{{"deep": [0, MARK]}: 1}],
	}
	var inner := Scripted.new()
	inner.content = {"a": [MARK]}
	var outer := Scripted.new()
	outer.content = [1, inner]
	places[' inside [1]["o"].content["a"][0]'] = [0, {"o": inner}]
	places[' inside .content[1].content["a"][0]'] = outer
	for place: String in places:
		var whole := ".content" in place
		var value: Variant = places[place]
		var bytes := var_to_bytes_with_objects(value) if whole else var_to_bytes(value)
		bytes = _spoiled(bytes)
		var reason := "%s, at byte %d%s" % [NO_TYPE, _mark_at(bytes), place]
		check_value(VarBatch.validate([bytes], whole), PackedStringArray([reason]), "validate")
		check_call(&"bytes_to_var", [bytes, whole], null, [reason])
		var buffers: Array[PackedByteArray] = [var_to_bytes(5), bytes]
		check_call(&"bytes_to_vars", [buffers, whole], [5, null], ["buffer 1: " + reason])
		# Bytes of a stream are counted from its start.
		var line := "value 1: %s, at byte %d%s" % [NO_TYPE, 16 + _mark_at(bytes), place]
		check_call(&"frames_to_vars", [frame(buffers[0]) + frame(bytes), whole], [5, null], [line])


## Drops are warnings, one a value, beside the errors of others.
func test_warnings() -> void:
	var typed := Values.typed_array(TYPE_INT, ["a", 5, [], 2.5])
	var inner := "1c00000002000000".hex_decode() + typed + typed
	var keys := Values.u32(TYPE_DICTIONARY | 1 << 16) + Values.u32(TYPE_INT) + Values.u32(2)
	keys += var_to_bytes("a") + var_to_bytes(1) + var_to_bytes(2) + var_to_bytes("b")
	var bad := _spoiled(var_to_bytes([MARK]))
	var buffers: Array = [typed, bad, inner, var_to_bytes(1), keys, typed]
	var ints: Array[int] = [5, 2]
	var table: Dictionary[int, Variant] = {2: "b"}
	var dropped := WARNING + "buffer %d: dropped..."
	var lines: Array = [dropped % 0, "buffer 1: " + NO_TYPE + "...", dropped % 2, dropped % 4, dropped % 5]
	check_call(&"bytes_to_vars", [buffers], [ints, null, [ints, ints], 1, table, ints], lines)
	var frames := func() -> Array: return VarBatch.frames_to_vars(frame(typed) + frame(bad))
	expect_logged(frames, 1, 1, "VarBatch.frames_to_vars: value ")
	check_call(&"bytes_to_var", [inner], [ints, ints], [WARNING + "dropped..."])
	check_call(&"bytes_to_vars", [[7] as Array[int]], [null], ["buffer 0: expected a PackedByteArray, found int"])


## The same lines from any number of threads, where several work on one value.
func test_large_values() -> void:
	var rows := range(8000).map(func(i: int) -> Dictionary: return {"id": i, "list": [i, "text %d" % i]})
	rows[6543] = {"id": 1, "list": [0, {"k": MARK}]}
	var bad := _spoiled(var_to_bytes([rows, 5]))
	var dropping := Values.u32(TYPE_ARRAY) + Values.u32(8000)
	for i: int in 8000:
		dropping += Values.typed_array(TYPE_INT, [i, i if i % 1000 != 777 else "x"])
	rows[4321] = {"list": [1, Engines.nested(1026)]}
	var calls: Dictionary[String, Callable] = {
		' inside [0][6543]["list"][1]["k"]': call_method.bind(&"bytes_to_var", [bad]),
		" inside [777][1]": call_method.bind(&"bytes_to_var", [dropping]),
		' inside [4321]["list"][1][0]': call_method.bind(&"var_to_bytes", [rows]),
		' inside [0]["a"][4321]["list"][1][0]': call_method.bind(&"vars_to_bytes", [[[{"a": rows}]]]),
	}
	for place: String in calls:
		VarBatch.set_thread_count(1)
		var lines := logged(calls[place])
		check_int(lines.size() if errors.is_open() else 1, 1, "lines, " + place)
		for line: String in lines:
			check(place in line, "expected%s: %s" % [place, line])
		for count: int in Threads.new([2, 0]):
			expect_lines(calls[place], lines)
	var reason := VarBatch.validate([bad])[0]
	check(reason.ends_with(' inside [0][6543]["list"][1]["k"]'), reason)


func test_encoding() -> void:
	var deep := Engines.nested(1026)
	var places: Dictionary[String, Variant] = {
		" inside [0][0][0]": deep,
		' inside ["k"][1][0]': {"k": [0, deep]},
		' inside [&"n"][-1][Vector2][0]': {&"n": {-1: {Vector2.ONE: deep}}},
	}
	for place: String in places:
		var expected: Array[PackedByteArray] = [var_to_bytes("x"), PackedByteArray()]
		check_call(&"vars_to_bytes", [["x", places[place]]], expected, ["...%s..." % place])


func _spoiled(bytes: PackedByteArray) -> PackedByteArray:
	var spoiled := bytes.duplicate()
	spoiled[_mark_at(bytes)] = TYPE_MAX
	return spoiled


## The offset of the header before MARK.
func _mark_at(bytes: PackedByteArray) -> int:
	var at := 4
	while at + 8 <= bytes.size() and bytes.decode_s64(at) != MARK:
		at += 4
	return at - 4

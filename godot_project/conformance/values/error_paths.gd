extends "../support/round_trip.gd"
## Error lines: one for each failed value, with its index, its byte, and where in the value that is.

const Scripted := preload("../support/scripted.gd")

## Found in the bytes of a value, it becomes a header of no type.
const MARK := 0x7fedcba987654321
const NO_TYPE := "expected a type from 0 to 38, found 39"


func test_places() -> void:
	var typed: Array[int] = [1, MARK]
	var table: Dictionary[String, int] = {"a": 1, "b": MARK}
	var places: Dictionary[String, Variant] = {
		"": MARK,
		" inside [0]": [MARK],
		" inside [2]": [0, "x", MARK, 3],
		" inside [1][0][2]": [0, [[1, 2, MARK]]],
		' inside ["name"]': {"a": 1, "name": MARK},
		' inside ["a"][2]': {"a": [0, 1, MARK]},
		' inside [3][&"sn"][-7]': {3: {&"sn": {-7: MARK}}},
		" inside [1]": typed,
		' inside ["b"]': table,
		" inside [key 0]": {MARK: 1},
		" inside [key 2]": {1: 2, "x": [3], MARK: 4},
		" inside [key 1][0]": {1: 2, [MARK]: 4},
		' inside [0][key 0]["deep"][1]': [{{"deep": [0, MARK]}: 1}],
	}
	for place: String in places:
		_check_place(places[place], place)


func test_keys() -> void:
	var keys: Dictionary[String, Variant] = {
		'""': "",
		'"name"': "name",
		'"日本😀"': "日本😀",
		'"a b][\'"': "a b]['",
		'"q\\"uo\\\\te\\n\\t"': 'q"uo\\te\n\t',
		'"\\u0001"': "\u0001",
		'&"sn"': &"sn",
		"0": 0,
		"-9223372036854775808": -0x7fffffffffffffff - 1,
		"true": true,
		"false": false,
		"null": null,
		"1.5": 1.5,
		"Vector2": Vector2(1, 2),
		"Color": Color.RED,
		"NodePath": ^"a/b",
		"RID": RID(),
		"Array": [1],
		"Dictionary": {1: 2},
		"PackedByteArray": PackedByteArray([1]),
		"Signal": Signal(),
		"Callable": Callable(),
		"Object": self,
	}
	for key: String in keys:
		_check_place({keys[key]: MARK}, " inside [%s]" % key)
		_check_place([{keys[key]: {"in": MARK}}], ' inside [0][%s]["in"]' % key)


## Long keys and deep paths are shortened, not left out.
func test_long_paths() -> void:
	var line := _line_of({"long".repeat(1000): MARK})
	check(line.length() < 200 and ' inside ["longlong' in line, "a long key: " + line)
	var value: Variant = MARK
	for i: int in 500:
		value = {"k": [value]}
	line = _line_of(value)
	check(line.length() < 400, "a long path: " + line)
	check(' inside ["k"][0]["k"]' in line and line.ends_with('["k"][0]'), "a long path: " + line)


func test_properties() -> void:
	var inner := Scripted.new()
	inner.content = {"a": [MARK]}
	var outer := Scripted.new()
	outer.content = [1, inner]
	for values: Array in [
		[inner, ' inside .content["a"][0]'],
		[[0, {"o": inner}], ' inside [1]["o"].content["a"][0]'],
		[outer, ' inside .content[1].content["a"][0]'],
	]:
		var bytes := _spoiled(var_to_bytes_with_objects(values[0]))
		var reason := VarBatch.validate([bytes], true)[0]
		check(reason.begins_with(NO_TYPE), "property: " + reason)
		check(reason.ends_with(values[1] as String), "property: " + reason)
		var decode := func() -> Array: return VarBatch.bytes_to_vars([bytes], true)
		expect_own_logged(decode, 1, 0, "VarBatch.bytes_to_vars: buffer 0: expected ")


func test_single_values() -> void:
	for value: Variant in [MARK, [MARK], {"k": [MARK]}]:
		var bytes := _spoiled(var_to_bytes(value))
		var decode := func() -> Variant: return VarBatch.bytes_to_var(bytes)
		var reason := VarBatch.validate([bytes])[0]
		var found: Variant = expect_lines(decode, ["VarBatch.bytes_to_var: " + reason])
		check_value(found, null, "a broken value")


## The first ones, in order, for any number of threads, small and large values between.
func test_500_bad_buffers() -> void:
	var buffers: Array[PackedByteArray] = []
	var lines := PackedStringArray()
	var frame_lines := PackedStringArray()
	var frames := PackedByteArray()
	var expected: Array = []
	var large := var_to_bytes(Values.Packed.make(TYPE_PACKED_INT32_ARRAY, 50_000))
	for i: int in 1500:
		var bytes := var_to_bytes({"i": i, "list": [[i, MARK]]})
		var value: Variant = null
		if i % 3 == 1:
			bytes = _spoiled(bytes)
			var reason := NO_TYPE + ', at byte %d inside ["list"][0][1]' % _mark_at(bytes)
			lines.append("VarBatch.bytes_to_vars: buffer %d: %s" % [i, reason])
			frame_lines.append("VarBatch.frames_to_vars: frame %d: " % i)
		else:
			bytes = large if i % 100 == 0 else bytes
			value = bytes_to_var(bytes)
		buffers.append(bytes)
		expected.append(value)
		frames += frame(bytes)
	check_int(lines.size(), 500, "bad buffers")
	for count: int in [1, 2, 0]:
		VarBatch.set_thread_count(count)
		var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
		var found: Array = expect_lines(decode, bounded(lines, OF_BUFFERS))
		check_int(Equal.first_unequal(found, expected), -1, "first value that differs")
		var read := func() -> Array: return VarBatch.frames_to_vars(frames)
		var texts := logged(func() -> void: found = read.call())
		check_int(Equal.first_unequal(found, expected), -1, "first value that differs in frames")
		if not errors.is_open():
			continue
		check_int(texts.size(), MAX_LINES + 1, "lines of frames")
		check_int(more_of(texts[-1]).x, 500 - MAX_LINES, "frames that are only counted")
		for i: int in MAX_LINES:
			check(texts[i].begins_with(frame_lines[i]), "line %d: %s" % [i, texts[i]])
			check(texts[i].ends_with(' inside ["list"][0][1]'), "line %d: %s" % [i, texts[i]])


## The line of a frame says at which byte of all frames, or of its own: the same as without others.
func test_all_bad() -> void:
	var buffers: Array = []
	var lines := PackedStringArray()
	for i: int in 100:
		buffers.append(var_to_bytes("text").slice(0, i % 12))
		var reason := VarBatch.validate([buffers[i]])[0]
		lines.append("VarBatch.bytes_to_vars: buffer %d: %s" % [i, reason])
	for i: int in range(100, 200):
		buffers.append([null, i, "x", 2.5][i % 4])
		var type := type_string(typeof(buffers[i]))
		var reason := "expected a PackedByteArray, found %s" % type
		lines.append("VarBatch.bytes_to_vars: buffer %d: %s" % [i, reason])
	var found: Array = expect_lines(
		func() -> Array: return VarBatch.bytes_to_vars(buffers), bounded(lines, OF_BUFFERS)
	)
	check_int(found.count(null), 200, "values of bad buffers")


## Drops are warnings, one a value, beside the errors of others.
func test_warnings() -> void:
	var typed := Values.u32(TYPE_ARRAY | 1 << 16) + Values.u32(TYPE_INT) + Values.u32(4)
	typed += var_to_bytes("a") + var_to_bytes(5) + var_to_bytes([]) + var_to_bytes(2.5)
	var inner := "1c00000002000000".hex_decode() + typed + typed
	var keys := Values.u32(TYPE_DICTIONARY | 1 << 16) + Values.u32(TYPE_INT) + Values.u32(2)
	keys += var_to_bytes("a") + var_to_bytes(1) + var_to_bytes(2) + var_to_bytes("b")
	var bad := _spoiled(var_to_bytes([MARK]))
	var buffers: Array = [typed, bad, inner, var_to_bytes(1), keys, typed]
	var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
	var found: Array = expect_logged(decode, 1, 4, "VarBatch.bytes_to_vars: buffer ")
	var ints: Array[int] = [5, 2]
	var table: Dictionary[int, Variant] = {2: "b"}
	check_values(found, [ints, null, [ints, ints], 1, table, ints], "with drops")
	var texts := logged(decode)
	for i: int in [0, 2, 4, 5]:
		var prefix := WARNING + "VarBatch.bytes_to_vars: buffer %d: " % i
		var count := 0
		for text: String in texts:
			count += 1 if text.begins_with(prefix) and "dropped" in text else 0
		check_int(count if errors.is_open() else 1, 1, "warnings of buffer %d" % i)
	var frames := func() -> Array: return VarBatch.frames_to_vars(frame(typed) + frame(bad))
	expect_logged(frames, 1, 1, "VarBatch.frames_to_vars: frame ")
	expect_logged(
		func() -> Variant: return VarBatch.bytes_to_var(inner), 0, 1, "VarBatch.bytes_to_var: "
	)


## The same lines from any number of threads, where several work on one value.
func test_large_values() -> void:
	var rows: Array = []
	for i: int in 8000:
		rows.append({"id": i, "list": [i, "text %d" % i]})
	rows[6543] = {"id": 1, "list": [0, {"k": MARK}]}
	var bad := _spoiled(var_to_bytes([rows, 5]))
	var ints := PackedByteArray()
	for i: int in 8000:
		var typed := Values.u32(TYPE_ARRAY | 1 << 16) + Values.u32(TYPE_INT) + Values.u32(2)
		ints += typed + var_to_bytes(i) + var_to_bytes(i if i % 1000 != 777 else "x")
	var dropping := Values.u32(TYPE_ARRAY) + Values.u32(8000) + ints
	rows[4321] = {"list": [1, Values.Engines.nested(1026)]}
	var calls: Dictionary[String, Callable] = {
		' inside [0][6543]["list"][1]["k"]': func() -> void: VarBatch.bytes_to_var(bad),
		" inside [777][1]": func() -> void: VarBatch.bytes_to_var(dropping),
		' inside [4321]["list"][1][0]': func() -> void: VarBatch.var_to_bytes(rows),
		' inside [0]["a"][4321]["list"][1][0]':
		func() -> void: VarBatch.vars_to_bytes([[{"a": rows}]]),
	}
	for place: String in calls:
		VarBatch.set_thread_count(1)
		var lines := logged(calls[place])
		check_int(lines.size() if errors.is_open() else 1, 1, "lines, " + place)
		for line: String in lines:
			check(place in line, "expected%s: %s" % [place, line])
		for count: int in [2, 0]:
			VarBatch.set_thread_count(count)
			expect_lines(calls[place], lines)
	var reason := VarBatch.validate([bad])[0]
	check(reason.ends_with(' inside [0][6543]["list"][1]["k"]'), reason)


func test_encoding() -> void:
	var deep := Values.Engines.nested(1026)
	var values: Array = [1, deep, {"k": [0, deep]}, "x", deep]
	var encode := func() -> Array[PackedByteArray]: return VarBatch.vars_to_bytes(values)
	var lines := logged(encode)
	check_int(lines.size() if errors.is_open() else 3, 3, "lines of values too deep")
	var starts: PackedStringArray = ["1: ", "2: ", "4: "]
	var places: PackedStringArray = [
		" inside [0][0][0]", ' inside ["k"][1][0]', " inside [0][0][0]"
	]
	for i: int in mini(lines.size(), 3):
		var start := "VarBatch.vars_to_bytes: value %sexpected at most 1024 levels" % starts[i]
		check(lines[i].begins_with(start), lines[i])
		check(", at byte " in lines[i] and places[i] in lines[i], lines[i])


func _check_place(value: Variant, place: String) -> void:
	var bytes := _spoiled(var_to_bytes(value))
	var line := (
		"VarBatch.bytes_to_vars: buffer 1: %s, at byte %d%s" % [NO_TYPE, _mark_at(bytes), place]
	)
	var buffers: Array[PackedByteArray] = [var_to_bytes(5), bytes]
	var found: Array = expect_lines(func() -> Array: return VarBatch.bytes_to_vars(buffers), [line])
	check_value(found, [5, null], "a batch with a broken value")


func _line_of(value: Variant) -> String:
	return VarBatch.validate([_spoiled(var_to_bytes(value))])[0]


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

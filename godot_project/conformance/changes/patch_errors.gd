extends "../support/suite.gd"
## Changes that do not fit: one line that says which and why, nothing as the result, and the value
## as it was.

const PATCH := "VarBatch.patch: "
const NO_HOLDER := "expected an Array, a Dictionary, an object or a packed array, found "

var _bytes := var_to_bytes(
	{
		"a": [1, 2, 3],
		"p": PackedInt32Array([1, 2, 3]),
		"s": PackedStringArray(["q"]),
		"i": 4,
		"v": Vector2(1, 2),
		"t": [1] as Array[int],
		"d": {1.5: [{"x": 0}]},
	}
)


func test_no_change() -> void:
	for other: Variant in [null, 1, "set", [], PackedByteArray([1])]:
		_refused(other, "change 0: expected a Dictionary, found %s" % _name(other))
	_refused({}, 'change 0: expected a value of "op", found none')
	_refused({"op": "set"}, 'change 0: expected a value of "path", found none')
	for other: Variant in [1, "a", null, PackedInt32Array([0])]:
		var text := 'change 0: expected an Array as "path", found ' + _name(other)
		_refused({"op": "set", "path": other, "new": 1}, text)


func test_wrong_op() -> void:
	for op: Variant in ["", "x", "Set", "set ", 1, null, &"move"]:
		_refused(
			{"op": op, "path": ["i"], "new": 1},
			'change 0: expected "set", "insert" or "remove" as "op", found %s' % str(op)
		)


func test_wrong_index() -> void:
	for index: Variant in [-1, -9223372036854775808, "x", [], 1.5]:
		_refused(
			{"op": "insert", "path": ["n"], "new": 1, "index": index},
			'change 0: expected a non-negative int as "index", found %s' % str(index)
		)
	_misfit(
		{"op": "insert", "path": ["n"], "new": 1, "index": 8},
		"expected an index from 0 to 7 to insert into Dictionary, found 8"
	)
	_misfit(
		{"op": "remove", "path": ["a"], "index": 2},
		'expected key "a" at index 2 of the Dictionary, found "s"'
	)
	_misfit(
		{"op": "remove", "path": ["a"], "index": 7},
		'expected key "a" at index 7 of the Dictionary, found 7 entries'
	)


func test_missing_values() -> void:
	for op: String in ["set", "insert"]:
		for key: String in ["a", "p"]:
			var text := 'expected a new value for "%s", found none' % op
			_misfit({"op": op, "path": [key, 0]}, text, '["%s"][0]' % key)
	_misfit(
		{"op": "remove", "path": ["p", 0]},
		'expected an old value for "remove", found none',
		'["p"][0]'
	)


func test_the_whole_value() -> void:
	for op: String in ["insert", "remove"]:
		_misfit(
			{"op": op, "path": [], "new": 1}, 'expected "set" for the whole value, found "%s"' % op
		)
	_misfit({"op": "set", "path": []}, 'expected a new value for "set", found none')


func test_paths_that_lead_nowhere() -> void:
	var change := {"op": "set", "new": 1}
	for step: Variant in ["zz", 0, 1.0, null, &"A", [1]]:
		change.path = [step]
		var shown := "Array" if step is Array else var_to_str(step)
		_misfit(change, "expected an existing key, found no key %s" % shown)
	for index: int in [-1, 3, 1 << 40]:
		change.path = ["a", index]
		var text := "expected the index of one of 3 elements of Array, found %d" % index
		_misfit(change, text, '["a"]')
	change.path = ["a", "x"]
	_misfit(change, 'expected an int as the index of an element of Array, found "x"', '["a"]')
	change.path = ["d", 1.5, 0, "y"]
	_misfit(change, 'expected an existing key, found no key "y"', '["d"][1.5][0]')
	change.path = ["a", 0, 0]
	_misfit(change, NO_HOLDER + "int", '["a"][0]')
	change.path = ["v", "x"]
	_misfit(change, NO_HOLDER + "Vector2", '["v"]')


func test_insert_where_nothing_can_be() -> void:
	var change := {"op": "insert", "new": 1}
	for index: int in [-1, 4]:
		change.path = ["a", index]
		var text := "expected an index from 0 to 3 to insert into Array, found %d" % index
		_misfit(change, text, '["a"]')
	change.path = ["a"]
	_misfit(change, 'expected a new key, found the existing key "a"')
	change.path = [&"a"]
	_misfit(change, 'expected a new key, found the existing key &"a"')


func test_other_old_values() -> void:
	var texts: Dictionary = {3: "3", 1.0: "1.0", "1": '"1"', null: "null", true: "true"}
	for old: Variant in texts:
		for op: String in ["set", "remove"]:
			_misfit(
				{"op": op, "path": ["a", 0], "old": old, "new": 5},
				"expected the old value %s, found 1" % texts[old],
				'["a"][0]'
			)
	_misfit(
		{"op": "set", "path": ["a"], "old": [1, 2, 4], "new": 1},
		"expected the old value Array, found another Array",
		'["a"]'
	)


func test_packed_slices() -> void:
	var one := PackedInt32Array([1])
	var two := PackedInt32Array([3, 4])
	var change := {"op": "set", "path": ["p", 0], "old": one, "new": two}
	_misfit(
		change,
		"expected as many new elements of PackedInt32Array as old ones (1), found 2",
		'["p"][0]'
	)
	change.new = 2
	_misfit(change, "expected PackedInt32Array as the new value, found int", '["p"][0]')
	change.new = PackedInt64Array([1])
	_misfit(
		change, "expected PackedInt32Array as the new value, found PackedInt64Array", '["p"][0]'
	)
	change.new = one
	change.old = PackedInt32Array([2])
	_misfit(
		change,
		"expected the old value PackedInt32Array, found another PackedInt32Array",
		'["p"][0]'
	)
	for op: String in ["set", "remove"]:
		_misfit(
			{"op": op, "path": ["p", 2], "old": two, "new": two},
			"expected 2 elements of PackedInt32Array from this index on, found 1",
			'["p"][2]'
		)
	_misfit(
		{"op": "insert", "path": ["p", 4], "new": two},
		"expected an index from 0 to 3 to insert into PackedInt32Array, found 4",
		'["p"][4]'
	)
	_misfit(
		{"op": "set", "path": ["p", 0, 1], "old": one, "new": one},
		"expected the path to end at an element of PackedInt32Array, found 1 more step",
		'["p"]'
	)
	_misfit(
		{"op": "set", "path": ["s", 0], "old": "q", "new": "x"},
		"expected PackedStringArray as the new value, found String",
		'["s"][0]'
	)


func test_typed_containers() -> void:
	for op: String in ["set", "insert"]:
		_misfit(
			{"op": op, "path": ["t", 0], "new": "x"},
			"expected int as the new value, found String",
			'["t"][0]'
		)


## As many levels as the engine takes, and one more.
func test_nested_too_deep() -> void:
	var deep: Array = []
	for i: int in 1022:
		deep = [deep]
	var change := {"op": "set", "path": ["a", 0], "new": deep}
	var patched := VarBatch.patch(_bytes, [change])
	check(bytes_to_var(patched) is Dictionary, "the engine does not read the deepest value")
	change.path = ["d", 1.5, 0]
	_misfit(change, "expected at most 1024 levels of nesting, found 1025", '["d"][1.5][0]')


## What the engine cannot encode is no value.
func test_values_that_cannot_be_encoded() -> void:
	var deep: Array = []
	for i: int in 1100:
		deep = [deep]
	var texts := logged(
		func() -> void: VarBatch.patch(_bytes, [{"op": "set", "path": ["i"], "new": deep}])
	)
	check_int(texts.size(), 1, "lines")
	check(texts[0].begins_with(PATCH + 'change 0: "new": expected at most '), texts[0])


## Those before are not kept.
func test_the_second_of_two() -> void:
	var changes: Array = [
		{"op": "set", "path": ["i"], "old": 4, "new": 1},
		{"op": "set", "path": ["i"], "old": 4, "new": 2},
	]
	_refused_all(changes, 'expected the old value 4, found 1, in change 1 inside ["i"]')
	changes[1] = 7
	_refused_all(changes, "change 1: expected a Dictionary, found int")


func test_bad_bytes() -> void:
	var texts: Dictionary = {
		PackedByteArray(): "expected 4 more bytes for a header, found 0, at byte 0",
		PackedByteArray([1, 2]): "expected 4 more bytes for a header, found 2, at byte 0",
		var_to_bytes(1) + PackedByteArray([0, 0, 0, 0]):
		"expected nothing after the value, found 4 bytes, at byte 8",
	}
	for bytes: PackedByteArray in texts:
		for changes: Array in [[], [{"op": "set", "path": [], "new": 1}]]:
			var patch := func() -> PackedByteArray: return VarBatch.patch(bytes, changes)
			var line: String = PATCH + "before: " + texts[bytes]
			check_bytes(expect_lines(patch, [line]), PackedByteArray(), "bad bytes")


## The engine would take each of these, and so does patch.
func test_what_fits() -> void:
	var good: Array = [
		{&"op": &"set", &"path": ["i"], &"new": 1},
		{"op": "set", "path": ["i"] as Array[String], "new": 1, "more": 3, "index": 99},
		{"op": "set", "path": [&"i"], "new": 1},
	]
	var expected: Dictionary = bytes_to_var(_bytes)
	expected["i"] = 1
	for change: Dictionary in good:
		var changes: Array[Dictionary] = [change]
		changes.make_read_only()
		change.make_read_only()
		check_bytes(VarBatch.patch(_bytes, changes), var_to_bytes(expected), str(change))


func _misfit(change: Dictionary, text: String, inside := "") -> void:
	_refused(change, text + ", in change 0" + ("" if inside.is_empty() else " inside " + inside))


func _refused(change: Variant, text: String) -> void:
	_refused_all([change], text)


func _refused_all(changes: Array, text: String) -> void:
	var before := _bytes.duplicate()
	var given := var_to_bytes(changes)
	var patch := func() -> PackedByteArray: return VarBatch.patch(before, changes)
	var result: PackedByteArray = expect_lines(patch, [PATCH + text])
	check(result.is_empty(), "%d bytes with: %s" % [result.size(), text])
	check_bytes(before, _bytes, "the value, with: " + text)
	check_bytes(var_to_bytes(changes), given, "the changes, with: " + text)


## The type of a value as messages name it.
func _name(value: Variant) -> String:
	return type_string(typeof(value))

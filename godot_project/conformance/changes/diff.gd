extends "../support/suite.gd"
## What `diff` tells a script: the path, the operation, the old and the new value of each change. Each list of changes is
## patched too, and taken back again. What does not fit: one line for each, nothing as its result, and the others as ever.

const Edits := preload("random_edits.gd")
const SavedItem := preload("../support/saved_item.gd")

const SET := "set"
const INSERT := "insert"
const REMOVE := "remove"
const NO_PAIR := "expected an Array of two PackedByteArrays, found "
const NO_CHANGES: Array[Dictionary] = []
const NO_BYTES: PackedByteArray = []

var _one := var_to_bytes(1)
var _two := var_to_bytes(2)
var _delta := VarBatch.make_delta(_one, _two)
## What changes are for.
var _bytes := var_to_bytes({"a": [1, 2, 3], "p": PackedInt32Array([1, 2, 3]), "i": 4, "d": {1.5: [0]}})


func test_what_a_change_is() -> void:
	var changes := VarBatch.diff(var_to_bytes([1]), var_to_bytes([2]))
	check_int(changes.get_typed_builtin(), TYPE_DICTIONARY, "type of the elements")
	check(not changes.is_read_only(), "the changes are read-only")
	check_value(changes[0], {"path": [0], "op": SET, "old": 1, "new": 2}, "a change")
	var entry := VarBatch.diff(var_to_bytes({}), var_to_bytes({7: 8}))[0]
	check_value(entry, {"path": [7], "op": INSERT, "old": null, "new": 8, "index": 0}, "a change of an entry")
	(changes[0].path as Array).append("mine")
	changes[0].op = "mine"
	changes.append({})
	_check([1], [2], [_put([0], 1, 2)])


func test_nothing() -> void:
	for value: Variant in [null, 1, [], {}, [[1, {2: 3}]], {1: [2]}, PackedInt32Array([1]), NAN]:
		_check(value, value, [])


## What each shape of change is, in bytes: diff_shapes.rs of the codec's tests.
func test_changes() -> void:
	var ints: Array[int] = [1, 2]
	var longs := PackedInt64Array([1])
	var other: Dictionary[StringName, float] = {&"x": 2.0}
	var texts := PackedStringArray(["a", "日本語", "", "d"])
	var more := PackedStringArray(["語", "more"])
	for row: Array in [
		[1, 1.0, [_put([], 1, 1.0)]],
		[^"a:b", ^"a:c", [_put([], ^"a:b", ^"a:c")]],
		[[1, 2], ints, [_put([], [1, 2], ints)]],
		# Elements. Those behind are not told.
		[[1, 2], [3, "2"], [_put([0], 1, 3), _put([1], 2, "2")]],
		[[null], [], [_remove([0], null)]],
		[ints, [1, 3, 4] as Array[int], [_put([1], 2, 3), _insert([2], 4)]],
		# Entries. Each index is in the order that those before have left.
		[{&"x": 1.0} as Dictionary[StringName, float], other, [_put([&"x"], 1.0, 2.0)]],
		[{1: 2, 3: 4, 5: 6}, {5: 6}, [_entry(REMOVE, 1, 0, 2), _entry(REMOVE, 3, 0, 4)]],
		[{1: 2, 3: 4}, {1: 2, 5: null, 3: 4}, [_entry(INSERT, 5, 1, null)]],
		# A key that has moved goes first, and then comes where it is now.
		[{1: 2, 3: 4}, {3: 4, 1: 2}, [_entry(REMOVE, 1, 0, 2), _entry(INSERT, 1, 1, 2)]],
		[{"a": 1}, {&"a": 1}, [_entry(REMOVE, "a", 0, 1), _entry(INSERT, &"a", 0, 1)]],
		[{"p": [longs]}, {"p": [longs + longs]}, [_insert(["p", 0, 1], longs)]],
		[texts, texts.slice(0, 1) + more + texts.slice(3), [_put([1], texts.slice(1, 3), more)]],
	]:
		_check(row[0], row[1], Array(row[2] as Array, TYPE_DICTIONARY, &"", null))


func test_keys_of_every_type() -> void:
	var keys: Array = [
		null, true, -7, 0.5, "text", &"name", Vector2i(3, -4), Color.RED, ^"Node:position", rid_from_int64(77), [1, [2]],
		{"k": "v"}, PackedStringArray(["a", "b"]), PackedVector3Array([Vector3.ONE]), Signal(), Callable(),
	]
	var before := Values.keyed(keys, func(key: Variant) -> Dictionary: return {key: [0, key]})
	for key: Variant in keys:
		var after := before.duplicate(true)
		after[key][key][1] = "changed"
		_check(before, after, [_put([key, key, 1], key, "changed")])
	var all := before.duplicate(true)
	var expected: Array[Dictionary] = []
	for key: Variant in keys:
		all[key][key][0] = key
		expected.append(_put([key, key, 0], 0, key))
	_check(before, all, expected)


func test_packed_arrays_of_every_type() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		var parts: Variant = Packed.make(type, 10)
		var one: Variant = parts.slice(1, 2)
		var two: Variant = parts.slice(3, 5)
		_check(one + two + one, one + one + one + one, [_put([1], two, one + one)])
		_check(one + one, one + two + one, [_insert([1], two)])
		_check({"p": two + one}, {"p": one}, [_remove(["p", 0], two)])


## Ids come as EncodedObjectAsID, in paths and in values, those of nobody as well, and go back as ids.
func test_ids_of_objects() -> void:
	var first := Resource.new()
	var second := RefCounted.new()
	var before := var_to_bytes({first: [second], "x": first})
	var after := var_to_bytes({first: [first], "x": second})
	var changes := VarBatch.diff(before, after)
	check_int(changes.size(), 2, "changes")
	check_int(_id(changes[0].path[0]), first.get_instance_id(), "the key")
	check_int(_id(changes[0].old), second.get_instance_id(), "the old value")
	check_int(_id(changes[0].new), first.get_instance_id(), "the new value")
	check_bytes(VarBatch.patch(before, changes), after, "patch")
	var live: Array = [_put([first, 0], second, first), _put(["x"], first, second)]
	check_bytes(VarBatch.patch(before, live), after, "patch with the objects")
	var nobody := before.duplicate()
	nobody.encode_s64(nobody.size() - 8, 0x123456789)
	changes = VarBatch.diff(before, nobody)
	check_int(_id(changes[0].new), 0x123456789, "an id of nobody")
	_check_patches([before, nobody], changes, "an id of nobody")
	var others: Array[RefCounted] = [second, second, first]
	var bytes: Array[PackedByteArray] = [var_to_bytes([first, second, null] as Array[RefCounted]), var_to_bytes(others)]
	changes = VarBatch.diff(bytes[0], bytes[1])
	check_int(changes.size(), 2, "changes of a typed array")
	check_bytes(VarBatch.patch(bytes[0], changes), bytes[1], "patch of a typed array")


func test_whole_objects() -> void:
	var before := Scripted.new()
	before.content = {"inside": [1, 2], "o": Resource.new()}
	var bytes := var_to_bytes_with_objects([before])
	before.number = 5
	before.content.inside[1] = Vector2(1, 2)
	before.content.o = Gradient.new()
	var after := var_to_bytes_with_objects([before])
	var changes := VarBatch.diff(bytes, after, true)
	var expected: Array[Dictionary] = [_put([0, &"number"], 1, 5), _put([0, &"content", "inside", 1], 2, Vector2(1, 2))]
	check_value(changes.slice(0, 2), expected, "changes of properties")
	# An object of another class is told whole, and is one.
	check_value(changes[2].path, [0, &"content", "o"], "path of an object")
	check(changes[2].old.get_class() == "Resource", "no Resource as old")
	check(changes[2].new is Gradient, "no Gradient as new")
	_check_patches([bytes, after], changes, "whole objects", true)
	# To compare it with the old value, none is made.
	bytes = var_to_bytes_with_objects([SavedItem.new()])
	var other := SavedItem.new()
	other.number = 7
	var made := SavedItem.made
	expect_errors(call_method.bind(&"patch", [bytes, [_put([0], other, 1)], true]), 1, "expected the old value")
	check_int(SavedItem.made, made, "objects")


func _check(before: Variant, after: Variant, expected: Array[Dictionary]) -> void:
	var what := "%s to %s" % [str(before).left(40), str(after).left(40)]
	var bytes: Array[PackedByteArray] = [var_to_bytes(before), var_to_bytes(after)]
	var changes := VarBatch.diff(bytes[0], bytes[1])
	check_value(changes, expected, what)
	_check_patches(bytes, changes, what)


func _check_patches(bytes: Array[PackedByteArray], changes: Array[Dictionary], what: String, objects := false) -> void:
	check_bytes(VarBatch.patch(bytes[0], changes, objects), bytes[1], "patch, " + what)
	check_bytes(VarBatch.patch(bytes[1], Edits.inverse(changes), objects), bytes[0], "back, " + what)


func _id(encoded: Variant) -> int:
	return (encoded as EncodedObjectAsID).object_id if encoded is EncodedObjectAsID else 0


func _put(path: Array, old: Variant, new: Variant) -> Dictionary:
	return {"path": path, "op": SET, "old": old, "new": new}


func _insert(path: Array, new: Variant) -> Dictionary:
	return {"path": path, "op": INSERT, "old": null, "new": new}


func _remove(path: Array, old: Variant) -> Dictionary:
	return {"path": path, "op": REMOVE, "old": old, "new": null}


func _entry(op: String, key: Variant, index: int, value: Variant) -> Dictionary:
	var change := _insert([key], value) if op == INSERT else _remove([key], value)
	change["index"] = index
	return change


func test_bytes_that_are_no_values() -> void:
	var object := var_to_bytes_with_objects([Resource.new()])
	var good := var_to_bytes({"a": [1, 2.5, "text"], "p": PackedInt64Array([1, 2]), "n": ^"a/b:c"})
	var all: Array = [_one + PackedByteArray([1, 2, 3, 4]), object]
	for bad: PackedByteArray in all + range(good.size()).map(func(size: int) -> PackedByteArray: return good.slice(0, size)):
		# Bytes behind a value are good for others.
		var reason := VarBatch.validate([bad])[0]
		reason = reason if reason else "expected nothing after the value, found 4 bytes, at byte 8"
		for pair: Array in [[bad, good, "before: "], [good, bad, "after: "], [bad, bad, "before: "]]:
			var line: String = pair[2] + reason
			check_call(&"diff", pair.slice(0, 2), NO_CHANGES, [line])
			check_call(&"diff_batch", [[pair.slice(0, 2)]], [NO_CHANGES], ["pair 0: " + line])
		for changes: Array in [[], [_set_to([], 1)]] if bad != object else []:
			check_call(&"patch", [bad, changes], NO_BYTES, ["before: " + reason])
	check(not VarBatch.diff(object, var_to_bytes([1]), true).is_empty(), "objects are refused")


func test_deltas_that_are_refused() -> void:
	var text := "expected a base with the hash %s, found %s for its %d bytes, at byte 1 of the delta"
	for base: PackedByteArray in [_two, NO_BYTES, _one.slice(0, 7)]:
		var line := text % [_hash_text(_delta), _hash_text(VarBatch.make_delta(base, _one)), base.size()]
		check_call(&"apply_delta", [base, _delta], NO_BYTES, [line])
	var version := "expected version 1 of the delta format, found 9, at byte 0 of the delta"
	var pairs := [[_one, PackedByteArray([9])], [_one, _delta], [_one, NO_BYTES]]
	var expected: Array[PackedByteArray] = [NO_BYTES, _two, NO_BYTES]
	var lines := ["pair 0: " + version, "pair 2: expected the version, found the end, at byte 0..."]
	check_call(&"apply_deltas", [pairs], expected, lines, ERR_FILE_UNRECOGNIZED)


## Any bytes are good enough for deltas. Damage: delta_damage.rs of the codec's tests.
func test_deltas_of_any_bytes() -> void:
	var bad: Array[PackedByteArray] = [NO_BYTES, _one + _two, _one.slice(1), PackedByteArray([9])]
	for before: PackedByteArray in bad:
		for after: PackedByteArray in bad:
			check_call(&"apply_delta", [before, VarBatch.make_delta(before, after)], after, [])


func test_what_is_no_pair() -> void:
	var bad: Dictionary = {
		1: "int", null: "Nil", _one: "PackedByteArray", []: "an Array of size 0", [_one]: "an Array of size 1",
		[_one, _two, _one]: "an Array of size 3", [_one, 3]: "int as element 1", [null, _one]: "Nil as element 0",
		[[_one], _two]: "Array as element 0",
	}
	for method: StringName in [&"diff_batch", &"make_deltas", &"apply_deltas"]:
		var good: Array = [_one, _delta if method == &"apply_deltas" else _two]
		var result: Variant = call_method(method, [[good]])[0]
		var pairs: Array = [good]
		var expected: Array = [result]
		var lines := PackedStringArray()
		for what: Variant in bad:
			lines.append("pair %d: %s%s" % [pairs.size(), NO_PAIR, bad[what]])
			pairs.append_array([what, good])
			expected.append_array([result.slice(0, 0), result])
		if method != &"diff_batch":
			expected = Array(expected, TYPE_PACKED_BYTE_ARRAY, &"", null)
		check_call(method, [pairs], expected, lines)
	check_call(&"make_deltas", [[7] as Array[int]], [NO_BYTES] as Array[PackedByteArray], ["pair 0: " + NO_PAIR + "int"])


func test_what_is_no_change() -> void:
	for other: Variant in [null, 1, "set", [], PackedByteArray([1])]:
		_refused(other, "expected a Dictionary, found %s" % type_string(typeof(other)))
	_refused({}, 'expected a value of "op", found none')
	_refused({"op": "set"}, 'expected a value of "path", found none')
	for other: Variant in [1, "a", null, PackedInt32Array([0])]:
		_refused(_set_to([], 1).merged({"path": other}, true), 'expected an Array as "path", found ' + type_string(typeof(other)))
	for op: Variant in ["", "x", "Set", "set ", 1, null, &"move"]:
		_refused({"op": op, "path": ["i"], "new": 1}, 'expected "set", "insert" or "remove" as "op", found %s' % str(op))
	for index: Variant in [-1, -9223372036854775808, "x", [], 1.5]:
		var text := 'expected a non-negative int as "index", found %s' % str(index)
		_refused({"op": "insert", "path": ["n"], "new": 1, "index": index}, text)
	var too_deep := 'change 0: "new": expected at most 1024 levels of nesting...'
	check_call(&"patch", [_bytes, [_set_to(["i"], Engines.nested(1100))]], NO_BYTES, [too_deep])


func test_changes_that_do_not_fit() -> void:
	var change := {"op": "insert", "path": ["n"], "new": 1, "index": 8}
	_misfit(change, "expected an index from 0 to 4 to insert into Dictionary, found 8")
	_misfit({"op": "set", "path": []}, 'expected a new value for "set", found none')
	_misfit({"op": "remove", "path": ["p", 0]}, 'expected an old value for "remove", found none', '["p"][0]')
	for other: Variant in ["zz", 0, 1.0, null, &"A"]:
		_misfit(_set_to([other], 1), "expected an existing key, found no key %s" % var_to_str(other))
		change = _set_to(["a", 0], 5).merged({"old": other})
		_misfit(change, "expected the old value %s, found 1" % var_to_str(other), '["a"][0]')
	# As many levels as the engine takes, and one more.
	var deepest := VarBatch.patch(_bytes, [_set_to(["a", 0], Engines.nested(1023))])
	check(bytes_to_var(deepest) is Dictionary, "the engine does not read the deepest value")
	var text := "expected at most 1024 levels of nesting, found 1025"
	_misfit(_set_to(["d", 1.5, 0], Engines.nested(1023)), text, '["d"][1.5][0]')


func test_the_second_of_two() -> void:
	var first := _set_to(["i"], 1).merged({"old": 4})
	_refused_all([first, first.duplicate()], 'expected the old value 4, found 1, in change 1 inside ["i"]')
	_refused_all([first, 7], "change 1: expected a Dictionary, found int")


## The engine would take each of these, and so does patch.
func test_what_fits() -> void:
	var good: Array = [
		{&"op": &"set", &"path": ["i"], &"new": 1},
		{"op": "set", "path": ["i"] as Array[String], "new": 1, "more": 3, "index": 99},
		{"op": "set", "path": [&"i"], "new": 1},
		{"op": "set", "path": ["i"], "old": 4, "new": 1} as Dictionary[String, Variant],
	]
	var expected: Dictionary = bytes_to_var(_bytes)
	expected["i"] = 1
	for change: Dictionary in good:
		var changes: Array[Dictionary] = [change]
		changes.make_read_only()
		change.make_read_only()
		check_bytes(VarBatch.patch(_bytes, changes), var_to_bytes(expected), str(change))


func _set_to(path: Array, new: Variant) -> Dictionary:
	return {"op": "set", "path": path, "new": new}


func _misfit(change: Dictionary, text: String, inside := "") -> void:
	_refused_all([change], text + ", in change 0" + (" inside " + inside if inside else ""))


func _refused(change: Variant, text: String) -> void:
	_refused_all([change], "change 0: " + text)


func _refused_all(changes: Array, text: String) -> void:
	var before := _bytes.duplicate()
	var given := var_to_bytes(changes)
	check_call(&"patch", [before, changes], NO_BYTES, [text])
	check_bytes(before, _bytes, "the value, with: " + text)
	check_bytes(var_to_bytes(changes), given, "the changes, with: " + text)


func _hash_text(delta: PackedByteArray) -> String:
	var hash_bytes := delta.slice(1, 9)
	hash_bytes.reverse()
	return hash_bytes.hex_encode()

extends "../support/suite.gd"
## What `diff` tells a script: the path, the operation, the old and the new value of each change.
## Each list of changes is patched too, and taken back again.

const Model := preload("patch_model.gd")
const Scripted := preload("../support/scripted.gd")

const SET := "set"
const INSERT := "insert"
const REMOVE := "remove"


func test_what_a_change_is() -> void:
	var changes := VarBatch.diff(var_to_bytes([1]), var_to_bytes([2]))
	check_int(changes.get_typed_builtin(), TYPE_DICTIONARY, "type of the elements")
	check(not changes.is_read_only(), "the changes are read-only")
	check_value(changes[0], {"path": [0], "op": SET, "old": 1, "new": 2}, "a change")
	var entry := VarBatch.diff(var_to_bytes({}), var_to_bytes({7: 8}))[0]
	var expected := {"path": [7], "op": INSERT, "old": null, "new": 8, "index": 0}
	check_value(entry, expected, "a change of an entry")
	# They belong to the caller.
	(changes[0].path as Array).append("mine")
	changes[0].op = "mine"
	changes.append({})
	var again := VarBatch.diff(var_to_bytes([1]), var_to_bytes([2]))
	check_value(again, [{"path": [0], "op": SET, "old": 1, "new": 2}] as Array[Dictionary], "again")


func test_nothing() -> void:
	for value: Variant in [null, 1, [], {}, [[1, {2: 3}]], {1: [2]}, PackedInt32Array([1]), NAN]:
		_check(value, value, [])


func test_the_whole_value() -> void:
	_check(1, 2, [_put([], 1, 2)])
	_check(1, 1.0, [_put([], 1, 1.0)])
	_check("a", &"a", [_put([], "a", &"a")])
	_check(null, false, [_put([], null, false)])
	_check([1], {0: 1}, [_put([], [1], {0: 1})])
	_check(Vector3(1, 2, 3), Vector3(1, 2, 4), [_put([], Vector3(1, 2, 3), Vector3(1, 2, 4))])
	_check(^"a:b", ^"a:c", [_put([], ^"a:b", ^"a:c")])
	var typed: Array[int] = [1]
	_check([1], typed, [_put([], [1], typed)])
	_check(
		PackedInt32Array([1]),
		PackedInt64Array([1]),
		[_put([], PackedInt32Array([1]), PackedInt64Array([1]))]
	)


func test_elements() -> void:
	_check([1, 2, 3], [1, 5, 3], [_put([1], 2, 5)])
	_check([1, 2, 3], [4, 5, 6], [_put([0], 1, 4), _put([1], 2, 5), _put([2], 3, 6)])
	_check([1, 2], [1, "2"], [_put([1], 2, "2")])
	_check([], [null], [_insert([0], null)])
	_check([null], [], [_remove([0], null)])


## The elements behind are not told.
func test_elements_in_the_middle() -> void:
	var many: Array = range(1000)
	var more := many.duplicate()
	more.insert(500, "more")
	_check(many, more, [_insert([500], "more")])
	_check(more, many, [_remove([500], "more")])
	more.insert(200, "and this")
	more.remove_at(900)
	_check(many, more, [_insert([200], "and this"), _insert([501], "more"), _remove([900], 898)])


func test_moved_elements() -> void:
	_check([1, 2, 3, 4], [4, 1, 2, 3], [_insert([0], 4), _remove([4], 4)])
	_check([1, 2, 3, 4], [2, 3, 4, 1], [_remove([0], 1), _insert([3], 1)])


func test_typed_elements() -> void:
	var before: Array[int] = [1, 2]
	var after: Array[int] = [1, 3, 4]
	_check(before, after, [_put([1], 2, 3), _insert([2], 4)])
	var values: Dictionary[StringName, float] = {&"x": 1.0}
	var others: Dictionary[StringName, float] = {&"x": 2.0}
	_check(values, others, [_put([&"x"], 1.0, 2.0)])


func test_entries() -> void:
	_check({1: 2}, {1: 3}, [_put([1], 2, 3)])
	_check({1: 2, 3: 4}, {3: 4}, [_entry(REMOVE, 1, 0, 2)])
	# Each index is in the order that those before have left.
	_check({1: 2, 3: 4, 5: 6}, {5: 6}, [_entry(REMOVE, 1, 0, 2), _entry(REMOVE, 3, 0, 4)])
	_check({1: 2, 3: 4}, {1: 2, 5: 6, 3: 4}, [_entry(INSERT, 5, 1, 6)])
	_check({1: 2}, {1: 2, 3: null}, [_entry(INSERT, 3, 1, null)])


## A key that has moved goes first, and then comes where it is now.
func test_order_of_entries() -> void:
	_check({1: 2, 3: 4}, {3: 4, 1: 2}, [_entry(REMOVE, 1, 0, 2), _entry(INSERT, 1, 1, 2)])
	_check(
		{"a": 1, "b": 2, "c": 3},
		{"c": 4, "a": 1, "b": 2},
		[_entry(REMOVE, "c", 2, 3), _entry(INSERT, "c", 0, 4)]
	)
	_check({"a": 1}, {&"a": 1}, [_entry(REMOVE, "a", 0, 1), _entry(INSERT, &"a", 0, 1)])


func test_keys_of_every_type() -> void:
	var keys: Array = [
		null,
		true,
		-7,
		0.5,
		"text",
		&"name",
		Vector2i(3, -4),
		Color.RED,
		^"Node:position",
		rid_from_int64(77),
		[1, [2]],
		{"k": "v"},
		PackedStringArray(["a", "b"]),
		PackedVector3Array([Vector3.ONE]),
		Signal(),
		Callable(),
	]
	var before: Dictionary = {}
	for key: Variant in keys:
		before[key] = {key: [0, key]}
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


func test_packed_ranges() -> void:
	var before := PackedInt32Array(range(100))
	var after := before.duplicate()
	after[10] = -1
	after[11] = -2
	after[99] = -3
	_check(
		{"p": before},
		{"p": after},
		[
			_put(["p", 10], PackedInt32Array([10, 11]), PackedInt32Array([-1, -2])),
			_put(["p", 99], PackedInt32Array([99]), PackedInt32Array([-3])),
		]
	)
	var longer := before.slice(0, 50) + PackedInt32Array([7, 8]) + before.slice(50)
	_check(before, longer, [_insert([50], PackedInt32Array([7, 8]))])
	_check(longer, before, [_remove([50], PackedInt32Array([7, 8]))])
	_check(PackedByteArray(), PackedByteArray([1]), [_insert([0], PackedByteArray([1]))])


func test_packed_of_every_type() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		var parts: Variant = _packed(type)
		var one: Variant = parts.slice(0, 1)
		var two: Variant = parts.slice(1, 3)
		_check(one + two + one, one + one + one + one, [_put([1], two, one + one)])
		_check(one + one, one + two + one, [_insert([1], two)])
		_check(two + one, one, [_remove([0], two)])


func test_texts() -> void:
	var before := PackedStringArray(["a", "日本語", "", "d"])
	_check(
		before,
		PackedStringArray(["a", "語", "more", "d"]),
		[_put([1], PackedStringArray(["日本語", ""]), PackedStringArray(["語", "more"]))]
	)
	_check(
		before,
		PackedStringArray(["a", "日本語", "x", "", "d"]),
		[_insert([2], PackedStringArray(["x"]))]
	)


## Ids come as EncodedObjectAsID, in paths and in values, those of nobody as well, and go back as
## ids.
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
	var live: Array = [{"path": [first, 0], "op": SET, "old": second, "new": first}]
	live.append({"path": ["x"], "op": SET, "old": first, "new": second})
	check_bytes(VarBatch.patch(before, live), after, "patch with the objects")
	var nobody := before.duplicate()
	nobody.encode_s64(nobody.size() - 8, 0x123456789)
	changes = VarBatch.diff(before, nobody)
	check_int(_id(changes[0].new), 0x123456789, "an id of nobody")
	check_bytes(VarBatch.patch(before, changes), nobody, "patch to an id of nobody")
	check_bytes(VarBatch.patch(nobody, Model.inverse(changes)), before, "and back")


func test_ids_in_typed_arrays() -> void:
	var objects: Array[RefCounted] = [RefCounted.new(), Resource.new(), null]
	var others: Array[RefCounted] = [objects[1], objects[1], objects[0]]
	var changes := VarBatch.diff(var_to_bytes(objects), var_to_bytes(others))
	check_int(changes.size(), 2, "changes")
	check_bytes(VarBatch.patch(var_to_bytes(objects), changes), var_to_bytes(others), "patch")


func test_whole_objects() -> void:
	var before := Scripted.new()
	before.content = {"inside": [1, 2]}
	var bytes := var_to_bytes_with_objects([before])
	before.number = 5
	before.content.inside[1] = Vector2(1, 2)
	var after := var_to_bytes_with_objects([before])
	var changes := VarBatch.diff(bytes, after, true)
	check_value(
		changes,
		(
			[
				_put([0, &"number"], 1, 5),
				_put([0, &"content", "inside", 1], 2, Vector2(1, 2)),
			]
			as Array[Dictionary]
		),
		"changes of properties"
	)
	check_bytes(VarBatch.patch(bytes, changes, true), after, "patch")
	check_bytes(VarBatch.patch(after, Model.inverse(changes), true), bytes, "patch back")


## An object of another class is told whole, and is one.
func test_other_objects() -> void:
	var before := var_to_bytes_with_objects({"o": Resource.new()})
	var after := var_to_bytes_with_objects({"o": Gradient.new()})
	var changes := VarBatch.diff(before, after, true)
	check_int(changes.size(), 1, "changes")
	check_value(changes[0].path, ["o"], "path")
	check(changes[0].old is Resource and not changes[0].old is Gradient, "no Resource as old")
	check(changes[0].new is Gradient, "no Gradient as new")
	check_bytes(VarBatch.patch(before, changes, true), after, "patch")


## Where they would be more than anybody looks at, all is one change.
func test_too_many_changes() -> void:
	var before: Array = range(300_000)
	var after: Array = before.map(func(number: int) -> int: return -number - 1)
	var bytes: Array[PackedByteArray] = [var_to_bytes(before), var_to_bytes(after)]
	var changes := VarBatch.diff(bytes[0], bytes[1])
	check(changes == [_put([], before, after)], "%d changes of an array" % changes.size())
	check_bytes(VarBatch.patch(bytes[0], changes), bytes[1], "patch")
	var numbers := PackedInt32Array(range(60_000))
	var others := numbers.duplicate()
	for at: int in range(1000, 60_000, 2):
		others[at] = -1
	_check_bytes(
		[var_to_bytes([numbers, 1]), var_to_bytes([others, 2])],
		[_put([0, 1000], numbers.slice(1000), others.slice(1000)), _put([1], 1, 2)],
		"every other element"
	)


## Two keys that only the engine tells apart, as it does objects: all of their Dictionary is set.
func test_keys_of_the_same_bytes() -> void:
	var one := RefCounted.new()
	var other := RefCounted.new()
	var before := var_to_bytes_with_objects([{one: 1, other: 2}, 5])
	var after := var_to_bytes_with_objects([{one: 1, other: 3}, 5])
	var changes := VarBatch.diff(before, after, true)
	check_int(changes.size(), 1, "changes")
	check(changes[0].path == [0], "the path is %s" % [changes[0].path])
	check_bytes(VarBatch.patch(before, changes, true), after, "patch")
	check_bytes(
		VarBatch.apply_delta(before, VarBatch.make_delta(before, after)), after, "apply_delta"
	)


func test_as_deep_as_values_go() -> void:
	for depth: int in [100, 1024]:
		var before: Array = [1]
		var after: Array = [2]
		for i: int in depth - 1:
			before = [before]
			after = [after]
		var path: Array = []
		path.resize(depth)
		path.fill(0)
		_check_bytes([var_to_bytes(before), var_to_bytes(after)], [_put(path, 1, 2)], str(depth))


## All of the changes, and each of them back.
func _check(before: Variant, after: Variant, expected: Array[Dictionary]) -> void:
	var what := "%s to %s" % [str(before).left(40), str(after).left(40)]
	_check_bytes([var_to_bytes(before), var_to_bytes(after)], expected, what)


func _check_bytes(bytes: Array[PackedByteArray], expected: Array[Dictionary], what: String) -> void:
	var changes := VarBatch.diff(bytes[0], bytes[1])
	check_value(changes, expected, what)
	check_bytes(VarBatch.patch(bytes[0], changes), bytes[1], "patch, " + what)
	check_bytes(VarBatch.patch(bytes[1], Model.inverse(changes)), bytes[0], "back, " + what)


## Three elements that differ.
func _packed(type: int) -> Variant:
	match type:
		TYPE_PACKED_STRING_ARRAY:
			return PackedStringArray(["a", "bcd", "efghi"])
		TYPE_PACKED_VECTOR2_ARRAY:
			return PackedVector2Array([Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)])
		TYPE_PACKED_VECTOR3_ARRAY:
			return PackedVector3Array([Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)])
		TYPE_PACKED_VECTOR4_ARRAY:
			return PackedVector4Array([Vector4.ZERO, Vector4.ONE, Vector4(1, 2, 3, 4)])
		TYPE_PACKED_COLOR_ARRAY:
			return PackedColorArray([Color.RED, Color.GREEN, Color.BLUE])
	return type_convert([1, 2, 3], type)


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

extends "../support/suite.gd"
## What `diff` tells a script: the path, the operation, the old and the new value of each change.
## Each list of changes is patched too, and taken back again.

const Edits := preload("random_edits.gd")

const SET := "set"
const INSERT := "insert"
const REMOVE := "remove"


func test_what_a_change_is() -> void:
	var changes := VarBatch.diff(var_to_bytes([1]), var_to_bytes([2]))
	check_int(changes.get_typed_builtin(), TYPE_DICTIONARY, "type of the elements")
	check(not changes.is_read_only(), "the changes are read-only")
	check_value(changes[0], {"path": [0], "op": SET, "old": 1, "new": 2}, "a change")
	var entry := VarBatch.diff(var_to_bytes({}), var_to_bytes({7: 8}))[0]
	check_value(entry, {"path": [7], "op": INSERT, "old": null, "new": 8, "index": 0}, "a change of an entry")
	# They belong to the caller.
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
	var named: Dictionary[StringName, float] = {&"x": 1.0}
	var other: Dictionary[StringName, float] = {&"x": 2.0}
	var texts := PackedStringArray(["a", "日本語", "", "d"])
	var more := PackedStringArray(["語", "more"])
	for row: Array in [
		# All of the value.
		[1, 1.0, [_put([], 1, 1.0)]],
		[^"a:b", ^"a:c", [_put([], ^"a:b", ^"a:c")]],
		[[1, 2], ints, [_put([], [1, 2], ints)]],
		# Elements. Those behind are not told.
		[[1, 2], [3, "2"], [_put([0], 1, 3), _put([1], 2, "2")]],
		[[null], [], [_remove([0], null)]],
		[ints, [1, 3, 4] as Array[int], [_put([1], 2, 3), _insert([2], 4)]],
		# Entries. Each index is in the order that those before have left.
		[named, other, [_put([&"x"], 1.0, 2.0)]],
		[{1: 2, 3: 4, 5: 6}, {5: 6}, [_entry(REMOVE, 1, 0, 2), _entry(REMOVE, 3, 0, 4)]],
		[{1: 2, 3: 4}, {1: 2, 5: null, 3: 4}, [_entry(INSERT, 5, 1, null)]],
		# A key that has moved goes first, and then comes where it is now.
		[{1: 2, 3: 4}, {3: 4, 1: 2}, [_entry(REMOVE, 1, 0, 2), _entry(INSERT, 1, 1, 2)]],
		[{"a": 1}, {&"a": 1}, [_entry(REMOVE, "a", 0, 1), _entry(INSERT, &"a", 0, 1)]],
		# Elements of packed arrays.
		[{"p": [longs]}, {"p": [longs + longs]}, [_insert(["p", 0, 1], longs)]],
		[texts, texts.slice(0, 1) + more + texts.slice(3), [_put([1], texts.slice(1, 3), more)]],
	]:
		_check(row[0], row[1], Array(row[2] as Array, TYPE_DICTIONARY, &"", null))


func test_keys_of_every_type() -> void:
	var keys: Array = [null, true, -7, 0.5, "text", &"name", Vector2i(3, -4), Color.RED]
	keys.append_array([^"Node:position", rid_from_int64(77), [1, [2]], {"k": "v"}])
	keys.append_array([PackedStringArray(["a", "b"]), PackedVector3Array([Vector3.ONE])])
	keys.append_array([Signal(), Callable()])
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
	var live: Array = [{"path": [first, 0], "op": SET, "old": second, "new": first}]
	live.append({"path": ["x"], "op": SET, "old": first, "new": second})
	check_bytes(VarBatch.patch(before, live), after, "patch with the objects")
	var nobody := before.duplicate()
	nobody.encode_s64(nobody.size() - 8, 0x123456789)
	changes = VarBatch.diff(before, nobody)
	check_int(_id(changes[0].new), 0x123456789, "an id of nobody")
	_check_patches([before, nobody], changes, "an id of nobody")
	var objects: Array[RefCounted] = [first, second, null]
	var others: Array[RefCounted] = [second, second, first]
	var bytes: Array[PackedByteArray] = [var_to_bytes(objects), var_to_bytes(others)]
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
	var expected: Array[Dictionary] = [_put([0, &"number"], 1, 5)]
	expected.append(_put([0, &"content", "inside", 1], 2, Vector2(1, 2)))
	check_value(changes.slice(0, 2), expected, "changes of properties")
	# An object of another class is told whole, and is one.
	check_value(changes[2].path, [0, &"content", "o"], "path of an object")
	check(changes[2].old.get_class() == "Resource", "no Resource as old")
	check(changes[2].new is Gradient, "no Gradient as new")
	_check_patches([bytes, after], changes, "whole objects", true)


## All of the changes, and each of them back.
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

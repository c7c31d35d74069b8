extends "undo_base.gd"
## What VarBatchUndoRecorder records, and what flush() gives: exact, in order, once; and the one path that
## covers a change inside a math type, for each component of each type.

## Values and the paths of their components, as scripts write them.
const PLACES: Dictionary[Variant, String] = {
	Vector2(1, 2): "x y", Vector2i(1, 2): "x y", Rect2(1, 2, 3, 4): "position:x position:y size:x size:y",
	Rect2i(1, 2, 3, 4): "position:x position:y size:x size:y", Vector3(1, 2, 3): "x y z",
	Vector3i(1, 2, 3): "x y z", Vector4(1, 2, 3, 4): "x y z w", Vector4i(1, 2, 3, 4): "x y z w",
	Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)): "x:x x:y y:x y:y origin:x origin:y",
	Plane(1, 2, 3, 4): "normal:x normal:y normal:z d",
	Quaternion(1, 2, 3, 4): "x y z w",
	AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)): "position:x position:y position:z size:x size:y size:z",
	Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)): "x:x x:y x:z y:x y:y y:z z:x z:y z:z",
	Transform3D(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9), Vector3(10, 11, 12)):
	(
		"basis:x:x basis:x:y basis:x:z basis:y:x basis:y:y basis:y:z basis:z:x basis:z:y basis:z:z"
		+ " origin:x origin:y origin:z"
	),
	Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 1, 2, 3), Vector4(4, 5, 6, 7)):
	"x:x x:y x:z x:w y:x y:y y:z y:w z:x z:y z:z z:w w:x w:y w:z w:w",
	Color(0.1, 0.2, 0.3, 0.4): "r g b a",
}


func test_a_node() -> void:
	var other: Sprite2D = node(Sprite2D.new())
	var sprite: Sprite2D = node(Sprite2D.new())
	for object: Sprite2D in [other, sprite]:
		object.set_meta(&"log", ["a", {"n": 1}])
	check(VarBatchUndoRecorder.compare(sprite, sprite).is_empty(), "a node and itself")
	var before := state_of(sprite)
	var recorders: Array[VarBatchUndoRecorder] = [recorder]
	for i: int in 3:
		recorders.append(VarBatchUndoRecorder.new())
		recorders[i].record(sprite)
	edit(sprite, {"position:y": 7, "rotation": 1.5, "modulate:a": 0.5, "scale": Vector2(2, 3)})
	sprite.material = CanvasItemMaterial.new()
	sprite.set_meta(&"log", ["a", {"n": 2}])
	sprite.name = "Other"
	var after := state_of(sprite)
	var plain := recorder.flush()
	check(recorder.flush().is_empty(), "flush() twice")
	var compared := VarBatchUndoRecorder.compare(other, sprite)
	var deep := recorders[1].flush(true)
	check_int(recorders[2].commit(history, "Move"), 6, "modifications")
	check_bytes(state_of(sprite), after, "commit() does nothing again")
	check_int(history.get_history_count(), 1, "actions")
	check(history.get_current_action_name() == "Move", "the name of the action")
	check_turns(state_of.bind(sprite), before, after, "a node")
	for rows: Array[Dictionary] in [plain, compared]:
		var keys: Array = ["object", "property", "op", "old", "new"]
		if rows == plain:
			keys.erase("op")
		check_and_undo(rows, sprite, keys)
		check_bytes(state_of(sprite), before, "set back")
		check(VarBatchUndoRecorder.compare(other, sprite).is_empty(), "after all were set back")
		history.undo()
		history.redo()
	var lines := shown(plain.filter(func(row: Dictionary) -> bool: return not row.new is Object))
	lines.sort()
	var expected: PackedStringArray = [
		'metadata/log: ["a", {\n"n": 1\n}] > ["a", {\n"n": 2\n}]', "modulate:a: 1.0 > 0.5", "position:y: 0.0 > 7.0",
		"rotation: 0.0 > 1.5", "scale: Vector2(1, 1) > Vector2(2, 3)",
	]
	check(lines == expected, "modifications %s" % lines)
	for rows: Array[Dictionary] in [compared, deep]:
		check_int(rows.size(), plain.size(), "modifications")
		for at: int in rows.size():
			var row := rows[at]
			var found: Array = [row.property, row.op, row.old, row.new, row.get("path", [])]
			var whole: Array = [plain[at].property, "set", plain[at].old, plain[at].new, []]
			if rows == deep and row.property == "metadata/log":
				whole = ["metadata/log", "set", 1, 2, [1, "n"]]
			check(is_same(row.object, sprite), "object of %s" % row.property)
			check_exact(found, whole, "row %d" % at)


## Every kind of value, each changed to the next one, comes back to the byte: told by flush() and
## compare(), and from a history.
func test_values() -> void:
	var values: Array = Values.all()
	for index: int in values.size():
		var before: Variant = values[index - 1]
		var after: Variant = values[index]
		var what := "%d: %s to %s" % [index, type_string(typeof(before)), type_string(typeof(after))]
		# The engine's own copy: what is recorded must not be changed by what happens to the value.
		var old := var_to_bytes(before)
		var new := var_to_bytes(after)
		var object := box(before)
		check(VarBatchUndoRecorder.compare(box(before), object).is_empty(), "itself, " + what)
		recorder.record(object)
		object.value = after
		if recorder.commit(history, "edit") > 0:
			check_turns(func() -> PackedByteArray: return var_to_bytes(object.value), old, new, what)
		else:
			check_bytes(old, new, "nothing was committed, " + what)
		if old == new:
			continue
		var compared := VarBatchUndoRecorder.compare(box(before), object)
		object.value = before
		for found: Array[Dictionary] in [edited(object, {"value": after}), compared]:
			check_int(found.size(), 1, "modifications, " + what)
			for row: Dictionary in found:
				if row.property == "value":
					check_bytes(var_to_bytes(row.old), old, "old, " + what)
					check_bytes(var_to_bytes(row.new), new, "new, " + what)
				object.value = after
				object.set_indexed(NodePath(row.property as String), row.old)
				check_bytes(var_to_bytes(object.value), old, "value of the object, " + what)


func test_bits() -> void:
	# Not a literal: a script takes it for the same constant as zero.
	var minus_zero: float = str_to_var("-0.0")
	check_exact(change(0.0, minus_zero).get("new"), minus_zero, "minus zero")
	check(change(Vector2(0, 1), Vector2(minus_zero, 1)).property == "value:x", "minus zero inside")
	check(change(1, 1.0).get("property") == "value", "an int that turns to a float")
	check(change("a", &"a").get("property") == "value", "a String that turns to a StringName")
	check(edited(box(NAN), {"value": NAN}).is_empty(), "NAN is the same as NAN")


func test_types_and_order() -> void:
	var row := change({"a": 1, "b": 2}, {"b": 2, "a": 1})
	check((row.old as Dictionary).keys() == ["a", "b"], "old order")
	check((row.new as Dictionary).keys() == ["b", "a"], "new order")
	var of_class: Array[Node] = [node(Node.new()), null]
	var boxes: Array[Box] = [Box.new()]
	var of_script: Dictionary[String, Box] = {"a": boxes[0]}
	var by_node: Dictionary[Node, int] = {of_class[0]: 1}
	var script := script_of("extends RefCounted\nvar x := 1\n")
	var list := Array([script.new(), null], TYPE_OBJECT, &"RefCounted", script)
	var table := Dictionary({}, TYPE_STRING, &"", null, TYPE_OBJECT, &"RefCounted", script)
	table["a"] = list[0]
	for value: Variant in [[1, 2] as Array[int], of_class, boxes, of_script, by_node, list, table]:
		row = change(value, null)
		check(_is_same_type(row.old, value), "type of %s" % [value])
		check_exact(row.old, value, "typed")
	check(is_same((change(boxes, null).old as Array)[0], boxes[0]), "an object of a typed array")
	row = change([list, [table]], 5)
	check_exact(row.old, [list, [table]], "nested")
	check(_is_same_type(row.old[0], list) and _is_same_type(row.old[1][0], table), "types inside")


func test_objects() -> void:
	var resource := Resource.new()
	var child := node(Node.new())
	var lambda := func() -> int: return resource.get_reference_count()
	var value: Array = [resource, [child, {"k": resource, child: 1}], lambda, child.get_name]
	var old: Array = change(value, [1]).old
	check(is_same(old[0], resource), "an object in an array")
	check(is_same(old[1][0], child), "a node in a nested array")
	check(is_same(old[1][1].k, resource), "an object in a dictionary")
	check(is_same(old[1][1].keys()[1], child), "a node as a key")
	check(old[2] == lambda and old[3] == child.get_name, "callables")
	for one: Variant in [resource, null, child.renamed, lambda]:
		var row := change(one, child.get_name)
		check(typeof(row.old) == typeof(one) and row.old == one and row.new == child.get_name, "%s" % [one])
	var swapped := change([[1, resource]], [[1, Resource.new()]])
	check(is_same((swapped.old as Array)[0][1], resource), "an object for another")
	var same: Array = [lambda, resource, child.renamed]
	check(edited(box(same), {"value": same.duplicate()}).is_empty(), "the same objects")


func test_lifetime() -> void:
	var object := box([Resource.new(), 1])
	var id := (object.value[0] as Object).get_instance_id()
	recorder.record(object)
	object.value = []
	check(is_instance_id_valid(id), "the recorder dropped an object")
	var found := recorder.flush()
	check(found[0].old[0].get_instance_id() == id, "the object that was replaced")
	found.clear()
	check(not is_instance_id_valid(id), "the recorder keeps an object after flush()")
	var child := Node.new()
	object.value = [child, 5]
	recorder.record(object)
	child.free()
	object.value = [6]
	var old: Array = recorder.flush()[0].old
	check_exact(old, [null, 5], "a node that was freed")
	check(typeof(old[0]) == TYPE_NIL, "a node that was freed is no null")


## Arguments of record() and edits in turn: the first state counts, of each property.
func test_names_and_turns() -> void:
	var typed := Array(["value"], TYPE_STRING, "", null)
	for names: Variant in [["value"], [&"value"], PackedStringArray(["value"]), typed]:
		check_steps(box(1), [[names], {"value": 2, "other": 2}], ["value: 1 > 2"])
	var rows: Array = [
		# Named ones need not be stored.
		[[[["passing", "value", "passing"]], {"passing": 5, "value": 3}], ["passing: 1 > 5", "value: 1 > 3"]],
		[
			[[["value"]], {"value": 2, "other": 5}, [["value", "other"]], {"value": 3, "other": 6}],
			["value: 1 > 3", "other: 5 > 6"]
		],
		[
			[[["other"]], {"value": 4, "other": 7}, [], [], {"value": 5, "watched": 1}],
			["other: 0 > 7", "value: 4 > 5", "watched: 0 > 1"]
		],
		# Parts of values, as VarBatchState takes them.
		[[[["at:y", "value"]], {"at": Vector2(1, 2)}], ["at:y: 0.0 > 2.0"]],
		[[[], {"value": 9}, [], {"value": 1}], []],
		[[[[], ["value"]], {"value": 2, "other": 1}], ["other: 0 > 1"]],
		[[[["value", "other"], ["other"]], {"value": 2, "other": 1}], ["value: 1 > 2"]],
		[[[["value"], ["value"]], {"value": 2, "other": 1}], []],
		# With record_complete() it is the same where nothing but values changed.
		[[true, {"value": [2], "other": 3}], ["value: 1 > [2]", "other: 0 > 3"]],
		[[true], []],
		[
			[[["value", "passing"]], {"value": 2, "other": 5}, true, [], true, {"value": 3, "other": 6, "passing": 8}],
			["passing: 1 > 8", "value: 1 > 3", "other: 5 > 6"]
		],
	]
	for row: Array in rows:
		check_steps(box(1), row[0] as Array, PackedStringArray(row[1] as Array))


func test_record_all() -> void:
	var objects: Array[Box] = [box(0), box(1)]
	recorder.record_all(objects, ["other"])
	edit(objects[1], {"other": 4, "value": 4})
	check_flush(["other: 0 > 4"], "named")
	recorder.record_all([])
	check_flush([], "of nothing")
	recorder.record_all(objects + [objects[0]] as Array[Box])
	objects[0].value = "x"
	check_flush(['value: 0 > "x"'], "one object twice")


func test_threads() -> void:
	var expected: Array[Dictionary] = []
	for threads: int in Threads.new([1, 2, 5]):
		var objects: Array = []
		for i: int in 20_000:
			var value: Array = [i, {"n": str(i), "at": Vector3(i, 0, 1)}]
			objects.append(box(value + [PackedByteArray([i % 256])]))
		recorder.record_all(objects, ["value", "other"])
		for i: int in 20_000:
			objects[i].value[1].n = i
			objects[i].other = Vector2(i, 1)
		var found := recorder.flush()
		check_int(found.size(), 40_000, "modifications with %d threads" % threads)
		for row: Dictionary in found:
			row.erase("object")
		if threads == 1:
			expected = found
		check_bytes(var_to_bytes(found), var_to_bytes(expected), "with %d threads" % threads)


static func _is_same_type(one: Variant, other: Variant) -> bool:
	if one is Array and other is Array:
		return (one as Array).is_same_typed(other as Array)
	return one is Dictionary and (one as Dictionary).is_same_typed(other as Dictionary)


## One component alone has its own path, two as much of their paths as they share, all have none.
func test_components() -> void:
	for value: Variant in PLACES:
		var places := PLACES[value].split(" ")
		_check_changed(value, places, "")
		for one: String in places:
			for other: String in places:
				_check_changed(value, [one] if one == other else [one, other], _shared(one, other))


func test_table_is_complete() -> void:
	var types: Array = PLACES.keys().map(func(value: Variant) -> int: return typeof(value))
	for type: int in range(TYPE_VECTOR2, TYPE_COLOR + 1):
		check(type in types, "no paths of %s" % type_string(type))


func test_other_types() -> void:
	var pairs: Array = PLACES.keys().map(func(value: Variant) -> Array: return [value, 1])
	pairs.append([Vector2(1, 2), Vector2i(1, 3)])
	pairs.append([Quaternion(1, 2, 3, 4), Vector4(1, 2, 3, 5)])
	pairs.append([[Vector2(1, 2)], [Vector2(1, 3)]])
	for pair: Array in pairs:
		check(change(pair[0], pair[1]).get("property") == "value", "%s to %s" % pair)


func test_odd_names() -> void:
	var odd := Listed.new()
	odd.extra = ["plain", "group/inner", "a:b", "a//b", "/c", "d/"]
	odd.values = Values.keyed(odd.extra, func(_property: String) -> Vector2: return Vector2(1, 2))
	recorder.record(odd)
	odd.values = Values.keyed(odd.extra, func(_property: String) -> Vector2: return Vector2(1, 3))
	var whole := func(property: String) -> String: return property + ": Vector2(1, 2) > Vector2(1, 3)"
	check_flush(["plain:y: 2.0 > 3.0", "group/inner:y: 2.0 > 3.0"] + Array(odd.extra.slice(2)).map(whole), "odd names")
	check(odd.get_indexed("group/inner:y") == 3.0, "a path with a group")


func _check_changed(value: Variant, places: PackedStringArray, expected: String) -> void:
	var what := "%s of %s" % [places, type_string(typeof(value))]
	var object := box(value)
	recorder.record(object)
	for place: String in places:
		var path := NodePath("value:" + place)
		object.set_indexed(path, object.get_indexed(path) + 40)
	var after := var_to_bytes(object.value)
	var found := recorder.flush()
	check_int(found.size(), 1, "modifications, %s" % what)
	if found.size() != 1:
		return
	var path := "value" if expected.is_empty() else "value:" + expected
	check(found[0].property == path, "%s: %s instead of %s" % [what, found[0].property, path])
	check_and_undo(found, object, ["object", "property", "old", "new"])
	check_exact(object.value, value, "old set, %s" % what)
	object.set_indexed(path, found[0].new)
	check_bytes(var_to_bytes(object.value), after, "new set, %s" % what)


func _shared(one: String, other: String) -> String:
	var names := PackedStringArray()
	for name: String in one.split(":"):
		if other.get_slice(":", names.size()) != name:
			break
		names.append(name)
	return ":".join(names)

extends "undo_base.gd"
## What VarBatchUndoRecorder records, and what flush() gives: exact, in order, once.


func test_a_node() -> void:
	var sprite: Node2D = node(Node2D.new())
	sprite.name = "Sprite"
	recorder.record(sprite)
	sprite.position.y = 7
	sprite.rotation = 1.5
	sprite.modulate = Color(1, 1, 1, 0.5)
	sprite.scale = Vector2(2, 3)
	sprite.name = "Other"
	var found := recorder.flush()
	check_int(found.size(), 4, "modifications")
	for row: Dictionary in found:
		check(row.keys() == ["object", "property", "old", "new"], "keys are %s" % [row.keys()])
		check(is_same(row.object, sprite), "the object of %s" % row.property)
		check_exact(sprite.get_indexed(NodePath(row.property as String)), row.new, "new value")
		sprite.set_indexed(NodePath(row.property as String), row.old)
	check(typeof(found[0].property) == TYPE_STRING, "a path is no String")
	var lines := shown(found)
	lines.sort()
	var expected: PackedStringArray = [
		"modulate:a: 1.0 > 0.5",
		"position:y: 0.0 > 7.0",
		"rotation: 0.0 > 1.5",
		"scale: Vector2(1, 1) > Vector2(2, 3)",
	]
	check(lines == expected, "modifications %s" % lines)
	check(sprite.position == Vector2.ZERO and sprite.scale == Vector2.ONE, "not restored")
	check(recorder.flush().is_empty(), "flush() twice")


## Every kind of value, each changed to the next one, comes back to the byte.
func test_values() -> void:
	var values: Array = Values.all()
	for index: int in values.size():
		var before: Variant = values[index]
		var after: Variant = values[(index + 1) % values.size()]
		if var_to_bytes(before) == var_to_bytes(after):
			continue
		# The engine's own copy: what is recorded must not be changed by what happens to the value.
		var kept_before := var_to_bytes(before)
		var kept_after := var_to_bytes(after)
		var object := box(before)
		recorder.record(object)
		object.value = after
		var found := recorder.flush()
		check_int(found.size(), 1, "modifications of a %s" % type_string(typeof(before)))
		if found.size() != 1:
			continue
		var row := found[0]
		if (row.property as String) == "value":
			check_bytes(var_to_bytes(row.old), kept_before, "old %s" % type_string(typeof(before)))
			check_bytes(var_to_bytes(row.new), kept_after, "new %s" % type_string(typeof(after)))
		object.set_indexed(NodePath(row.property as String), row.old)
		check_bytes(var_to_bytes(object.value), kept_before, "value of the object")


## Numbers that `==` does not tell apart, and one that it calls another.
func test_bits() -> void:
	# Not a literal: a script takes it for the same constant as zero.
	var minus_zero: float = str_to_var("-0.0")
	check_exact(change(0.0, minus_zero).get("new"), minus_zero, "minus zero")
	var row := change(Vector2(0, 1), Vector2(minus_zero, 1))
	check(row.get("property") == "value:x", "minus zero inside")
	check(change(1, 1.0).get("property") == "value", "an int that turns to a float")
	check(change("a", &"a").get("property") == "value", "a String that turns to a StringName")
	var object := box(NAN)
	recorder.record(object)
	object.value = NAN
	check(recorder.flush().is_empty(), "NAN is the same as NAN")


## Arrays and dictionaries as they were, whatever happens to them, or to what came of them.
func test_shared_values() -> void:
	var inner: Array = [1, {"k": [2]}]
	var object := box({"list": inner, "deep": {"n": 1}, "raw": PackedInt32Array([1, 2])})
	recorder.record(object)
	var before := var_to_bytes(object.value)
	inner[1].k.append(3)
	object.value.raw = PackedInt32Array([1, 5])
	var after := var_to_bytes(object.value)
	var found := recorder.flush()
	check_int(found.size(), 1, "modifications")
	var row := found[0]
	check(row.property == "value", "the path is %s" % row.property)
	check_bytes(var_to_bytes(row.old), before, "old")
	check_bytes(var_to_bytes(row.new), after, "new")
	check(not is_same(row.new, object.value), "the new value is that of the object itself")
	inner.clear()
	check_bytes(var_to_bytes(row.new), after, "new, when the object's was changed")
	object.value = PackedStringArray(["a"])
	recorder.record(object)
	object.value.append("b")
	check_exact(
		recorder.flush()[0].old, PackedStringArray(["a"]), "a packed array, changed in place"
	)


## The order of entries, and types of containers.
func test_types_and_order() -> void:
	var row := change({"a": 1, "b": 2}, {"b": 2, "a": 1})
	check((row.old as Dictionary).keys() == ["a", "b"], "old order")
	check((row.new as Dictionary).keys() == ["b", "a"], "new order")
	var numbers: Array[int] = [1, 2]
	var nodes: Array[Node] = [node(Node.new()), null]
	var boxes: Array[Box] = [Box.new()]
	var of_script: Dictionary[String, Box] = {"a": boxes[0]}
	var by_node: Dictionary[Node, int] = {nodes[0]: 1}
	for value: Variant in [numbers, nodes, boxes, of_script, by_node]:
		row = change(value, null)
		check(is_same_type(row.old, value), "type of %s" % [value])
		check_exact(row.old, value, "typed")
	check(is_same((change(boxes, null).old as Array)[0], boxes[0]), "an object of a typed array")


## A typed container whose script is no file.
func test_types_of_scripts_without_files() -> void:
	var script := GDScript.new()
	script.source_code = "extends RefCounted\nvar x := 1\n"
	check_int(script.reload(), OK, "a script")
	var list := Array([script.new(), null], TYPE_OBJECT, &"RefCounted", script)
	var table := Dictionary({}, TYPE_STRING, &"", null, TYPE_OBJECT, &"RefCounted", script)
	table["a"] = list[0]
	for value: Variant in [list, table, [list, [table]]]:
		var row := change(value, 5)
		check_exact(row.old, value, "a script without a file")
	check((change(list, 5).old as Array).get_typed_script() == script, "script of an array")
	check((change(table, 5).old as Dictionary).get_typed_value_script() == script, "of a table")


## Objects are themselves, wherever they are.
func test_objects() -> void:
	var resource := Resource.new()
	var child := node(Node.new())
	var lambda := func() -> int: return resource.get_reference_count()
	var value: Array = [resource, [child, {"k": resource, child: 1}], lambda, child.get_name]
	var row := change(value, [1])
	var old: Array = row.old
	check(is_same(old[0], resource), "an object in an array")
	check(is_same(old[1][0], child), "a node in a nested array")
	check(is_same(old[1][1].k, resource), "an object in a dictionary")
	check(is_same(old[1][1].keys()[1], child), "a node as a key")
	check(old[2] == lambda and old[3] == child.get_name, "callables")
	check(is_same(change(resource, null).old, resource), "an object")
	check(change(null, child).old == null, "null")
	check(change(child.renamed, null).old == child.renamed, "a signal")
	var other := func() -> int: return 2
	check(change(lambda, other).new == other, "a Callable that turned to another")
	var swapped := change([[1, resource]], [[1, Resource.new()]])
	check(is_same((swapped.old as Array)[0][1], resource), "an object for another")
	var same := box([lambda, resource, child.renamed])
	recorder.record(same)
	same.value = [lambda, resource, child.renamed]
	check(recorder.flush().is_empty(), "the same objects in another array")


## A reference that only the recorder has left is alive; a node that was freed is null.
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


func test_named() -> void:
	var object := box(1)
	for names: Variant in [
		["value"], [&"value"], PackedStringArray(["value"]), Array(["value"], TYPE_STRING, "", null)
	]:
		object.value = 1
		object.other = 1
		recorder.record(object, names)
		object.value = 2
		object.other = 2
		check_shown(recorder.flush(), ["value: 1 > 2"], "named %s" % [names])
	# Named ones need not be stored.
	recorder.record(object, ["passing", "value", "passing"])
	object.passing = 5
	object.value = 3
	check_shown(recorder.flush(), ["passing: 1 > 5", "value: 2 > 3"], "one that is not stored")


## The first state counts, of each property.
func test_again() -> void:
	var object := box(1)
	recorder.record(object, ["value"])
	object.value = 2
	object.other = 5
	recorder.record(object, ["value", "other"])
	object.value = 3
	object.other = 6
	check_shown(recorder.flush(), ["value: 1 > 3", "other: 5 > 6"], "named again")
	recorder.record(object, ["other"])
	object.other = 7
	object.value = 4
	recorder.record(object)
	recorder.record(object)
	object.watched = 1
	object.value = 5
	var expected: PackedStringArray = ["other: 6 > 7", "value: 4 > 5", "watched: 0 > 1"]
	check_shown(recorder.flush(), expected, "all again")
	recorder.record(object)
	object.value = 9
	object.value = 5
	check(recorder.flush().is_empty(), "a value that came back")


func test_record_all() -> void:
	var objects: Array = []
	for i: int in 5000:
		objects.append(box(i))
	recorder.record_all(objects)
	for i: int in 5000:
		if i % 3 == 0:
			objects[i].value = str(i)
	var found := recorder.flush()
	check_int(found.size(), 1667, "modifications")
	for index: int in found.size():
		var row := found[index]
		if not (is_same(row.object, objects[index * 3]) and row.old == index * 3):
			check(false, "row %d is %s" % [index, row])
	recorder.record_all(objects.slice(0, 2), ["other"])
	objects[1].other = 4
	objects[1].value = 4
	check_shown(recorder.flush(), ["other: 0 > 4"], "named")
	recorder.record_all([])
	check(recorder.flush().is_empty(), "of nothing")
	var same: Array[Box] = [objects[0], objects[1], objects[0]]
	recorder.record_all(same)
	objects[0].value = "x"
	check_int(recorder.flush().size(), 1, "modifications of one object twice")


## Many objects over threads are the same as on one.
func test_threads() -> void:
	var count := VarBatch.get_thread_count()
	var expected: Array[Dictionary] = []
	for threads: int in [1, 2, 5]:
		VarBatch.set_thread_count(threads)
		var objects: Array = []
		for i: int in 20_000:
			objects.append(
				box([i, {"n": str(i), "at": Vector3(i, 0, 1)}, PackedByteArray([i % 256])])
			)
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
	VarBatch.set_thread_count(count)


static func is_same_type(one: Variant, other: Variant) -> bool:
	if one is Array and other is Array:
		return (one as Array).is_same_typed(other as Array)
	return one is Dictionary and (one as Dictionary).is_same_typed(other as Dictionary)

extends "undo_base.gd"
## VarBatchUndoRecorder.compare() and compare_all() of two objects, and map_references() of two trees.

const Listed := preload("undo_listed.gd")


func test_two_nodes() -> void:
	var before: Sprite2D = node(Sprite2D.new())
	var after: Sprite2D = node(Sprite2D.new())
	check(VarBatchUndoRecorder.compare(before, after).is_empty(), "two that are alike")
	after.position.y = 7
	after.modulate = Color(1, 0.5, 0.5)
	after.name = "Other"
	var found := VarBatchUndoRecorder.compare(before, after)
	check_shown(
		found,
		["modulate: Color(1, 1, 1, 1) > Color(1, 0.5, 0.5, 1)", "position:y: 0.0 > 7.0"],
		"two nodes"
	)
	for row: Dictionary in found:
		check(
			row.keys() == ["object", "property", "op", "old", "new"], "keys are %s" % [row.keys()]
		)
		check(is_same(row.object, after), "the object of %s" % row.property)
		check(typeof(row.op) == TYPE_STRING and row.op == "set", "the op of %s" % row.property)
		after.set_indexed(NodePath(row.property as String), row.old)
	check(VarBatchUndoRecorder.compare(before, after).is_empty(), "after all were set back")
	check(VarBatchUndoRecorder.compare(after, after).is_empty(), "a node and itself")
	before.position.x = 1
	after.offset.x = 1
	var names: PackedStringArray = ["position", "global_position"]
	check_int(VarBatchUndoRecorder.compare(before, after, names).size(), 2, "named ones")
	check_shown(
		VarBatchUndoRecorder.compare(before, after, ["offset"]), ["offset:x: 0.0 > 1.0"], "named"
	)


## Every kind of value against the next one, and against itself.
func test_values() -> void:
	var values: Array = Values.all()
	for index: int in values.size():
		var old: Variant = values[index]
		var new: Variant = values[(index + 1) % values.size()]
		var what := type_string(typeof(old))
		check(_compared(old, old).is_empty(), "%s and itself" % what)
		if var_to_bytes(old) == var_to_bytes(new):
			continue
		var found := _compared(old, new)
		check_int(found.size(), 1, "differences of a %s" % what)
		if found.size() == 1 and found[0].property == "value":
			check_exact(found[0].old, old, "old %s" % what)
			check_exact(found[0].new, new, "new %s" % what)


## What only one of the two has.
func test_other_properties() -> void:
	var before: Node = node(Node2D.new())
	var after: Node = node(Sprite2D.new())
	before.set_meta(&"mine", [1])
	after.set_meta(&"yours", 2)
	var rows := _by_property(VarBatchUndoRecorder.compare(before, after))
	_check_row(rows, "metadata/mine", "remove", [1], null)
	_check_row(rows, "metadata/yours", "insert", null, 2)
	_check_row(rows, "centered", "insert", null, true)
	check(not rows.has("position"), "a property that both have")
	var back := _by_property(VarBatchUndoRecorder.compare(after, before))
	_check_row(back, "metadata/mine", "insert", null, [1])
	_check_row(back, "centered", "remove", true, null)
	check_int(back.size(), rows.size(), "differences the other way round")
	_check_row(
		_by_property(VarBatchUndoRecorder.compare(before, after, ["centered"])),
		"centered",
		"insert",
		null,
		true
	)
	# What a script lists for itself.
	var lists: Array[Listed] = [Listed.new(), Listed.new()]
	lists[0].extra = ["a", "b"]
	lists[1].extra = ["b", "c"]
	lists[1].values["b"] = 5
	lists[1].is_hidden = true
	rows = _by_property(VarBatchUndoRecorder.compare(lists[0], lists[1]))
	_check_row(rows, "a", "remove", 0, null)
	_check_row(rows, "b", "set", 0, 5)
	_check_row(rows, "c", "insert", null, 0)
	_check_row(rows, "value", "remove", 1, null)
	check_int(rows.size(), 4, "differences of two lists: %s" % [rows.keys()])
	# A script that only one of them has.
	after = node(Node2D.new())
	after.set_script(OfNode)
	var plain: Node = node(Node2D.new())
	for row: Dictionary in VarBatchUndoRecorder.compare(plain, after):
		check(row.op == "insert" and row.property != "script", "row %s" % row)


## A class that stores a property for some of its objects only.
func test_doubtful_properties() -> void:
	var before: Node = node(Node.new())
	var after: Node = node(Node.new())
	after.process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	after.process_thread_group_order = 3
	var rows := _by_property(VarBatchUndoRecorder.compare(before, after))
	_check_row(rows, "process_thread_group", "set", 0, 2)
	check_int(_stored(before, "process_thread_group_order"), 0, "stored by the first")
	check_int(_stored(after, "process_thread_group_order"), 1, "stored by the second")
	_check_row(rows, "process_thread_group_order", "insert", null, 3)
	rows = _by_property(VarBatchUndoRecorder.compare(after, before))
	_check_row(rows, "process_thread_group_order", "remove", 3, null)


func test_references() -> void:
	var a: Node = node(Node.new())
	var b: Node = node(Node.new())
	var other: Node = node(Node.new())
	var references := {a: b}
	var old: Array = [a, {"k": [a, 1], a: 2}, a.renamed]
	var new: Array = [b, {"k": [b, 1], b: 2}, b.renamed]
	check_int(_compared(old, new).size(), 1, "differences without references")
	check(_compared(old, new, references).is_empty(), "references at any depth")
	check(_compared(a, b, references).is_empty(), "a reference")
	check(_compared(a.renamed, b.renamed, references).is_empty(), "a signal")
	var typed: Array[Node] = [a, null]
	var mapped: Array[Node] = [b, null]
	check(_compared(typed, mapped, references).is_empty(), "a typed array")
	check_int(_compared(typed, [b, null], references).size(), 1, "an array of another type")
	check_int(_compared(b, a, references).size(), 1, "the other way round")
	check_int(_compared(a, a, references).size(), 1, "the same object, where another is meant")
	var found := _compared(a, other, references)
	check_int(found.size(), 1, "another object")
	check(is_same(found[0].old, b) and is_same(found[0].new, other), "old is the mapped one")
	found = _compared([a, 1], [b, 2], references)
	check(is_same((found[0].old as Array)[0], b), "old inside of an array is the mapped one")
	# The two objects themselves belong together.
	var one := box(null)
	var two := box([2])
	one.value = [one]
	two.value = [two]
	check(VarBatchUndoRecorder.compare(one, two).is_empty(), "themselves")
	one.value = null
	two.value = null
	# What is no object, or gone, maps nothing.
	var gone := Node.new()
	var strange: Dictionary = {1: 2, a: null, gone: b, b: gone}
	gone.free()
	check_int(_compared(a, b, strange).size(), 1, "references that are none")


func test_all_pairs() -> void:
	for threads: int in [1, 2, 5]:
		VarBatch.set_thread_count(threads)
		var pairs: Dictionary = {}
		for i: int in 3000:
			pairs[box(i)] = box(i if i % 3 else [i])
		var found := VarBatchUndoRecorder.compare_all(pairs)
		check_int(found.size(), 1000, "differences with %d threads" % threads)
		var afters: Array = pairs.values()
		for index: int in found.size():
			var row := found[index]
			if not is_same(row.object, afters[index * 3]) or row.old != index * 3:
				check(false, "row %d is %s" % [index, row])
	VarBatch.set_thread_count(0)
	# Objects that belong together, as the pairs say it or the references.
	var a := box(null)
	var b := box(null)
	a.value = box(a)
	b.value = box(b)
	var pairs: Dictionary = {a: b, a.value: b.value}
	check(VarBatchUndoRecorder.compare_all(pairs).is_empty(), "pairs are references")
	check_int(VarBatchUndoRecorder.compare_all({a: b}).size(), 1, "without the second")
	check(VarBatchUndoRecorder.compare_all({a: b}, [], pairs).is_empty(), "references")
	a.value = null
	b.value = null
	# One object with many, and many with one.
	check_int(VarBatchUndoRecorder.compare_all({box(1): a, box(2): a}).size(), 2, "with one")
	check(VarBatchUndoRecorder.compare_all({}).is_empty(), "no pairs")
	var typed: Dictionary[Box, Box] = {box(1): box(2)}
	check_int(VarBatchUndoRecorder.compare_all(typed, [], typed).size(), 1, "typed pairs")


## The nodes of two instances of a scene, and the resources that each has for itself.
func test_map_of_instances() -> void:
	var scene := _scene()
	var one: Node = node(scene.instantiate())
	var two: Node = node(scene.instantiate())
	var map := VarBatchUndoRecorder.map_references(one, two)
	check_int(map.size(), 5, "objects of %s" % [map])
	for path: String in [".", "Body", "Body/Shape", "Body/Sprite"]:
		var expected := two.get_node(path)
		check(is_same(map.get(one.get_node(path)), expected), "the node at %s" % path)
	var shapes: Array = [one.get_node("Body/Shape").shape, two.get_node("Body/Shape").shape]
	check(not is_same(shapes[0], shapes[1]), "the shape is shared")
	check(is_same(map.get(shapes[0]), shapes[1]), "a resource that is local to the scene")
	check(VarBatchUndoRecorder.compare_all(map).is_empty(), "two instances")
	two.get_node("Body/Sprite").position.x = 5
	shapes[1].size = Vector2(8, 20)
	two.get_node("Body/Shape").set_meta(&"owner", two.get_node("Body"))
	one.get_node("Body/Shape").set_meta(&"owner", one.get_node("Body"))
	var found := VarBatchUndoRecorder.compare_all(map)
	check_shown(found, ["position:x: 0.0 > 5.0", "size:x: 20.0 > 8.0"], "what was overridden")
	check(is_same(found[1].object, shapes[1]), "the resource")
	# Another file is another value.
	var textures: Array[Texture2D] = [PlaceholderTexture2D.new(), PlaceholderTexture2D.new()]
	textures[1].take_over_path("res://conformance/no_such_file.tres")
	one.get_node("Body/Sprite").texture = textures[0]
	two.get_node("Body/Sprite").texture = textures[1]
	map = VarBatchUndoRecorder.map_references(one, two)
	check(not map.has(textures[0]), "a resource with a file")
	check_int(VarBatchUndoRecorder.compare_all(map).size(), 3, "with another texture")


## A duplicated branch, with other nodes in it, other names, and chains and rings of resources.
func test_map_of_duplicates() -> void:
	var root: Node = node(Node.new())
	for i: int in 4:
		var child := Node2D.new()
		root.add_child(child)
		child.name = "Child%d" % i
		child.add_child(Sprite2D.new())
	var copy: Node = node(root.duplicate())
	copy.move_child(copy.get_node("Child3"), 0)
	copy.get_node("Child1").name = "Renamed"
	var map := VarBatchUndoRecorder.map_references(root, copy)
	check_int(map.size(), 7, "objects of %s" % [map])
	check(is_same(map[root.get_node("Child3")], copy.get_node("Child3")), "one that moved")
	check(not map.has(root.get_node("Child1")), "one that was renamed")
	var sprites: Array = [root.get_node("Child3").get_child(0), copy.get_child(0).get_child(0)]
	check(is_same(map[sprites[0]], sprites[1]), "one without a name")
	# Resources: a ring, and one that stands at two places.
	var rings: Array = []
	for i: int in 2:
		var made: Array[Resource] = [Resource.new(), Resource.new(), Resource.new()]
		made[0].set_meta(&"next", made[1])
		made[1].set_meta(&"next", [{"a": made[2], "b": made[2]}])
		made[2].set_meta(&"next", made[0])
		rings.append(made)
	map = VarBatchUndoRecorder.map_references(rings[0][0], rings[1][0])
	check_int(map.size(), 3, "resources of two rings")
	for i: int in 3:
		check(is_same(map.get(rings[0][i]), rings[1][i]), "resource %d of a ring" % i)
	check(VarBatchUndoRecorder.compare_all(map).is_empty(), "two rings")
	rings[1][2].set_meta(&"next", rings[1][1])
	check_int(VarBatchUndoRecorder.compare_all(map).size(), 1, "another ring")
	for ring: Array in rings:
		for resource: Resource in ring:
			resource.remove_meta(&"next")


func test_wrong_arguments() -> void:
	var object := box(1)
	var gone := Node.new()
	gone.free()
	for wrong: Array in [[null, "null"], [gone, "a freed object"]]:
		var text := "expected an object, found %s" % wrong[1]
		var compare := func() -> Array: return VarBatchUndoRecorder.compare(object, wrong[0])
		check(expect_errors(compare, 1, "after: " + text).is_empty(), "with %s" % wrong[1])
		compare = func() -> Array: return VarBatchUndoRecorder.compare(wrong[0], object)
		check(expect_errors(compare, 1, "before: " + text).is_empty(), "of %s" % wrong[1])
		var map := func() -> Dictionary:
			return VarBatchUndoRecorder.map_references(wrong[0], object)
		check(expect_errors(map, 1, "before: " + text).is_empty(), "a map of %s" % wrong[1])
	var all := func() -> Array:
		return VarBatchUndoRecorder.compare_all({box(1): box(2), 5: box(3), box(4): "x"})
	var lines: PackedStringArray = [
		"VarBatchUndoRecorder.compare_all: pair 1: before: expected an object, found int",
		"VarBatchUndoRecorder.compare_all: pair 2: after: expected an object, found String",
	]
	check_int((expect_lines(all, lines) as Array).size(), 1, "differences of the others")
	var missing := func() -> Array:
		return VarBatchUndoRecorder.compare(object, box(2), ["nothing", "value"])
	check_int(
		(expect_errors(missing, 1, 'has no property "nothing"') as Array).size(), 1, "the others"
	)


## Getters that free what is compared, and compare themselves.
func test_hostile_getters() -> void:
	var nodes: Array = [node(Node2D.new()), node(Node2D.new())]
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		(nodes[1] as Node).free()
	var all := func() -> Array:
		return VarBatchUndoRecorder.compare_all({box(1): box(2), nodes[0]: nodes[1]})
	check_int(
		(expect_errors(all, 1, "expected an object, found a freed object") as Array).size(),
		1,
		"what is left"
	)
	nodes[1] = node(Node2D.new())
	Box.on_get = func(object: Box) -> void:
		if object.value == 2:
			Box.reset()
			(nodes[0] as Node).free()
	all = func() -> Array:
		return VarBatchUndoRecorder.compare_all({nodes[0]: nodes[1], box(1): box(2)})
	check_int(
		(
			(expect_logged(all, 0, 1, "pair 0: skipped: a getter freed one of the two") as Array)
			. size()
		),
		1,
		"what is left after all were read"
	)
	var depth: Array = [0]
	Box.on_get = func(object: Box) -> void:
		if depth[0] < 3:
			depth[0] += 1
			VarBatchUndoRecorder.compare(object, box(7))
			recorder.record(object)
	var one := box(1)
	check_int(VarBatchUndoRecorder.compare(one, box(2)).size(), 1, "with getters that compare")
	Box.reset()
	check(recorder.flush().is_empty(), "what the getters recorded")


func test_many_threads() -> void:
	var threads := start_threads(4, _compare_alone.unbind(1))
	check_value(end_threads(threads), [499, 499, 499, 499], "differences on threads")


## Time grows with the number of references, and not faster.
func test_time_of_maps() -> void:
	var times: Array[int] = []
	for count: int in [5000, 20_000]:
		var roots: Array[Resource] = []
		for side: int in 2:
			var list: Array = []
			for i: int in count:
				list.append(Resource.new())
			roots.append(Resource.new())
			roots[side].set_meta(&"list", list)
		var started := Time.get_ticks_usec()
		var map := VarBatchUndoRecorder.map_references(roots[0], roots[1])
		times.append(Time.get_ticks_usec() - started)
		check_int(map.size(), count + 1, "resources")
	check(times[1] < 16 * times[0], "4 times as many took %s microseconds" % [times])


func _compare_alone() -> int:
	var pairs: Dictionary = {}
	for i: int in 1000:
		pairs[box([i])] = box([i % 2 * i])
	return VarBatchUndoRecorder.compare_all(pairs).size()


func _compared(before: Variant, after: Variant, references := {}) -> Array[Dictionary]:
	return VarBatchUndoRecorder.compare(box(before), box(after), [], references)


static func _by_property(rows: Array[Dictionary]) -> Dictionary:
	var found: Dictionary = {}
	for row: Dictionary in rows:
		found[row.property] = row
	return found


func _check_row(rows: Dictionary, path: String, op: String, old: Variant, new: Variant) -> void:
	var row: Dictionary = rows.get(path, {})
	check(not row.is_empty(), "no row of %s in %s" % [path, rows.keys()])
	if not row.is_empty():
		check(row.op == op, "%s of %s" % [row.op, path])
		check_exact([row.old, row.new], [old, new], "values of %s" % path)


static func _stored(object: Object, named: String) -> int:
	for property: Dictionary in object.get_property_list():
		if property.name == named:
			return 1 if property.usage & PROPERTY_USAGE_STORAGE else 0
	return 0


## A scene of four nodes, whose shape each instance has for itself.
func _scene() -> PackedScene:
	var root: Node = node(Node2D.new())
	var body := StaticBody2D.new()
	var shape := CollisionShape2D.new()
	var sprite := Sprite2D.new()
	root.add_child(body)
	body.add_child(shape)
	body.add_child(sprite)
	body.name = "Body"
	shape.name = "Shape"
	sprite.name = "Sprite"
	shape.shape = RectangleShape2D.new()
	shape.shape.resource_local_to_scene = true
	for child: Node in [body, shape, sprite]:
		child.owner = root
	var scene := PackedScene.new()
	check_int(scene.pack(root), OK, "a scene")
	return scene


class OfNode:
	extends Node2D
	@export var health := 3

extends "undo_base.gd"
## VarBatchUndoRecorder.compare() and compare_all() of two objects, and map_references(): which objects of
## two trees belong together.


func test_named() -> void:
	var before: Sprite2D = node(Sprite2D.new())
	var after: Sprite2D = node(Sprite2D.new())
	edit(after, {"position:y": 7, "offset:x": 1, "modulate": Color(1, 0.5, 0.5)})
	_check_compared(before, after, ["set offset:x: 0.0 > 1.0"], "one", ["offset"])
	var both: PackedStringArray = ["set position:y: 0.0 > 7.0", "set global_position:y: 0.0 > 7.0"]
	_check_compared(before, after, both, "one not stored", ["position", "global_position"])


func test_other_properties() -> void:
	var before: Node = node(Node2D.new())
	var after: Node = node(Sprite2D.new())
	before.set_meta(&"mine", [1])
	after.set_meta(&"yours", 2)
	var expected: PackedStringArray = ["remove metadata/mine: [1] > null", "insert metadata/yours: null > 2"]
	for property: String in ["centered", "flip_h", "frame", "hframes", "offset"]:
		expected.append("insert %s: null > %s" % [property, var_to_str(after.get(property))])
	var found := VarBatchUndoRecorder.compare(before, after)
	var rows := _told(found)
	for line: String in expected:
		check(line in rows, "no row %s in %s" % [line, rows])
	check(not "position" in " ".join(rows), "a property that both have")
	for row: Dictionary in found:
		row.op = {"insert": "remove", "remove": "insert"}.get(row.op, row.op)
		row.merge({"old": row.new, "new": row.old}, true)
	rows = _told(found)
	var back := _told(VarBatchUndoRecorder.compare(after, before))
	rows.sort()
	back.sort()
	check(back == rows, "the other way round: expected %s, found %s" % [rows, back])
	_check_compared(before, after, ["insert centered: null > true"], "named", ["centered"])
	var lists: Array[Listed] = [Listed.new(), Listed.new()]
	lists[0].extra = ["a", "b"]
	lists[1].extra = ["b", "c"]
	lists[1].values["b"] = 5
	lists[1].is_hidden = true
	rows = _told(VarBatchUndoRecorder.compare(lists[0], lists[1]))
	rows.sort()
	expected = ["insert c: null > 0", "remove a: 0 > null", "remove value: 1 > null"]
	check(rows == expected + PackedStringArray(["set b: 0 > 5"]), "two lists: %s" % rows)
	after = node(Node2D.new())
	after.set_script(Fighter)
	for row: Dictionary in VarBatchUndoRecorder.compare(node(Node2D.new()), after):
		check(row.op == "insert" and row.property != "script", "row %s" % row)


func test_doubtful_properties() -> void:
	var before: Node = node(Node.new())
	var after: Node = node(Node.new())
	var order := "process_thread_group_order"
	edit(after, {"process_thread_group": Node.PROCESS_THREAD_GROUP_SUB_THREAD, order: 3})
	var is_stored := func(of: Dictionary) -> bool: return of.name == order and of.usage & PROPERTY_USAGE_STORAGE
	check(not before.get_property_list().any(is_stored) and after.get_property_list().any(is_stored), "who stores it")
	var expected: PackedStringArray = ["set process_thread_group: 0 > 2", "insert %s: null > 3" % order]
	_check_compared(before, after, expected, "only the second stores one")
	expected = ["set process_thread_group: 2 > 0", "remove %s: 3 > null" % order]
	_check_compared(after, before, expected, "only the first stores one")


func test_references() -> void:
	var a: Node = node(Node.new())
	var b: Node = node(Node.new())
	var other: Node = node(Node.new())
	var typed: Array[Node] = [a, null]
	var mapped: Array[Node] = [b, null]
	# Each: old, new, the number of differences where a belongs to b, and without that.
	var rows: Array = [
		[[a, {"k": [a, 1], a: 2}, a.renamed], [b, {"k": [b, 1], b: 2}, b.renamed], 0, 1],
		[a, b, 0, 1],
		[a.renamed, b.renamed, 0, 1],
		[typed, mapped, 0, 1],
		[typed, [b, null], 1, 1],
		[b, a, 1, 1],
		[a, a, 1, 0],
		[a, other, 1, 1],
		[[a, 1], [b, 2], 1, 1],
	]
	for row: Array in rows:
		for references: Dictionary in [{a: b}, {}]:
			var found := _compared(row[0], row[1], references)
			check_int(found.size(), row[2 if references else 3] as int, "differences of %s" % [row])
	var old: Variant = _compared(a, other, {a: b})[0].old
	check(is_same(old, b), "old is the mapped one")
	old = _compared([a, 1], [b, 2], {a: b})[0].old
	check(is_same(old[0], b), "old inside of an array is the mapped one")
	var one := box(null)
	var two := box([2])
	one.value = [one]
	two.value = [two]
	_check_compared(one, two, [], "themselves")
	one.value = null
	two.value = null
	# What is no object, or gone, maps nothing.
	var gone: Variant = Engines.freed_object()
	check_int(_compared(a, b, {1: 2, a: null, gone: b, b: gone}).size(), 1, "no references")


func test_all_pairs() -> void:
	for threads: int in Threads.new([1, 2, 5]):
		var changed := func(of: Box) -> Box: return box(of.value if of.value % 3 else [of.value])
		var pairs := Values.keyed(range(3000).map(box), changed)
		var found := VarBatchUndoRecorder.compare_all(pairs)
		var objects := found.map(func(row: Dictionary) -> Box: return row.object)
		var expected := range(0, 3000, 3)
		check(found.map(func(row: Dictionary) -> int: return row.old) == expected, "differences with %d threads" % threads)
		check(objects == expected.map(func(at: int) -> Box: return pairs.values()[at]), "objects with %d threads" % threads)
	# Objects that belong together, as the pairs say it or the references; one object with many, of
	# which two refer to themselves as it does.
	var a := box(null)
	var b := box(null)
	a.value = box(a)
	b.value = box(b)
	var both: Dictionary = {a: b, a.value: b.value}
	var typed: Dictionary[Box, Box] = {box(1): box(2)}
	var original := box(null)
	var copies: Array = [box(null), box(1), box(null)]
	for cyclic: Box in [original, copies[0], copies[2]]:
		cyclic.value = cyclic
	var rows: Array = [
		["pairs are references", both, {}, 0],
		["without the second", {a: b}, {}, 1],
		["references", {a: b}, both, 0],
		["many with one", {box(1): a, box(2): a}, {}, 2],
		["one with many", copies.map(func(to: Box) -> Array: return [original, to]), {}, 1],
		["no pairs", {}, {}, 0],
		["typed pairs", typed, typed, 1],
	]
	for row: Array in rows:
		var found := VarBatchUndoRecorder.compare_all(row[1], [], row[2] as Dictionary)
		check_int(found.size(), row[3] as int, row[0] as String)
		if row[0] == "one with many":
			check(is_same(found[0].object, copies[1]), "one with many: %s" % [found])
	for cyclic: Box in [a, b, original, copies[0], copies[2]]:
		cyclic.value = null


func test_hostile_getters() -> void:
	var objects: Array = make_nodes(2)
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		(objects[1] as Node).free()
	var all := func() -> Array: return VarBatchUndoRecorder.compare_all({box(1): box(2), objects[0]: objects[1]})
	var found: Array = expect_errors(all, 1, "expected an object, found a freed object")
	check_int(found.size(), 1, "what is left")
	objects[1] = node(Node2D.new())
	Box.on_get = func(object: Box) -> void:
		if object.value == 2:
			Box.reset()
			(objects[0] as Node).free()
	all = func() -> Array: return VarBatchUndoRecorder.compare_all({objects[0]: objects[1], box(1): box(2)})
	found = expect_logged(all, 0, 1, "pair 0: skipped: a getter freed one of the two")
	check_int(found.size(), 1, "what is left after all were read")
	var depth: Array = [0]
	Box.on_get = func(object: Box) -> void:
		if depth[0] < 3:
			depth[0] += 1
			VarBatchUndoRecorder.compare(object, box(7))
			recorder.record(object)
	check_int(_compared(1, 2).size(), 1, "with getters that compare")
	Box.reset()
	check_flush([], "what the getters recorded")


func _compared(before: Variant, after: Variant, references := {}) -> Array[Dictionary]:
	return VarBatchUndoRecorder.compare(box(before), box(after), [], references)


func _check_compared(
	before: Object, after: Object, expected: PackedStringArray, what: String, names: PackedStringArray = []
) -> void:
	var found := _told(VarBatchUndoRecorder.compare(before, after, names))
	check(found == expected, "%s: expected %s, found %s" % [what, expected, found])


func _told(rows: Array[Dictionary]) -> PackedStringArray:
	check(rows.all(func(row: Dictionary) -> bool: return row.op is String), "an op is no String")
	return PackedStringArray(rows.map(func(row: Dictionary) -> String: return "%s %s" % [row.op, _shown(row)]))


func test_instances() -> void:
	var scene := _scene()
	var one: Node = node(scene.instantiate())
	var two: Node = node(scene.instantiate())
	var shapes: Array = [one.get_node("Body/Shape").shape, two.get_node("Body/Shape").shape]
	check(not is_same(shapes[0], shapes[1]), "the shape is shared")
	var expected: Dictionary = {shapes[0]: shapes[1]}
	for path: String in [".", "Body", "Body/Shape", "Body/Sprite"]:
		expected[one.get_node(path)] = two.get_node(path)
	var map := _check_map(one, two, expected, "two instances")
	check(VarBatchUndoRecorder.compare_all(map).is_empty(), "two instances")
	two.get_node("Body/Sprite").position.x = 5
	shapes[1].size = Vector2(8, 20)
	for root: Node in [one, two]:
		root.get_node("Body/Shape").set_meta(&"owner", root.get_node("Body"))
	var found := VarBatchUndoRecorder.compare_all(map)
	check_shown(found, ["position:x: 0.0 > 5.0", "size:x: 20.0 > 8.0"], "what was overridden")
	check(is_same(found[1].object, shapes[1]), "the resource")
	# Another file is another value.
	var textures: Array[Texture2D] = [PlaceholderTexture2D.new(), PlaceholderTexture2D.new()]
	textures[1].take_over_path("res://conformance/no_such_file.tres")
	one.get_node("Body/Sprite").texture = textures[0]
	two.get_node("Body/Sprite").texture = textures[1]
	_check_map(one, two, expected, "a resource with a file")
	check_int(VarBatchUndoRecorder.compare_all(map).size(), 3, "with another texture")


func test_duplicates() -> void:
	var root: Node = node(Node.new())
	for i: int in 4:
		var child := Node2D.new()
		root.add_child(child)
		child.name = "Child%d" % i
		child.add_child(Sprite2D.new())
	var copy: Node = node(root.duplicate())
	copy.move_child(copy.get_node("Child3"), 0)
	copy.get_node("Child1").name = "Renamed"
	var expected: Dictionary = {root: copy}
	for path: String in ["Child0", "Child2", "Child3"]:
		expected[root.get_node(path)] = copy.get_node(path)
		# One without a name.
		expected[root.get_node(path).get_child(0)] = copy.get_node(path).get_child(0)
	_check_map(root, copy, expected, "one that moved, one that was renamed")


func test_rings() -> void:
	var rings: Array = []
	var expected: Dictionary = {}
	for i: int in 2:
		var made: Array[Resource] = [Resource.new(), Resource.new(), Resource.new()]
		made[0].set_meta(&"next", made[1])
		made[1].set_meta(&"next", [{"a": made[2], "b": made[2]}])
		made[2].set_meta(&"next", made[0])
		rings.append(made)
	for i: int in 3:
		expected[rings[0][i]] = rings[1][i]
	var map := _check_map(rings[0][0] as Object, rings[1][0] as Object, expected, "two rings")
	check(VarBatchUndoRecorder.compare_all(map).is_empty(), "two rings")
	rings[1][2].set_meta(&"next", rings[1][1])
	check_int(VarBatchUndoRecorder.compare_all(map).size(), 1, "another ring")
	for ring: Array in rings:
		for resource: Resource in ring:
			resource.remove_meta(&"next")


## Time grows with the number of references, and not faster. The shortest of three is taken.
func test_time() -> void:
	var times: Array[int] = [1 << 62, 1 << 62]
	for turn: int in 6:
		var count: int = [5000, 20_000][turn % 2]
		var roots: Array[Resource] = [Resource.new(), Resource.new()]
		for root: Resource in roots:
			root.set_meta(&"list", range(count).map(func(_at: int) -> Resource: return Resource.new()))
		var started := Time.get_ticks_usec()
		var map := VarBatchUndoRecorder.map_references(roots[0], roots[1])
		times[turn % 2] = mini(times[turn % 2], Time.get_ticks_usec() - started)
		check_int(map.size(), count + 1, "resources")
	check(times[1] < 16 * times[0], "4 times as many took %s microseconds" % [times])


func _check_map(one: Object, other: Object, expected: Dictionary, what: String) -> Dictionary:
	var map := VarBatchUndoRecorder.map_references(one, other)
	check_int(map.size(), expected.size(), "objects, " + what)
	for object: Object in expected:
		check(is_same(map.get(object), expected[object]), "%s, %s" % [object, what])
	return map


func _scene() -> PackedScene:
	var root: Node = node(Node2D.new())
	var children: Array[Node] = [StaticBody2D.new(), CollisionShape2D.new(), Sprite2D.new()]
	for i: int in children.size():
		(children[0] if i else root).add_child(children[i])
		children[i].name = ["Body", "Shape", "Sprite"][i]
		children[i].owner = root
	children[1].shape = RectangleShape2D.new()
	children[1].shape.resource_local_to_scene = true
	var scene := PackedScene.new()
	check_int(scene.pack(root), OK, "a scene")
	return scene

extends "undo_base.gd"
## VarBatchUndoRecorder.map_references(): which objects of two trees belong together.


## Two instances of a scene, and the resources that each has for itself.
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


## A duplicated branch, with other nodes in it, and other names.
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


## Resources in a ring, one of which stands at two places.
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

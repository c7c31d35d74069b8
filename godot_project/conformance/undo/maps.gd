extends "undo_base.gd"
## VarBatchUndoRecorder.map_references(): which objects of two trees belong together.


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

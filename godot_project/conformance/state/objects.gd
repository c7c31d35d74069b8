extends "state_base.gd"
## Objects that are freed or changed, and objects in values. Getters, setters and Loggers that free objects, and use the
## same state while it captures and restores.


func test_freed() -> void:
	var nodes := make_nodes(4)
	state.add_all(nodes, ["position", "rotation"])
	for at: int in 4:
		nodes[at].position = Vector2(at, 1)
	var bytes := state.capture()
	var values := state.capture_values()
	var names: Array = nodes.map(shown)
	nodes[1].free()
	nodes[3].free()
	var text := '%d values; the first: %s, property "position": the object was freed'
	var line := WARNING + CLASS + "capture: wrote null for " + text % [4, names[1]]
	var expected: Array = [Vector2(0, 1), 0.0, null, null, Vector2(2, 1), 0.0, null, null]
	check_capture(expected, "freed objects", [line])
	line = line.replace("capture:", "capture_values:")
	check_value(expect_lines(state.capture_values, [line]).slice(1), expected, "values")
	for restore: Callable in [state.restore.bind(bytes, true), state.restore_values.bind(values)]:
		nodes[2].position.x = 7
		line = WARNING + CLASS + "%s: skipped " % restore.get_method() + text % [4, names[1]]
		check_int(expect_lines(restore, [line]), OK, "freed objects")
		check_value(nodes[2].position, Vector2(2, 1), "what is alive")
	var objects := state.get_objects()
	check_int(objects.size(), 4, "objects")
	objects.filter(func(known: Variant) -> bool: return not is_instance_valid(known)).map(state.remove)
	check_value(state.get_objects(), [nodes[0], nodes[2]], "those that are alive")
	check_capture([Vector2(0, 1), 0.0, Vector2(2, 1), 0.0], "those that are alive")


func test_properties_that_are_gone() -> void:
	var listed := Listed.new()
	listed.extra = ["a", "b"]
	listed.values = {"a": 1, "b": 2}
	state.add(listed, ["value", "a", "b"])
	var bytes := state.capture()
	listed.extra = ["b"]
	listed.value = 9
	var text := '1 value: %s, property "a": there is no such property' % shown(listed)
	check_capture([9, null, 2], "a property is gone", [WARNING + CLASS + "capture: wrote null for " + text])
	check_restore(bytes, "a property is gone", [WARNING + CLASS + "restore: skipped " + text])
	check_value(listed.value, 1, "what is left")


func test_refused() -> void:
	var object := Typed.new()
	state.add(object, ["number", "node", "nodes"])
	var first: Node = node(Node.new())
	object.number = 3
	object.node = first
	object.nodes = [first]
	var text := 'restore: skipped 1 value: %s, property "number": the object refuses the value'
	check_restore(var_to_bytes([PackedByteArray([0, 2]), [1], first]), "a wrong type", [WARNING + CLASS + text % shown(object)])
	check_value(object.number, 3, "what was refused")


## By their ids, as bytes hold nothing else. What is gone is null.
func test_objects_in_values() -> void:
	var nodes := make_nodes(3)
	var resource := Resource.new()
	var object := box([nodes[0], {"of": nodes[1], resource: 1}])
	object.other = nodes[2]
	state.add(object, ["value", "other"])
	var bytes := state.capture()
	check_values_in(bytes, [object.value, nodes[2]], "ids")
	object.value = null
	object.other = nodes[0]
	check_restore(bytes, "objects")
	check(is_same(object.other, nodes[2]), "the object itself")
	check_value(object.value, [nodes[0], {"of": nodes[1], resource: 1}], "objects in containers")
	object.other = null
	object.value = null
	var text := 'restore: skipped 1 value: %s, property "other": an object in it was freed, and is null now'
	nodes[2].free()
	check_restore(bytes, "a freed object", [WARNING + CLASS + text % shown(object)])
	check(typeof(object.other) == TYPE_NIL, "a freed object is null")
	check_value(object.value, [nodes[0], {"of": nodes[1], resource: 1}], "objects in containers")
	object.other = 5
	object.value = [null, null]
	nodes[0].free()
	text = 'restore: skipped 2 values; the first: %s, property "value": an object in it was freed, and is null now'
	check_restore(bytes, "two freed objects", [WARNING + CLASS + text % shown(object)])
	check_value(object.value, [null, {"of": nodes[1], resource: 1}], "what is left in containers")


func test_typed_containers() -> void:
	var object := Typed.new()
	var nodes := make_nodes(2)
	var held: Dictionary[String, Variant] = {
		"nodes": [nodes[0], null, nodes[1]] as Array[Node],
		"by_name": {&"a": nodes[1]} as Dictionary[StringName, Node],
		"by_node": {nodes[0]: 1} as Dictionary[Node, int],
		"scripted": [Scripted.new()] as Array[Scripted],
		"numbers": [1, 2] as Array[int],
		"anything": [nodes[0]] as Array[Node],
	}
	held.keys().map(func(named: String) -> void: object.set(named, held[named]))
	state.add(object, held.keys())
	var bytes := state.capture()
	for _turn: int in 2:
		held.keys().map(func(named: String) -> void: object.set(named, Typed.new().get(named)))
		var empty := state.capture()
		check_restore(bytes, "typed containers")
		for named: String in held:
			check(object.get(named) == held[named], "%s: %s" % [named, object.get(named)])
		var type: StringName = (object.anything as Array).get_typed_class_name()
		check(type != &"EncodedObjectAsID", "a stand-in as a type")
		check_restore(empty, "empty typed containers")
		check(object.nodes.is_empty() and object.by_name.is_empty(), "empty ones")
	# Also inside of what has no type of its own. Without objects in them, that needs no leave.
	var box_in: Array[Box] = [box(1)]
	var node_in: Array[Node] = [nodes[0]]
	var by_box: Dictionary[String, Box] = {"a": box_in[0]}
	var none: Array[Box] = []
	for kept: Array in [[box_in, node_in, by_box, true], [none, {"none": none}, {} as Dictionary[Box, Node], false]]:
		object.anything = {"kept": kept}
		bytes = state.capture()
		object.anything = null
		check_int(expect_lines(state.restore.bind(bytes, kept[-1]), []), OK, "types inside")
		check_bytes(state.capture(), bytes, "types inside")
		check(object.anything.kept == kept and object.anything.kept[0].is_same_typed(kept[0]), "types inside")
	# What it was then decides, not what it is now.
	for other: Variant in [[1, "two"], [], {1: 2}, {}, [1, 2] as Array[int]]:
		object.anything = other
		bytes = state.capture()
		object.anything = [nodes[0]] as Array[Node]
		check_restore(bytes, "no container of objects: %s" % [other])
		check_bytes(var_to_bytes(object.anything), var_to_bytes(other), "%s" % [other])
	object.anything = null
	var values := state.capture_values()
	object.nodes = [nodes[1]]
	object.anything = 4
	check_int(state.restore_values(values), OK, "restore_values of typed containers")
	check(object.nodes.is_empty() and object.anything == null, "values of typed containers")


## Whoever makes the bytes could choose any object of the process.
func test_objects_by_id() -> void:
	var object := box(0)
	state.add(object, ["value"])
	var root := get_tree().root
	for value: Variant in [root, [get_tree()], {1: [root.tree_exiting]}, root.tree_exiting, {root: 1}, [[root] as Array[Node]]]:
		object.value = value
		var bytes := state.capture()
		check_int(expect_lines(state.restore.bind(bytes), []), OK, "an object that is there")
		object.value = 5
		var text := 'restore: skipped 1 value: %s, property "value": there is an object in it (restore() has allow_objects)'
		check_int(expect_lines(state.restore.bind(bytes), [WARNING + CLASS + text % shown(object)]), OK, "an object")
		check_value(object.value, 5, "an object that is not allowed")
		check_restore(bytes, "an object that is allowed")
		check(str(object.value) == str(value), "found %s" % [object.value])


func test_callables() -> void:
	var object := box(Callable(self, &"test_freed"))
	object.other = [Callable(self, &"test_freed")]
	state.add(object, ["value", "other"])
	var bytes := state.capture()
	var values := state.capture_values()
	check_restore(bytes, "Callables that are the same")
	object.value = 3
	object.other = 4
	var text := 'restore: skipped 2 values; the first: %s, property "value": bytes hold nothing of a Callable'
	check_restore(bytes, "Callables", [WARNING + CLASS + text % shown(object)])
	check_value([object.value, object.other], [3, 4], "what stays as it is")
	check_int(state.restore_values(values), OK, "Callables in values")
	check(object.value == Callable(self, &"test_freed"), "a Callable")
	object.value = Callable(self, &"test_refused")
	check_int(state.restore_values(values), OK, "another Callable in values")
	check(object.value == Callable(self, &"test_freed"), "another Callable")


## The state keeps what is counted, and only that.
func test_references() -> void:
	var resource := Resource.new()
	var id := resource.get_instance_id()
	resource.resource_name = "kept"
	state.add(resource, ["resource_name"])
	resource = null
	check_capture(["kept"], "a resource that only the state keeps")
	var bytes := state.capture()
	state.clear()
	check(not is_instance_id_valid(id), "the state keeps a resource that was removed")
	check_restore(bytes, "what was removed")
	check_int(state.get_missing_count(bytes), 1, "what was removed")


func test_getters_that_free() -> void:
	var nodes := make_nodes(3)
	var first := box(0)
	state.add_all([first], ["watched"])
	state.add_all(nodes, ["position"])
	var bytes := state.capture()
	var text := '1 value: %s, property "position": the object was freed' % shown(nodes[1] as Node)
	var expected: Array = [0, Vector2.ZERO, null, Vector2.ZERO]
	var line := WARNING + CLASS + "capture: wrote null for " + text
	nodes[2].position.x = 4
	expected[3] = Vector2(4, 0)
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		nodes[1].free()
	check_capture(expected, "a getter that frees", [line])
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		nodes[2].free()
	text = "restore: skipped 2 values; the first: "
	var lines := logged(state.restore.bind(bytes))
	check(lines.size() == 1 and text in lines[0], "a getter that frees: %s" % lines)


func test_setters_that_free() -> void:
	var nodes := make_nodes(2)
	var first := box(0)
	state.add(nodes[0], ["position"])
	state.add(first, ["watched"])
	state.add(nodes[1], ["position", "rotation"])
	var bytes := state.capture()
	nodes[0].position.x = 1
	nodes[1].position.x = 1
	first.watched = 1
	Box.on_set = func(_object: Box) -> void:
		Box.reset()
		nodes.map(func(freed: Node) -> void: freed.free())
	var text := '2 values; the first: %s, property "position": the object was freed'
	var line := WARNING + CLASS + "restore: skipped " + text % shown(nodes[1] as Node)
	check_restore(bytes, "a setter that frees", [line])
	check_value(first.watched, 0, "what the setter sets")


func test_getters_that_change_the_state() -> void:
	var objects: Array = range(200).map(box)
	var actions: Dictionary[String, Callable] = {
		"clear": func() -> void: state.clear(),
		"add": func() -> void: state.add_all(objects, ["other", "passing"]),
		"remove": func() -> void: objects.slice(50).map(state.remove),
		"capture": func() -> void: check_int(state.capture().size() % 4, 0, "an inner capture"),
		"everything":
		func() -> void:
			var bytes := state.capture()
			state.clear()
			state.add_all(objects.slice(0, 3), ["value", "watched"])
			quietly(state.restore.bind(bytes))
			state.restore(state.capture())
			state.restore_values(state.capture_values()),
	}
	for action: String in actions:
		for as_setter: bool in [false, true]:
			state.clear()
			for at: int in objects.size():
				objects[at].value = at
				objects[at].watched = at
			state.add_all(objects, ["value", "watched"])
			var bytes := state.capture()
			var expected: Array = []
			for at: int in objects.size():
				expected.append_array([at, at])
				objects[at].value = -1
				objects[at].watched = -1
			check_values_in(bytes, expected, "before " + action)
			var meddle := func(_object: Box) -> void:
				Box.reset()
				actions[action].call()
			if as_setter:
				Box.on_set = meddle
			else:
				Box.on_get = meddle
			check_restore(bytes, "restore while it does " + action)
			Box.reset()
			if action != "everything":
				for at: int in objects.size():
					check_value([objects[at].value, objects[at].watched], [at, at], "restored, " + action)
			Box.on_get = meddle
			quietly(state.capture)
			quietly(state.capture_values)
			Box.reset()


func test_getters_that_free_while_adding() -> void:
	var nodes := make_nodes(2)
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		nodes[0].free()
	var objects: Array = [box(1), nodes[0], nodes[1]]
	var lines: PackedStringArray = [CLASS + "add_all: object 1: expected an object, found a freed object"]
	lines.append(CLASS + 'add_all: object 2: %s has no property "watched"' % shown(nodes[1] as Node))
	expect_lines(state.add_all.bind(objects, ["watched"]), lines)
	check_capture([0], "what is left")


func test_getters_while_adding() -> void:
	var objects: Array = range(10).map(box)
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		state.add(objects[5], ["value"])
		objects.clear()
		objects.resize(5000)
	state.add_all(objects, ["watched", "value"])
	var expected: Array = [5]
	for at: int in 10:
		expected.append_array([0] if at == 5 else [0, at])
	check_capture(expected, "added while it adds")


func test_loggers() -> void:
	if not errors.is_open():
		check(true, "this engine has no Logger")
		return
	var nodes := make_nodes(2)
	state.add_all(nodes, ["position"])
	nodes[0].free()
	var meddle := func() -> void:
		state.clear()
		state.add(box(1), ["value"])
	var bytes: PackedByteArray = with_logger(meddle, expect_logged.bind(state.capture, 0, 1, "was freed"))
	check_values_in(bytes, [null, Vector2.ZERO], "a Logger that changes the state")
	check_capture([1], "what the Logger has added")


func test_objects_that_end() -> void:
	for method: String in ["clear", "remove"]:
		var ending := Ending.new()
		ending.action = func() -> void: state.add(box(1), ["value"])
		state.clear()
		state.add(ending, ["number"])
		if method == "clear":
			ending = null
			state.clear()
		else:
			state.remove(ending)
			ending = null
		check_capture([1], "what an object has added that ended in %s()" % method)


func test_many_threads() -> void:
	check_value(end_threads(start_threads(4, _work_alone)), [0, 0, 0, 0], "wrong captures")


func _work_alone(number: int) -> int:
	var alone := VarBatchState.new()
	var objects: Array = range(500).map(func(i: int) -> Box: return box([i, number]))
	alone.add_all(objects, ["value", "other"])
	var first := alone.capture()
	var wrong := 0
	for turn: int in 10:
		for object: Box in objects:
			object.value.append(turn)
			object.other = turn
		wrong += int(alone.capture() == first)
		wrong += int(alone.restore(first) != OK)
		wrong += int(alone.capture() != first)
	return wrong


class Typed:
	var number := 0
	var node: Node
	var nodes: Array[Node]
	var by_name: Dictionary[StringName, Node]
	var by_node: Dictionary[Node, int]
	var scripted: Array[Scripted]
	var numbers: Array[int]
	var anything: Variant

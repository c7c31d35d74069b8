extends "state_base.gd"
## Getters, setters and Loggers that free objects, and use the same state while it captures and restores.


func test_getters_that_free() -> void:
	var nodes := make_nodes(3)
	var first := box(0)
	state.add_all([first], ["watched"])
	state.add_all(nodes, ["position"])
	var bytes := state.capture()
	var name := shown(nodes[1] as Node)
	var text := '1 value: %s, property "position": the object was freed' % name
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
			check_bytes(bytes, var_to_bytes(expected), "before " + action)
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
			var was_in: int = state.get_objects().size()
			quietly(state.capture)
			quietly(state.capture_values)
			check(was_in >= 0, "capture while it does " + action)
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
	var capture := func() -> PackedByteArray: return state.capture()
	var bytes: PackedByteArray = with_logger(meddle, expect_logged.bind(capture, 0, 1, "was freed"))
	check_bytes(bytes, var_to_bytes([null, Vector2.ZERO]), "a Logger that changes the state")
	check_capture([1], "what the Logger has added")


## The last reference to an object goes with clear(), and its script uses the state.
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
	var threads := start_threads(4, _work_alone)
	for wrong: Variant in end_threads(threads):
		check_value(wrong, 0, "wrong captures")


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

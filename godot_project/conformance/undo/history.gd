extends "undo_base.gd"
## commit() with a real UndoRedo: every step back and forth gives the same bytes.

const ROUNDS := 3

var history := UndoRedo.new()


func finish() -> void:
	history.free()
	super()


func test_a_node() -> void:
	var sprite: Node2D = node(Node2D.new())
	sprite.set_meta(&"tags", ["a", {"n": 1}])
	recorder.record(sprite)
	var before := state_of(sprite)
	sprite.position.y = 7
	sprite.modulate = Color(0.25, 1, 1, 0.5)
	sprite.set_meta(&"tags", ["b", {"n": [2]}])
	sprite.scale = Vector2(2, 3)
	var after := state_of(sprite)
	check_int(recorder.commit(history, "Move"), 4, "modifications")
	check_bytes(state_of(sprite), after, "commit() does nothing again")
	check_int(history.get_history_count(), 1, "actions")
	check(history.get_current_action_name() == "Move", "the name of the action")
	for turn: int in ROUNDS:
		check(history.undo(), "undo")
		check_bytes(state_of(sprite), before, "undone")
		check(history.redo(), "redo")
		check_bytes(state_of(sprite), after, "done again")


## Every kind of value, changed to the next one.
func test_values() -> void:
	var values: Array = Values.all()
	for index: int in values.size():
		var object := box(values[index])
		recorder.record(object)
		object.value = values[(index + 1) % values.size()]
		_check_round_trip(object, "value %d" % index)


## A script changes what an undo has restored, in place: the history keeps what it had.
func test_changed_in_place() -> void:
	var values: Array = [
		[1, [2, 3], {"k": [4]}],
		{"a": [1], "b": {"c": 2}},
		PackedInt32Array([1, 2, 3]),
		PackedStringArray(["a", "b"]),
		Array([[1], [2]], TYPE_ARRAY, &"", null),
	]
	for value: Variant in values:
		var object := box(value)
		recorder.record(object)
		var before := var_to_bytes(object.value)
		object.value = bytes_to_var(var_to_bytes(value))
		_spoil(object.value)
		var after := var_to_bytes(object.value)
		check_int(recorder.commit(history, "edit"), 1, "modifications of %s" % [value])
		for turn: int in ROUNDS:
			_spoil(object.value)
			history.undo()
			check_bytes(var_to_bytes(object.value), before, "undone, %s" % [value])
			_spoil(object.value)
			history.redo()
			check_bytes(var_to_bytes(object.value), after, "done again, %s" % [value])


## Objects in values: the same ones, kept alive, or null.
func test_objects() -> void:
	var resource := Resource.new()
	var child: Node = node(Node.new())
	var object := box([resource, {"child": child}])
	var other := box(resource)
	recorder.record_all([object, other])
	object.value = [child]
	other.value = null
	check_int(recorder.commit(history, "edit"), 2, "modifications")
	var id := resource.get_instance_id()
	resource = null
	check(is_instance_id_valid(id), "the history keeps a resource")
	history.undo()
	check(other.value.get_instance_id() == id, "a resource that was replaced")
	check(is_same(object.value[0], other.value), "the same in an array")
	check(is_same(object.value[1].child, child), "a node")
	history.redo()
	child.free()
	history.undo()
	check_exact(object.value[1], {"child": null}, "a node that was freed")
	history.redo()
	check_exact(object.value, [null], "a node that was freed, again")
	history.clear_history()
	object.value = null
	other.value = null
	check(not is_instance_id_valid(id), "a resource that nobody has")


func test_nothing_changed() -> void:
	var object := box(1)
	recorder.record(object)
	check_int(recorder.commit(history, "nothing"), 0, "modifications")
	check_int(recorder.commit(history, "nothing"), 0, "modifications of no recording")
	check_int(history.get_history_count(), 0, "actions")


## Between actions of somebody else, also of the same name, and inside one.
func test_other_actions() -> void:
	var object := box(0)
	for turn: int in 6:
		if turn % 2 == 0:
			recorder.record(object)
			object.value = turn + 1
			recorder.commit(history, "edit")
		else:
			history.create_action("edit", UndoRedo.MERGE_DISABLE)
			history.add_do_property(object, &"value", turn + 1)
			history.add_undo_property(object, &"value", turn)
			history.commit_action()
	check_int(history.get_history_count(), 6, "actions")
	for turn: int in 6:
		check_exact(object.value, 6 - turn, "before undo")
		history.undo()
	check_exact(object.value, 0, "all undone")
	for turn: int in 6:
		history.redo()
	check_exact(object.value, 6, "all done again")
	# Inside an action that somebody else has begun, what is recorded becomes a part of it.
	history.create_action("outer")
	recorder.record(object)
	object.value = 9
	check_int(recorder.commit(history, "inner"), 1, "modifications")
	history.commit_action(false)
	check(history.get_current_action_name() == "outer", "the outer action")
	history.undo()
	check_exact(object.value, 6, "the outer action undone")


## Freed objects are no trouble to the others, and the recorder is not needed any more.
func test_freed() -> void:
	var nodes: Array = [node(Node2D.new()), node(Node2D.new()), node(Node2D.new())]
	nodes[1].set_meta(&"list", [1])
	recorder.record_all(nodes)
	for object: Node2D in nodes:
		object.position = Vector2(1, 2)
	nodes[1].set_meta(&"list", [2])
	nodes[2].free()
	var commit := func() -> int: return recorder.commit(history, "move")
	check_int(
		expect_logged(commit, 0, 1, "VarBatchUndoRecorder.commit: skipped ") as int, 3, "kept"
	)
	recorder = null
	nodes[1].free()
	history.undo()
	check(nodes[0].position == Vector2.ZERO, "the one that is left")
	history.redo()
	check(nodes[0].position == Vector2(1, 2), "the one that is left, again")


## A RefCounted that nobody else has is kept by the history.
func test_kept_objects() -> void:
	var object := box([1])
	var id := object.get_instance_id()
	recorder.record(object)
	object.value = [2]
	object.other = 5
	recorder.commit(history, "edit")
	object = null
	check(is_instance_id_valid(id), "the history keeps an object")
	history.undo()
	object = instance_from_id(id)
	check_exact([object.value, object.other], [[1], 0], "undone")
	object = null
	history.clear_history()
	check(not is_instance_id_valid(id), "an object that nobody has")


func test_wrong_history() -> void:
	var object := box(1)
	recorder.record(object)
	object.value = 2
	var freed := Object.new()
	freed.free()
	var wrong: Dictionary[String, Variant] = {
		"null": null, "RefCounted": object, "a freed object": freed
	}
	for found: String in wrong:
		var commit := func() -> int: return recorder.commit(wrong[found], "edit")
		var line := "VarBatchUndoRecorder.commit: expected an UndoRedo or EditorUndoRedoManager, found "
		check_int(expect_lines(commit, [line + found]) as int, 0, "modifications")
	check_int(recorder.commit(history, "edit"), 1, "the recording is still there")


## Ten thousand nodes, three changes each, as one action.
func test_many_nodes() -> void:
	var nodes: Array = []
	for i: int in 10_000:
		nodes.append(node(Node2D.new()))
	var before := _positions(nodes)
	recorder.record_all(nodes)
	for i: int in nodes.size():
		nodes[i].position = Vector2(i + 1, -i)
		nodes[i].rotation = i * 0.001 + 0.1
		nodes[i].modulate.a = 0.5
	var after := _positions(nodes)
	check_int(recorder.commit(history, "scatter"), 30_000, "modifications")
	for turn: int in ROUNDS:
		history.undo()
		check_bytes(_positions(nodes), before, "undone")
		history.redo()
		check_bytes(_positions(nodes), after, "done again")


func _positions(nodes: Array) -> PackedByteArray:
	var states: Array = []
	for object: Node2D in nodes:
		states.append([object.position, object.rotation, object.modulate, object.scale])
	return var_to_bytes(states)


func _check_round_trip(object: Box, what: String) -> void:
	var row: Array[Dictionary] = []
	var after := var_to_bytes(object.value)
	var count := recorder.commit(history, "edit")
	if count == 0:
		row = recorder.flush()
		check(row.is_empty(), "%s: nothing was committed" % what)
		return
	history.undo()
	var before := var_to_bytes(object.value)
	check(before != after or object.value is Callable, "%s: nothing was undone" % what)
	for turn: int in ROUNDS:
		history.redo()
		check_bytes(var_to_bytes(object.value), after, "%s, done again" % what)
		history.undo()
		check_bytes(var_to_bytes(object.value), before, "%s, undone" % what)


## Changes a container in place, and those in it.
func _spoil(value: Variant) -> void:
	if value is Dictionary:
		for key: Variant in value:
			_spoil(value[key])
		value["spoilt"] = true
	elif value is Array:
		for element: Variant in value:
			_spoil(element)
		(value as Array).push_back((value as Array)[0] if (value as Array).is_typed() else "spoilt")
	elif value is PackedInt32Array:
		value.push_back(9)
	elif value is PackedStringArray:
		value.push_back("spoilt")

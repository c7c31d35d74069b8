extends "undo_base.gd"
## commit() with a real UndoRedo: every step back and forth gives the same bytes.


## A script changes in place what was recorded, and what an undo has restored: rows and the history
## keep what they had.
func test_changed_in_place() -> void:
	var values: Array = [
		[1, [2, 3], {"k": [4]}],
		{"a": [1], "b": {"c": 2, "raw": PackedInt32Array([1])}},
		PackedInt32Array([1, 2, 3]),
		PackedStringArray(["a", "b"]),
		Array([[1], [2]], TYPE_ARRAY, &"", null),
	]
	for value: Variant in values:
		var what := str(value)
		var object := box(value)
		var other := VarBatchUndoRecorder.new()
		other.record(object)
		recorder.record(object)
		var before := var_to_bytes(object.value)
		_spoil(object.value)
		var after := var_to_bytes(object.value)
		var rows := other.flush()
		check_int(rows.size(), 1, "modifications of " + what)
		check_int(recorder.commit(history, "edit"), 1, "modifications of " + what)
		_spoil(object.value)
		check_bytes(var_to_bytes(rows[0].old), before, "old, " + what)
		check_bytes(var_to_bytes(rows[0].new), after, "new, " + what)
		var spoilt := func() -> PackedByteArray:
			var bytes := var_to_bytes(object.value)
			_spoil(object.value)
			return bytes
		check_turns(spoilt, before, after, what)


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
	recorder.record(box(1))
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
	while history.redo():
		pass
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
	var objects := make_nodes(3)
	objects[1].set_meta(&"list", [1])
	recorder.record_all(objects)
	for object: Node2D in objects:
		object.position = Vector2(1, 2)
	objects[1].set_meta(&"list", [2])
	objects[2].free()
	var commit := func() -> int: return recorder.commit(history, "move")
	check_int(expect_logged(commit, 0, 1, CLASS + "commit: skipped ") as int, 3, "kept")
	recorder = null
	objects[1].free()
	history.undo()
	check(objects[0].position == Vector2.ZERO, "the one that is left")
	history.redo()
	check(objects[0].position == Vector2(1, 2), "the one that is left, again")


## A RefCounted that nobody else has is kept by the history.
func test_kept_objects() -> void:
	var object := box([1])
	var id := object.get_instance_id()
	recorder.record(object)
	edit(object, {"value": [2], "other": 5})
	recorder.commit(history, "edit")
	object = null
	check(is_instance_id_valid(id), "the history keeps an object")
	history.undo()
	object = instance_from_id(id)
	check_exact([object.value, object.other], [[1], 0], "undone")
	object = null
	history.clear_history()
	check(not is_instance_id_valid(id), "an object that nobody has")


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

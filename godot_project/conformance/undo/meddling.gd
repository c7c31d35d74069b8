extends "undo_base.gd"
## Getters, setters and Loggers that free objects, record, flush and undo while that goes on.


func test_getters_that_change_the_arguments() -> void:
	for size: int in [1, 3, 3000]:
		var objects: Array = range(size).map(box)
		var names: Array = ["watched", "value"]
		var last: Box = objects[-1]
		Box.on_get = func(_object: Box) -> void:
			objects.clear()
			objects.resize(5000)
			names.clear()
		recorder.record_all(objects, names)
		Box.reset()
		last.value = "x"
		check_flush(['value: %d > "x"' % (size - 1)], "%d objects" % size)


func test_getters_that_free() -> void:
	var nodes := make_nodes(6)
	var free_next := func(_object: Box) -> void:
		for object: Variant in nodes:
			if is_instance_valid(object):
				(object as Node).free()
				return
	Box.on_get = free_next
	var record := func() -> void: recorder.record_all([box(1), nodes[0], nodes[1]])
	expect_errors(record, 1, "object 1: expected an object, found a freed object")
	Box.reset()
	nodes[1].position.x = 1
	check_flush(["position:x: 0.0 > 1.0"], "what is left")
	recorder.record_all([box(1), nodes[1], nodes[2]])
	nodes[2].position.x = 2
	Box.on_get = free_next
	check_flush(["position:x: 0.0 > 2.0"], "what is left, flushed", [skipped(nodes[1] as Node, "it was freed")])


func test_getters_that_record() -> void:
	var object := box([1])
	var second := box(1)
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		recorder.record_all([object, second])
		second.value = 2
		object.value.append(2)
	recorder.record_all([object, second])
	check_flush(["value: [1] > [1, 2]", "value: 1 > 2"], "what the getter has recorded first")
	check_flush([], "flush() again")


func test_getters_that_flush() -> void:
	var objects: Array = [box(1), box(2), box(3)]
	var inner: Array = []
	recorder.record(objects[0])
	objects[0].value = 5
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		inner.append_array(recorder.flush())
		inner.append(recorder.commit(history, "inner"))
	recorder.record_all(objects)
	check_int(inner.size(), 2, "what the getter has flushed")
	objects[2].value = 6
	check_flush(["value: 3 > 6"], "recorded around that")
	recorder.record_all(objects)
	objects[1].value = 8
	Box.on_get = func(_object: Box) -> void:
		recorder.record_all(objects, ["other"])
		inner.append_array(recorder.flush())
	check_flush(["value: 2 > 8"], "flush() with flush() in a getter")


func test_setters_that_use_the_history() -> void:
	var object := box(1)
	recorder.record(object, ["watched", "value"])
	edit(object, {"watched": [1], "value": [2]})
	check_int(recorder.commit(history, "edit"), 2, "modifications")
	var calls: Array = []
	Box.on_set = func(setting: Box) -> void:
		calls.append(setting.watched)
		recorder.record(setting)
		recorder.flush()
	history.undo()
	history.redo()
	Box.reset()
	check_exact(calls, [0, [1]], "what the setter was given")
	check_exact([object.watched, object.value], [[1], [2]], "done again")


func test_setters_that_change_the_object() -> void:
	var object := box(1)
	recorder.record_complete(object)
	object.set_meta(&"m", [1])
	object.watched = 5
	check_int(recorder.commit(history, "edit"), 2, "modifications")
	Box.on_set = func(setting: Box) -> void:
		Box.reset()
		recorder.record_complete(setting)
		setting.set_script(null)
		recorder.flush()
	expect_logged(history.undo, 0, 1, 'property "watched": there is no such property')
	history.redo()
	history.undo()
	check(not object.has_meta(&"m"), "undone")
	var gone := Node2D.new()
	recorder.record_complete(gone)
	gone.set_script(Fighter)
	recorder.commit(history, "edit")
	gone.free()
	history.undo()
	gone = Node2D.new()
	recorder.record_complete(gone)
	var line := skipped(gone, "it was freed")
	gone.free()
	check_flush([], "a freed object", [line])


## Also before a method is called that removes parts.
func test_skeletons_that_are_freed() -> void:
	for is_late: bool in [false, true]:
		var skeleton := Skeleton3D.new()
		var object := box(1)
		recorder.record_all([object, skeleton], [], [], true)
		object.watched = 2
		skeleton.add_bone("bone")
		check(recorder.commit(history, "edit") > 1, "modifications")
		var end := func(_object: Box = null) -> void:
			if is_instance_valid(skeleton):
				skeleton.free()
		if is_late:
			Box.on_set = end
		else:
			end.call()
		history.undo()
		check(object.watched == 0 and not is_instance_valid(skeleton), "undone")
		Box.reset()
		history.redo()
		check_int(object.watched as int, 2, "done again")


func test_loggers_that_use_the_recorder() -> void:
	if not errors.is_open():
		check(true, "this engine has no Logger")
		return
	var objects: Array = [null, box(1), null]
	var meddle := func() -> void:
		objects.clear()
		recorder.record(box(5))
		recorder.flush()
	var record := func() -> void: recorder.record_all(objects)
	with_logger(meddle, expect_errors.bind(record, 2, "expected an object, found null"))
	check_flush([], "the Logger has flushed")


func test_getters_that_free_the_history() -> void:
	var own_history := UndoRedo.new()
	var object := box(1)
	recorder.record(object)
	object.value = 2
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		own_history.free()
	var count: int = expect_errors(recorder.commit.bind(own_history, "edit"), 1, "a getter has freed the history")
	check_int(count, 0, "modifications")


## A setter, and a method of the action, that commit to the same history while it undoes: all is as without a recorder.
func test_commits_in_undo() -> void:
	for where: String in ["setter", "method before", "method behind"]:
		check_value(_commit_in_undo(where, true), _commit_in_undo(where, false), where)


func _commit_in_undo(where: String, is_recorded: bool) -> Array:
	var own_history := UndoRedo.new()
	var first := box(0)
	var second := box(0)
	first.watched = 5
	var again := func(_object: Box = null) -> void:
		Box.reset()
		_commit_to(own_history, second, "value", [second.value, second.value + 1], is_recorded)
	_commit_to(own_history, first, "watched", [0, 5], is_recorded, again, where)
	if where == "setter":
		Box.on_set = again
	var seen: Array = []
	for step: String in ["undo", "undo", "redo", "redo", "undo", "undo", "redo", "redo"]:
		own_history.call(step)
		seen.append([step, first.watched, second.value, own_history.get_current_action_name()])
	own_history.free()
	return seen


func _commit_to(
	own_history: UndoRedo, object: Box, property: String, values: Array, is_recorded: bool, method := Callable(), where := ""
) -> void:
	object.set(property, values[0])
	var alone := VarBatchUndoRecorder.new()
	alone.record(object)
	# Who opens no action for more, lets the recorder do it.
	var is_open := not is_recorded or where.begins_with("method")
	if is_open:
		own_history.create_action(property)
	if where == "method before":
		own_history.add_undo_method(method)
	if is_recorded:
		object.set(property, values[1])
		alone.commit(own_history, property)
	else:
		own_history.add_do_property(object, property, values[1])
		own_history.add_undo_property(object, property, values[0])
	if where == "method behind":
		own_history.add_undo_method(method)
	if is_open:
		own_history.commit_action(not is_recorded)


func test_objects_that_end() -> void:
	var ended: Array = []
	var object := box(Ending.new())
	(object.value as Ending).action = func() -> void:
		recorder.record(box(1))
		ended.append(1)
	recorder.record(object)
	object.value = null
	recorder.flush()
	check_int(ended.size(), 1, "objects that ended")
	recorder.flush()


## What only a step of the history has kept may use it when it ends.
func test_objects_that_undo_as_they_end() -> void:
	history.max_steps = 1
	var ended: Array = []
	var object := box(Ending.new())
	(object.value as Ending).action = func() -> void: ended.append(history.undo())
	for value: int in 2:
		recorder.record(object)
		object.other = 5
		recorder.commit(history, "edit")
		object = box(0)
	check_value(ended, [true], "undone by what has ended")
	history.max_steps = 0


func test_many_threads() -> void:
	for counts: Variant in end_threads(start_threads(4, _work_alone.unbind(1))):
		check_value(counts, [2000, 499, 0] as Array[int], "modifications, differences, wrong states")


func _work_alone() -> Array[int]:
	var alone := VarBatchUndoRecorder.new()
	var own_history := UndoRedo.new()
	var objects: Array = range(2000).map(func(i: int) -> Box: return box([i]))
	var states: Array[PackedByteArray] = []
	var edited_one: Box = objects[7]
	edited_one.value = PackedByteArray(range(256)) + PackedByteArray(range(256))
	for step: int in 20:
		states.append((edited_one.value as PackedByteArray).duplicate())
		alone.record(edited_one)
		edited_one.value[step * 7] = edited_one.value[step * 7] ^ 1
		alone.commit(own_history, "edit %d" % step)
	var wrong := 0
	for turn: int in 3:
		for step: int in range(19, -1, -1):
			own_history.undo()
			wrong += int(edited_one.value != states[step])
		while own_history.redo():
			pass
	own_history.free()
	alone.record_all(objects)
	objects.map(func(of: Box) -> void: of.value.append(1))
	var pairs := range(1000).map(func(i: int) -> Array: return [box([i]), box([i % 2 * i])])
	return [alone.flush().size(), VarBatchUndoRecorder.compare_all(pairs).size(), wrong]

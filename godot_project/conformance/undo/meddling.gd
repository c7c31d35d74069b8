extends "undo_base.gd"
## Getters, setters and Loggers that free objects, record, flush and undo while that goes on.


func test_getters_that_change_the_arguments() -> void:
	for size: int in [1, 3, 3000]:
		var objects: Array = []
		for i: int in size:
			objects.append(box(i))
		var names: Array = ["watched", "value"]
		var kept := objects.duplicate()
		Box.on_get = func(_object: Box) -> void:
			objects.clear()
			objects.resize(5000)
			names.clear()
		recorder.record_all(objects, names)
		Box.reset()
		kept[-1].value = "x"
		var found := recorder.flush()
		check_int(found.size(), 1, "modifications of %d objects" % size)


## Objects that are freed while others are recorded, or compared.
func test_getters_that_free() -> void:
	var nodes: Array = []
	for i: int in 6:
		nodes.append(node(Node2D.new()))
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
	check_int(recorder.flush().size(), 1, "modifications of what is left")
	recorder.record_all([box(1), nodes[1], nodes[2]])
	nodes[2].position.x = 2
	Box.on_get = free_next
	var flush := func() -> Array: return recorder.flush()
	var found: Array = expect_logged(flush, 0, 1, "it was freed")
	check_int(found.size(), 1, "modifications of what is left, flushed")


func test_getters_that_record() -> void:
	var object := box([1])
	var second := box(1)
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		recorder.record_all([object, second])
		second.value = 2
		object.value.append(2)
	recorder.record_all([object, second])
	var found := recorder.flush()
	check_int(found.size(), 2, "modifications")
	check_exact(found[0].old, [1], "what the getter has recorded first")
	check(recorder.flush().is_empty(), "flush() again")


func test_getters_that_flush() -> void:
	var objects: Array = [box(1), box(2), box(3)]
	var inner: Array = []
	recorder.record(objects[0])
	objects[0].value = 5
	var history := UndoRedo.new()
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		inner.append_array(recorder.flush())
		inner.append(recorder.commit(history, "inner"))
	recorder.record_all(objects)
	history.free()
	check_int(inner.size(), 2, "what the getter has flushed")
	objects[2].value = 6
	check_shown(recorder.flush(), ["value: 3 > 6"], "recorded around that")
	recorder.record_all(objects)
	objects[1].value = 8
	Box.on_get = func(_object: Box) -> void:
		recorder.record_all(objects, ["other"])
		inner.append_array(recorder.flush())
	check_shown(recorder.flush(), ["value: 2 > 8"], "flush() with flush() in a getter")


func test_setters_that_use_the_history() -> void:
	var history := UndoRedo.new()
	var object := box(1)
	recorder.record(object, ["watched", "value"])
	object.watched = [1]
	object.value = [2]
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
	history.free()


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
	check(recorder.flush().is_empty(), "the Logger has flushed")


## The last reference to an object that runs a script when it goes.
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


func test_many_threads() -> void:
	var threads := start_threads(4, _record_alone.unbind(1))
	check_value(end_threads(threads), [2000, 2000, 2000, 2000], "modifications on threads")


func _record_alone() -> int:
	var alone := VarBatchUndoRecorder.new()
	var objects: Array = []
	for i: int in 2000:
		objects.append(box([i]))
	alone.record_all(objects)
	for object: Box in objects:
		object.value.append(1)
	return alone.flush().size()


class Ending:
	extends RefCounted
	var action := Callable()

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			action.call()

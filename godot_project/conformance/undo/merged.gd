extends "undo_base.gd"
## Random histories whose actions are merged, nested, undone and branched off: at each place all is as it was there.

var _objects: Array[Box] = []
## The states of all objects, by the number of actions that are done.
var _states: Array[PackedByteArray] = []


func test_random_histories() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 1
	for modes: Array in [[UndoRedo.MERGE_ENDS], [UndoRedo.MERGE_ALL], [0, 1, 2]]:
		for run: int in 40:
			_objects.assign([box(0), box([])])
			_states.assign([_state()])
			history.clear_history()
			var steps := PackedStringArray()
			for step: int in 40:
				steps.append(_step(random, modes))
				if not _check("%s, run %d: %s" % [modes, run, steps.slice(-8)]):
					break
			while history.undo():
				_check("%s, run %d, undone" % [modes, run])
			while history.redo():
				_check("%s, run %d, done again" % [modes, run])


## Whoever listens to a history may go on with it before the call that commits is done.
func test_listeners() -> void:
	var once: Array[Callable] = []
	history.version_changed.connect(
		func() -> void:
			if once:
				(once.pop_back() as Callable).call()
	)
	var first := box(0)
	var second := box(0)
	var state := func() -> Array: return [first.value, second.value]
	once.append(_commit.bind(second, 1, "in"))
	_commit(first, 10, "out")
	_commit(second, 2, "in", UndoRedo.MERGE_ENDS)
	for expected: Array in [["undo", [10, 0]], ["undo", [0, 0]], ["redo", [10, 0]], ["redo", [10, 2]]]:
		history.call(expected[0])
		check_value(state.call(), expected[1], "committed by a listener, %s" % expected[0])
	# One that is merged with what it is told of.
	once.append(_commit.bind(second, 3, "both", UndoRedo.MERGE_ALL))
	_commit(first, 30, "both", UndoRedo.MERGE_ALL)
	for expected: Array in [["undo", [10, 2]], ["redo", [30, 3]], ["undo", [10, 2]], ["undo", [10, 0]], ["redo", [10, 2]], ["redo", [30, 3]]]:
		history.call(expected[0])
		check_value(state.call(), expected[1], "merged by a listener, %s" % expected[0])
	history.clear_history()
	_commit(first, 0, "zero")
	_commit(first, 10, "ten")
	once.assign([history.undo, history.undo])
	_commit(first, 20, "twenty")
	for expected: int in [10, 20]:
		history.redo()
		check_int(first.value as int, expected, "undone by a listener, done again")


func _commit(object: Box, to: int, named: String, mode := UndoRedo.MERGE_DISABLE) -> void:
	recorder.record(object)
	object.value = to
	recorder.commit(history, named, mode)


## What the history has dropped is let go, also of actions that others have opened around a commit.
func test_dropped_steps() -> void:
	for is_nested: bool in [false, true]:
		history.clear_history()
		history.max_steps = 3
		var alive: Array[WeakRef] = []
		for step: int in 50:
			var object := box(0)
			alive.append(weakref(object))
			if is_nested:
				history.create_action("edit")
			_commit(object, step, "edit")
			if is_nested:
				history.commit_action(false)
		var count := alive.filter(func(object: WeakRef) -> bool: return object.get_ref() != null).size()
		check(count in [3, 4], "%d objects are kept, nested %s" % [count, is_nested])


## Of the frames of a drag only the ends are kept, whichever parts of a value they set.
func test_drags() -> void:
	history.clear_history()
	var dragged: Array = [box(null), box(null)]
	edit_all(dragged, {"other": Vector2()})
	var alive: Array[WeakRef] = []
	for frame: int in 50:
		recorder.record_all(dragged)
		for object: Box in dragged:
			object.value = RefCounted.new()
			object.other += Vector2(1, 2)
		alive.append(weakref(dragged[0].value))
		recorder.commit(history, "drag", UndoRedo.MERGE_ENDS)
	var count := alive.filter(func(value: WeakRef) -> bool: return value.get_ref() != null).size()
	check_int(count, 3, "values that are kept")
	var state := func() -> Array: return dragged.map(func(object: Box) -> Array: return [object.value, object.other])
	var last: Array = state.call()
	for turn: int in 2:
		history.undo()
		check_value(state.call(), [[null, Vector2()], [null, Vector2()]], "undone")
		history.redo()
		check_value(state.call(), last, "done again")


## What nobody records stays as it is, also where each frame moves another part.
func test_drags_of_parts() -> void:
	history.clear_history()
	var dragged := box(Vector3())
	for part: String in ["x", "x", "z", "x"]:
		recorder.record(dragged)
		dragged.value[part] += 1.0
		recorder.commit(history, "drag", UndoRedo.MERGE_ENDS)
		dragged.value.y -= 1.0
	history.undo()
	check_value(dragged.value, Vector3(0, -4, 0), "undone")
	dragged.value.y = 50
	history.redo()
	check_value(dragged.value, Vector3(3, 50, 1), "done again")


## While an action is open, commits of many other histories sweep what has ended.
func test_many_histories() -> void:
	history.clear_history()
	var object := box(0)
	_commit(object, 1, "a", UndoRedo.MERGE_ENDS)
	_commit(object, 2, "b")
	history.undo()
	history.create_action("a", UndoRedo.MERGE_ENDS)
	var others: Array = range(200).map(func(_number: int) -> UndoRedo: return UndoRedo.new())
	for other: UndoRedo in others:
		var moved := box(0)
		recorder.record(moved)
		moved.value = 1
		recorder.commit(other, "c")
	_commit(object, 5, "a", UndoRedo.MERGE_ENDS)
	history.commit_action(false)
	for turn: int in 2:
		history.undo()
		check_value(object.value, 0, "undone")
		history.redo()
		check_value(object.value, 5, "done again")
	others.map(func(other: UndoRedo) -> void: other.free())


func _step(random: RandomNumberGenerator, modes: Array) -> String:
	match random.randi() % 8:
		0, 1:
			history.undo()
			return "undo"
		2, 3:
			history.redo()
			return "redo"
	var named := "ab"[random.randi() % 2]
	var mode: int = modes[random.randi() % modes.size()]
	var is_nested := random.randi() % 3 == 0
	if is_nested:
		history.create_action(named, mode, random.randi() % 2 == 0)
	for part: int in 1 + random.randi() % 2 if is_nested else 1:
		var object := _objects[random.randi() % 2]
		recorder.record(object, ["value", "other"])
		object.other += 1
		if random.randi() % 2 == 0:
			object.value = [object.value, random.randi()]
		recorder.commit(history, named, mode)
	if is_nested:
		history.commit_action(false)
	_states.resize(mini(_states.size(), history.get_current_action() + 1))
	_states.append(_state())
	return "%s, mode %d, nested %s" % [named, mode, is_nested]


func _check(what: String) -> bool:
	var failed := failures.size()
	check_bytes(_state(), _states[history.get_current_action() + 1], what)
	return failures.size() == failed


func _state() -> PackedByteArray:
	return var_to_bytes(_objects.map(func(object: Box) -> Array: return [object.value, object.other]))

extends "undo_base.gd"
## commit() with a real UndoRedo: every step back and forth gives the same bytes. Steps of large values
## share bytes: whatever is undone, done again, merged, branched off, dropped or changed behind the history's
## back, each restores its own state.

const LEN := 20_000
## Of the second history: the oldest steps are dropped.
const MAX_STEPS := 12

var _histories: Array[UndoRedo] = [history, UndoRedo.new()]
var _random := RandomNumberGenerator.new()
## By history: its actions, each of which is a list of what it changed: the object, the property, and
## its bytes before and after; and how many are done.
var _actions: Array[Array] = [[], []]
var _done: PackedInt32Array = [0, 0]
var _objects: Array[Box] = []
var _resources: Array[Resource] = [Resource.new(), Resource.new(), Resource.new(), Resource.new()]


## A script changes in place what was recorded, and what an undo has restored: rows and the history keep what they had.
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


func test_other_actions() -> void:
	var object := box(0)
	for turn: int in [0, 2, 4]:
		recorder.record(object)
		object.value = turn + 1
		recorder.commit(history, "edit")
		history.create_action("edit", UndoRedo.MERGE_DISABLE)
		history.add_do_property(object, &"value", turn + 2)
		history.add_undo_property(object, &"value", turn + 1)
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


func test_freed() -> void:
	var objects := make_nodes(3)
	objects[1].set_meta(&"list", [1])
	recorder.record_all(objects)
	edit_all(objects, {"position": Vector2(1, 2)})
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


func test_kept_objects() -> void:
	for is_cleared: bool in [false, true]:
		var first := _committed()
		var object := _committed()
		var id := object.get_instance_id()
		object = null
		check(is_instance_id_valid(id), "the history keeps an object")
		history.undo()
		object = instance_from_id(id)
		check_exact([object.value, object.other, first.value], [[1], 0, [2]], "undone")
		object = null
		if is_cleared:
			history.clear_history()
		else:
			# After another action it cannot be done again.
			history.create_action("other")
			history.commit_action()
		check(not is_instance_id_valid(id), "an object that nobody has")


func _committed() -> Box:
	var object := box([1])
	recorder.record(object)
	edit(object, {"value": [2], "other": 5})
	recorder.commit(history, "edit")
	return object


func _spoil(value: Variant) -> void:
	if value is Dictionary:
		(value as Dictionary).values().map(_spoil)
		value["spoilt"] = true
	elif value is Array:
		(value as Array).map(_spoil)
		(value as Array).push_back((value as Array)[0] if (value as Array).is_typed() else "spoilt")
	elif typeof(value) >= TYPE_PACKED_BYTE_ARRAY:
		value.push_back(9 if value is PackedInt32Array else "spoilt")


func finish() -> void:
	_histories[1].free()
	super()


func test_any_order() -> void:
	_random.seed = 16
	_histories[1].max_steps = MAX_STEPS
	_objects = [box(_made(0)), box(_made(1))]
	for object: Box in _objects:
		object.other = _made(2)
	for turn: int in part_of(20_000):
		var which := _random.randi_range(0, 1)
		match _random.randi_range(0, 11):
			0, 1, 2:
				_commit(which, turn)
			3:
				_merge(which, turn)
			4, 5, 6, 7:
				_undo(which)
			8, 9:
				_redo(which)
			10:
				var object: Box = _objects[_random.randi_range(0, 1)]
				object.value = _edited(object.value)
			11:
				if _random.randi_range(0, 9) == 0:
					_histories[which].clear_history()
					_actions[which].clear()
					_done[which] = 0
	for which: int in [0, 1, 1, 0]:
		while _done[which] > 0:
			_undo(which)
		while _done[which] < _actions[which].size():
			_redo(which)


## Many commits of one action: the engine undoes the first one first, or keeps the ends alone.
func test_many_that_are_merged() -> void:
	for mode: UndoRedo.MergeMode in [UndoRedo.MERGE_DISABLE, UndoRedo.MERGE_ENDS, UndoRedo.MERGE_ALL]:
		for kind: String in ["forward", "backward", "commit"]:
			var what := "a stroke, %d %s" % [mode, kind]
			# What is not merged has one action that is open all the time.
			var is_open := kind != "commit" and mode == UndoRedo.MERGE_DISABLE
			var object := box(_noise(LEN))
			var state := func() -> PackedByteArray: return var_to_bytes([object.value, object.other])
			var states: Array[PackedByteArray] = [state.call()]
			for step: int in 50:
				if kind != "commit" and (step == 0 or not is_open):
					history.create_action("stroke", mode, kind == "backward")
				recorder.record(object, ["value", "other"])
				object.value[step * 3] = 255 - (object.value[step * 3] as int)
				object.other = step / 20
				recorder.commit(history, "stroke", mode)
				states.append(state.call())
				if kind != "commit" and (step == 49 or not is_open):
					history.commit_action(false)
			var is_apart := mode == UndoRedo.MERGE_DISABLE and not is_open
			check_int(history.get_history_count(), 50 if is_apart else 1, "actions, " + what)
			check_turns(state, states[-2 if is_apart else 0], states[-1], what)
			history.clear_history()


func _commit(which: int, turn: int) -> void:
	var is_all := _random.randi_range(0, 19) == 0
	var only := _random.randi_range(0, 3)
	var edits := range(4).filter(func(at: int) -> bool: return is_all or at == only).map(
		func(at: int) -> Array: return [_objects[at / 2], [&"value", &"other"][at % 2]]
	)
	for one: Array in edits:
		recorder.record(one[0], [one[1]])
		one.append(var_to_bytes(one[0].get(one[1])))
		one[0].set(one[1], _edited(one[0].get(one[1])))
		one.append(var_to_bytes(one[0].get(one[1])))
	edits = edits.filter(func(one: Array) -> bool: return one[2] != one[3])
	var count := recorder.commit(_histories[which], "edit %d" % turn)
	check_int(count, edits.size(), "modifications")
	if count > 0:
		_push(which, edits)


## One action of some edits, of which UndoRedo keeps all or the ends. On a slow machine it is more
## than one: UndoRedo merges what follows within 800 ms.
func _merge(which: int, turn: int) -> void:
	var object: Box = _objects[0]
	var mode := UndoRedo.MERGE_ENDS if turn % 2 == 0 else UndoRedo.MERGE_ALL
	for part: int in _random.randi_range(2, 6):
		var before := var_to_bytes(object.value)
		var version := _histories[which].get_version()
		_histories[which].create_action("merged %d" % turn, mode, true)
		recorder.record(object, ["value"])
		object.value = [part, turn, _noise(LEN + part)] if part == 1 else _edited(object.value)
		while var_to_bytes(object.value) == before:
			object.value = _edited(object.value)
		recorder.commit(_histories[which], "")
		_histories[which].commit_action(false)
		if _histories[which].get_version() > version:
			_push(which, [[object, &"value", before, PackedByteArray()]])
		_actions[which][-1][0][3] = var_to_bytes(object.value)


func _push(which: int, action: Array) -> void:
	_actions[which].resize(_done[which])
	_actions[which].append(action)
	_done[which] += 1
	if which == 1 and _done[1] > MAX_STEPS:
		_actions[1].pop_front()
		_done[1] -= 1


func _undo(which: int) -> void:
	check(_histories[which].undo() == (_done[which] > 0), "undo")
	if _done[which] > 0:
		_done[which] -= 1
		_check_state(_actions[which][_done[which]] as Array, 2, "undone")


func _redo(which: int) -> void:
	var has_one := _done[which] < _actions[which].size()
	check(_histories[which].redo() == has_one, "redo")
	if has_one:
		_check_state(_actions[which][_done[which]] as Array, 3, "done again")
		_done[which] += 1


func _check_state(action: Array, state: int, what: String) -> void:
	for one: Array in action:
		var value: Variant = one[0].get(one[1])
		check_bytes(var_to_bytes(value), one[state] as PackedByteArray, what)
		# A script may change what was restored: the history does not hear of it.
		if _random.randi_range(0, 3) > 0:
			continue
		if value is Array and not (value as Array).is_typed():
			(value as Array).append(1)
		elif value is PackedByteArray:
			one[0].set(one[1], _edited(value))


func _edited(value: Variant) -> Variant:
	match _random.randi_range(0, 14):
		0:
			return _made(_random.randi_range(0, 5))
		1:
			return [_made(1), value] if var_to_bytes(value).size() < 5 * LEN else 7
		2:
			return "short"
	if value is PackedByteArray:
		var bytes: PackedByteArray = (value as PackedByteArray).duplicate()
		for step: int in _random.randi_range(1, 5):
			var at := _random.randi_range(0, maxi(bytes.size() - 1, 0))
			match _random.randi_range(0, 3):
				0:
					bytes.insert(at, 7)
				1 when bytes.size() > 100:
					bytes = bytes.slice(0, at) + bytes.slice(at + 9)
				_ when at < bytes.size():
					bytes[at] = bytes[at] ^ 0x55
		return bytes
	if value is Array:
		var list: Array = (value as Array).duplicate(not (value as Array).is_typed())
		if not list.is_typed():
			list.insert(_random.randi_range(0, list.size()), _resources[_random.randi_range(0, 3)])
			list[_random.randi_range(0, list.size() - 1)] = _random.randi()
		return list
	return _made(_random.randi_range(0, 5))


func _made(kind: int) -> Variant:
	match kind:
		0:
			return _noise(LEN)
		1:
			return [_resources[0], {"noise": _noise(LEN), _resources[1]: "key"}, box.bind(5), "x"]
		2:
			return _noise(LEN * 2).to_int32_array()
		3:
			return PackedStringArray(["a".repeat(LEN), "b", "c"])
		4:
			return Array(_resources, TYPE_OBJECT, &"Resource", null)
	return range(LEN / 8)


func _noise(len: int) -> PackedByteArray:
	var ints := PackedInt32Array(range((len + 3) / 4).map(func(_i: int) -> int: return _random.randi()))
	return ints.to_byte_array().slice(0, len)

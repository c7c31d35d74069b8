extends "undo_base.gd"
## Histories of large values, whose steps share bytes: whatever is undone, done again, merged,
## branched off, dropped or changed behind the history's back, each step restores its own state.

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
				# What no history knows of.
				var object: Box = _objects[_random.randi_range(0, 1)]
				object.value = _edited(object.value)
			11:
				if _random.randi_range(0, 9) == 0:
					_histories[which].clear_history()
					_actions[which].clear()
					_done[which] = 0
	# All that is left.
	for which: int in [0, 1, 1, 0]:
		while _done[which] > 0:
			_undo(which)
		while _done[which] < _actions[which].size():
			_redo(which)


## The steps in the middle are dropped, those at both ends stay.
func test_many_that_are_merged() -> void:
	for mode: UndoRedo.MergeMode in [UndoRedo.MERGE_ENDS, UndoRedo.MERGE_ALL]:
		var object := box(_noise(LEN))
		var state := func() -> PackedByteArray: return var_to_bytes(object.value)
		var before: PackedByteArray = state.call()
		for step: int in 50:
			history.create_action("stroke", mode, true)
			recorder.record(object, ["value"])
			object.value[step * 3] = 255 - (object.value[step * 3] as int)
			recorder.commit(history, "part of a stroke")
			history.commit_action(false)
		check_int(history.get_history_count(), 1, "actions")
		check_turns(state, before, state.call() as PackedByteArray, "a stroke")
		history.clear_history()


## One property, or both of both objects.
func _commit(which: int, turn: int) -> void:
	var edits: Array = []
	var is_all := _random.randi_range(0, 19) == 0
	var only := _random.randi_range(0, 3)
	for at: int in 4:
		if is_all or at == only:
			edits.append([_objects[at / 2], [&"value", &"other"][at % 2]])
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


## A value that differs a little, or much, or is of another type.
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
	var ints := PackedInt32Array()
	ints.resize((len + 3) / 4)
	for i: int in ints.size():
		ints[i] = _random.randi()
	return ints.to_byte_array().slice(0, len)

extends RefCounted
## Cases of VarBatchState and VarBatchUndoRecorder.

const Case := preload("case.gd")
const InMemory := preload("in_memory.gd")
const Item := preload("../item.gd")
const Shapes := preload("shapes.gd")

const OBJECTS := 300
const NAMES: PackedStringArray = ["id", "title", "price"]
const LARGE: PackedStringArray = ["metadata/large"]


static func all(_place: RefCounted) -> Dictionary[String, Callable]:
	var cases: Dictionary[String, Callable] = {}
	_add_state(cases)
	_add_recorder(cases)
	for shape: StringName in Shapes.PAIRS:
		_add_large(cases, shape)
	return cases


static func _items(scale: int, number := 0) -> Array:
	var items: Array = []
	for index in OBJECTS * scale:
		var item := Item.new()
		item.id = index + number
		items.append(item)
	return items


static func _edit(items: Array) -> void:
	for item: Item in items:
		item.id += 1


static func _state(items: Array) -> VarBatchState:
	var state := VarBatchState.new()
	state.add_all(items, NAMES)
	return state


static func _add_state(cases: Dictionary[String, Callable]) -> void:
	for method: String in ["capture", "capture_values", "get_objects"]:
		cases["VarBatchState.%s" % method] = func(scale: int) -> Case:
			return Case.of(Case.call_on(_state(_items(scale)), method))
	cases["VarBatchState.add, of each"] = func(scale: int) -> Case:
		var items := _items(scale)
		return Case.of(
			func() -> void:
				var state := VarBatchState.new()
				for item: Item in items:
					state.add(item, NAMES)
		)
	cases["VarBatchState.add_all, name by name"] = func(scale: int) -> Case:
		var items := _items(scale)
		return Case.of(
			func() -> void:
				var state := VarBatchState.new()
				for name: String in NAMES:
					state.add_all(items, [name])
		)
	cases["VarBatchState.remove, of each"] = func(scale: int) -> Case:
		var items := _items(scale)
		var state := _state(items)
		var add := Case.call_on(state, &"add_all", [items, NAMES])
		return Case.of(func() -> void: state.get_objects().map(state.remove), add)
	cases["VarBatchState.get_missing_count"] = func(scale: int) -> Case:
		var state := _state(_items(scale))
		return Case.of(Case.call_on(state, &"get_missing_count", [state.capture()]))
	cases["VarBatchState.add_all"] = func(scale: int) -> Case: return Case.of(_state.bind(_items(scale)))
	for method: String in ["clear", "remove"]:
		cases["VarBatchState.%s" % method] = func(scale: int) -> Case:
			var items := _items(scale)
			var state := _state(items)
			var arguments: Array = [items[-1]] if method == "remove" else []
			return Case.of(Case.call_on(state, method, arguments), Case.call_on(state, &"add_all", [items, NAMES]))
	cases["VarBatchState.restore"] = func(scale: int) -> Case:
		var items := _items(scale)
		var state := _state(items)
		return Case.of(Case.call_on(state, &"restore", [state.capture()]), _edit.bind(items))
	cases["VarBatchState.restore_values"] = func(scale: int) -> Case:
		var items := _items(scale)
		var state := _state(items)
		return Case.of(Case.call_on(state, &"restore_values", [state.capture_values()]), _edit.bind(items))


static func _add_recorder(cases: Dictionary[String, Callable]) -> void:
	cases["VarBatchUndoRecorder.record_all"] = func(scale: int) -> Case:
		var items := _items(scale)
		return Case.of(func() -> void: VarBatchUndoRecorder.new().record_all(items))
	for method: String in ["record", "record_complete"]:
		cases["VarBatchUndoRecorder.%s, of each" % method] = func(scale: int) -> Case:
			var items := _items(scale)
			return Case.of(
				func() -> void:
					var recorder := VarBatchUndoRecorder.new()
					for item: Item in items:
						recorder.call(method, item)
			)
	cases["VarBatchUndoRecorder.record, a name at a time"] = func(scale: int) -> Case:
		var item := _with_metadata(4000 * scale)
		var names: Array = item.get_meta_list().map(func(named: StringName) -> Array: return ["metadata/" + named])
		return Case.of(
			func() -> void:
				var recorder := VarBatchUndoRecorder.new()
				for named: Array in names:
					recorder.record(item, named)
		)
	cases["VarBatchUndoRecorder.commit, of one object"] = func(scale: int) -> Case:
		var item := _with_metadata(4000 * scale)
		var edit := func() -> void:
			for named: StringName in item.get_meta_list():
				item.set_meta(named, int(item.get_meta(named)) + 1)
		return _recorded([item], edit, _commit)
	cases["VarBatchUndoRecorder.commit, with merged ends"] = func(scale: int) -> Case:
		var item: Item = _items(1)[0]
		return Case.of(
			func() -> void:
				var history := UndoRedo.new()
				for value: int in 4000 * scale:
					var recorder := VarBatchUndoRecorder.new()
					recorder.record(item)
					_edit([item])
					recorder.commit(history, "edit", UndoRedo.MERGE_ENDS)
				for turn: int in 10:
					history.undo()
					history.redo()
				history.free()
		)
	for deep: bool in [false, true]:
		cases["VarBatchUndoRecorder.flush, deep %s" % deep] = func(scale: int) -> Case:
			var items := _items(scale)
			return _recorded(items, _edit.bind(items), func(recorder: VarBatchUndoRecorder) -> void: recorder.flush(deep))
	cases["VarBatchUndoRecorder.commit"] = func(scale: int) -> Case:
		var items := _items(scale)
		return _recorded(items, _edit.bind(items), _commit)
	cases["VarBatchUndoRecorder.compare_all"] = func(scale: int) -> Case:
		return Case.of(Case.call_of(&"VarBatchUndoRecorder", &"compare_all", [_paired(_items(scale), _items(scale, 1))]))
	cases["VarBatchUndoRecorder.compare"] = func(scale: int) -> Case:
		return Case.of(Case.call_of(&"VarBatchUndoRecorder", &"compare", [_tree(scale), _tree(scale)]))
	cases["VarBatchUndoRecorder.map_references"] = func(scale: int) -> Case:
		return Case.of(Case.call_of(&"VarBatchUndoRecorder", &"map_references", [_tree(scale), _tree(scale)]))


static func _with_metadata(count: int) -> Resource:
	var item := Resource.new()
	for index: int in count:
		item.set_meta("m%d" % index, 1)
	return item


## A case of an edit that is recorded, and of what is done then with the recorder.
static func _recorded(items: Array, edit: Callable, done: Callable) -> Case:
	var recorders: Array[VarBatchUndoRecorder] = []
	var record := func() -> void:
		recorders.assign([VarBatchUndoRecorder.new()])
		recorders[0].record_all(items)
		edit.call()
	return Case.of(func() -> void: done.call(recorders[0]), record)


static func _commit(recorder: VarBatchUndoRecorder) -> void:
	var history := UndoRedo.new()
	recorder.commit(history, "edit")
	history.undo()
	history.redo()
	history.free()


static func _paired(before: Array, after: Array) -> Dictionary:
	var pairs: Dictionary = {}
	for index in before.size():
		pairs[before[index]] = after[index]
	return pairs


static func _tree(scale: int) -> Resource:
	var root := Resource.new()
	root.set_meta(&"list", _items(scale))
	return root


## An object with one large property, which becomes another one.
static func _add_large(cases: Dictionary[String, Callable], shape: StringName) -> void:
	cases["VarBatchUndoRecorder.flush, %s" % shape] = func(scale: int) -> Case:
		return _recorded_large(shape, scale, func(recorder: VarBatchUndoRecorder) -> void: recorder.flush(true))
	cases["VarBatchUndoRecorder.commit, %s" % shape] = func(scale: int) -> Case:
		return _recorded_large(shape, scale, _commit)
	cases["VarBatchUndoRecorder.compare, %s" % shape] = func(scale: int) -> Case:
		var objects: Array[Resource] = [Resource.new(), Resource.new()]
		objects[0].set_meta(&"large", Shapes.value(shape, scale))
		objects[1].set_meta(&"large", Shapes.value(shape, scale, true))
		return Case.of(Case.call_of(&"VarBatchUndoRecorder", &"compare", objects))
	cases["VarBatchState.restore, %s" % shape] = func(scale: int) -> Case:
		var object := Resource.new()
		var state := VarBatchState.new()
		object.set_meta(&"large", Shapes.value(shape, scale))
		state.add(object, LARGE)
		var edit := Case.call_on(object, &"set_meta", [&"large", Shapes.value(shape, scale, true)])
		return Case.of(Case.call_on(state, &"restore", [state.capture()]), edit)


static func _recorded_large(shape: StringName, scale: int, done: Callable) -> Case:
	var object := Resource.new()
	var edit := Case.call_on(object, &"set_meta", [&"large", Shapes.value(shape, scale, true)])
	var case := _recorded([object], edit, done)
	var record := case.before
	case.before = func() -> void:
		object.set_meta(&"large", Shapes.value(shape, scale))
		record.call()
	return case

extends "../files/files_base.gd"
## Values that hold themselves or lie too deep, beside objects and Callables, for which a save looks
## once more: each call that takes a value ends, and what cannot be written is refused. A walk without
## a limit would end the process.

const Meddler := preload("meddler.gd")
const DEEP := 100_000

var _object := Meddler.new()
var _made: Dictionary[String, Variant] = {}


func _exit_tree() -> void:
	for value: Variant in _made.values():
		_take_apart(value)
	super()


func test_files() -> void:
	_each(
		func(value: Variant, full: bool, expected: int, what: String) -> void:
			for method: StringName in [&"save_var", &"save_var_async"]:
				_check_written(method, [path, value, full], expected, what)
			for method: StringName in [&"save_vars", &"save_vars_async", &"append_vars", &"append_vars_async"]:
				for values: Array in [[_lossy(full), value], [value, _lossy(full)]]:
					_check_written(method, [path, values, full], expected, what)
	)


## A save plans some values at a time. Those that it never comes to are not looked at when it fails.
func test_saves_that_fail_before() -> void:
	_each(
		func(value: Variant, full: bool, _expected: int, what: String) -> void:
			var values := filled(3000, [_lossy(full)])
			values[1000] = _made["array"]
			values[-1] = value
			_check_written(&"save_vars", [path, values, full], ERR_INVALID_DATA, what)
			_check_written(&"save_vars", [folder, [_lossy(full), value], full], -1, what)
	)


func test_stores() -> void:
	var store := VarBatchStore.open(path)
	_each(
		func(value: Variant, full: bool, expected: int, what: String) -> void:
			var batch := {1: _lossy(full), 2: value}
			check_int(quietly(store.save_var.bind(1, value, full)) as int, expected, "save_var, " + what)
			check_int(quietly(store.save_vars.bind(batch, [], full)) as int, expected, "save_vars, " + what)
			var wait := func() -> int: return store.save_vars_async(batch, [], full).wait()
			check_int(quietly(wait) as int, expected, "save_vars_async, " + what)
			# As a key, too.
			quietly(store.has_key.bind(value))
			quietly(store.load_vars.bind([value]))
			quietly(store.erase_keys.bind([value]))
	)
	store.close()


func test_bytes() -> void:
	_each(
		func(value: Variant, full: bool, expected: int, what: String) -> void:
			for method: StringName in [&"vars_to_bytes", &"vars_to_bytes_async", &"vars_to_frames", &"vars_to_frames_async"]:
				_check_written(method, [[_lossy(full), value], full], expected, what)
			_check_written(&"var_to_bytes", [value, full], expected, what)
			for type: StringName in [&"store_var", &"store_vars"]:
				var file := FileAccess.open(path, FileAccess.WRITE)
				_check_written(type, [file, [value], full], expected, what)
			_check_written(&"var_to_bytes_in", [value, VarBatch.DIALECT_GODOT_3, full], -1, what)
	)


func test_other_arguments() -> void:
	var bytes := var_to_bytes([1, {"a": [2]}])
	var changes := VarBatch.diff(bytes, var_to_bytes([3, {"a": [2]}]))
	_each(
		func(value: Variant, full: bool, _expected: int, what: String) -> void:
			for key: Variant in changes[0].keys():
				var change := changes[0].duplicate()
				change[key] = value
				_check_written(&"patch", [bytes, [change], full], -1, what)
			_check_written(&"get_in", [bytes, [value], value], -1, what)
			_check_written(&"get_in_each", [[value, bytes], [1, value], value], -1, what)
			_check_written(&"diff_batch", [[[value, value], value]], -1, what)
			_check_written(&"bytes_to_vars", [[bytes], [value]], -1, what)
			_check_written(&"load_var", [folder + "/none", value], -1, what)
			_check_written(&"save_var", [path, 1, false, -1, value], -1, what)
	)


func test_state_and_undo() -> void:
	_each(
		func(value: Variant, _full: bool, _expected: int, what: String) -> void:
			var owner := Meddler.new()
			var other := Meddler.new()
			var state := VarBatchState.new()
			var recorder := VarBatchUndoRecorder.new()
			var use := func() -> void:
				state.add(owner, ["watched"])
				var before := state.capture_values()
				recorder.record(owner)
				owner.watched = value
				recorder.flush(true)
				state.capture()
				state.capture_values()
				state.restore_values([value])
				VarBatchUndoRecorder.compare(owner, other)
				other.watched = value
				VarBatchUndoRecorder.compare(owner, other)
				VarBatchUndoRecorder.compare_all([[value, value]])
				VarBatchUndoRecorder.map_references(owner, other)
				recorder.record(owner)
				owner.watched = [value]
				recorder.flush(true)
				state.restore_values(before)
			quietly(use)
			owner.watched = null
			other.watched = null
			check(true, what)
	)


## Calls [param test] with each value, with and without full objects, what it should give, and words.
func _each(test: Callable) -> void:
	if _made.is_empty():
		_make()
	for what: String in _made:
		for full: bool in [false, true]:
			var is_graph := what == "object" and not full
			test.call(_made[what], full, OK if is_graph else ERR_INVALID_DATA, "%s, %s" % [what, full])


func _make() -> void:
	var array: Array = []
	array.append(array)
	_made["array"] = array
	array = [_object]
	array.append(array)
	_made["array with an object"] = array
	array = [Callable(_object, "get_class")]
	array.append({"a": array})
	_made["array with a Callable"] = array
	var typed: Array[Array] = []
	typed.append(typed)
	_made["typed array"] = typed
	var dictionary := {"object": _object}
	dictionary["me"] = dictionary
	_made["dictionary"] = dictionary
	dictionary = {"object": _object}
	# The engine complains that it is too deep to be hashed.
	quietly(func() -> void: dictionary[[dictionary]] = 1)
	_made["dictionary as a key"] = dictionary
	var object := Meddler.new()
	object.watched = [object]
	_made["object"] = object
	for depth: int in [2000, DEEP]:
		var value: Variant = _object
		for i: int in depth:
			value = [value]
		_made["%d deep" % depth] = value
	var deep: Variant = _object
	for i: int in 2000:
		deep = {"a": deep, "object": _object}
	_made["deep dictionaries"] = deep


## The engine frees what is deep level by level, and never what holds itself.
func _take_apart(value: Variant) -> void:
	if value is Meddler:
		(value as Meddler).watched = null
	while value is Array or value is Dictionary:
		var inner: Variant = null
		if value is Array and value:
			inner = value[0]
		elif value is Dictionary:
			inner = (value as Dictionary).get("a")
		value.clear()
		value = inner


## A value that is written with a warning, if no objects are.
func _lossy(full: bool) -> Variant:
	return {"callable": Callable(_object, "get_class"), "object": null if full else _object}


## Calls a method, and waits for its task. [param expected] is its error, or -1 for any.
func _check_written(method: StringName, arguments: Array, expected: int, what: String) -> void:
	var call := func() -> int:
		var result: Variant = call_method(method, arguments)
		if result is VarBatchTask:
			var task: VarBatchTask = result
			task.wait()
			return task.get_error()
		return VarBatch.get_last_error()
	var error: int = quietly(call)
	check(error == expected or expected == -1, "%s of %s gives %s" % [method, what, error_string(error)])

extends "../files/files_base.gd"
## Values that lie deep in one another, up to where the engine gives up and beyond, and containers that hold
## themselves: each call that takes a value ends, and what cannot be written is refused. Beside objects and
## Callables a save looks once more: a walk without a limit would end the process.

const TOO_DEEP := "expected at most 1024 levels of nesting..."
## A busy machine may stand still for a while; what is exponential takes longer than anything.
const MAX_MSEC := 10_000
const DEEP := 100_000

var _in_array := func(value: Variant) -> Array: return [value]
var _in_value := func(value: Variant) -> Dictionary: return {"k": value}
var _in_both := func(value: Variant) -> Variant: return [value] if value is Dictionary else {"k": value, 1: 2}
var _object := Meddler.new()
var _made: Dictionary[String, Variant] = {}


func test_deepest_nesting() -> void:
	for wrap: Callable in [_in_array, _in_value, _in_both]:
		for leaf: Variant in [null, 1, "text", PackedByteArray([1, 2, 3]), {}, []]:
			for depth: int in [1023, 1024]:
				check_both_ways(_nested(leaf, depth, wrap), "%s, %d deep" % [leaf, depth])


## The same on threads with a smaller stack: those of Godot, and those of VarBatch.
func test_deepest_nesting_on_threads() -> void:
	var wrapped := func(i: int) -> Variant: return _nested(i, 1023, _in_both if i % 2 else _in_array)
	var values := range(sized_part_of(1000) + 1).map(wrapped)
	var expected := Values.engine_bytes(values)
	for count: int in Threads.new([1, 2]):
		var found: Array = []
		var work := func() -> void: found.append(_is_good_both_ways(values, expected))
		end_threads(start_threads(1, work.unbind(1)))
		WorkerThreadPool.wait_for_task_completion(WorkerThreadPool.add_task(work))
		check(found == [true, true], "deep values, %d threads" % count)


func test_too_deep() -> void:
	for wrap: Callable in [_in_array, _in_value, _in_both]:
		for leaf: Variant in [null, "text", [], {}, PackedInt32Array([1])]:
			for depth: int in [1025, 1026, 1500]:
				_check_unwritten(_nested(leaf, depth, wrap), "%s, %d deep" % [leaf, depth])
				_check_unread(_nested_bytes(leaf, depth, wrap))


## The same in keys, of which the engine itself complains when they are hashed.
func test_too_deep_in_keys() -> void:
	var as_key := func(inner: Variant) -> Variant: return {inner: 1}
	check_both_ways(_nested(1, 20, as_key), "20 keys in one another")
	_check_unwritten({[1]: _nested(1, 1025, _in_array)}, "value too deep")
	_check_unread(_nested_bytes(1, 1030, as_key))


func test_in_themselves() -> void:
	var array: Array = [1, "two"]
	array.append(array)
	var dictionary := {"a": 1}
	dictionary["self"] = dictionary
	var first: Array = [1]
	var second := {"first": first}
	first.append([second])
	# With two ways back at each level there are 2^1024 ways to walk it, if one does.
	var many: Array = []
	many.append_array([many, many, many, many])
	var typed: Array[Array] = []
	typed.append(typed)
	var large: Array = range(3000)
	large.insert(1500, [large])
	for value: Variant in [array, dictionary, first, second, many, typed, large]:
		_check_unwritten(value, "a container in itself")
	var expected: Array[PackedByteArray] = [var_to_bytes(1), var_to_bytes("two"), PackedByteArray()]
	check_call(&"vars_to_bytes", [array], expected, ["value 2: " + TOO_DEEP])
	for value: Array in [array, first, many, typed, large]:
		value.clear()
	dictionary.clear()


func _is_good_both_ways(values: Array, expected: Array[PackedByteArray]) -> bool:
	return (
		VarBatch.vars_to_bytes(values) == expected
		and VarBatch.var_to_bytes(values) == var_to_bytes(values)
		and VarBatch.vars_to_bytes(VarBatch.bytes_to_vars(expected)) == expected
		and VarBatch.vars_to_bytes(VarBatch.frames_to_vars(VarBatch.vars_to_frames(values))) == expected
		and VarBatch.vars_to_bytes(VarBatch.bytes_to_var(VarBatch.var_to_bytes(values))) == expected
		and VarBatch.validate(expected).count("") == expected.size()
		and VarBatch.describe(expected[0]).size() == 5
	)


func _check_unwritten(value: Variant, what: String) -> void:
	var started := Time.get_ticks_msec()
	var none := PackedByteArray()
	var others: Array[PackedByteArray] = [var_to_bytes(7), none, var_to_bytes(8)]
	check_call(&"var_to_bytes", [value], none, [TOO_DEEP])
	check_call(&"vars_to_bytes", [[7, value, 8]], others, ["value 1: " + TOO_DEEP])
	check_call(&"vars_to_frames", [[7, value, 8]], frame(others[0]) + frame(others[2]), ["value 1: " + TOO_DEEP])
	check_time(started, MAX_MSEC, what)


func _check_unread(bytes: PackedByteArray) -> void:
	check(not quietly(bytes.has_encoded_var.bind(0, false)), "the engine reads it")
	check_call(&"bytes_to_var", [bytes], null, [TOO_DEEP])


func _nested(leaf: Variant, depth: int, wrap: Callable) -> Variant:
	for i: int in depth:
		leaf = wrap.call(leaf)
	return leaf


## The bytes of what is too deep to be encoded: those of one level, put together.
func _nested_bytes(leaf: Variant, depth: int, wrap: Callable) -> PackedByteArray:
	var mark := 0x7fedcba987654321
	var level := var_to_bytes(wrap.call(mark))
	var hole := var_to_bytes(mark)
	var at := 0
	while level.slice(at, at + hole.size()) != hole:
		at += 4
	var front := PackedByteArray()
	var back := PackedByteArray()
	for i: int in depth:
		front += level.slice(0, at)
		back += level.slice(at + hole.size())
	return front + var_to_bytes(leaf) + back


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
			quietly(store.has_key.bind(value))
			quietly(store.load_vars.bind([value]))
			quietly(store.erase_keys.bind([value]))
	)


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
	_made = {"array": [], "array with an object": [_object], "typed array": [] as Array[Array]}
	for array: Array in _made.values():
		array.append(array)
	var array: Array = [Callable(_object, "get_class")]
	array.append({"a": array})
	_made["array with a Callable"] = array
	var dictionary := {"object": _object}
	dictionary["me"] = dictionary
	_made["dictionary"] = dictionary
	dictionary = {"object": _object}
	# The engine complains that it is too deep to be hashed.
	quietly(func() -> void: dictionary[[dictionary]] = 1)
	_made["dictionary as a key"] = dictionary
	_made["object"] = Meddler.new()
	_made["object"].watched = [_made["object"]]
	for depth: int in [2000, DEEP]:
		_made["%d deep" % depth] = _nested(_object, depth, _in_array)
	_made["deep dictionaries"] = _nested(_object, 2000, func(inner: Variant) -> Dictionary: return {"a": inner, "object": _object})


## The engine frees what is deep level by level, and never what holds itself.
func _take_apart(value: Variant) -> void:
	if value is Meddler:
		(value as Meddler).watched = null
	while value is Array or value is Dictionary:
		var inner: Variant = value.get("a") if value is Dictionary else value[0] if value else null
		value.clear()
		value = inner


func _lossy(full: bool) -> Variant:
	return {"callable": Callable(_object, "get_class"), "object": null if full else _object}


## Calls a method, and waits for its task. [param expected] is its error, or -1 for any.
func _check_written(method: StringName, arguments: Array, expected: int, what: String) -> void:
	var call := func() -> int:
		var result: Variant = call_method(method, arguments)
		if result is VarBatchTask:
			(result as VarBatchTask).wait()
			return (result as VarBatchTask).get_error()
		return VarBatch.get_last_error()
	var error: int = quietly(call)
	check(error == expected or expected == -1, "%s of %s gives %s" % [method, what, error_string(error)])

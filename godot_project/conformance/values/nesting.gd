extends "../support/round_trip.gd"
## Values that lie deep in one another, up to where the engine gives up and beyond, and containers
## that hold themselves.

const TOO_DEEP := "expected at most 1024 levels of nesting"
## A busy machine may stand still for a while; what is exponential takes longer than anything.
const MAX_MSEC := 10_000


func test_deepest_nesting() -> void:
	for leaf: Variant in [null, 1, "text", PackedByteArray([1, 2, 3]), {}, []]:
		for depth: int in [1023, 1024]:
			check_both_ways(_nested(leaf, depth, _in_array), "%s in %d arrays" % [leaf, depth])
			check_both_ways(_nested(leaf, depth, _in_value), "%s in %d values" % [leaf, depth])
			check_both_ways(_nested(leaf, depth, _in_both), "%s %d deep" % [leaf, depth])


## The same on threads with a smaller stack: those of Godot, and those of VarBatch.
func test_deepest_nesting_on_threads() -> void:
	var values: Array = []
	for i: int in sized_part_of(1000) + 1:
		values.append(_nested(i, 1023, _in_both if i % 2 else _in_array))
	var expected := Values.engine_bytes(values)
	var before := VarBatch.get_thread_count()
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		for on: String in ["thread", "pool"] if count > 1 else ["thread"]:
			var found: Array = []
			_run_on(on, func() -> void: found.append(_both_ways(values, expected)))
			check(found == [true], "deep values on a %s, %d threads" % [on, count])
	VarBatch.set_thread_count(before)


## One error line, and nothing written, for each value that lies too deep, in either direction.
func test_too_deep() -> void:
	for wrap: Callable in [_in_array, _in_value, _in_both]:
		for leaf: Variant in [null, "text", [], {}, PackedInt32Array([1])]:
			for depth: int in [1025, 1026, 1500]:
				var value: Variant = _nested(leaf, depth, wrap)
				_check_unwritten(value, "%s, %d deep" % [leaf, depth])
				_check_unread(_nested_bytes(leaf, depth, wrap), "%s, %d deep" % [leaf, depth])


## The same in keys, of which the engine itself complains when they are hashed.
func test_too_deep_in_keys() -> void:
	var outer: Variant = _nested(1, 20, func(inner: Variant) -> Variant: return {inner: 1})
	check_both_ways(outer, "20 keys in one another")
	var too_deep := {[1]: _nested(1, 1025, _in_array)}
	_check_unwritten(too_deep, "value too deep")
	var bytes := _nested_bytes(1, 1030, func(inner: Variant) -> Variant: return {inner: 1})
	_check_unread(bytes, "keys too deep")


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
	# The batch itself.
	var encode := func() -> Array[PackedByteArray]: return VarBatch.vars_to_bytes(array)
	var found: Array[PackedByteArray] = expect_errors(
		encode, 1, "VarBatch.vars_to_bytes: value 2: "
	)
	check_buffers(
		found,
		[var_to_bytes(1), var_to_bytes("two"), PackedByteArray()],
		"a batch that holds itself"
	)
	for value: Array in [array, first, many, typed, large]:
		value.clear()
	dictionary.clear()


func _run_on(where: String, action: Callable) -> void:
	if where == "thread":
		var thread := Thread.new()
		thread.start(action)
		thread.wait_to_finish()
	elif where == "pool":
		WorkerThreadPool.wait_for_task_completion(WorkerThreadPool.add_task(action))
	else:
		action.call()


## Alone, in a batch, as frames, and all in one value.
func _both_ways(values: Array, expected: Array[PackedByteArray]) -> bool:
	var whole := var_to_bytes(values)
	var found := VarBatch.vars_to_bytes(values)
	var decoded := VarBatch.bytes_to_vars(expected)
	var read := VarBatch.frames_to_vars(VarBatch.vars_to_frames(values))
	var together: Array = VarBatch.bytes_to_var(VarBatch.var_to_bytes(values))
	return (
		found == expected
		and VarBatch.var_to_bytes(values) == whole
		and VarBatch.vars_to_bytes(decoded) == expected
		and VarBatch.vars_to_bytes(read) == expected
		and VarBatch.vars_to_bytes(together) == expected
		and VarBatch.validate(expected).count("") == expected.size()
		and VarBatch.describe(expected[0]).size() == 5
	)


func _check_unwritten(value: Variant, what: String) -> void:
	var started := Time.get_ticks_msec()
	var encode := func() -> PackedByteArray: return VarBatch.var_to_bytes(value)
	var bytes: PackedByteArray = expect_errors(encode, 1, "VarBatch.var_to_bytes: " + TOO_DEEP)
	check_bytes(bytes, PackedByteArray(), what)
	var batch := func() -> Array[PackedByteArray]: return VarBatch.vars_to_bytes([7, value, 8])
	var prefix := "VarBatch.vars_to_bytes: value 1: " + TOO_DEEP
	var found: Array[PackedByteArray] = expect_errors(batch, 1, prefix)
	check_buffers(found, [var_to_bytes(7), PackedByteArray(), var_to_bytes(8)], what)
	var frames := func() -> PackedByteArray: return VarBatch.vars_to_frames([7, value, 8])
	prefix = "VarBatch.vars_to_frames: value 1: " + TOO_DEEP
	bytes = expect_errors(frames, 1, prefix)
	check_bytes(bytes, frame(var_to_bytes(7)) + frame(var_to_bytes(8)), what)
	check_time(started, MAX_MSEC, what)


func _check_unread(bytes: PackedByteArray, what: String) -> void:
	check(not quietly(bytes.has_encoded_var.bind(0, false)), "the engine reads %s" % what)
	var decode := func() -> Variant: return VarBatch.bytes_to_var(bytes)
	check_value(expect_errors(decode, 1, "VarBatch.bytes_to_var: " + TOO_DEEP), null, what)


func _nested(leaf: Variant, depth: int, wrap: Callable) -> Variant:
	var value: Variant = leaf
	for i: int in depth:
		value = wrap.call(value)
	return value


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


func _in_array(value: Variant) -> Variant:
	return [value]


func _in_value(value: Variant) -> Variant:
	return {"k": value}


func _in_both(value: Variant) -> Variant:
	return [value] if value is Dictionary else {"k": value, 1: 2}

extends "../support/round_trip.gd"
## Values that lie deep in one another, up to where the engine gives up and beyond, and containers
## that hold themselves.

const TOO_DEEP := "expected at most 1024 levels of nesting..."
## A busy machine may stand still for a while; what is exponential takes longer than anything.
const MAX_MSEC := 10_000

var _in_array := func(value: Variant) -> Array: return [value]
var _in_value := func(value: Variant) -> Dictionary: return {"k": value}
var _in_both := func(value: Variant) -> Variant: return [value] if value is Dictionary else {"k": value, 1: 2}


func test_deepest_nesting() -> void:
	for wrap: Callable in [_in_array, _in_value, _in_both]:
		for leaf: Variant in [null, 1, "text", PackedByteArray([1, 2, 3]), {}, []]:
			for depth: int in [1023, 1024]:
				check_both_ways(_nested(leaf, depth, wrap), "%s, %d deep" % [leaf, depth])


## The same on threads with a smaller stack: those of Godot, and those of VarBatch.
func test_deepest_nesting_on_threads() -> void:
	var values: Array = []
	for i: int in sized_part_of(1000) + 1:
		values.append(_nested(i, 1023, _in_both if i % 2 else _in_array))
	var expected := Values.engine_bytes(values)
	for count: int in Threads.new([1, 2]):
		var found: Array = []
		var work := func() -> void: found.append(_is_good_both_ways(values, expected))
		var thread := Thread.new()
		thread.start(work)
		thread.wait_to_finish()
		WorkerThreadPool.wait_for_task_completion(WorkerThreadPool.add_task(work))
		check(found == [true, true], "deep values, %d threads" % count)


## One error line, and nothing written, for each value that lies too deep, in either direction.
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
	# The batch itself.
	var expected: Array[PackedByteArray] = [var_to_bytes(1), var_to_bytes("two"), PackedByteArray()]
	check_call(&"vars_to_bytes", [array], expected, ["value 2: " + TOO_DEEP])
	for value: Array in [array, first, many, typed, large]:
		value.clear()
	dictionary.clear()


## Alone, in a batch, as frames, and all in one value.
func _is_good_both_ways(values: Array, expected: Array[PackedByteArray]) -> bool:
	var whole := var_to_bytes(values)
	var decoded := VarBatch.bytes_to_vars(expected)
	var read := VarBatch.frames_to_vars(VarBatch.vars_to_frames(values))
	var together: Array = VarBatch.bytes_to_var(VarBatch.var_to_bytes(values))
	return (
		VarBatch.vars_to_bytes(values) == expected
		and VarBatch.var_to_bytes(values) == whole
		and VarBatch.vars_to_bytes(decoded) == expected
		and VarBatch.vars_to_bytes(read) == expected
		and VarBatch.vars_to_bytes(together) == expected
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

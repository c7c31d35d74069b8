extends RefCounted
## One thing to time in three ways: the engine, VarBatch, and the floor (a plain copy of as many
## bytes). Checks that the two results are the same.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

enum Contender { ENGINE, VARBATCH, FLOOR }

## Types for which `==` is exact; encoding large ones would take long.
const _EQUAL_IS_SAME: Array[Variant.Type] = [
	TYPE_STRING, TYPE_PACKED_BYTE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_STRING_ARRAY
]

## Each makes as many calls as its argument says, in a written-out `for` loop around one direct call:
## all pay the same GDScript overhead, and no Callable is inside a timed loop. It returns the
## microseconds that count, or null if all of them do. These must not hold the probe itself.
var engine: Callable
var varbatch: Callable
## The floor, if there is one.
var copy: Callable
var check: Callable


## Makes [param calls] calls of one contender; returns their time in microseconds.
func run(contender: Contender, calls: int) -> int:
	var way := engine
	if contender != Contender.ENGINE:
		way = varbatch if contender == Contender.VARBATCH else copy
	var started := Time.get_ticks_usec()
	var counted: Variant = way.call(calls)
	return counted if counted is int else Time.get_ticks_usec() - started


func has_floor() -> bool:
	return copy.is_valid()


## Returns the error in VarBatch's result, or "" if it is the engine's result.
func problem() -> String:
	return check.call()


## A probe of calls that take long, so that one more call costs nothing. Each of these makes one.
static func of(
	engine_once: Callable, varbatch_once: Callable, difference_of: Callable
) -> RefCounted:
	var probe := new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			engine_once.call()
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			varbatch_once.call()
	probe.check = difference_of
	return probe


## The probe of one value to bytes. The floor is the engine's own copy of [param payload_len] bytes: the
## cost of `var_to_bytes` for a PackedByteArray.
static func to_bytes(value: Variant, payload_len: int) -> RefCounted:
	var bytes: PackedByteArray = []
	bytes.resize(payload_len)
	bytes.fill(0x5a)
	var payload: Variant = bytes
	var probe := new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			var _bytes: PackedByteArray = var_to_bytes(value)
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			var _bytes: PackedByteArray = VarBatch.var_to_bytes(value)
	probe.copy = func(calls: int) -> void:
		for _call in calls:
			var _bytes: PackedByteArray = var_to_bytes(payload)
	probe.check = func() -> String:
		return difference(var_to_bytes(value), VarBatch.var_to_bytes(value))
	return probe


## The probe of one value from bytes. The floor is an allocation and a memcpy. Its bytes are untyped so
## that the result is dropped as in the two ways above: GDScript keeps the last result of a call typed as
## a PackedByteArray until the next one is made, and two alternating buffers are slower than one.
static func from_bytes(bytes: PackedByteArray) -> RefCounted:
	var untyped: Variant = bytes
	var probe := new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			var _value: Variant = bytes_to_var(bytes)
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			var _value: Variant = VarBatch.bytes_to_var(bytes)
	probe.copy = func(calls: int) -> void:
		for _call in calls:
			var _value: Variant = untyped.slice(8)
	probe.check = func() -> String:
		return value_difference(bytes_to_var(bytes), VarBatch.bytes_to_var(bytes))
	return probe


## Returns where two byte arrays differ, or "" if they are the same.
static func difference(expected: PackedByteArray, found: PackedByteArray) -> String:
	if expected == found:
		return ""
	var shared := mini(expected.size(), found.size())
	for at in shared:
		if expected[at] != found[at]:
			return "byte %d is %02x, expected %02x" % [at, found[at], expected[at]]
	return "%d bytes, expected %d" % [found.size(), expected.size()]


## Returns where a decoded value differs from what the engine decodes, or "" if it is the same.
## Compares the engine's bytes of both: `==` would treat 0.0 and -0.0 as equal, and NaNs as
## different.
static func value_difference(expected: Variant, found: Variant) -> String:
	if typeof(found) != typeof(expected):
		return (
			"a value of type %s, expected %s"
			% [type_string(typeof(found)), type_string(typeof(expected))]
		)
	if typeof(found) in _EQUAL_IS_SAME and found == expected:
		return ""
	if expected is EncodedObjectAsID:
		# The engine's bytes of one contain the id of the EncodedObjectAsID itself.
		if found is EncodedObjectAsID and found.object_id == expected.object_id:
			return ""
		return "%s, expected the EncodedObjectAsID of %d" % [found, expected.object_id]
	return difference(var_to_bytes(expected), var_to_bytes(found))


## Returns where an array of decoded values differs.
static func values_difference(expected: Array, found: Array) -> String:
	if found.size() != expected.size():
		return "%d values, expected %d" % [found.size(), expected.size()]
	for index in expected.size():
		var problem := value_difference(expected[index], found[index])
		if not problem.is_empty():
			return "value %d: %s" % [index, problem]
	return ""

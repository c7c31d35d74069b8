extends RefCounted
## One thing to time in three ways: the engine, VarBatch, and the floor (a plain copy of as many
## bytes). Checks that the two results are the same.
##
## Each way is a written-out `for` loop around one direct call, in a method that a subclass
## overrides: all pay the same GDScript overhead, and no Callable is inside a timed loop.

enum Contender { ENGINE, VARBATCH, FLOOR }

## Types for which `==` is exact; encoding large ones would take long.
const _EQUAL_IS_SAME: Array[Variant.Type] = [
	TYPE_STRING, TYPE_PACKED_BYTE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_STRING_ARRAY
]


## Makes [param calls] calls of one contender; returns their time in microseconds.
func run(contender: Contender, calls: int) -> int:
	match contender:
		Contender.ENGINE:
			return engine(calls)
		Contender.VARBATCH:
			return varbatch(calls)
	return copy(calls)


func engine(_calls: int) -> int:
	return 0


func varbatch(_calls: int) -> int:
	return 0


func copy(_calls: int) -> int:
	return 0


func has_floor() -> bool:
	return true


## Returns the error in VarBatch's result, or "" if it is the engine's result.
func check() -> String:
	return "the probe checks nothing"


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

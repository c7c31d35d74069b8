extends RefCounted
## Strong equality of values, and where two byte arrays part.

const CONTEXT_LEN := 8
const BLOCK_LEN := 4096


## "" if the two are the same, else how they differ.
static func difference(found: Variant, expected: Variant) -> String:
	var type_difference := _type_difference(found, expected)
	if not type_difference.is_empty():
		return type_difference
	var expected_bytes := var_to_bytes_with_objects(expected)
	if expected_bytes.is_empty():
		return "the engine cannot encode the expected value, so it cannot be compared"
	var found_bytes := var_to_bytes_with_objects(found)
	if found_bytes != expected_bytes:
		var texts: Array = [_short(expected), _short(found), byte_difference(found_bytes, expected_bytes)]
		return "expected %s, found %s; as bytes %s" % texts
	# The bytes of a Callable are the same for all.
	if expected is Callable and found != expected:
		return "expected %s, found %s" % [_short(expected), _short(found)]
	return ""


## The first index at which two lists of values differ, -1 if they are the same. It is fast where they are, so it is for
## many values: arrays compare by type and value, but objects by identity and NaN never, and the bytes tell those apart.
static func first_unequal(found: Array, expected: Array) -> int:
	if found.size() != expected.size():
		return mini(found.size(), expected.size())
	# One that may be nested deeper than the engine compares.
	if found.size() == 1:
		return -1 if difference(found[0], expected[0]).is_empty() else 0
	if _is_same(found, expected):
		return -1
	for i: int in expected.size():
		if not _is_same([found[i]], [expected[i]]):
			if not difference(found[i], expected[i]).is_empty():
				return i
	return -1


static func byte_difference(found: PackedByteArray, expected: PackedByteArray) -> String:
	var at := first_difference(found, expected)
	var text := "%d bytes expected, %d found, first difference at byte %d: expected %s, found %s"
	return text % [expected.size(), found.size(), at, _hex_at(expected, at), _hex_at(found, at)]


## The first offset at which they differ, the shorter one's size if it starts the longer one.
static func first_difference(a: PackedByteArray, b: PackedByteArray) -> int:
	var shorter := mini(a.size(), b.size())
	var at := 0
	while at + BLOCK_LEN <= shorter and a.slice(at, at + BLOCK_LEN) == b.slice(at, at + BLOCK_LEN):
		at += BLOCK_LEN
	while at < shorter and a[at] == b[at]:
		at += 1
	return at


static func _is_same(found: Array, expected: Array) -> bool:
	if found != expected:
		return false
	var bytes := var_to_bytes_with_objects(expected)
	return not bytes.is_empty() and var_to_bytes_with_objects(found) == bytes


## Types that the bytes do not tell apart: an Object that is null is encoded as Nil. No recursion: values may be
## nested deeper than scripts can call.
static func _type_difference(found: Variant, expected: Variant) -> String:
	var left: Array = [found, expected]
	while not left.is_empty():
		var b: Variant = left.pop_back()
		var a: Variant = left.pop_back()
		var type := typeof(b)
		if typeof(a) != type:
			return "expected %s %s, found %s %s" % [type_string(type), _short(b), type_string(typeof(a)), _short(a)]
		if type != TYPE_ARRAY and type != TYPE_DICTIONARY:
			continue
		var a_parts := _parts(a)
		var b_parts := _parts(b)
		if a_parts.size() != b_parts.size():
			return "expected %d elements, found %d" % [b_parts.size(), a_parts.size()]
		for i: int in a_parts.size():
			left.append_array([a_parts[i], b_parts[i]])
	return ""


static func _parts(container: Variant) -> Array:
	if container is Dictionary:
		var dictionary: Dictionary = container
		return dictionary.keys() + dictionary.values()
	return Array(container as Array, TYPE_NIL, &"", null)


static func _hex_at(bytes: PackedByteArray, at: int) -> String:
	var before := bytes.slice(maxi(0, at - CONTEXT_LEN), at).hex_encode()
	return "%s[%s]" % [before, bytes.slice(at, at + CONTEXT_LEN).hex_encode()]


static func _short(value: Variant) -> String:
	var type := typeof(value)
	if type >= TYPE_PACKED_BYTE_ARRAY:
		return type_string(type)
	return str(value).left(60)

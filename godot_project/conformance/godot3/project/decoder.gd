extends Object
# bytes2var() that survives bytes which the engine refuses: those end the function that calls
# bytes2var().

const ARRAY_OF_ONE := [TYPE_ARRAY, 0, 0, 0, 1, 0, 0, 0]


# An array of the value, or an empty one if the engine refuses the bytes.
static func decoded(bytes: PoolByteArray, objects: bool) -> Array:
	var value = _get_var(bytes, objects)
	if typeof(value) != TYPE_NIL and not (typeof(value) == TYPE_OBJECT and value == null):
		return [value]
	# Nothing, or a failure: within an array the two differ.
	var array = _get_var(PoolByteArray(ARRAY_OF_ONE) + bytes, objects)
	return [value] if array is Array else []


# How many bytes the value takes, by the shortest bytes that are enough; each value fills words of
# 4.
static func consumed(bytes: PoolByteArray, objects: bool) -> int:
	var too_few := 0
	var enough := bytes.size()
	while enough - too_few > 1:
		var middle := (too_few + enough) / 2
		if decoded(bytes.subarray(0, middle - 1), objects).empty():
			too_few = middle
		else:
			enough = middle
	return (enough + 3) / 4 * 4


static func _get_var(bytes: PoolByteArray, objects: bool):
	var stream := StreamPeerBuffer.new()
	stream.put_32(bytes.size())
	stream.put_data(bytes)
	stream.seek(0)
	return stream.get_var(objects)

extends RefCounted
## A save game of which every part says of which generation it is, so that one that is made of two,
## or not whole, is found out.

const END := "end"
const MODES: PackedInt32Array = [-1, -1, -1, 2, 1, 3]


## Of a size that the generation decides: from next to nothing to some 20 MB.
static func make(generation: int) -> Array:
	var values: Array = [generation, 0]
	match generation % 7:
		0:
			pass
		1:
			_add_small(values, generation, 200)
		2:
			_add_large(values, generation, 1, 1 << 18)
		3:
			_add_small(values, generation, 20_000)
		4:
			_add_large(values, generation, 60, 20_000)
			_add_small(values, generation, 1000)
		5:
			_add_large(values, generation, 3000, 500)
		6:
			_add_large(values, generation, 20, 1 << 18)
	values.append([generation, END])
	values[1] = values.size()
	return values


static func mode(generation: int) -> int:
	return MODES[generation % MODES.size()]


## The generation of values that are whole and all of one. -1 otherwise.
static func generation_of(values: Array) -> int:
	if values.size() < 3 or not values[0] is int or not values[1] is int:
		return -1
	var generation: int = values[0]
	if values[1] != values.size() or not values[-1] is Array or values[-1] != [generation, END]:
		return -1
	var expected := make(generation)
	for i: int in expected.size():
		if typeof(values[i]) != typeof(expected[i]) or values[i] != expected[i]:
			return -1
	return generation


static func _add_small(values: Array, generation: int, count: int) -> void:
	for i: int in count:
		values.append({"generation": generation, "i": i, "text": "part %d" % i})


static func _add_large(values: Array, generation: int, count: int, size: int) -> void:
	for i: int in count:
		var numbers := PackedInt32Array()
		numbers.resize(size)
		numbers.fill(generation)
		numbers[0] = i
		values.append(numbers)

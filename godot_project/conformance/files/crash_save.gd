extends RefCounted
## A save game of which every part says of which generation it is, so that one that is made of two,
## or not whole, is found out.

const END := "end"
const MODES: PackedInt32Array = [-1, -1, -1, 2, 1, 3]
## How many large parts, how many numbers in each, and how many small parts.
const SIZES: Array[Array] = [
	[0, 0, 0], [0, 0, 200], [1, 1 << 18, 0], [0, 0, 20_000], [60, 20_000, 1000], [3000, 500, 0], [20, 1 << 18, 0]
]


## Of a size that the generation decides: from next to nothing to some 20 MB.
static func make(generation: int) -> Array:
	var values: Array = [generation, 0]
	var size: Array = SIZES[generation % SIZES.size()]
	for i: int in size[0] as int:
		var numbers := PackedInt32Array()
		numbers.resize(size[1] as int)
		numbers.fill(generation)
		numbers[0] = i
		values.append(numbers)
	for i: int in size[2] as int:
		values.append({"generation": generation, "i": i, "text": "part %d" % i})
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

extends RefCounted
## What the cases are given: of each shape a size, and twice and four times as much.

const RECORDS := 1_000
## The engine reads values up to 1,024 levels deep.
const LEVELS := 250
const NESTS := 12
const NEST_WIDTH := 16
const CHAINS := 60
const BYTES := 16_000

const VALUES: Array[StringName] = [&"flat", &"deep", &"packed"]
const BUFFERS: Array[StringName] = [&"flat", &"deep", &"packed", &"keys"]
const PAIRS: Array[StringName] = [&"flat", &"deep", &"packed", &"unlike"]

static var _made: Dictionary[Array, Variant] = {}


## Drops what is kept for other cases of the same shapes.
static func clear() -> void:
	_made.clear()


static func value(shape: StringName, scale: int, edited := false) -> Variant:
	return _kept(_make_value, [shape, scale, edited])


static func buffer(shape: StringName, scale: int) -> PackedByteArray:
	return _kept(_make_buffer, [shape, scale])


## Two buffers that differ here and there, or in all.
static func pair(shape: StringName, scale: int) -> Array:
	var made: Array = [var_to_bytes(value(shape, scale)), var_to_bytes(value(shape, scale, true))]
	return made


## Many values, each of them small.
static func records(scale: int, edited := false) -> Array:
	return value(&"flat", scale, edited)


static func buffers(scale: int) -> Array:
	return records(scale).map(func(record: Dictionary) -> PackedByteArray: return var_to_bytes(record))


static func _kept(make: Callable, arguments: Array) -> Variant:
	var key: Array = [make.get_method()] + arguments
	if not _made.has(key):
		_made[key] = make.callv(arguments)
	return _made[key]


static func _make_value(shape: StringName, scale: int, edited: bool) -> Variant:
	match shape:
		&"flat":
			return _flat(RECORDS * scale, edited)
		&"deep":
			var nests: Array = []
			for index in NESTS:
				nests.append(_nest(LEVELS * scale, index + (1 if edited else 0)))
			return nests
		&"packed":
			return _packed(BYTES * scale, 4, edited)
		_:
			return _packed(BYTES * scale, 256, edited, 1 if edited else 0)


## Records, one in a hundred of which is another one, and one more.
static func _flat(count: int, edited: bool) -> Array:
	var all: Array = []
	for index in count:
		var changed := edited and index % 100 == 50
		all.append({"id": index, "name": "name", "at": Vector2(index, -1.0 if changed else 0.5), "tags": [1, 2]})
	if edited:
		all.insert(count / 2, {"id": -1})
	return all


static func _nest(levels: int, last: int) -> Array:
	var nest: Array = [last]
	for _level in levels - 2:
		var outer: Array = [nest]
		for index in NEST_WIDTH - 1:
			outer.append(index)
		nest = outer
	return nest


## Bytes of few different values, of which the edited ones have another at the start and one more.
static func _packed(count: int, values: int, edited: bool, number := 0) -> PackedByteArray:
	var random := RandomNumberGenerator.new()
	random.seed = number
	var bytes := PackedByteArray()
	bytes.resize(count)
	for index in count:
		bytes[index] = random.randi() % values
	if edited:
		bytes[0] = bytes[0] ^ 1
		bytes.append(7)
	return bytes


static func _make_buffer(shape: StringName, scale: int) -> PackedByteArray:
	return _keys(LEVELS * scale) if shape == &"keys" else var_to_bytes(value(shape, scale))


## A Dictionary whose keys are Dictionaries, whose key is one too, and so on. The engine does not write this.
static func _keys(levels: int) -> PackedByteArray:
	var words: PackedInt32Array = [TYPE_DICTIONARY, CHAINS]
	var heads := PackedInt32Array()
	var values := PackedInt32Array()
	for _level in levels:
		heads.append_array([TYPE_DICTIONARY, 1])
		values.append_array([TYPE_INT, 5])
	for chain in CHAINS:
		words.append_array(heads)
		words.append_array([TYPE_INT, chain])
		words.append_array(values)
		words.append_array([TYPE_INT, chain])
	return words.to_byte_array()

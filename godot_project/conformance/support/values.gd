extends RefCounted
## Representative values of every Variant type, the one list that all suites share.
##
## Special numbers are made from their bits: GDScript merges the constants 0.0 and -0.0 of one
## function, and it has no literal for a NaN with a payload.

const Engines := preload("engine_values.gd")
const Packed := preload("packed_values.gd")

## Number of components of the types that are made of 32-bit floats.
const FLOAT_COMPONENTS: Dictionary[int, int] = {
	TYPE_VECTOR2: 2, TYPE_RECT2: 4, TYPE_VECTOR3: 3, TYPE_TRANSFORM2D: 6, TYPE_VECTOR4: 4, TYPE_PLANE: 4,
	TYPE_QUATERNION: 4, TYPE_AABB: 6, TYPE_BASIS: 9, TYPE_TRANSFORM3D: 12, TYPE_PROJECTION: 16, TYPE_COLOR: 4,
}

## The packed arrays whose elements have the precision of the engine, as those types but Color.
const PACKED_VECTORS: PackedInt32Array = [
	TYPE_PACKED_VECTOR2_ARRAY, TYPE_PACKED_VECTOR3_ARRAY, TYPE_PACKED_VECTOR4_ARRAY
]

## Number of components of the types that are made of 32-bit integers.
const INT_COMPONENTS: Dictionary[int, int] = {TYPE_VECTOR2I: 2, TYPE_RECT2I: 4, TYPE_VECTOR3I: 3, TYPE_VECTOR4I: 4}

const DOUBLE_BITS: PackedStringArray = [
	# 0.0; -0.0; 0.5; 1.0
	"0000000000000000", "8000000000000000", "3fe0000000000000", "3ff0000000000000",
	# -2.0; inf; -inf; NaN
	"c000000000000000", "7ff0000000000000", "fff0000000000000", "7ff8000000000000",
	# -NaN; NaN with a payload; signalling NaN; signalling NaN with the bits that a 32-bit float has
	"fff8000000000000", "7ff8000000012345", "7ff0000000000001", "fff4000020000000",
	# smallest double; largest denormal double; 2^-149, the smallest float; 2^-150, no float
	"0000000000000001", "000fffffffffffff", "36a0000000000000", "3690000000000000",
	# 1.5 * 2^-149, no float; largest denormal float; a bit more, no float; smallest normal float
	"36a8000000000000", "380fffffc0000000", "380fffffe0000000", "3810000000000000",
	# 2^24 - 1; 2^24; 2^24 + 1, no float; FLT_MAX
	"416fffffe0000000", "4170000000000000", "4170000010000000", "47efffffe0000000",
	# -FLT_MAX; the next double; where rounding to float gives inf; DBL_MAX
	"c7efffffe0000000", "47efffffe0000001", "47effffff0000000", "7fefffffffffffff",
	# 0.1; 0.1 as a float; PI; -2^63
	"3fb999999999999a", "3fb99999a0000000", "400921fb54442d18", "c3e0000000000000",
]


static func types() -> PackedInt32Array:
	return PackedInt32Array(range(TYPE_MAX))


static func plain(type: int) -> Variant:
	return RefCounted.new() if type == TYPE_OBJECT else type_convert(null, type)


static func of(type: int) -> Array:
	if FLOAT_COMPONENTS.has(type):
		return _vectors(type, FLOAT_COMPONENTS[type], Packed.FLOAT_BITS)
	if INT_COMPONENTS.has(type):
		return _vectors(type, INT_COMPONENTS[type], Packed.INT_BITS)
	if type >= TYPE_PACKED_BYTE_ARRAY:
		return Packed.of(type)
	match type:
		TYPE_NIL:
			return [null]
		TYPE_BOOL:
			return [false, true]
		TYPE_INT:
			return _ints()
		TYPE_FLOAT:
			return Array(DOUBLE_BITS).map(float_from_bits)
	return Engines.of(type)


static func all() -> Array:
	var values: Array = []
	for type: int in types():
		values.append_array(of(type))
	return values


## [param count] values that change type from one to the next, the same in every run.
static func mixed(count: int) -> Array:
	var pool := all()
	# A step that is prime to the size of the pool visits all of it.
	return range(1, count + 1).map(func(i: int) -> Variant: return pool[i * 7919 % pool.size()])


static func engine_bytes(values: Array, objects := false) -> Array[PackedByteArray]:
	return Array(values.map(var_to_bytes_with_objects if objects else var_to_bytes), TYPE_PACKED_BYTE_ARRAY, &"", null)


## A Dictionary of these keys, and of what [param make] gives for each.
static func keyed(keys: Variant, make: Callable) -> Dictionary:
	var entries := {}
	for key: Variant in keys:
		entries[key] = make.call(key)
	return entries


static func seeded(seed_number: int) -> RandomNumberGenerator:
	var random := RandomNumberGenerator.new()
	random.seed = seed_number
	return random


## The bytes, in which other bytes are in the place of these.
static func replaced(bytes: PackedByteArray, old: PackedByteArray, new: PackedByteArray) -> PackedByteArray:
	return bytes.hex_encode().replace(old.hex_encode(), new.hex_encode()).hex_decode()


## Frees what nobody else would. No recursion: values may be nested deeper than scripts can call.
static func discard(value: Variant) -> void:
	var left: Array = [value]
	while not left.is_empty():
		var part: Variant = left.pop_back()
		if part is Array:
			left.append_array(part as Array)
		elif part is Dictionary:
			left.append_array(part.keys() + part.values())
		elif part is Object and is_instance_valid(part) and not part is RefCounted:
			part.free()


static func float_from_bits(hex: String) -> float:
	var bytes := hex.hex_decode()
	bytes.reverse()
	return bytes.decode_double(0)


static func hex(digits: String) -> PackedByteArray:
	return digits.replace(" ", "").hex_decode()


static func header(type: int) -> PackedByteArray:
	return PackedByteArray([type, 0, 0, 0])


## The bytes of an Array of that type, whatever its elements are.
static func typed_array(type: int, elements: Array) -> PackedByteArray:
	var bytes := u32(TYPE_ARRAY | 1 << 16) + u32(type) + u32(elements.size())
	for element: Variant in elements:
		bytes += var_to_bytes(element)
	return bytes


## The bytes of a NodePath: [param counts] are of names and of subnames, whatever [param parts] are.
static func node_path(counts: Vector2i, flags: int, parts: PackedStringArray) -> PackedByteArray:
	var bytes := header(TYPE_NODE_PATH) + u32(counts.x | 0x80000000) + u32(counts.y & 0xffffffff) + u32(flags)
	for part: String in parts:
		bytes += var_to_bytes(part).slice(4)
	return bytes


static func id_bytes(id: int) -> PackedByteArray:
	return u32(TYPE_OBJECT | 1 << 16) + var_to_bytes(rid_from_int64(id)).slice(4)


## The bytes of an object with properties of these names, which may be what no object has.
static func object(name: String, properties: Dictionary) -> PackedByteArray:
	var bytes := header(TYPE_OBJECT) + var_to_bytes(name).slice(4) + u32(properties.size())
	for property: String in properties:
		bytes += var_to_bytes(property).slice(4) + var_to_bytes(properties[property])
	return bytes


static func u32(number: int) -> PackedByteArray:
	var bytes := PackedByteArray([0, 0, 0, 0])
	bytes.encode_u32(0, number)
	return bytes


static func _ints() -> Array:
	var values: Array = [0]
	for shift: int in [7, 8, 15, 16, 24, 31, 32, 33, 62, 63]:
		for step: int in [-1, 0, 1]:
			values.append((1 << shift) + step)
			values.append(-(1 << shift) + step)
	return values


## Distinct components, then every special number at every place.
static func _vectors(type: int, components: int, specials: PackedInt64Array) -> Array:
	var plain_bytes := header(type)
	for i: int in components:
		if FLOAT_COMPONENTS.has(type):
			plain_bytes.append_array(PackedFloat32Array([(i + 1.25) * (-1 if i % 2 else 1)]).to_byte_array())
		else:
			plain_bytes.append_array(PackedInt32Array([(i + 1) * (-1000003 if i % 2 else 70000)]).to_byte_array())
	var values: Array = [bytes_to_var(plain_bytes)]
	for i: int in components:
		for bits: int in specials:
			var bytes := plain_bytes.duplicate()
			bytes.encode_u32(4 + 4 * i, bits)
			values.append(bytes_to_var(bytes))
	return values

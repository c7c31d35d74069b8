extends RefCounted
## The values to save and load, by name.

const Values = preload("res://bench/values.gd")

const PACKED := "packed"
const MIDDLE := "1,000 x 256 KiB"
const SMALL := "200,000 x 64 B"
const MILLION := "1,000,000 x 64 B"
const SAVE_GAME := "save game"
const VOXELS := "voxels"

const _MIB := 1 << 20
const _LARGE := 4 * _MIB
## The types of large arrays, in turns, as in a world.
const _TYPES: Array[Variant.Type] = [
	TYPE_PACKED_BYTE_ARRAY,
	TYPE_PACKED_FLOAT32_ARRAY,
	TYPE_PACKED_VECTOR3_ARRAY,
	TYPE_PACKED_INT32_ARRAY,
]
## A chunk of voxels: this many in each direction, one byte each.
const _SIDE := 64
const _CHUNKS := 64
const _SURFACE := 4
const _ORE_CHANCE := 0.02


static func make(name: String, mib: int) -> Array:
	match name:
		PACKED:
			return mixed(_LARGE, maxi(mib * _MIB / _LARGE, 1))
		MIDDLE:
			return mixed(_MIB / 4, 1_000)
		SMALL, MILLION:
			var count := name.get_slice(" ", 0).replace(",", "").to_int()
			return Values.batch(TYPE_PACKED_INT32_ARRAY, 64, count)
		SAVE_GAME:
			return Values.save_game()
	return _voxels()


static func title(name: String, mib: int) -> String:
	match name:
		PACKED:
			return "%d x 4 MiB" % maxi(mib * _MIB / _LARGE, 1)
		SAVE_GAME:
			return "20,000 dictionaries"
	return name


## Packed arrays of four types in turns, like large chunks of a world; all differ.
static func mixed(bytes: int, count: int) -> Array:
	var parts: Array[Array] = []
	for type: Variant.Type in _TYPES:
		parts.append(Values.batch(type, bytes, ceili(float(count) / _TYPES.size())))
	var values: Array = []
	for index in count:
		values.append(parts[index % parts.size()][index / parts.size()])
	return values


## Chunks of a hilly world: air over grass, earth, and stone with ore in it.
static func _voxels() -> Array:
	var noise := FastNoiseLite.new()
	noise.seed = 20_260
	var random := RandomNumberGenerator.new()
	random.seed = 20_260
	var values: Array = []
	for index in _CHUNKS:
		var chunk: PackedByteArray = []
		chunk.resize(_SIDE ** 3)
		for column in _SIDE * _SIDE:
			var place := Vector2(index * _SIDE + column % _SIDE, column / _SIDE)
			var ground := roundi((noise.get_noise_2dv(place) + 1.0) * _SIDE / 2.0)
			_fill(chunk, column * _SIDE, clampi(ground, 1, _SIDE), random)
		values.append(chunk)
	return values


static func _fill(
	chunk: PackedByteArray, start: int, ground: int, random: RandomNumberGenerator
) -> void:
	for y in ground:
		chunk[start + y] = 2 if y >= ground - _SURFACE else 1
	chunk[start + ground - 1] = 3
	for _ore in int(ground * _ORE_CHANCE * 2.0 * random.randf() + 0.5):
		chunk[start + random.randi_range(0, ground - 1)] = random.randi_range(4, 8)

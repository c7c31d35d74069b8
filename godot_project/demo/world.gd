extends RefCounted
## A world of chunks, the same for the same seed. A chunk is saved as four packed arrays, one after
## the other in one flat Array: the batch that the demo encodes.

const SIDE := 16
## The values of a chunk: blocks, heights, spawn points, names.
const VALUES_PER_CHUNK := 4
const BLOCKS := 0
const HEIGHTS := 1
## Chunks per row of the world.
const ROW := 32
const SEA_LEVEL := 6

const SPAWN_COUNT := 64
const NAME_COUNT := 16
const _AIR := 0
const _STONE := 1
const _GRASS := 2
const _WATER := 3
## Parts of place names, one script each.
const _SYLLABLES: Array[Array] = [
	["ald", "brin", "cor", "dun", "fell", "gar", "holm", "wick", "mere", "thorpe"],
	["å", "ø", "fjörð", "ðal", "vík", "straße", "île", "peña", "łąka", "žemė"],
	["Αθ", "ήνα", "Δελ", "φοί", "Κόρ", "ινθος", "Μυκ", "ῆναι", "Ἰθά", "κη"],
	["нов", "город", "бел", "гора", "каменка", "ский", "лес", "озеро", "київ", "яр"],
	["山", "川", "森", "谷", "京", "さくら", "みず", "ヤマ", "橋", "島"],
	["한강", "산", "마을", "서울", "바다", "숲", "길", "섬", "고개", "들"],
	["وادي", "جبل", "بحر", "قصر", "نور", "باب", "عين", "رمل", "تل", "دار"],
	["🌲", "🏔️", "🌊", "🏰", "🔥", "Camp ", "Port ", "Mt. ", "№ ", "№ 7 "],
]

## The batch: the four values of the first chunk, of the second, and so on.
var values: Array = []
## The blocks of a column of ground, by height.
var columns: Array[PackedByteArray] = []

var _chunk_count: int
var _seed: int
var _noise := FastNoiseLite.new()


func _init(chunk_count: int, world_seed: int) -> void:
	_chunk_count = chunk_count
	_seed = world_seed
	_noise.seed = world_seed
	_noise.frequency = 0.007
	_noise.fractal_octaves = 4
	for ground in SIDE + 1:
		columns.append(_column(ground))


## Makes some more chunks; returns true if more remain.
func grow(count: int) -> bool:
	for _chunk in count:
		if made() == _chunk_count:
			break
		_add_chunk(made())
	return made() < _chunk_count


## The number of chunks made so far.
func made() -> int:
	return values.size() / VALUES_PER_CHUNK


func _add_chunk(index: int) -> void:
	var random := RandomNumberGenerator.new()
	random.seed = hash([_seed, index])
	var corner := Vector2i(index % ROW, index / ROW) * SIDE
	var heights: PackedFloat32Array = []
	var blocks: PackedByteArray = []
	for z in SIDE:
		for x in SIDE:
			var height := (_noise.get_noise_2d(corner.x + x, corner.y + z) * 0.9 + 0.45) * SIDE
			heights.append(height)
			blocks.append_array(columns[clampi(roundi(height), 0, SIDE)])
	values.append_array([blocks, heights, _spawn_points(random, corner, heights), _names(random)])


func _column(ground: int) -> PackedByteArray:
	var column: PackedByteArray = []
	for y in SIDE:
		if y < ground - 1:
			column.append(_STONE)
		elif y < ground:
			column.append(_GRASS if ground > SEA_LEVEL else _STONE)
		else:
			column.append(_WATER if y < SEA_LEVEL else _AIR)
	return column


func _spawn_points(
	random: RandomNumberGenerator, corner: Vector2i, heights: PackedFloat32Array
) -> PackedVector3Array:
	var points: PackedVector3Array = []
	for _point in SPAWN_COUNT:
		var place := random.randi_range(0, heights.size() - 1)
		var x := corner.x + place % SIDE + random.randf()
		points.append(Vector3(x, heights[place] + 1.0, corner.y + place / SIDE + random.randf()))
	return points


func _names(random: RandomNumberGenerator) -> PackedStringArray:
	var names: PackedStringArray = []
	for _name in NAME_COUNT:
		var syllables: Array = _SYLLABLES[random.randi_range(0, _SYLLABLES.size() - 1)]
		var name := ""
		for _part in random.randi_range(2, 4):
			name += syllables[random.randi_range(0, syllables.size() - 1)]
		names.append(name)
	return names

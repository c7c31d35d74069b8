extends RefCounted
## What games hold beside blocks, made anew at each call and the same for the same seed: an Array
## with one value for each region of the map. No two values share memory.

## Heights, normals, colors and ids of a region.
const POINTS := 64 * 64
const NAME_COUNT := 256
const SLOT_COUNT := 64
const _PARTS: Array[String] = [
	"Ald", "brin", "fell", "Gar", "wick", "Łąka", "vík", "Αθή", "лес", "山"
]
const _ITEMS: Array[String] = ["torch", "iron sword", "healing potion", "arrow", "map of the north"]


static func heights(count: int, world_seed: int) -> Array:
	var random := _random(world_seed)
	var all: PackedFloat32Array = []
	all.resize(POINTS + count)
	for at in all.size():
		all[at] = random.randf_range(-40.0, 160.0)
	return _regions(all, count)


static func normals(count: int, world_seed: int) -> Array:
	var random := _random(world_seed)
	var all: PackedVector3Array = []
	all.resize(POINTS + count)
	for at in all.size():
		all[at] = Vector3(random.randf() - 0.5, 1.0, random.randf() - 0.5).normalized()
	return _regions(all, count)


static func colors(count: int, world_seed: int) -> Array:
	var random := _random(world_seed)
	var all: PackedColorArray = []
	all.resize(POINTS + count)
	for at in all.size():
		all[at] = Color.from_hsv(random.randf(), 0.5, 0.8)
	return _regions(all, count)


static func ids(count: int, world_seed: int) -> Array:
	var random := _random(world_seed)
	var all: PackedInt32Array = []
	all.resize(POINTS + count)
	for at in all.size():
		all[at] = random.randi_range(0, 1_000_000)
	return _regions(all, count)


static func names(count: int, world_seed: int) -> Array:
	var random := _random(world_seed)
	var regions: Array = []
	for _region in count:
		var region: PackedStringArray = []
		region.resize(NAME_COUNT)
		for at in NAME_COUNT:
			var number := random.randi()
			region[at] = "%s%s %d" % [_part(number), _part(number / 16), number % 1000]
		regions.append(region)
	return regions


static func inventories(count: int, world_seed: int) -> Array:
	var random := _random(world_seed)
	var regions: Array = []
	for _region in count:
		var slots: Array[Dictionary] = []
		for slot in SLOT_COUNT:
			var item := {
				"item": _ITEMS[random.randi() % _ITEMS.size()],
				"count": random.randi_range(1, 99),
				"durability": random.randf(),
				"slot": Vector2i(slot % 8, slot / 8),
				"is_equipped": slot == 0,
			}
			slots.append(item)
		regions.append(slots)
	return regions


static func _random(world_seed: int) -> RandomNumberGenerator:
	var random := RandomNumberGenerator.new()
	random.seed = world_seed
	return random


## Returns a copy of another part of the packed array [param all] for each region.
static func _regions(all: Variant, count: int) -> Array:
	var regions: Array = []
	for region in count:
		regions.append(all.slice(region, region + POINTS))
	return regions


static func _part(number: int) -> String:
	return _PARTS[number % _PARTS.size()]

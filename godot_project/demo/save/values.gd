extends RefCounted
## The values to save: packed arrays of 1 MiB, of four types in turn, like large chunks of a world.

const MIB := 1 << 20

var values: Array = []

var _count: int
var _seed: int
var _models: Array = []


func _init(count: int, values_seed: int) -> void:
	_count = count
	_seed = values_seed


## Makes some more; returns true if more remain.
func grow(count: int) -> bool:
	if _models.is_empty():
		_make_models()
		return true
	for index in range(values.size(), mini(values.size() + count, _count)):
		values.append(_value(index))
	return values.size() < _count


## Each is a copy of its model that contains its number, so that all differ.
func _value(index: int) -> Variant:
	match index % 4:
		0:
			var blocks: PackedByteArray = _models[0].duplicate()
			blocks.encode_u32(0, index)
			return blocks
		1:
			var heights: PackedFloat32Array = _models[1].duplicate()
			heights[heights.size() - 1] = index
			return heights
		2:
			var points: PackedVector3Array = _models[2].duplicate()
			points[points.size() / 2] = Vector3(index, index, index)
			return points
	var indices: PackedInt32Array = _models[3].duplicate()
	indices[0] = index
	return indices


func _make_models() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = _seed
	var indices: PackedInt32Array = []
	indices.resize(MIB / 4)
	for at in indices.size():
		indices[at] = random.randi() & 0x7fffffff
	var heights: PackedFloat32Array = []
	heights.resize(MIB / 4)
	for at in heights.size():
		heights[at] = sin(at * 0.001) * 64.0
	var points: PackedVector3Array = []
	points.resize(MIB / 12)
	for at in points.size():
		points[at] = Vector3(at % 256, heights[at], at / 256)
	_models = [indices.to_byte_array(), heights, points, indices]

extends Reference
# The values of a save game as Godot 3 games write them, each for one store_var(). Floats have few
# digits, so that var2str() tells them exactly.

var _first: Array
var _entities: int


# The game with so many entities; if asked for, values with objects by id, and with objects by class
# and properties.
func _init(entities: int, ids: bool, objects: bool) -> void:
	_entities = entities
	_first = [_player(), _world(), _settings(), RID(), null, true, 3000000000, "Ende gut 😀"]
	if ids:
		_first += [Reference.new(), {"target": Reference.new(), "targets": [null, Reference.new()]}]
	if objects:
		var named := Resource.new()
		named.resource_name = "Schlüssel"
		var marked := Reference.new()
		marked.set_meta("tags", ["a", 1, Vector2(1, 2)])
		_first += [Reference.new(), named, {"curve": Curve.new(), "marked": [marked, null]}]


func size() -> int:
	return _first.size() + _entities


# One is made after the other: the engine has room for 65535 pool arrays at a time.
func at(index: int):
	return _first[index] if index < _first.size() else _entity(index - _first.size())


static func _player() -> Dictionary:
	var turned := Basis(Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0))
	return {
		"name": "Zoë 日本",
		"seed": 0x0102030405060708,
		"transform": Transform(turned, Vector3(1.5, 2, -3)),
		"aim": Quat(0, 0.6, 0, 0.8),
		"speed": 0.1,
		"health": 87.5,
		"target": null,
		"camera": NodePath("../Camera:fov"),
		"door": NodePath("/root/Main/Level/Door 1"),
		"inventory": [{"item": "potion", "count": 3, "tint": Color(1, 0.5, 0.25)}, PoolByteArray([1])],
		"abilities": PoolStringArray(["jump", "", "dash", "größer"]),
	}


static func _world() -> Dictionary:
	return {
		"size": Rect2(0, 0, 64, 32),
		"view": Transform2D(Vector2(2, 0), Vector2(0, 2), Vector2(-16, 8)),
		"floor": Plane(0, 1, 0, -2),
		"bounds": AABB(Vector3(-1, -2, -3), Vector3(4, 5, 6)),
		"axes": Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		"tiles": PoolIntArray(range(-30, 30)),
		"seen": PoolByteArray(range(61)),
		"heights": PoolRealArray([0.5, -1.25, 100]),
		"points": PoolVector3Array([Vector3(1, 2, 3), Vector3(-1, -2, -3)]),
		"palette": PoolColorArray([Color(1, 0, 0), Color(0, 0.5, 1, 0.25)]),
		Vector2(3, 4): "a key that is a vector",
		7: ["a key that is an int", {}],
	}


static func _settings() -> Array:
	return [Color(0.25, 0.5, 0.75), NodePath(""), [], {}, PoolStringArray(), [[1, [2, [3, [4]]]]]]


static func _entity(i: int) -> Dictionary:
	return {
		"id": i,
		"kind": ["bat", "slime", "ghost"][i % 3],
		"position": Vector3(i % 64, 0.5, i / 64),
		"health": 100 - i % 100,
		"path": NodePath("Entities/%d" % i),
		"way": PoolVector2Array([Vector2(i % 7, 1), Vector2(2, i % 5)]),
	}

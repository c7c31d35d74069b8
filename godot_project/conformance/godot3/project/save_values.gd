extends Reference
# The values of a save game as Godot 3 games write them, each for one store_var(): to be gone
# through with "for". Floats have few digits, so that var2str() tells them exactly.

var _first: Array
var _entities: int
var _at: int


# The game with so many entities; if asked for, values with objects by id, and with objects by class
# and properties.
func _init(entities: int, ids: bool, objects: bool) -> void:
	_entities = entities
	_first = [
		_header(), _player(), _world(), _settings(), RID(), null, true, 3000000000, "Ende gut 😀"
	]
	if ids:
		_first += _with_ids()
	if objects:
		_first += _with_objects()


func size() -> int:
	return _first.size() + _entities


# One after the other: the engine has room for 65535 pool arrays at a time.
func _iter_init(_state: Array) -> bool:
	_at = 0
	return _at < size()


func _iter_next(_state: Array) -> bool:
	_at += 1
	return _at < size()


func _iter_get(_state):
	return _first[_at] if _at < _first.size() else _entity(_at - _first.size())


static func _with_ids() -> Array:
	return [Reference.new(), {"target": Reference.new(), "targets": [null, Reference.new()]}]


static func _with_objects() -> Array:
	var named := Resource.new()
	named.resource_name = "Schlüssel"
	var marked := Reference.new()
	marked.set_meta("tags", ["a", 1, Vector2(1, 2)])
	return [Reference.new(), named, {"curve": Curve.new(), "marked": [marked, null]}]


static func _header() -> Dictionary:
	return {
		"version": 3,
		"game": "The Cave",
		"scene": "res://levels/cave.tscn",
		"seed": 0x0102030405060708,
		"played": 1234.5,
		"date": {"year": 2021, "month": 11, "day": 30},
	}


static func _player() -> Dictionary:
	return {
		"name": "Zoë 日本",
		"transform":
		Transform(
			Basis(Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0)), Vector3(1.5, 2, -3)
		),
		"aim": Quat(0, 0.6, 0, 0.8),
		"health": 87.5,
		"speed": 0.1,
		"alive": true,
		"gold": 123456,
		"target": null,
		"camera": NodePath("../Camera:fov"),
		"door": NodePath("/root/Main/Level/Door 1"),
		"inventory":
		[
			{"item": "key", "count": 1},
			{"item": "potion", "count": 3, "tint": Color(1, 0.5, 0.25)},
			{"item": "map", "seen": PoolByteArray([1, 0, 1])},
		],
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
		"way": PoolVector2Array([Vector2(1, 2), Vector2(3, 4)]),
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

extends "numbers.gd"
## The same with what has no numbers: arrays and Dictionaries that are shorter than what the engine stores, or of other types,
## and texts that nest. What ends the engine belongs into rust/plugin/src/value/costs.txt, with what it must be instead.
##
##     godot --headless --path godot_project res://conformance/all.tscn -- --long hostile/shapes

## What fills objects of which new ones store nothing that could be shorter.
var _calls: Dictionary[StringName, Array] = {
	&"Animation": [
		["add_track", 6], ["bezier_track_insert_key", 0, 0.0, 1.0], ["bezier_track_insert_key", 0, 1.0, 1.0], ["add_track", 0],
		["track_insert_key", 1, 0.0, 1], ["add_track", 5], ["track_insert_key", 2, 0.0, {"method": &"a", "args": []}], ["add_track", 8],
		["animation_track_insert_key", 3, 0.0, &"a"], ["add_track", 7], ["audio_track_insert_key", 4, 0.0, AudioStreamWAV.new()],
		["add_track", 1], ["position_track_insert_key", 5, 0.0, Vector3.ONE], ["add_track", 2], ["add_track", 3], ["add_track", 4],
	],
	&"ArrayMesh": [["add_blend_shape", "a"], ["add_surface_from_arrays", 3, arrays(13), [arrays(3)]]],
	&"BitMap": [["create", Vector2i(4, 4)]],
	&"Curve": [["add_point", Vector2.ZERO], ["add_point", Vector2.ONE]],
	&"Curve2D": [["add_point", Vector2.ZERO], ["add_point", Vector2.ONE]],
	&"Curve3D": [["add_point", Vector3.ZERO], ["add_point", Vector3.ONE]],
	&"ImporterMesh": [["add_surface", 3, arrays(13)]],
	&"NavigationMesh": [["set_vertices", arrays(1)[0]], ["add_polygon", PackedInt32Array([0, 1, 2])]],
	&"PackedDataContainer": [["pack", [1, [2, "a"], {"a": 3}]]],
	&"PolygonPathFinder": [["setup", PackedVector2Array([Vector2.ZERO, Vector2.ONE, Vector2.UP]), PackedInt32Array([0, 1, 1, 2, 2, 0])]],
	&"Skeleton3D": [["add_bone", "a"], ["add_bone", "b"]],
	&"SpriteFrames": [["add_frame", &"default", PlaceholderTexture2D.new()]],
	&"TileMapLayer": [["set_cell", Vector2i.ZERO, 0, Vector2i.ZERO]],
	&"TileMapPattern": [["set_cell", Vector2i.ZERO, 0, Vector2i.ZERO]],
	&"TileSet": [
		["set_source_level_tile_proxy", 0, 1], ["set_coords_level_tile_proxy", 0, Vector2i.ZERO, 1, Vector2i.ONE],
		["set_alternative_level_tile_proxy", 0, Vector2i.ZERO, 0, 1, Vector2i.ONE, 0],
	],
	&"Translation": [["add_message", &"a", &"b"]],
}
## Values of other types and shapes.
var _others: Array = [
	null, 1, "a", [], [null], [1], [1, 2], [[], []], [[1, 2, 3], [4, 5]], [{}], ["a"], [Resource.new()], {}, {"a": 1}, {1: []},
	Resource.new(), PackedByteArray([1]), PackedInt32Array([1]), PackedInt32Array([100_000_000, -1, 3]), PackedStringArray(["a"]),
	PackedFloat32Array([1]), PackedVector2Array([Vector2.ONE]), PackedVector3Array([Vector3.ONE]),
	PackedInt32Array([2, 0, 4, 4, 4, 4, 4]).to_byte_array(),
]


static func arrays(count: int) -> Array:
	var made := filled(count)
	made[Mesh.ARRAY_VERTEX] = PackedVector3Array([Vector3.ZERO, Vector3.ONE, Vector3.UP])
	if count > Mesh.ARRAY_INDEX:
		made[Mesh.ARRAY_INDEX] = PackedInt32Array([0, 1, 2])
	return made


func _made(of: StringName) -> Object:
	var object := super(of)
	for filled_class: StringName in _calls:
		if object.is_class(filled_class):
			for each: Array in _calls[filled_class]:
				object.callv(each[0] as StringName, each.slice(1))
	return object


func _trials(of: StringName, property: String, value: Variant) -> Array[Array]:
	var texts: Array = []
	if of == &"RichTextLabel":
		texts = ["[b]".repeat(50_000), "[table=99999999]"]
	elif not (value is String and (ClassDB.is_parent_class(of, &"Node") or of == &"TextMesh")):
		# Texts that are shown take long.
		texts = ["(".repeat(50_000), "{".repeat(50_000)]
	var trials: Array[Array] = []
	if typeof(value) in [TYPE_NIL, TYPE_STRING, TYPE_OBJECT] or typeof(value) >= TYPE_DICTIONARY:
		for shape: Variant in _others + _shapes(value, 4) + texts:
			trials.append([property, shape])
	return trials


func _shapes(value: Variant, depth: int) -> Array:
	var found: Array = []
	if value is Dictionary or typeof(value) == TYPE_ARRAY and not (value as Array).is_typed():
		for key: Variant in value if value is Dictionary else range(mini((value as Array).size(), 12)):
			for shape: Variant in _others + (_shapes(value[key], depth - 1) if depth else []):
				found.append(value.duplicate())
				found[-1][key] = shape
			if value is Dictionary:
				found.append(value.duplicate())
				(found[-1] as Dictionary).erase(key)
	elif value is int:
		found = [-1, 0, 1 << 30]
	if typeof(value) >= TYPE_ARRAY:
		for size: int in [0, 1, value.size() - 1, value.size() + 1, value.size() * 100]:
			found.append(value.duplicate())
			found[-1].resize(maxi(size, 0))
	return found

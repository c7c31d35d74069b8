extends "undo_base.gd"
## The one path that covers a change inside a math type, for each component of each type.

## Values and the paths of their components, as scripts write them.
const PLACES: Dictionary[Variant, String] = {
	Vector2(1, 2): "x y",
	Vector2i(1, 2): "x y",
	Rect2(1, 2, 3, 4): "position:x position:y size:x size:y",
	Rect2i(1, 2, 3, 4): "position:x position:y size:x size:y",
	Vector3(1, 2, 3): "x y z",
	Vector3i(1, 2, 3): "x y z",
	Vector4(1, 2, 3, 4): "x y z w",
	Vector4i(1, 2, 3, 4): "x y z w",
	Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)): "x:x x:y y:x y:y origin:x origin:y",
	Plane(1, 2, 3, 4): "normal:x normal:y normal:z d",
	Quaternion(1, 2, 3, 4): "x y z w",
	AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)): "position:x position:y position:z size:x size:y size:z",
	Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)): "x:x x:y x:z y:x y:y y:z z:x z:y z:z",
	Transform3D(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9), Vector3(10, 11, 12)):
	(
		"basis:x:x basis:x:y basis:x:z basis:y:x basis:y:y basis:y:z basis:z:x basis:z:y basis:z:z"
		+ " origin:x origin:y origin:z"
	),
	Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 1, 2, 3), Vector4(4, 5, 6, 7)):
	"x:x x:y x:z x:w y:x y:y y:z y:w z:x z:y z:z z:w w:x w:y w:z w:w",
	Color(0.1, 0.2, 0.3, 0.4): "r g b a",
}


## One component alone has its own path, two as much of their paths as they share, all have none.
func test_components() -> void:
	for value: Variant in PLACES:
		var places := PLACES[value].split(" ")
		_check_changed(value, places, "")
		for one: String in places:
			for other: String in places:
				_check_changed(value, [one] if one == other else [one, other], _shared(one, other))


## Every type that has components is in the table.
func test_table_is_complete() -> void:
	var types: Array = PLACES.keys().map(func(value: Variant) -> int: return typeof(value))
	for type: int in range(TYPE_VECTOR2, TYPE_COLOR + 1):
		check(type in types, "no paths of %s" % type_string(type))


## Another type is all of the value.
func test_other_types() -> void:
	var pairs: Array = PLACES.keys().map(func(value: Variant) -> Array: return [value, 1])
	pairs.append([Vector2(1, 2), Vector2i(1, 3)])
	pairs.append([Quaternion(1, 2, 3, 4), Vector4(1, 2, 3, 5)])
	pairs.append([[Vector2(1, 2)], [Vector2(1, 3)]])
	for pair: Array in pairs:
		check(change(pair[0], pair[1]).get("property") == "value", "%s to %s" % pair)


## Names of properties that are no names of a path.
func test_odd_names() -> void:
	var odd := Listed.new()
	odd.extra = ["plain", "group/inner", "a:b", "a//b", "/c", "d/"]
	for property: String in odd.extra:
		odd.values[property] = Vector2(1, 2)
	recorder.record(odd)
	for property: String in odd.extra:
		odd.values[property] = Vector2(1, 3)
	var expected: PackedStringArray = ["plain:y: 2.0 > 3.0", "group/inner:y: 2.0 > 3.0"]
	for property: String in odd.extra.slice(2):
		expected.append(property + ": Vector2(1, 2) > Vector2(1, 3)")
	check_flush(expected, "odd names")
	check(odd.get_indexed("group/inner:y") == 3.0, "a path with a group")


func _check_changed(value: Variant, places: PackedStringArray, expected: String) -> void:
	var what := "%s of %s" % [places, type_string(typeof(value))]
	var object := box(value)
	recorder.record(object)
	for place: String in places:
		var path := NodePath("value:" + place)
		object.set_indexed(path, object.get_indexed(path) + 40)
	var after := var_to_bytes(object.value)
	var found := recorder.flush()
	check_int(found.size(), 1, "modifications, %s" % what)
	if found.size() != 1:
		return
	var path := "value" if expected.is_empty() else "value:" + expected
	check(found[0].property == path, "%s: %s instead of %s" % [what, found[0].property, path])
	check_and_undo(found, object, ["object", "property", "old", "new"])
	check_exact(object.value, value, "old set, %s" % what)
	object.set_indexed(path, found[0].new)
	check_bytes(var_to_bytes(object.value), after, "new set, %s" % what)


func _shared(one: String, other: String) -> String:
	var names := PackedStringArray()
	for name: String in one.split(":"):
		if other.get_slice(":", names.size()) != name:
			break
		names.append(name)
	return ":".join(names)

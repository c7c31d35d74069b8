@tool
extends Resource
## A script for the editor: which properties are stored, and which there are, depends on others.

@export_enum("circle", "polygon") var form := 0:
	set(value):
		form = value & 1
		notify_property_list_changed()
@export var radius := 1.0
@export var points: PackedVector2Array = []:
	set(value):
		points = value.slice(0, 4)
		notify_property_list_changed()


func _validate_property(property: Dictionary) -> void:
	if property.name == ("radius" if form else "points"):
		property.usage &= ~PROPERTY_USAGE_STORAGE


func _get_property_list() -> Array[Dictionary]:
	var list: Array[Dictionary] = []
	for i: int in points.size():
		var usage := PROPERTY_USAGE_STORAGE if i % 2 else PROPERTY_USAGE_DEFAULT
		list.append({"name": "point_%d/at" % i, "type": TYPE_VECTOR2, "usage": usage})
	return list


func _get(property: StringName) -> Variant:
	return points[_index(property)] if _index(property) < points.size() else null


func _set(property: StringName, value: Variant) -> bool:
	var index := _index(property)
	if index >= 4 or not value is Vector2:
		return false
	if index >= points.size():
		points.resize(index + 1)
	points[index] = value
	return true


func _index(property: StringName) -> int:
	return property.get_slice("_", 1).to_int() if property.begins_with("point_") else 4

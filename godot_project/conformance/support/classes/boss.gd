extends "enemy.gd"
## An enemy that has properties of its own making, and takes one of its base for itself.

@export var phases: Array[Array] = []
var extra := {}


func _get_property_list() -> Array[Dictionary]:
	var list: Array[Dictionary] = [{"name": "Boss", "type": TYPE_NIL, "usage": PROPERTY_USAGE_GROUP}]
	for key: StringName in extra:
		list.append({"name": key, "type": typeof(extra[key])})
	return list


func _get(property: StringName) -> Variant:
	if property == &"z_index":
		return 3
	return extra.get(property)


func _set(property: StringName, value: Variant) -> bool:
	if property == &"y_sort_enabled":
		extra[&"sorted"] = value
		return true
	if property.begins_with("extra"):
		extra[property] = value
		return true
	return false

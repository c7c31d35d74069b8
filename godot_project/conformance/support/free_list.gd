extends RefCounted
## A script that lists what it holds.

var held := {}

static var shared := "untouched"


func _get_property_list() -> Array[Dictionary]:
	return [{"name": "held", "type": TYPE_DICTIONARY, "usage": PROPERTY_USAGE_STORAGE}]


func _set(property: StringName, value: Variant) -> bool:
	if not property.begins_with("any_"):
		return false
	held[property] = value
	return true

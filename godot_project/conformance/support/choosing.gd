extends Node
## Says itself what it stores, which differs with its mode.

## Stored in mode 1, which is set behind it.
var early: Variant = "early"
@export var mode := 0
var later: Variant = "later"
## In a list once more.
var again := 0
var changed := 1
## In a list, and never stored.
var cache := "untouched"
var offered: PackedStringArray = []

static var shared := "untouched"


func _get_property_list() -> Array[Dictionary]:
	return [{"name": "again", "type": TYPE_INT, "usage": PROPERTY_USAGE_STORAGE}]


func _validate_property(property: Dictionary) -> void:
	if property.name in ["changed", "name"] or mode == 1 and property.name in ["early", "later"]:
		property.usage |= PROPERTY_USAGE_STORAGE


func _set(property: StringName, _value: Variant) -> bool:
	offered.append(property)
	return false

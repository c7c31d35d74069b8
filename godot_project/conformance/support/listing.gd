extends Resource
## A script whose objects list what they hold, which differs from object to object.

@export var number := 1
@export var hidden := "not always stored"

var held := {}
var hides := false


func _get_property_list() -> Array[Dictionary]:
	var list: Array[Dictionary] = []
	for key: String in held:
		list.append({"name": key, "type": TYPE_NIL, "usage": PROPERTY_USAGE_STORAGE})
	return list


func _validate_property(property: Dictionary) -> void:
	if hides and property.name == "hidden":
		property.usage = PROPERTY_USAGE_NONE


func _get(property: StringName) -> Variant:
	return held.get(property)


func _set(property: StringName, value: Variant) -> bool:
	held[String(property)] = value
	return true

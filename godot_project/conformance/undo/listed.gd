extends RefCounted
## An object whose list of properties is made by its script.

@export_storage var value: Variant = 1
var is_hidden := false
var extra: PackedStringArray = []
var values := {}


func _get_property_list() -> Array[Dictionary]:
	var list: Array[Dictionary] = []
	for property: String in extra:
		list.append({"name": property, "type": TYPE_NIL, "usage": PROPERTY_USAGE_STORAGE})
	return list


func _validate_property(property: Dictionary) -> void:
	if is_hidden and property.name == "value":
		property.usage = PROPERTY_USAGE_NONE


func _get(property: StringName) -> Variant:
	return values.get(property, 0) if property in extra else null

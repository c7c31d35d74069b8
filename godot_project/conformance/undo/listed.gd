extends RefCounted
## An object whose list of properties is made by its script.

@export_storage var value: Variant = 1
var is_hidden := false
## The names of properties that can be set. If they are kept, they are stored as well, after these
## properties; what is no longer one of them has no value then.
var extra: PackedStringArray = []
var keeps_extra := false
var values := {}


func _get_property_list() -> Array[Dictionary]:
	var list: Array[Dictionary] = []
	for property: String in extra + PackedStringArray(["names"] if keeps_extra else []):
		list.append({"name": property, "type": TYPE_NIL, "usage": PROPERTY_USAGE_STORAGE})
	return list


func _validate_property(property: Dictionary) -> void:
	if is_hidden and property.name == "value":
		property.usage = PROPERTY_USAGE_NONE


func _get(property: StringName) -> Variant:
	if property == &"names":
		return extra
	return values.get(property, 0) if property in extra else null


func _set(property: StringName, new: Variant) -> bool:
	if property == &"names":
		extra = new
		for other: String in values.keys():
			if not other in extra:
				values.erase(other)
	elif property in extra:
		values[property] = new
	else:
		return false
	return true

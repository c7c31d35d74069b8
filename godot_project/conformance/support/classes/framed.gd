@tool
extends StyleBoxFlat
## Stores what its class does not, and the other way round.

@export_color_no_alpha var glow := Color.RED


func _validate_property(property: Dictionary) -> void:
	if property.name.begins_with("border_"):
		property.usage = PROPERTY_USAGE_NONE
	elif property.name == "resource_path":
		property.usage |= PROPERTY_USAGE_STORAGE if glow == Color.RED else 0

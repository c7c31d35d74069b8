extends RefCounted
## An object with a script of its own. With full objects the engine stores the script's path.

@export var number := 1
@export var words: PackedStringArray = []
## Of any type, so that objects can hold containers and other objects.
@export_storage var content: Variant

extends Resource
## A class that bytes may make where it is listed. It counts how many there were.

@export var number := 1
@export var title := "item"
@export var parts: Array[Resource] = []
@export_storage var content: Variant

## Not stored.
var _secret := "untouched"

static var made := 0


func _init() -> void:
	made += 1

extends Node2D
## A node whose setters depend on their order.

const Item := preload("item.gd")

@export var most := 10
@export var health := 10:
	set(value):
		health = mini(value, most)
		position.x += 1
@export var loot: Array[Item] = []
@export var friend: Node
@export var path: NodePath
@export_storage var content: Variant


## Nobody needs to give these.
func _init(start := 7, _other: Variant = null) -> void:
	most = start

extends "item.gd"
## An item with resources inside, one of them made anew by each getter.

const Item := preload("item.gd")

@export var blade: Resource
@export var hilt: Item
@export var edges: Array[Curve] = []
@export var made_of: Array[Item] = []
@export_storage var spare: Gradient:
	get:
		var made := Gradient.new()
		made.offsets = PackedFloat32Array([0, weight])
		return made

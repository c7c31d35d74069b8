extends "saved_item.gd"
## A class that extends a listed one, and so is none.

@export var more := 2

static var children := 0


func _init() -> void:
	super()
	children += 1

extends Node
## A plain node that keeps the order in which its properties are set.

@export_storage var order: PackedStringArray = []
@export var first := 1:
	set(value):
		first = value
		order.append("first")
@export var second: Variant:
	set(value):
		second = value
		order.append(type_string(typeof(value)))
@export var third: Dictionary = {}

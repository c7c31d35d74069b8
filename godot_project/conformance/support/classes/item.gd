extends Resource
## A resource as games have them. Setters keep to limits, and one of them changes another property.

const Counted := preload("counted.gd")

enum Kind { TOOL, FOOD, KEY }

@export var title := "":
	set(value):
		title = value.left(12)
@export_range(0, 99) var amount := 1:
	get:
		return mini(amount, 99)
	set(value):
		amount = clampi(value, 0, 99)
		weight = maxf(weight, 0.5 * amount)
@export var weight := 0.5
@export var kind := Kind.FOOD
@export_group("More")
@export var tags: Array[String] = []
@export var icon: Texture2D
@export var prices: Dictionary[StringName, float] = {&"shop": 1.5}
## Not stored.
var uses := 0


func _init() -> void:
	Counted.add(1)


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		Counted.add(-1)

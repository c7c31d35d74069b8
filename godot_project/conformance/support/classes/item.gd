extends Resource
## A resource as games have them. Setters keep to limits, and one of them changes another property.

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

## How many items there are. One thread may make some while another frees some.
static var _alive := 0
static var _mutex := Mutex.new()


func _init() -> void:
	_add(1)


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		_add(-1)


static func alive() -> int:
	return _alive


static func _add(count: int) -> void:
	_mutex.lock()
	_alive += count
	_mutex.unlock()

extends RefCounted
## One stored property of any type, one that is not stored, and a getter and a setter that may do anything.

static var on_get := Callable()
static var on_set := Callable()

@export_storage var value: Variant = null
@export_storage var other: Variant = 0
@export_storage var watched: Variant = 0:
	get:
		if on_get.is_valid():
			on_get.call(self)
		return watched
	set(new):
		watched = new
		if on_set.is_valid():
			on_set.call(self)
var passing := 1
var at := Vector2()


static func reset() -> void:
	on_get = Callable()
	on_set = Callable()

extends RefCounted
## An object whose script runs while it is encoded, decoded and freed, and does what a test asks for.

static var on_init: Callable
static var on_get: Callable
static var on_set: Callable
static var on_free: Callable
static var calls := 0

@export var number := 0
@export_storage var watched: Variant:
	get:
		run(on_get)
		return watched
	set(value):
		watched = value
		run(on_set)


func _init() -> void:
	run(on_init)


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE and on_free.is_valid():
		on_free.call()


static func run(action: Callable) -> void:
	calls += 1
	if action.is_valid():
		action.call()


static func reset() -> void:
	on_init = Callable()
	on_get = Callable()
	on_set = Callable()
	on_free = Callable()
	calls = 0

extends RefCounted
## An object whose script runs while it is encoded and decoded, and does what a test asks for.

static var on_init: Callable
static var on_get: Callable
static var on_set: Callable
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


static func run(action: Callable) -> void:
	calls += 1
	if action.is_valid():
		action.call()


static func reset() -> void:
	on_init = Callable()
	on_get = Callable()
	on_set = Callable()
	calls = 0

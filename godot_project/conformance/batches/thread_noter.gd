extends RefCounted
## An object that notes on which thread it was made.

static var threads: Array[int] = []
## Called by each new object.
static var when_born := Callable()

@export var number := 0


func _init() -> void:
	threads.append(OS.get_thread_caller_id())
	if when_born.is_valid():
		when_born.call()

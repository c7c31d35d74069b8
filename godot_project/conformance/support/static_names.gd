extends RefCounted
## A script whose static functions have the names of methods that scripts have: they must not be taken for those.

static var action: Callable
static var calls := 0


static func get_path() -> String:
	calls += 1
	if action.is_valid():
		action.call()
	return "res://conformance/support/scripted.gd"


static func get_instance_base_type() -> StringName:
	calls += 1
	return &"Node"

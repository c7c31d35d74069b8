extends "suite.gd"
## Base of the suites on properties of objects: what the objects are, which are freed at the end.

const Box := preload("../undo/box.gd")
const Listed := preload("../undo/listed.gd")

var _nodes: Array[Node] = []


func finish() -> void:
	Box.reset()
	for made: Variant in _nodes:
		if is_instance_valid(made):
			# The engine logs an error for each Container that another one made for itself.
			quietly((made as Node).free)
	super()


func box(value: Variant) -> Box:
	var made := Box.new()
	made.value = value
	return made


## A node that is freed at the end of the test.
func node(made: Node) -> Node:
	_nodes.append(made)
	return made


func make_nodes(count: int, type: StringName = &"Node2D") -> Array:
	return range(count).map(func(_at: int) -> Node: return node(ClassDB.instantiate(type) as Node))


class Ending:
	extends RefCounted
	var number := 1
	var action := Callable()

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			action.call()

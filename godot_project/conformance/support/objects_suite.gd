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


## An object whose variables hold at most what the next one has, in any order of their declaration.
func chain_of(count: int, seed_number: int) -> Object:
	var order := range(count)
	seed(seed_number)
	order.shuffle()
	var source := "extends RefCounted\n"
	for at: int in order:
		var setter := ":\n\tset(new):\n\t\tv%d = mini(new, v%d)" % [at, at + 1]
		source += "@export var v%d := 9%s\n" % [at, setter if at + 1 < count else ""]
	return script_of(source).new()


func set_chain(object: Object, count: int, value: int) -> void:
	for at: int in count:
		object.set("v%d" % at, value)


class Ending:
	var number := 1
	var action := Callable()

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			action.call()

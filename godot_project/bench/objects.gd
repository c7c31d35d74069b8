extends RefCounted
## Section: full objects, with their scripts and properties, and what `full_objects` costs where there are
## none.

const Item = preload("res://bench/item.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const ITEMS := 5_000
const NODES := 500
const NODE_CLASSES: PackedStringArray = [
	"Node2D",
	"Sprite2D",
	"Camera2D",
	"Area2D",
	"CollisionShape2D",
	"Timer",
	"AudioStreamPlayer",
	"Label",
	"Node3D",
	"MeshInstance3D",
]


func run(session: Session) -> void:
	session.report.start_table("Full objects: in one Array, and in a batch against a loop")
	_time_one(session, "script resources", ITEMS, _items)
	_time_batch(session, "script resources", ITEMS, _items)
	_time_one(session, "nodes of 10 classes", NODES, _nodes)
	session.report.start_table(
		"No objects, but full_objects (engine: VarBatch without full_objects)"
	)
	_time_flag(session)


func _time_one(session: Session, type: String, count: int, make: Callable) -> void:
	var is_freed := make == _nodes
	var to := Result.new("objects", type, count, 0, "var_to_bytes")
	var back := "bytes_to_var, freeing apart" if is_freed else "bytes_to_var"
	var from := Result.new("objects", type, count, 0, back)
	if not session.wants(to.name) and not session.wants(from.name):
		return
	var objects: Array = make.call()
	var bytes := var_to_bytes_with_objects(objects)
	var probe := Probe.of(
		func() -> PackedByteArray: return var_to_bytes_with_objects(objects),
		func() -> PackedByteArray: return VarBatch.var_to_bytes(objects, true),
		func() -> String: return Probe.difference(bytes, VarBatch.var_to_bytes(objects, true))
	)
	session.time(to, probe)
	var engine := func() -> Array: return bytes_to_var_with_objects(bytes)
	var varbatch := func() -> Array: return VarBatch.bytes_to_var(bytes, true)
	probe = Probe.of(
		engine, varbatch, func() -> String: return _difference([bytes], [varbatch.call()])
	)
	if is_freed:
		probe.engine = _freeing_apart.bind(engine)
		probe.varbatch = _freeing_apart.bind(varbatch)
	session.time(from, probe)
	_free_nodes(objects)
	if not is_freed:
		var listed := func() -> Array: return VarBatch.bytes_to_var(bytes, [Item])
		probe = Probe.of(
			engine, listed, func() -> String: return _difference([bytes], [listed.call()])
		)
		session.time(Result.new("objects", type, count, 0, "bytes_to_var, listed"), probe)


func _time_batch(session: Session, type: String, count: int, make: Callable) -> void:
	var to := Result.new("objects", type, count, 0, "vars_to_bytes")
	var from := Result.new("objects", type, count, 0, "bytes_to_vars")
	if not session.wants(to.name) and not session.wants(from.name):
		return
	var objects: Array = make.call()
	var buffers: Array = objects.map(var_to_bytes_with_objects)
	var probe := Probe.of(
		func() -> Array: return _each_to_bytes(objects),
		func() -> Array: return VarBatch.vars_to_bytes(objects, true),
		func() -> String:
			var found := VarBatch.vars_to_bytes(objects, true)
			return Probe.values_difference(buffers, Array(found, TYPE_NIL, &"", null))
	)
	session.time(to, probe)
	probe = Probe.of(
		func() -> Array: return _each_from_bytes(buffers),
		func() -> Array: return VarBatch.bytes_to_vars(buffers, true),
		func() -> String: return _difference(buffers, VarBatch.bytes_to_vars(buffers, true))
	)
	session.time(from, probe)


## A saved game in one Array and as a batch, each way.
func _time_flag(session: Session) -> void:
	var cases: Array[Result] = []
	for call_name: String in ["var_to_bytes", "vars_to_bytes", "bytes_to_var", "bytes_to_vars"]:
		cases.append(Result.new("plain_values", "save game", Values.ENTITIES, 0, call_name))
	cases = cases.filter(func(case: Result) -> bool: return session.wants(case.name))
	if cases.is_empty():
		return
	var values := Values.save_game()
	var bytes := var_to_bytes(values)
	var buffers: Array = values.map(var_to_bytes)
	var calls: Dictionary[String, Callable] = {
		"var_to_bytes": func(full: bool) -> Variant: return VarBatch.var_to_bytes(values, full),
		"vars_to_bytes": func(full: bool) -> Variant: return VarBatch.vars_to_bytes(values, full),
		"bytes_to_var": func(full: bool) -> Variant: return VarBatch.bytes_to_var(bytes, full),
		"bytes_to_vars": func(full: bool) -> Variant: return VarBatch.bytes_to_vars(buffers, full),
	}
	for case: Result in cases:
		var way := calls[case.direction]
		var check := func() -> String:
			return Probe.value_difference(way.call(false), way.call(true))
		session.time(case, Probe.of(way.bind(false), way.bind(true), check))


func _items() -> Array:
	var items: Array = []
	for index in ITEMS:
		var item := Item.new()
		item.id = index
		item.title = "item %d" % index
		item.position = Vector3(index, 1, 2)
		item.tags = ["a", "b"]
		items.append(item)
	return items


func _nodes() -> Array:
	var nodes: Array = []
	for index in NODES:
		var node: Node = ClassDB.instantiate(NODE_CLASSES[index % NODE_CLASSES.size()])
		node.set(&"position", Vector3(index, 1, 2) if node is Node3D else Vector2(index, 1))
		node.process_priority = index
		nodes.append(node)
	return nodes


static func _free_nodes(objects: Array) -> void:
	for object: Object in objects:
		if object is Node:
			object.free()


## Calls [param once] as often. Returns the microseconds without those of freeing the nodes.
static func _freeing_apart(calls: int, once: Callable) -> int:
	var usec := 0
	for _call in calls:
		var started := Time.get_ticks_usec()
		var nodes: Array = once.call()
		usec += Time.get_ticks_usec() - started
		_free_nodes(nodes)
	return usec


static func _each_to_bytes(objects: Array) -> Array:
	var buffers: Array = []
	for object: Object in objects:
		buffers.append(var_to_bytes_with_objects(object))
	return buffers


static func _each_from_bytes(buffers: Array) -> Array:
	var objects: Array = []
	for buffer: PackedByteArray in buffers:
		objects.append(bytes_to_var_with_objects(buffer))
	return objects


## Frees the nodes that were found, too.
static func _difference(expected: Array, found: Array) -> String:
	var buffers := found.map(var_to_bytes_with_objects)
	for objects: Variant in found:
		if objects is Array:
			_free_nodes(objects)
	return Probe.values_difference(expected, buffers)

extends RefCounted
## Section: finds the changes of an edit of many nodes, how nodes differ in pairs, and the objects of two
## trees that belong together, with VarBatchUndoRecorder and with a loop.

const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")

const NODES := 10_000
const REFERENCES: PackedInt32Array = [10_000, 100_000]
## The properties recorded of each node: these, or all that are stored.
const NAMED: Dictionary[String, PackedStringArray] = {
	"3 named": ["position", "rotation", "scale"], "all stored": []
}


func run(session: Session) -> void:
	session.report.start_table("Undo: record 10,000 nodes, change 3 properties of each, flush")
	for properties: String in NAMED:
		var result := Result.new("undo", "Node2D, " + properties, NODES, 0, "record and flush")
		if session.wants(result.name):
			var nodes := _nodes()
			session.time(result, _edit(nodes, NAMED[properties]))
			_free_all(nodes)
	session.report.start_table("Undo: compare 10,000 pairs of nodes, and map what belongs together")
	var compare := Result.new("undo", "Node2D, all stored", NODES, 0, "compare_all")
	if session.wants(compare.name):
		var sides: Array[Array] = [_nodes(), _nodes()]
		_change(sides[1], 1)
		session.time(compare, _compare(sides[0], sides[1]))
		sides.map(_free_all)
	for count: int in REFERENCES:
		var map := Result.new("undo", "resources", count, 0, "map_references")
		if session.wants(map.name):
			session.time(map, _map(_tree(count), _tree(count)))


func _nodes() -> Array[Node2D]:
	var nodes: Array[Node2D] = []
	for _index in NODES:
		nodes.append(Node2D.new())
	return nodes


func _free_all(nodes: Array) -> void:
	for node: Node2D in nodes:
		node.free()


## A resource with [param count] others in an array.
func _tree(count: int) -> Resource:
	var list: Array[Resource] = []
	for index in count:
		var made := Resource.new()
		made.resource_name = str(index)
		list.append(made)
	var root := Resource.new()
	root.set_meta(&"list", list)
	return root


## The edit that is recorded; its time does not count.
static func _change(nodes: Array, turn: int) -> void:
	for node: Node2D in nodes:
		node.position.y += 2
		node.rotation = turn * 0.001
		node.scale += Vector2(0.001, 0.002)


static func _edit(nodes: Array[Node2D], names: PackedStringArray) -> Probe:
	var turns: Array[int] = [0]
	var change := func() -> void:
		turns[0] += 1
		_change(nodes, turns[0])
	var states: Array = [{}]
	var record := func() -> void: states[0] = _record_by_loop(nodes, names)
	var flush := func() -> void:
		_flush_by_loop(states[0])
		states[0] = {}
	var recorder := VarBatchUndoRecorder.new()
	var probe := Probe.new()
	probe.engine = _edits.bind(record, change, flush)
	probe.varbatch = _edits.bind(recorder.record_all.bind(nodes, names), change, recorder.flush)
	probe.check = func() -> String:
		change.call()
		record.call()
		recorder.record_all(nodes, names)
		change.call()
		return _rows_difference(_flush_by_loop(states[0]), recorder.flush(), 3 * nodes.size())
	return probe


## Makes edits; returns the time without them.
static func _edits(calls: int, record: Callable, change: Callable, flush: Callable) -> int:
	var usec := 0
	for _call in calls:
		var started := Time.get_ticks_usec()
		record.call()
		usec += Time.get_ticks_usec() - started
		change.call()
		started = Time.get_ticks_usec()
		flush.call()
		usec += Time.get_ticks_usec() - started
	return usec


static func _compare(before: Array, after: Array) -> Probe:
	var pairs: Dictionary[Node2D, Node2D] = {}
	for index: int in before.size():
		pairs[before[index]] = after[index]
	return Probe.of(
		_compare_by_loop.bind(pairs),
		func() -> Array: return VarBatchUndoRecorder.compare_all(pairs),
		func() -> String:
			var found := VarBatchUndoRecorder.compare_all(pairs)
			return _rows_difference(_compare_by_loop(pairs), found, 3 * pairs.size())
	)


static func _map(before: Resource, after: Resource) -> Probe:
	return Probe.of(
		_map_by_loop.bind(before, after),
		func() -> Dictionary: return VarBatchUndoRecorder.map_references(before, after),
		func() -> String:
			var found := VarBatchUndoRecorder.map_references(before, after)
			return "" if found == _map_by_loop(before, after) else "another map"
	)


static func _rows_difference(expected: Array, found: Array, count: int) -> String:
	if found.size() != count:
		return "%d rows, expected %d" % [found.size(), count]
	return Probe.value_difference(expected, found)


## The properties that a script would compare: all that are stored.
static func _stored(object: Object) -> Array[StringName]:
	var names: Array[StringName] = []
	for property: Dictionary in object.get_property_list():
		var usage: int = property.usage
		if usage & PROPERTY_USAGE_STORAGE and property.name != "script":
			names.append(property.name)
	return names


static func _record_by_loop(
	nodes: Array[Node2D], names: PackedStringArray
) -> Dictionary[Node2D, Dictionary]:
	var states: Dictionary[Node2D, Dictionary] = {}
	for node: Node2D in nodes:
		var state: Dictionary[StringName, PackedByteArray] = {}
		for name: StringName in _stored(node) if names.is_empty() else names:
			state[name] = var_to_bytes(node.get(name))
		states[node] = state
	return states


static func _flush_by_loop(states: Dictionary[Node2D, Dictionary]) -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	for node: Node2D in states:
		var state: Dictionary[StringName, PackedByteArray] = states[node]
		for name: StringName in state:
			var before := state[name]
			var after := var_to_bytes(node.get(name))
			if after != before:
				var row := {"object": node}
				row.merge(_parts(name, bytes_to_var(before), bytes_to_var(after)))
				rows.append(row)
	return rows


static func _compare_by_loop(pairs: Dictionary[Node2D, Node2D]) -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	for before: Node2D in pairs:
		var after := pairs[before]
		for name: StringName in _stored(before):
			var old: Variant = before.get(name)
			var new: Variant = after.get(name)
			if old != new:
				var parts := _parts(name, old, new)
				var row := {"object": after, "property": parts.property, "op": "set"}
				row.merge({"old": parts.old, "new": parts.new})
				rows.append(row)
	return rows


## What has changed, with a path that leads no further than that: of the types that are here, Vector2 has parts.
static func _parts(name: String, old: Variant, new: Variant) -> Dictionary:
	if old is Vector2 and new is Vector2:
		var before: Vector2 = old
		var after: Vector2 = new
		if before.x == after.x:
			return {"property": name + ":y", "old": before.y, "new": after.y}
		if before.y == after.y:
			return {"property": name + ":x", "old": before.x, "new": after.x}
	return {"property": name, "old": old, "new": new}


static func _map_by_loop(root_before: Resource, root_after: Resource) -> Dictionary:
	var map: Dictionary = {}
	var left: Array[Resource] = [root_before, root_after]
	while not left.is_empty():
		var after: Resource = left.pop_back()
		var before: Resource = left.pop_back()
		if map.has(before):
			continue
		map[before] = after
		for name: StringName in _stored(before):
			var old: Variant = before.get(name)
			var new: Variant = after.get(name)
			if old is Array and new is Array:
				for index in mini(old.size(), new.size()):
					_add(old[index], new[index], left)
			else:
				_add(old, new, left)
	return map


static func _add(old: Variant, new: Variant, left: Array[Resource]) -> void:
	if old is Resource and new is Resource and not is_same(old, new):
		var before: Resource = old
		var after: Resource = new
		if before.resource_path.is_empty() and after.resource_path.is_empty():
			left.append(before)
			left.append(after)

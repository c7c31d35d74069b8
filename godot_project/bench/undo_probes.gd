extends RefCounted
## Probes of an edit of many nodes, whose time does not include the edit itself, of comparing nodes in
## pairs, and of finding the objects of two trees that belong together.

const Probe = preload("res://bench/probe.gd")


class Edit:
	extends Probe
	var nodes: Array[Node2D] = []
	## Empty for all stored properties.
	var names: PackedStringArray
	var _edits := 0

	func _init(count: int, properties: PackedStringArray) -> void:
		names = properties
		for _index in count:
			nodes.append(Node2D.new())

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			for node: Node2D in nodes:
				node.free()

	func has_floor() -> bool:
		return false

	func engine(calls: int) -> int:
		var usec := 0
		for _call in calls:
			var started := Time.get_ticks_usec()
			var states := _record_by_loop()
			usec += Time.get_ticks_usec() - started
			edit()
			started = Time.get_ticks_usec()
			_flush_by_loop(states)
			states.clear()
			usec += Time.get_ticks_usec() - started
		return usec

	func varbatch(calls: int) -> int:
		var usec := 0
		var recorder := VarBatchUndoRecorder.new()
		for _call in calls:
			var started := Time.get_ticks_usec()
			recorder.record_all(nodes, names)
			usec += Time.get_ticks_usec() - started
			edit()
			started = Time.get_ticks_usec()
			recorder.flush()
			usec += Time.get_ticks_usec() - started
		return usec

	func edit() -> void:
		_edits += 1
		for node: Node2D in nodes:
			node.position.y += 2
			node.rotation = _edits * 0.001
			node.scale += Vector2(0.001, 0.002)

	func check() -> String:
		var recorder := VarBatchUndoRecorder.new()
		edit()
		var states := _record_by_loop()
		recorder.record_all(nodes, names)
		edit()
		var found := recorder.flush()
		var expected := _flush_by_loop(states)
		if found.size() != 3 * nodes.size():
			return "%d modifications, expected %d" % [found.size(), 3 * nodes.size()]
		return Probe.value_difference(expected, found)

	func _record_by_loop() -> Dictionary[Node2D, Dictionary]:
		var states: Dictionary[Node2D, Dictionary] = {}
		for node: Node2D in nodes:
			var state: Dictionary[StringName, PackedByteArray] = {}
			if names.is_empty():
				for property: Dictionary in node.get_property_list():
					var usage: int = property.usage
					if usage & PROPERTY_USAGE_STORAGE and property.name != "script":
						var name: StringName = property.name
						state[name] = var_to_bytes(node.get(name))
			else:
				for name: StringName in names:
					state[name] = var_to_bytes(node.get(name))
			states[node] = state
		return states

	func _flush_by_loop(states: Dictionary[Node2D, Dictionary]) -> Array[Dictionary]:
		var rows: Array[Dictionary] = []
		for node: Node2D in states:
			if not is_instance_valid(node):
				continue
			var state: Dictionary[StringName, PackedByteArray] = states[node]
			for name: StringName in state:
				var before := state[name]
				var after := var_to_bytes(node.get(name))
				if after != before:
					rows.append(_row(node, name, bytes_to_var(before), bytes_to_var(after)))
		return rows

	## What has changed, with a path that leads no further than that: of the types that are here, Vector2 has parts.
	func _row(node: Node2D, name: String, old: Variant, new: Variant) -> Dictionary:
		if old is Vector2 and new is Vector2:
			var before: Vector2 = old
			var after: Vector2 = new
			if before.x == after.x:
				return {"object": node, "property": name + ":y", "old": before.y, "new": after.y}
			if before.y == after.y:
				return {"object": node, "property": name + ":x", "old": before.x, "new": after.x}
		return {"object": node, "property": name, "old": old, "new": new}


class Compare:
	extends Probe
	var pairs: Dictionary[Node2D, Node2D] = {}

	func _init(count: int) -> void:
		for index in count:
			var before := Node2D.new()
			var after := Node2D.new()
			after.position.y = 2
			after.rotation = index * 0.001 + 0.001
			after.scale = Vector2(2, 3)
			pairs[before] = after

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			for node: Node2D in pairs.keys() + pairs.values():
				node.free()

	func has_floor() -> bool:
		return false

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			_compare_by_loop()
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			VarBatchUndoRecorder.compare_all(pairs)
		return Time.get_ticks_usec() - started

	func check() -> String:
		var found := VarBatchUndoRecorder.compare_all(pairs)
		if found.size() != 3 * pairs.size():
			return "%d differences, expected %d" % [found.size(), 3 * pairs.size()]
		return Probe.value_difference(_compare_by_loop(), found)

	func _compare_by_loop() -> Array[Dictionary]:
		var rows: Array[Dictionary] = []
		for before: Node2D in pairs:
			var after := pairs[before]
			for property: Dictionary in before.get_property_list():
				var usage: int = property.usage
				if usage & PROPERTY_USAGE_STORAGE and property.name != "script":
					var name: StringName = property.name
					var old: Variant = before.get(name)
					var new: Variant = after.get(name)
					if old != new:
						rows.append(_row(after, name, old, new))
		return rows

	func _row(object: Node2D, name: String, old: Variant, new: Variant) -> Dictionary:
		if name == "position":
			var before: Vector2 = old
			var after: Vector2 = new
			name = "position:y"
			old = before.y
			new = after.y
		return {"object": object, "property": name, "op": "set", "old": old, "new": new}


class Map:
	extends Probe
	var roots: Array[Resource] = []

	## Two resources, each with [param count] others in an array.
	func _init(count: int) -> void:
		for _side in 2:
			var list: Array[Resource] = []
			for index in count:
				var made := Resource.new()
				made.resource_name = str(index)
				list.append(made)
			var root := Resource.new()
			root.set_meta(&"list", list)
			roots.append(root)

	func has_floor() -> bool:
		return false

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			_map_by_loop()
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			VarBatchUndoRecorder.map_references(roots[0], roots[1])
		return Time.get_ticks_usec() - started

	func check() -> String:
		var found := VarBatchUndoRecorder.map_references(roots[0], roots[1])
		return "" if found == _map_by_loop() else "another map"

	func _map_by_loop() -> Dictionary:
		var map: Dictionary = {}
		var left: Array[Resource] = [roots[0], roots[1]]
		while not left.is_empty():
			var after: Resource = left.pop_back()
			var before: Resource = left.pop_back()
			if map.has(before):
				continue
			map[before] = after
			for property: Dictionary in before.get_property_list():
				var usage: int = property.usage
				if usage & PROPERTY_USAGE_STORAGE and property.name != "script":
					var name: StringName = property.name
					var old: Variant = before.get(name)
					var new: Variant = after.get(name)
					if old is Array and new is Array:
						var old_list: Array = old
						var new_list: Array = new
						for index in mini(old_list.size(), new_list.size()):
							_add(old_list[index], new_list[index], left)
					else:
						_add(old, new, left)
		return map

	func _add(old: Variant, new: Variant, left: Array[Resource]) -> void:
		if old is Resource and new is Resource and not is_same(old, new):
			var before: Resource = old
			var after: Resource = new
			if before.resource_path.is_empty() and after.resource_path.is_empty():
				left.append(before)
				left.append(after)

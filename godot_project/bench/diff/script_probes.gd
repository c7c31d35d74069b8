extends RefCounted
## Probes of one small state, as rollback keeps it: the differences that a script finds between two
## values, and those that VarBatch finds between the bytes of both.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Probe = preload("res://bench/probe.gd")


## Both snapshots exist: values for the script, bytes for VarBatch.
class Compare:
	extends Probe
	var before: Dictionary
	var after: Dictionary

	func _init(old: Dictionary, new: Dictionary) -> void:
		before = old
		after = new

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _changes: Array[Dictionary] = by_script(before, after)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var old := var_to_bytes(before)
		var new := var_to_bytes(after)
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _changes: Array[Dictionary] = VarBatch.diff(old, new)
		return Time.get_ticks_usec() - started

	func has_floor() -> bool:
		return false

	func check() -> String:
		var found := VarBatch.diff(var_to_bytes(before), var_to_bytes(after))
		return difference(var_to_bytes(by_script(before, after)), var_to_bytes(found))

	## The differences between dictionaries of the same keys.
	static func by_script(old: Dictionary, new: Dictionary) -> Array[Dictionary]:
		var changes: Array[Dictionary] = []
		_compare(old, new, [], changes)
		return changes

	static func _compare(
		old: Variant, new: Variant, path: Array, changes: Array[Dictionary]
	) -> void:
		if typeof(old) != typeof(new):
			changes.append({"path": path, "op": "set", "old": old, "new": new})
		elif old is Dictionary:
			for key: Variant in old:
				_compare(old[key], new[key], path + [key], changes)
		elif old is Array and old.size() == new.size():
			for index: int in old.size():
				_compare(old[index], new[index], path + [index], changes)
		elif old != new:
			changes.append({"path": path, "op": "set", "old": old, "new": new})


## The current state has to be kept first: as a copy for the script, as bytes for VarBatch.
class Snapshot:
	extends Compare

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			var copied: Dictionary = after.duplicate(true)
			var _changes: Array[Dictionary] = by_script(before, copied)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var old := var_to_bytes(before)
		var started := Time.get_ticks_usec()
		for _call in calls:
			var bytes: PackedByteArray = VarBatch.var_to_bytes(after)
			var _changes: Array[Dictionary] = VarBatch.diff(old, bytes)
		return Time.get_ticks_usec() - started

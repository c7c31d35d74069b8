extends RefCounted
## Changes applied to a value as a script would do it, by the documentation alone, and changes that
## take back what others did.

const Edits := preload("random_edits.gd")


## [param value] with all changes; it is changed itself.
static func patched(value: Variant, changes: Array) -> Variant:
	for change: Dictionary in changes:
		value = _changed(value, change.path as Array, change)
	return value


## The changes that make `before` of `after`.
static func inverse(changes: Array[Dictionary]) -> Array[Dictionary]:
	const OPPOSITES := {"set": "set", "insert": "remove", "remove": "insert"}
	var inverted: Array[Dictionary] = []
	for change: Dictionary in changes:
		var opposite := change.duplicate()
		opposite.op = OPPOSITES[change.op]
		opposite.old = change.new
		opposite.new = change.old
		inverted.push_front(opposite)
	return inverted


static func _changed(value: Variant, path: Array, change: Dictionary) -> Variant:
	if path.is_empty():
		return change.new
	var step: Variant = path[0]
	if value is Dictionary:
		_change_entry(value as Dictionary, step, path.slice(1), change)
	elif typeof(value) >= TYPE_PACKED_BYTE_ARRAY:
		return _changed_packed(value, step as int, change)
	elif path.size() > 1:
		value[step] = _changed(value[step], path.slice(1), change)
	elif change.op == "insert":
		(value as Array).insert(step as int, change.new)
	elif change.op == "remove":
		(value as Array).remove_at(step as int)
	else:
		value[step] = change.new
	return value


## By the order of its entries: a key with a NaN in it is one that the engine does not find.
static func _change_entry(dictionary: Dictionary, key: Variant, rest: Array, change: Dictionary) -> void:
	var keys := dictionary.keys()
	var values := dictionary.values()
	if rest.is_empty() and change.op == "insert":
		keys.insert(change.index as int, key)
		values.insert(change.index as int, change.new)
	elif rest.is_empty() and change.op == "remove":
		keys.remove_at(change.index as int)
		values.remove_at(change.index as int)
	else:
		var at := keys.map(var_to_bytes).find(var_to_bytes(key))
		values[at] = _changed(values[at], rest, change)
	Edits.rebuild(dictionary, keys, values)


static func _changed_packed(packed: Variant, at: int, change: Dictionary) -> Variant:
	var behind := at
	var middle: Variant = type_convert([], typeof(packed))
	if change.op != "insert":
		behind += change.old.size()
	if change.op != "remove":
		middle = change.new
	return packed.slice(0, at) + middle + packed.slice(behind)

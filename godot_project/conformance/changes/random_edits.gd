extends RefCounted
## Random edits of random values: what a script does to its state between two snapshots. Also changes
## applied to a value as a script would do it, by the documentation alone, and changes taken back.
##
## All values are such as VarBatch gives back to the byte: what the engine's own bytes of them are
## read as, with the objects that their ids mean.

const Generator := preload("../support/generator.gd")

## Of so many places one is given another value instead of being looked into.
const REPLACED := 12

var generator: Generator
var random: RandomNumberGenerator
var _whole: bool


func _init(value_generator: Generator, whole_objects: bool) -> void:
	generator = value_generator
	random = generator.random
	_whole = whole_objects


func value() -> Variant:
	return normal(generator.value())


func encoded(given: Variant) -> PackedByteArray:
	return var_to_bytes_with_objects(given) if _whole else var_to_bytes(given)


## What is left of [param given] once it was bytes. Objects that were ids are the same ones again.
func normal(given: Variant) -> Variant:
	if _whole:
		return bytes_to_var_with_objects(var_to_bytes_with_objects(given))
	return resolved(bytes_to_var(var_to_bytes(given)))


## A random value and another one, edited from it where it is so given, as bytes. Both are appended to [param values], as
## what has ids must live. Empty where the engine reads one of them as another, such as a text that begins with two byte
## order marks: each time one is lost.
func stable_pair(is_related: Callable, values: Array) -> Array[PackedByteArray]:
	var before: Variant = value()
	var is_good := is_stable(before)
	var bytes := encoded(before)
	var after: Variant = edited(before) if is_related.call() else value()
	values.append_array([before, after])
	if is_good and is_stable(after):
		return [bytes, encoded(after)]
	return []


func is_stable(given: Variant) -> bool:
	var bytes := encoded(given)
	return not bytes.is_empty() and encoded(normal(given)) == bytes


## [param given] with the objects in the place of their ids, which must be alive. It may be changed.
## What is typed as holding ids, as all is that is typed by a class, then holds any objects. Null
## for those that are ids themselves: as a part of a change, they mean the object of that id.
static func resolved(given: Variant) -> Variant:
	if given is EncodedObjectAsID:
		var object := instance_from_id((given as EncodedObjectAsID).object_id)
		return null if object is EncodedObjectAsID else object
	if given is Array:
		var array: Array = given
		if array.get_typed_builtin() == TYPE_OBJECT:
			return Array(array.map(resolved), TYPE_OBJECT, &"Object", null)
		array.assign(array.map(resolved))
	elif given is Dictionary:
		var dictionary: Dictionary = given
		var types: Array[int] = [dictionary.get_typed_key_builtin(), dictionary.get_typed_value_builtin()]
		var may_hold_ids := func(part: Variant) -> bool: return part is EncodedObjectAsID or part is Array or part is Dictionary
		if TYPE_OBJECT in types or (dictionary.keys() + dictionary.values()).any(may_hold_ids):
			var class_of := func(type: int) -> StringName: return &"Object" if type == TYPE_OBJECT else &""
			var names := types.map(class_of)
			var live := Dictionary({}, types[0], names[0], null, types[1], names[1], null)
			rebuild(live, dictionary.keys().map(resolved), dictionary.values().map(resolved))
			return live
	return given


static func rebuild(dictionary: Dictionary, keys: Array, values: Array) -> void:
	dictionary.clear()
	for at: int in keys.size():
		dictionary[keys[at]] = values[at]


func edited(given: Variant) -> Variant:
	var copy: Variant = given
	if given is Array or given is Dictionary:
		copy = given.duplicate(true)
	elif typeof(given) >= TYPE_PACKED_BYTE_ARRAY:
		copy = given.duplicate()
	for i: int in random.randi_range(1, 5):
		copy = _edit(copy, TYPE_NIL)
	return copy


## [param given] or another value in its place; of this type, unless that is TYPE_NIL.
func _edit(given: Variant, type: int) -> Variant:
	if type == TYPE_NIL and random.randi_range(0, REPLACED) == 0:
		return _converted(given)
	if given is Array:
		_edit_array(given as Array)
	elif given is Dictionary:
		_edit_dictionary(given as Dictionary)
	elif given is Object and _whole:
		_edit_object(given as Object)
	elif typeof(given) >= TYPE_PACKED_BYTE_ARRAY:
		return _edited_packed(given)
	else:
		return _element(typeof(given) if type == TYPE_NIL else type, type == TYPE_NIL)
	return given


func _converted(given: Variant) -> Variant:
	match [typeof(given), random.randi_range(0, 1)]:
		[TYPE_STRING, 0]:
			return StringName(given as String)
		[TYPE_STRING_NAME, 0]:
			return str(given)
		[TYPE_INT, 0]:
			return float(given as int)
		[TYPE_ARRAY, 0]:
			var array: Array = given
			return Array(array, TYPE_NIL, &"", null) if array.is_typed() else [array]
		[TYPE_DICTIONARY, 0]:
			var dictionary: Dictionary = given
			return dictionary.values()
	return normal(generator.nested_value(Generator.MAX_DEPTH - 2))


func _element(type: int, is_untyped: bool) -> Variant:
	if type == TYPE_OBJECT and _whole and not is_untyped:
		return null
	return normal(generator.of_type(type, Generator.MAX_DEPTH - 2))


func _new_element(type: int) -> Variant:
	if type == TYPE_NIL:
		return _element(random.randi_range(0, TYPE_MAX - 1), true)
	return _element(type, false)


func _edit_array(array: Array) -> void:
	var type := array.get_typed_builtin()
	if array and random.randi_range(0, 2) > 0:
		var at := random.randi_range(0, array.size() - 1)
		array[at] = _edit(array[at], type)
		return
	var more: Array = []
	for i: int in random.randi_range(1, 3):
		more.append(_new_element(type))
	array.assign(_spliced(Array(array, TYPE_NIL, &"", null), more) as Array)


## An Array or a packed array with [param more], or with less, or in another order.
func _spliced(list: Variant, more: Variant) -> Variant:
	var count: int = list.size()
	var at := random.randi_range(0, count)
	match random.randi_range(0, 8):
		0:
			return list + more
		1, 2:
			return list.slice(0, at) + more + list.slice(at)
		3:
			return list.slice(0, at) + list.slice(at + random.randi_range(1, 5))
		4:
			return list.slice(at) + list.slice(0, at)
		5:
			return list.slice(0, at) + more + list.slice(mini(at + more.size(), count))
		6:
			return list.slice(0, at) + list.slice(at + 1) + list.slice(at, at + 1)
		7:
			return list + list.slice(at)
	var reversed: Variant = list.duplicate()
	reversed.reverse()
	return reversed


func _edit_dictionary(dictionary: Dictionary) -> void:
	var keys := dictionary.keys()
	var key_type := dictionary.get_typed_key_builtin()
	var value_type := dictionary.get_typed_value_builtin()
	if keys.is_empty() or random.randi_range(0, 4) == 0:
		dictionary[_new_element(key_type)] = _new_element(value_type)
		return
	var at := random.randi_range(0, keys.size() - 1)
	if random.randi_range(0, 1) == 0:
		dictionary[keys[at]] = _edit(dictionary[keys[at]], value_type)
		return
	var values := dictionary.values()
	match random.randi_range(0, 7):
		0, 1:
			dictionary.erase(keys[at])
			return
		2:
			keys[at] = _new_element(key_type)
		3:
			keys[at] = _edit(keys[at], key_type)
		4:
			var key: Variant = keys.pop_at(at)
			var content: Variant = values.pop_at(at)
			var place := random.randi_range(0, keys.size())
			keys.insert(place, key)
			values.insert(place, content)
		5:
			keys.reverse()
			values.reverse()
		6:
			keys = keys.slice(at) + keys.slice(0, at)
			values = values.slice(at) + values.slice(0, at)
		_:
			values = values.slice(at) + values.slice(0, at)
	rebuild(dictionary, keys, values)


## Objects are not copied, so whoever has the bytes of before must have them by now.
func _edit_object(object: Object) -> void:
	if object is Resource and not object is Gradient:
		(object as Resource).resource_name = generator.texts.text()
	elif object is EncodedObjectAsID:
		(object as EncodedObjectAsID).object_id = random.randi()
	elif object is Gradient:
		(object as Gradient).offsets = PackedFloat32Array([random.randf(), 0.5])
	elif "content" in object:
		object.set(&"content", _edit(object.get(&"content"), TYPE_NIL))
	else:
		object.set_meta(&"edited", _new_element(TYPE_NIL))


func _edited_packed(packed: Variant) -> Variant:
	var more: Variant = _element(typeof(packed), false)
	if random.randi_range(0, 3) > 0:
		return _spliced(packed, more)
	for i: int in more.size() if packed else 0:
		packed[random.randi_range(0, packed.size() - 1)] = more[i]
	return packed


static func patched(value: Variant, changes: Array) -> Variant:
	for change: Dictionary in changes:
		value = _changed(value, change.path as Array, change)
	return value


static func inverse(changes: Array[Dictionary]) -> Array[Dictionary]:
	const OPPOSITES := {"set": "set", "insert": "remove", "remove": "insert"}
	var inverted: Array[Dictionary] = []
	for change: Dictionary in changes:
		inverted.push_front(change.merged({"op": OPPOSITES[change.op], "old": change.new, "new": change.old}, true))
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
	rebuild(dictionary, keys, values)


static func _changed_packed(packed: Variant, at: int, change: Dictionary) -> Variant:
	var behind := at
	var middle: Variant = type_convert([], typeof(packed))
	if change.op != "insert":
		behind += change.old.size()
	if change.op != "remove":
		middle = change.new
	return packed.slice(0, at) + middle + packed.slice(behind)

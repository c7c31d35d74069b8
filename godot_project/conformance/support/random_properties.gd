extends RefCounted
## Sets stored properties of native objects to random values, such as the engine survives.

## Classes whose lists of properties VarBatch knows, and others. Of some, the engine does not survive all values.
static var class_names := (
	FileAccess.get_file_as_string("res://conformance/support/random_properties.txt").strip_edges().replace("\n", " ").split(" ")
)

var _random: RandomNumberGenerator
## The properties of an object of each class, as it is made.
var _lists: Dictionary[String, Array] = {}


func _init(random: RandomNumberGenerator) -> void:
	_random = random


## Changes a third of what [param object] stores, and may give it metadata.
func change(object: Object, rarity := 2) -> void:
	for property: Dictionary in _list_of(object):
		if _random.randi_range(0, rarity) == 0:
			object.set(property.name as StringName, value(property))
	if _random.randi_range(0, 3) == 0:
		object.set_meta(&"meta", 1)


func value(property: Dictionary) -> Variant:
	var type: int = property.type
	match type:
		TYPE_BOOL:
			return _random.randi_range(0, 1) == 1
		TYPE_INT:
			return _random.randi_range(0, 7)
		TYPE_FLOAT:
			return _random.randi_range(0, 8) / 4.0
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return type_convert(["", "a", "b"][_random.randi_range(0, 2)], type)
		TYPE_OBJECT:
			return _resource(property.hint_string as String)
		TYPE_COLOR, TYPE_VECTOR2, TYPE_VECTOR3, TYPE_VECTOR2I, TYPE_VECTOR3I:
			return [Color.RED, Color(), Vector2.ONE, Vector3.ONE][_random.randi_range(0, 3)]
	return type_convert(null, type)


## A resource of one of these classes, which are separated by commas.
func _resource(classes: String) -> Resource:
	var names := classes.split(",")
	var base := names[_random.randi_range(0, names.size() - 1)]
	if not ClassDB.class_exists(base) or not ClassDB.is_parent_class(base, &"Resource"):
		return null
	var all := [base] + Array(ClassDB.get_inheriters_from_class(base))
	var made: String = all[_random.randi_range(0, all.size() - 1)]
	if base == "Shader":
		var shader := Shader.new()
		shader.code = "shader_type canvas_item; uniform float speed; instance uniform float own;"
		return shader
	if base == "AudioStream":
		made = "AudioStreamWAV"
	if not made in class_names or not ClassDB.can_instantiate(made):
		return null
	return ClassDB.instantiate(made)


func _list_of(object: Object) -> Array:
	var name := object.get_class()
	if not _lists.has(name):
		const SKIPPED := PROPERTY_USAGE_READ_ONLY | PROPERTY_USAGE_CATEGORY
		var is_set := func(of: Dictionary) -> bool: return of.name != "script" and not of.usage & SKIPPED
		_lists[name] = object.get_property_list().filter(is_set)
	return _lists[name]

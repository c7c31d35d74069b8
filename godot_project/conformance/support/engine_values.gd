extends RefCounted
## Representative values of the types that hold text, references or other values.

const Scripted := preload("scripted.gd")

const TEXTS: PackedStringArray = [
	"", "a", "ab", "abc", "abcd", "abcde", '\n\t"\\', "\u007f\u0080\u07ff\u0800", "Straße", "Ελληνικά", "日本語のテキスト",
	"😀", "a😀é日", "\uffff\ufffd", "\U10ffff", "\ufeffafter a byte order mark", "a\ufeffb", "res://a/b.tscn",
]

## Kept, so that ids of it in Signals and Callables are those of a live object.
static var _object := RefCounted.new()


## True in engines whose reader gives the script of a dictionary's keys to its values and loses that
## of its values (FORMAT.md, "value script"): before 4.7.3.
static func has_value_script_bug() -> bool:
	return Engine.get_version_info().hex < 0x040703


static func of(type: int) -> Array:
	match type:
		TYPE_STRING:
			return _strings()
		TYPE_STRING_NAME:
			return _strings().map(func(text: String) -> StringName: return StringName(text))
		TYPE_NODE_PATH:
			var texts: Array = ["", ".", "..", "/", "/root", "a", "a/b", "a/b:c:d", ":c", "/root/日本:é", "%X"]
			return texts.map(func(text: String) -> NodePath: return NodePath(text))
		TYPE_RID:
			return [RID(), rid_from_int64(1), rid_from_int64(0x1234567890abcdef), rid_from_int64(-1)]
		TYPE_OBJECT:
			return [_object, null_object(), freed_object(), Resource.new(), encoded_id()]
		TYPE_CALLABLE:
			return [Callable(), Callable(_object, &"get_class"), func() -> int: return 1]
		TYPE_SIGNAL:
			return [Signal(), Signal(_object, &"script_changed")]
		TYPE_DICTIONARY:
			return _dictionaries()
		TYPE_ARRAY:
			return _arrays()
	push_error("no values of type %s" % type_string(type))
	return []


static func null_object() -> Variant:
	return type_convert(null, TYPE_OBJECT)


static func freed_object() -> Variant:
	var freed: Variant = Object.new()
	(freed as Object).free()
	return freed


static func encoded_id() -> EncodedObjectAsID:
	var encoded := EncodedObjectAsID.new()
	encoded.object_id = 0x123456789
	return encoded


static func storable_objects() -> Array:
	var gradient := Gradient.new()
	gradient.colors = PackedColorArray([Color.RED, Color(2.5, -1.0, 0.1, 0.5)])
	gradient.offsets = PackedFloat32Array([0.25, 0.75])
	var texture := GradientTexture1D.new()
	texture.gradient = gradient
	var key := InputEventKey.new()
	key.keycode = KEY_F5
	var scripted := Scripted.new()
	scripted.number = -7
	scripted.words = PackedStringArray(["a", "日本語"])
	return [RefCounted.new(), Resource.new(), gradient, texture, key, scripted, encoded_id()]


static func nested(depth: int, leaf: Array = []) -> Array:
	var outer := leaf
	for i: int in depth - 1:
		outer = [outer]
	return outer


static func _strings() -> Array:
	return Array(TEXTS) + ["long ".repeat(3000), "日本語😀".repeat(1000)]


static func _dictionaries() -> Array:
	var typed: Dictionary[String, int] = {"b": 2, "a": 1}
	var key_typed: Dictionary[StringName, Variant] = {&"x": 1, &"y": "z", &"z": null}
	var value_typed: Dictionary[Variant, PackedByteArray] = {1: PackedByteArray([1, 2, 3])}
	var object_typed: Dictionary[int, Resource] = {5: Resource.new(), 6: null}
	var keys := {}
	for key: Variant in [1, 1.0, true, "s", Vector2(1, 2), [1, 2], {"k": "v"}, null, ^"a:b", PackedInt32Array([1, 2, 3])]:
		keys[key] = type_string(typeof(key))
	var inner: Dictionary = {"hp": 12.5, "pos": Vector3(1.5, -2.5, 3.5), "tags": ["a", &"b"]}
	var nested_ones: Dictionary = {"inner": inner, "list": [inner, inner]}
	return [{}, nested_ones, keys, typed, key_typed, value_typed, object_typed]


static func _arrays() -> Array:
	var ints: Array[int] = [1, -1, 0x123456789a]
	var vectors: Array[Vector3] = [Vector3(1, 2, 3), Vector3(-0.5, 0.25, 1e30)]
	var packed: Array[PackedInt32Array] = [PackedInt32Array([1, 2]), PackedInt32Array()]
	var arrays: Array[Array] = [[1], [], ["x"]]
	var objects: Array[RefCounted] = [_object, null]
	var scripted: Array[Scripted] = [Scripted.new()]
	var empty_typed: Array[StringName] = []
	var bytes: Array = [PackedByteArray([1]), PackedByteArray([1, 2, 3, 4, 5]), 7]
	var references: Array = [null_object(), freed_object(), Callable(), Signal(), rid_from_int64(3)]
	var mixed: Array = [null, true, 1, 0.1, "text", &"name", ^"a/b", Vector3i(1, 2, 3), [[], {}]]
	var untyped: Array = [[], mixed, bytes, references, nested(20, [1])]
	return untyped + [ints, vectors, packed, arrays, objects, scripted, empty_typed]

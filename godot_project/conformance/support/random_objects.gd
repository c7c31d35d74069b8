extends RefCounted
## Random objects, and what refers to objects: the same for the same seed, but for the ids.

const Scripted := preload("scripted.gd")
const Engines := preload("engine_values.gd")

## Classes of typed containers, all counted: damaged bytes may make instances of them, which nobody would free.
const CLASSES: Array[StringName] = [&"RefCounted", &"Resource", &"Gradient", &"EncodedObjectAsID"]

var _random: RandomNumberGenerator
var _texts: RandomText
var _nested_value: Callable
var _whole: bool
var _live: Array[RefCounted] = []
var _node := Node.new()
var _freed_signal: Signal


## [param nested_value] makes a value that lies at the depth that it is given. With
## [param whole] only objects that the engine can store whole, and that nobody needs to free.
func _init(random: RandomNumberGenerator, texts: RandomText, nested_value: Callable, whole: bool) -> void:
	_random = random
	_texts = texts
	_nested_value = nested_value
	_whole = whole
	_live.assign(range(10).map(func(i: int) -> RefCounted: return Resource.new() if i % 2 else RefCounted.new()))
	var freed := Object.new()
	_freed_signal = Signal(freed, &"script_changed")
	freed.free()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		_node.free()


func object(depth: int) -> Variant:
	match _random.randi_range(0, 9):
		0:
			return Engines.null_object()
		1:
			return Engines.freed_object()
		2:
			return _encoded_id()
	if not _whole:
		return _node if _random.randi_range(0, 4) == 0 else _one_of_live()
	return _storable(_random.randi_range(0, 4), depth)


func element_type() -> Array:
	var at := _random.randi_range(0, CLASSES.size())
	if at == CLASSES.size():
		return [TYPE_OBJECT, &"RefCounted", Scripted]
	return [TYPE_OBJECT, CLASSES[at], null]


func element(type: Array, depth: int) -> Variant:
	if _random.randi_range(0, 5) == 0:
		return null
	if type[2] != null:
		return _storable(4, depth)
	match type[1]:
		&"EncodedObjectAsID":
			return _encoded_id()
		&"Gradient":
			return _storable(2, depth)
		&"Resource":
			return _storable(_random.randi_range(1, 2), depth)
	return _storable(_random.randi_range(0, 4), depth)


func callable() -> Callable:
	match _random.randi_range(0, 3):
		0:
			return Callable()
		1:
			return Callable(_one_of_live(), StringName(_texts.name()))
		2:
			return Callable(_one_of_live(), &"get_class").bind(1, "two")
	return func() -> int: return 1


func random_signal() -> Signal:
	match _random.randi_range(0, 3):
		0:
			return Signal()
		1:
			return _freed_signal
		2:
			return Signal(_node, StringName(_texts.text()))
	return Signal(_one_of_live(), &"script_changed")


func _one_of_live() -> RefCounted:
	return _live[_random.randi_range(0, _live.size() - 1)]


func _encoded_id() -> EncodedObjectAsID:
	var encoded := EncodedObjectAsID.new()
	encoded.object_id = _random.randi() << 32 | _random.randi()
	return encoded


func _storable(kind: int, depth: int) -> RefCounted:
	var made: RefCounted = RefCounted.new()
	match kind:
		1:
			var resource := Resource.new()
			resource.resource_name = _texts.text()
			made = resource
		2:
			var gradient := Gradient.new()
			gradient.offsets = PackedFloat32Array([_random.randf(), 0.5, 1.0])
			made = gradient
		3:
			made = _encoded_id()
		4:
			var scripted := Scripted.new()
			scripted.number = _random.randi()
			if _whole:
				scripted.content = _nested_value.call(depth + 1)
			made = scripted
	if _whole and _random.randi_range(0, 2) == 0:
		made.set_meta(StringName(_texts.name()), _nested_value.call(depth + 1))
	return made


## Random texts of every script of Unicode, the same ones for the same seed.
class RandomText:
	## Ranges of code points, none with a surrogate in it, and how often each is drawn from.
	const RANGES: Array[Vector2i] = [
		Vector2i(0x20, 0x7e),  # ASCII
		Vector2i(0x20, 0x7e),
		Vector2i(0x61, 0x7a),
		Vector2i(0x01, 0x7f),  # with control characters
		Vector2i(0xa0, 0x24f),  # Latin
		Vector2i(0x370, 0x52f),  # Greek, Cyrillic
		Vector2i(0x590, 0x77f),  # Hebrew, Arabic, Syriac
		Vector2i(0x900, 0xe7f),  # the scripts of India, Thai
		Vector2i(0x1100, 0x11ff),  # Hangul parts
		Vector2i(0x2000, 0x2bff),  # punctuation, arrows, symbols
		Vector2i(0x3040, 0x30ff),  # Kana
		Vector2i(0x4e00, 0x9fff),  # Han
		Vector2i(0xac00, 0xd7a3),  # Hangul
		Vector2i(0xe000, 0xffff),  # private use, forms, noncharacters, the byte order mark
		Vector2i(0x10000, 0x1f9ff),  # ancient scripts, music, emoji
		Vector2i(0x1f300, 0x1f6ff),
		Vector2i(0x20000, 0x3134f),  # rare Han
		Vector2i(0xe0000, 0x10ffff),  # tags, private use, the last code points
	]

	## Code points at which the number of bytes or the meaning changes.
	const EDGES: PackedInt32Array = [
		1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff
	]

	const SHORT_LEN := 24
	const MAX_LEN := 30_000  # up to 120,000 bytes

	var _random: RandomNumberGenerator

	func _init(random: RandomNumberGenerator) -> void:
		_random = random

	## Mostly short, and rarely very long.
	func text() -> String:
		var kind := _random.randi_range(0, 4000)
		if kind == 0:
			return of_length(_random.randi_range(MAX_LEN / 10, MAX_LEN))
		if kind < 40:
			return of_length(_random.randi_range(SHORT_LEN, 600))
		return of_length(_random.randi_range(0, SHORT_LEN))

	## A text of so many letters: of one script, of one with another between, or of edges.
	func of_length(length: int) -> String:
		var first := RANGES[_random.randi_range(0, RANGES.size() - 1)]
		var second := RANGES[_random.randi_range(0, RANGES.size() - 1)]
		var mix := _random.randi_range(0, 5)
		var points := PackedInt32Array()
		points.resize(length)
		for i: int in length:
			if mix == 0:
				points[i] = EDGES[_random.randi_range(0, EDGES.size() - 1)]
			elif mix == 1 and i % 5 == 4:
				points[i] = _random.randi_range(second.x, second.y)
			else:
				points[i] = _random.randi_range(first.x, first.y)
		return points.to_byte_array().get_string_from_utf32()

	## A name as identifiers have it, so that it can name a property, a signal or a node.
	func name() -> String:
		var letters := range(_random.randi_range(1, 12)).map(func(_i: int) -> int: return _random.randi_range(0x61, 0x7a))
		return "m" + PackedByteArray(letters).get_string_from_ascii()

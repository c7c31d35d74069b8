extends RefCounted
## Random values of every type, nested and typed, the same ones for the same seed and options.

const Values := preload("values.gd")
const RandomObjects := preload("random_objects.gd")
const RandomText := RandomObjects.RandomText

const MAX_DEPTH := 20
## Values that one call of value() makes at most, roughly.
const MAX_PARTS := 60

## The element type of a container that takes any value.
const ANY: Array = [TYPE_NIL, &"", null]

var random := RandomNumberGenerator.new()
var texts := RandomText.new(random)
var objects: RandomObjects

var _parts := 0


## With [param whole_objects] the values are for full_objects: of objects, only such as the engine
## can store, with values of their own inside.
func _init(seed_number: int, whole_objects := false) -> void:
	random.seed = seed_number
	objects = RandomObjects.new(random, texts, nested_value, whole_objects)


func value() -> Variant:
	_parts = 0
	var kind := random.randi_range(0, 99)
	if kind < 2:
		return _chain(random.randi_range(2, MAX_DEPTH))
	if kind < 60:
		return of_type(TYPE_ARRAY + random.randi_range(-1, 0), 1)
	return of_type(random.randi_range(0, TYPE_MAX - 1), 0)


func nested_value(depth: int) -> Variant:
	var type := random.randi_range(0, TYPE_MAX - 1)
	if random.randi_range(0, 9) == 0:
		type = TYPE_ARRAY + random.randi_range(-1, 0)
	return of_type(type, depth)


func of_type(type: int, depth: int) -> Variant:
	_parts += 1
	if Values.FLOAT_COMPONENTS.has(type):
		return _vector(type, Values.FLOAT_COMPONENTS[type], Values.Packed.FLOAT_BITS)
	if Values.INT_COMPONENTS.has(type):
		return _vector(type, Values.INT_COMPONENTS[type], Values.Packed.INT_BITS)
	match type:
		TYPE_NIL:
			return null
		TYPE_BOOL:
			return random.randi() % 2 == 1
		TYPE_INT:
			return number()
		TYPE_FLOAT:
			return _float()
		TYPE_STRING, TYPE_STRING_NAME:
			return type_convert(texts.text(), type)
		TYPE_NODE_PATH:
			return _node_path()
		TYPE_RID:
			return rid_from_int64(number())
		TYPE_OBJECT:
			return objects.object(depth)
		TYPE_CALLABLE:
			return objects.callable()
		TYPE_SIGNAL:
			return objects.random_signal()
		TYPE_DICTIONARY:
			return _dictionary(depth)
		TYPE_ARRAY:
			return array_of(_element_type() if random.randi_range(0, 2) == 0 else ANY, depth)
	return _packed(type)


func number() -> int:
	var shift := random.randi_range(0, 63)
	if random.randi_range(0, 3) == 0:
		return (1 << shift) - random.randi_range(0, 2)
	var bits := random.randi() << 32 | random.randi()
	return bits >> shift


func _float() -> float:
	match random.randi_range(0, 3):
		0:
			var bits := Values.DOUBLE_BITS[random.randi_range(0, Values.DOUBLE_BITS.size() - 1)]
			return Values.float_from_bits(bits)
		1:
			return random.randi_range(-1000, 1000) / 8.0
		2:
			return random.randfn(0.0, 1e6)
	return PackedInt64Array([random.randi() << 32 | random.randi()]).to_byte_array().decode_double(0)


## Components of any bits, specials more often than chance has them.
func _vector(type: int, components: int, specials: PackedInt64Array) -> Variant:
	var bytes := Values.header(type)
	for i: int in components:
		var bits := random.randi()
		if bits % 3 == 0:
			bits = specials[random.randi_range(0, specials.size() - 1)]
		bytes.append_array(Values.u32(bits))
	return bytes_to_var(bytes)


func _packed(type: int) -> Variant:
	var kind := random.randi_range(0, 999)
	if kind == 0:
		return Values.Packed.specials(type)
	var count := random.randi_range(0, 9)
	if kind < 10:
		count = random.randi_range(0, 300)
	elif kind == 10:
		count = random.randi_range(0, 10_000)
	if type != TYPE_PACKED_STRING_ARRAY:
		return Values.Packed.make(type, count)
	var text := func(_i: int) -> String: return texts.of_length(random.randi_range(0, 20))
	return PackedStringArray(range(mini(count, 500)).map(text))


## From a text, or from names that no text can give: empty ones, with "/" or ":" in them.
func _node_path() -> NodePath:
	var any := func(_i: int) -> String: return ["..", ".", "%" + texts.name(), texts.name()][random.randi_range(0, 3)]
	var names := PackedStringArray(range(random.randi_range(0, 4)).map(any))
	var subnames := PackedStringArray(range(random.randi_range(0, 3)).map(func(_i: int) -> String: return texts.name()))
	if random.randi_range(0, 1) == 0:
		var path := ("/" if random.randi_range(0, 2) == 0 else "") + "/".join(names)
		return NodePath(path if subnames.is_empty() else path + ":" + ":".join(subnames))
	names.append(texts.text())
	return bytes_to_var(Values.node_path(Vector2i(names.size(), subnames.size()), random.randi_range(0, 1), names + subnames))


func _chain(depth: int) -> Variant:
	var inner: Variant = nested_value(depth)
	for i: int in depth:
		match random.randi_range(0, 4):
			0:
				inner = {nested_value(MAX_DEPTH): inner}
			1:
				inner = {inner: nested_value(MAX_DEPTH)}
			2:
				inner = [nested_value(MAX_DEPTH), inner, nested_value(MAX_DEPTH)]
			_:
				inner = [inner]
	return inner


## An array of elements of such a type: builtin type, class, script.
func array_of(element: Array, depth: int) -> Array:
	var array := Array([], element[0] as int, element[1] as StringName, element[2])
	for i: int in _count(depth):
		array.append(_element(element, depth + 1))
	return array


func _dictionary(depth: int) -> Dictionary:
	var key := ANY
	var content := ANY
	if random.randi_range(0, 2) == 0:
		key = _element_type() if random.randi_range(0, 2) else key
		content = _element_type() if random.randi_range(0, 2) else content
		if Values.Engines.has_value_script_bug():
			# Any class instead of a script.
			key = [key[0], key[1], null]
			content = [content[0], content[1], null]
	return dictionary_of(key, content, depth)


func dictionary_of(key: Array, content: Array, depth: int) -> Dictionary:
	var dictionary := Dictionary({}, key[0], key[1], key[2], content[0], content[1], content[2])
	for i: int in _count(depth):
		dictionary[_element(key, depth + 1)] = _element(content, depth + 1)
	return dictionary


func _count(depth: int) -> int:
	if depth >= MAX_DEPTH or _parts >= MAX_PARTS:
		return 0
	if random.randi_range(0, 3000) == 0:
		return random.randi_range(0, 400)
	return random.randi_range(0, 5)


## Builtin type, class and script of typed elements.
func _element_type() -> Array:
	if random.randi_range(0, 2) == 0:
		return objects.element_type()
	var type := random.randi_range(1, TYPE_MAX - 1)
	return objects.element_type() if type == TYPE_OBJECT else [type, &"", null]


func _element(element: Array, depth: int) -> Variant:
	if element[0] == TYPE_NIL:
		return nested_value(depth)
	if element[0] == TYPE_OBJECT:
		return objects.element(element, depth)
	return of_type(element[0] as int, depth)

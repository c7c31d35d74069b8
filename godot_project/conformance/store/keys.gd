extends "store_base.gd"
## Two values are one key of a VarBatchStore where they are one key of a Dictionary, and keys are sorted as their
## values.

const BATCHES := 10
const SAVED := 500
const ASKED := 1000

## How deep keys are nested.
const DEPTH := 2

## The bits of 0.0, -0.0, 1.0, infinity and two NaNs: GDScript merges constants that are equal.
const FLOAT_BITS: PackedStringArray = [
	"0000000000000000", "8000000000000000", "3ff0000000000000", "7ff0000000000000", "7ff8000000000000",
	"fff8000000012345",
]
## Of the packed arrays.
const ELEMENTS: Dictionary[int, int] = {
	TYPE_PACKED_BYTE_ARRAY: TYPE_INT, TYPE_PACKED_INT32_ARRAY: TYPE_INT, TYPE_PACKED_INT64_ARRAY: TYPE_INT,
	TYPE_PACKED_FLOAT32_ARRAY: TYPE_FLOAT, TYPE_PACKED_FLOAT64_ARRAY: TYPE_FLOAT, TYPE_PACKED_STRING_ARRAY: TYPE_STRING,
	TYPE_PACKED_VECTOR2_ARRAY: TYPE_VECTOR2, TYPE_PACKED_VECTOR3_ARRAY: TYPE_VECTOR3,
	TYPE_PACKED_COLOR_ARRAY: TYPE_COLOR, TYPE_PACKED_VECTOR4_ARRAY: TYPE_VECTOR4,
}
const TEXTS: PackedStringArray = ["", "a", "b"]
## Those at which UTF-8 and UTF-16 change their length.
const CODE_POINTS: PackedInt32Array = [0x61, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff]

var random := Values.seeded(35)
var _floats: Array = Array(FLOAT_BITS).map(Values.float_from_bits)


func test_keys_are_those_of_a_dictionary() -> void:
	store = open()
	var found := 0
	var asked := 0
	for batch: int in sized_part_of(BATCHES):
		var model := {}
		for i: int in SAVED:
			model[_any(DEPTH)] = i
		check_int(store.erase_all(), OK, "erase all")
		check_int(store.save_vars(model), OK, "save")
		var keys := store.get_keys()
		check_int(keys.size(), model.size(), "keys")
		check(model.has_all(keys), "keys that the Dictionary has")
		for i: int in ASKED:
			var key: Variant = _any(DEPTH)
			var is_there := model.has(key)
			var shown := "%s: %s" % [var_to_str(key), var_to_bytes(key).hex_encode()]
			check(store.has_key(key) == is_there, "has_key must be %s of %s" % [is_there, shown])
			check_value(store.load_var(key), model.get(key), shown)
			found += int(is_there)
			asked += 1
	check(found > asked / 5 and found < asked * 4 / 5, "%d of %d keys were there" % [found, asked])


func test_keys_are_sorted() -> void:
	store = open()
	var letter := func(_i: int) -> String: return String.chr(CODE_POINTS[random.randi() % CODE_POINTS.size()])
	var makes: Dictionary[String, Callable] = {
		"ints": func() -> int: return (random.randi() << 32 | random.randi()) >> random.randi_range(0, 63),
		"floats": func() -> float: return random.randfn() * pow(10.0, random.randi_range(-300, 300)),
		"texts": func() -> String: return "".join(range(random.randi_range(0, 4)).map(letter)),
		"Vector2i": func() -> Vector2i: return Vector2i(random.randi_range(-9, 9), random.randi_range(-9, 9)),
		"Vector3": func() -> Vector3: return Vector3(random.randi_range(-2, 2), random.randf_range(-1.0, 1.0), random.randi_range(-2, 2)),
	}
	for kind: String in makes:
		var model := {}
		for i: int in 300:
			model[makes[kind].call()] = i
		var sorted := model.keys()
		sorted.sort()
		check_int(store.erase_all(), OK, "erase all")
		check_int(store.save_vars(model), OK, "save")
		check_value(store.get_keys(), sorted, "sorted " + kind)


## A Dictionary has two keys, of which a file would have one: they are refused.
func test_texts_that_are_read_as_others() -> void:
	open_with({"a": 1})
	for text: String in ["\uFEFFa", "\uFEFF"]:
		for key: Variant in [text, StringName(text), [text], {"a": text}, PackedStringArray(["b", text]), NodePath(text)]:
			check(bytes_to_var(var_to_bytes(key)) != key, "it is read as another: %s" % var_to_bytes(key).hex_encode())
			expect_errors(store.save_var.bind(key, 2), 1, "expected a key without byte-order marks", ERR_INVALID_PARAMETER)
			check(expect_errors(store.has_key.bind(key), 1, "byte-order marks") == false, "it is not there")
	check_value(store.get_keys_with_prefix("\uFEFF"), [], "no keys begin with it")
	check_int(store.save_vars({"a\uFEFF": 2, ["b\uFEFF"]: 3}), OK, "behind the first character")
	check_value([store.load_var("a"), store.load_var("a\uFEFF"), store.get_key_count()], [1, 2, 3], "what is there")


func _any(depth: int, is_part := false) -> Variant:
	if depth > 0 and random.randi() % 3 > 0:
		return _of(TYPE_ARRAY if random.randi() % 2 else TYPE_DICTIONARY, depth)
	return _of(random.randi_range(0, TYPE_MAX - 1), depth, is_part)


## The engine never finds a NaN that is an element or the value of an entry.
func _of(type: int, depth := 0, is_part := false) -> Variant:
	match type:
		TYPE_NIL:
			return null
		TYPE_BOOL:
			return random.randi() % 2 == 0
		TYPE_INT, TYPE_RID, TYPE_OBJECT, TYPE_CALLABLE, TYPE_SIGNAL:
			return random.randi_range(-1, 1)
		TYPE_FLOAT:
			return _floats[random.randi_range(0, 3 if is_part else _floats.size() - 1)]
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return type_convert(TEXTS[random.randi_range(0, TEXTS.size() - 1)], type)
		TYPE_ARRAY:
			return _array(depth)
		TYPE_DICTIONARY:
			return _dictionary(depth)
	if type >= TYPE_PACKED_BYTE_ARRAY:
		return type_convert([_of(ELEMENTS[type])] if random.randi() % 2 else [], type)
	return _components(type)


## Zeros of either sign or ones, but for one component.
func _components(type: int) -> Variant:
	var bytes := var_to_bytes(type_convert(null, type))
	var is_float := type in Values.FLOAT_COMPONENTS
	var count: int = Values.FLOAT_COMPONENTS[type] if is_float else Values.INT_COMPONENTS[type]
	var size := (bytes.size() - 4) / count
	var changed := random.randi_range(0, 1)
	for i: int in count:
		var at := 4 + i * size
		if not is_float:
			bytes.encode_s32(at, _of(TYPE_INT) if i == changed else 0)
			continue
		var value: float = _of(TYPE_FLOAT) if i == changed else _floats[random.randi_range(0, 1)]
		if size == 8:
			bytes.encode_double(at, value)
		else:
			bytes.encode_float(at, value)
	return bytes_to_var(bytes)


func _array(depth: int) -> Array:
	var elements: Array = []
	var type := _element_type()
	for i: int in random.randi_range(0, 2 if depth > 0 else 0):
		elements.append(_any(depth - 1, true) if type == TYPE_NIL else _of(type, 0, true))
	return Array(elements, type, &"", null) if type != TYPE_NIL else elements


func _dictionary(depth: int) -> Dictionary:
	var entries := {}
	var key_type := _element_type()
	var value_type := _element_type()
	for i: int in random.randi_range(0, 2 if depth > 0 else 0):
		var key: Variant = _any(depth - 1) if key_type == TYPE_NIL else _of(key_type, 0, true)
		entries[key] = _any(depth - 1, true) if value_type == TYPE_NIL else _of(value_type, 0, true)
	if key_type == TYPE_NIL and value_type == TYPE_NIL:
		return entries
	return Dictionary(entries, key_type, &"", null, value_type, &"", null)


func _element_type() -> int:
	return [TYPE_NIL, TYPE_NIL, TYPE_INT, TYPE_FLOAT, TYPE_STRING, TYPE_STRING_NAME][random.randi_range(0, 5)]

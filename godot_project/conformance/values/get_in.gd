extends "../support/suite.gd"
## The value at a path, against decoding everything and looking there.

const SEED := 20261123
const COUNT := 100_000
const BATCH := 100
## Elements of one array, and entries of one dictionary, that are looked for.
const MAX_PARTS := 40

const MISSING := &"not there"

## Types that convert to each other, and at last others.
const ALIKE: Array[Array] = [
	[TYPE_BOOL, TYPE_INT, TYPE_FLOAT],
	[TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH],
	[TYPE_VECTOR2, TYPE_VECTOR2I],
	[TYPE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_STRING_ARRAY],
	[TYPE_NIL, TYPE_INT, TYPE_FLOAT, TYPE_STRING, TYPE_VECTOR2, TYPE_RECT2, TYPE_RECT2I, TYPE_RID],
	[TYPE_BOOL, TYPE_NODE_PATH, TYPE_ARRAY, TYPE_DICTIONARY, TYPE_PACKED_BYTE_ARRAY, TYPE_NIL],
]

var _random := RandomNumberGenerator.new()
var _number := 1
var _path_count := 0
var _left_out := 0


func test_every_value() -> void:
	for value: Variant in Values.all():
		_check_inside(var_to_bytes([value, {"key": value}]))


func test_generated_values() -> void:
	var generator := Generator.new(SEED)
	var count := part_of(COUNT)
	var check_some := func(size: int, _seed_of_batch: int) -> void:
		for _index: int in size:
			_check_inside(var_to_bytes(generator.value()))
	in_batches(count, BATCH, SEED, generator.random, check_some)
	print("  get_in: %d paths" % _path_count)
	check(_left_out < count / 100, "%d left out" % _left_out)
	check(_path_count > count, "only %d paths" % _path_count)


## Typed containers with elements and keys of other types, as other programs may write them.
func test_foreign_values() -> void:
	_random.seed = SEED
	for _index: int in part_of(COUNT):
		quietly(_check_inside.bind(_foreign(0)))
		if failures.size() >= MAX_FAILURES:
			break
	print("  get_in: %d foreign paths" % _path_count)
	check(_path_count > part_of(COUNT), "only %d paths" % _path_count)


func test_keys_are_the_same_as_the_engine_says() -> void:
	var floats: Dictionary[float, String] = {0.0: "zero", 2.0: "two"}
	var bytes := var_to_bytes(floats)
	for key: Variant in [2, 2.0, 0, false, -0.0, 1, true, "2", null, NAN]:
		_check(bytes, [key], floats.get(key, MISSING) if not key is String and key != null else MISSING)
	var value := {1: "int", 1.0: "float", NAN: "NaN", &"name": "text", Vector2(0, NAN): "vector"}
	value[true] = "bool"
	bytes = var_to_bytes(value)
	for key: Variant in value.keys() + [false, "name", ^"name", Vector2i(0, 0), 2, Vector2(NAN, 0)]:
		_check(bytes, [key], value.get(key, MISSING))
	var steps: PackedStringArray = ["a", "\ufeffa", "\ufeff\ufeffa", "", "\ufeff"]
	for key: String in steps:
		bytes = var_to_bytes({key: 1, &"b": {[key]: 2}})
		for step: String in steps:
			_check(bytes, [step], (bytes_to_var(bytes) as Dictionary).get(step, MISSING))


func test_foreign_elements() -> void:
	# Array[float] of the int 7; Array[int] of "a" and 7, whose "a" is dropped.
	var text := "04000000 01000000 61000000"
	_check(Values.hex("1c000100 03000000 01000000 02000000 07000000"), [0], 7.0)
	var dropping := Values.hex("1c000100 02000000 02000000" + text + "02000000 07000000")
	var dropped := "dropped an element: ..."
	check_call(&"get_in", [dropping, [0]], 7, [WARNING + dropped])
	check_call(&"get_in_each", [[dropping], [0]], [7], [WARNING + "buffer 0: " + dropped])
	# A Dictionary with keys of a class, but for one that is a text; and an object as the step.
	var mistyped := Values.u32(TYPE_DICTIONARY | 2 << 16) + var_to_bytes("Node").slice(4)
	mistyped += var_to_bytes({self: 5, "x": 3}).slice(4)
	for step: Array in [[self, 5], [RefCounted.new(), MISSING]]:
		var got: Variant = quietly(func() -> Variant: return VarBatch.get_in(mistyped, [step[0]], MISSING))
		check_value(got, step[1], "at an object")


func test_what_is_not_there_gives_the_default() -> void:
	var value := {"list": [1, 2], 1: "one", "floats": PackedFloat32Array([1.5])}
	var bytes := var_to_bytes(value)
	_check(bytes, [], value)
	for step: Variant in ["nothing", 1.0, ["list"], null]:
		_check(bytes, [step], MISSING)
		check_call(&"get_in", [bytes, [step]], null, [])
	for step: Variant in [2, -1, "1", 1.0, null]:
		_check(bytes, ["list", step], MISSING)
	for path: Array in [["list", 0, 0], ["floats", 1], ["floats", 0, 0]]:
		_check(bytes, path, MISSING)
	var style := StyleBoxFlat.new()
	style.bg_color = Color.RED
	bytes = var_to_bytes_with_objects({"style": style})
	_check(bytes, ["style", "bg_color"], Color.RED)
	_check(bytes, ["style", &"bg_color"], Color.RED)
	_check(bytes, ["style", "none"], MISSING)
	var no_object := "...objects are not allowed (bytes_to_var() has allow_objects), found one, at byte..."
	check_call(&"get_in", [bytes, ["style"], MISSING], MISSING, [no_object])


## Damage before the value is an error, with the whole path, and behind it is not seen.
func test_damage() -> void:
	var bytes := var_to_bytes(["first", "second", 3])
	bytes.encode_u32(bytes.size() - 8, 99)
	_check(bytes, [1], "second")
	for path: Array in [[2], [2, 0]]:
		var line := "expected a type from 0 to 38, found 99, at byte 40 inside [2]"
		check_call(&"get_in", [bytes, path, MISSING], MISSING, [line])
	bytes = var_to_bytes({"a": [{"b": "cccc"}]})
	bytes[bytes.size() - 1] = 0xff
	check_call(&"get_in", [bytes, ["a", 0], MISSING], MISSING, ['...inside ["a"][0]["b"]...'])


## Each buffer is looked at like one alone, on any number of threads. Typed containers are converted
## by the engine, which the threads may not ask.
func test_each() -> void:
	var buffers: Array = []
	var expected: Array = []
	for index: int in 6000:
		var floats: Array[float] = [index, 0.5]
		var names: Dictionary[StringName, int] = {&"a": index}
		var plain := {"name": "player %d" % index, "at": Vector3(index, 0, 1)}
		var packet := {"id": index, "to": [floats, names] if index % 3 == 0 else plain}
		if index % 7 == 0:
			packet.erase("to")
		buffers.append(var_to_bytes(packet))
		expected.append(packet.get("to", MISSING))
	for threads: int in Threads.new([1, 2, 0]):
		check_call(&"get_in_each", [buffers, ["to"], MISSING], expected, [])
	var bad := {1000: "no buffer", 2000: PackedByteArray([1, 2])}
	for at: int in bad:
		buffers[at] = bad[at]
		expected[at] = MISSING
	var lines: Array = ["buffer 1000: expected a PackedByteArray, found String"]
	lines.append("buffer 2000: " + VarBatch.validate([bad[2000]])[0])
	check_call(&"get_in_each", [buffers, ["to"], MISSING], expected, lines)
	check_call(&"get_in_each", [[], ["to"]], [], [])


func _check(bytes: PackedByteArray, path: Array, expected: Variant) -> void:
	check_value(VarBatch.get_in(bytes, path, MISSING), expected, "at %s" % [path])
	var each := VarBatch.get_in_each([bytes, bytes], path, MISSING)
	check_value(each, [expected, expected], "each at %s" % [path])


func _check_inside(bytes: PackedByteArray) -> void:
	_check_parts(bytes, bytes_to_var(bytes), [])


func _check_parts(bytes: PackedByteArray, value: Variant, path: Array) -> void:
	var found: Variant = VarBatch.get_in(bytes, path, MISSING)
	if found is StringName and found == MISSING and not _is_written(bytes, path):
		_left_out += 1
		return
	_path_count += 1
	check_value(found, value, "at %s" % [path])
	if value is Dictionary:
		var dictionary: Dictionary = value
		for key: Variant in dictionary.keys().slice(0, MAX_PARTS):
			_check_parts(bytes, dictionary[key], path + [key])
			for other: Variant in _similar(key):
				# The engine logs each key that a Dictionary does not take.
				if _is_taken(dictionary, other):
					_path_count += 1
					var there: Variant = VarBatch.get_in(bytes, path + [other], MISSING)
					check_value(there, dictionary.get(other, MISSING), "at %s" % [path + [other]])
	elif value is Array:
		var array: Array = value
		for index: int in mini(array.size(), MAX_PARTS):
			_check_parts(bytes, array[index], path + [index])
	elif typeof(value) >= TYPE_PACKED_BYTE_ARRAY:
		var size: int = value.size()
		for index: int in range(size - 1, maxi(size - 4, -1), -1):
			check_value(VarBatch.get_in(bytes, path + [index]), value[index], "in %s" % [path])
		check_value(VarBatch.get_in(bytes, path + [size], MISSING), MISSING, "behind %s" % [path])


func _similar(key: Variant) -> Array:
	for alike: Array in ALIKE.slice(0, 3):
		if not typeof(key) in alike:
			continue
		if typeof(key) == TYPE_FLOAT and not absf(key as float) < 1e9 or ":" in str(key):
			return []
		return alike.map(func(type: int) -> Variant: return type_convert(key, type))
	return []


## True if indexing gives what is there, or nothing, without an error.
func _is_taken(dictionary: Dictionary, key: Variant) -> bool:
	const NUMBERS: Array[int] = [TYPE_INT, TYPE_FLOAT]
	var type := dictionary.get_typed_key_builtin()
	return type in [TYPE_NIL, typeof(key)] or (type in NUMBERS and typeof(key) in NUMBERS)


## False if a key is not read as what was written: a dictionary in it may have had several Callables
## as keys, which are all the same when they are read.
func _is_written(bytes: PackedByteArray, path: Array) -> bool:
	var text := bytes.hex_encode()
	var containers := path.filter(func(step: Variant) -> bool: return step is Array or step is Dictionary)
	return containers.all(func(step: Variant) -> bool: return var_to_bytes(step).hex_encode() in text)


## The bytes of an Array or a Dictionary with a type, whose parts often have another one.
func _foreign(depth: int) -> PackedByteArray:
	var alike: Array = ALIKE[_random.randi() % ALIKE.size()]
	var type: int = TYPE_OBJECT if _random.randi() % 16 == 0 else _one_of(alike)
	var is_array := _random.randi() % 2 == 0
	var count := _random.randi_range(0, 5)
	# The first parts fit more often, so that a search comes to the others.
	var first := _random.randi() % 3
	var kind := TYPE_ARRAY if is_array else TYPE_DICTIONARY
	var bytes := PackedInt32Array([kind | 1 << 16, type, count]).to_byte_array()
	for index: int in count:
		bytes.append_array(_part(type if index < first else _one_of(alike), depth))
		if not is_array:
			bytes.append_array(_part(_one_of(ALIKE[-1] as Array), depth))
	return bytes


func _one_of(types: Array) -> int:
	return types[_random.randi() % types.size()]


func _part(type: int, depth: int) -> PackedByteArray:
	if type in [TYPE_ARRAY, TYPE_DICTIONARY] and depth < 3:
		return _foreign(depth + 1)
	# It makes keys different, even when they are converted.
	_number += 1
	var made: Variant = [_number]
	match type:
		TYPE_NIL, TYPE_OBJECT:
			return var_to_bytes(null)
		TYPE_BOOL, TYPE_INT, TYPE_FLOAT:
			return var_to_bytes(_number if type != TYPE_FLOAT else float(_number))
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			made = "k%d" % _number
		TYPE_VECTOR2, TYPE_VECTOR2I:
			made = Vector2(_number, 1)
		TYPE_RECT2, TYPE_RECT2I:
			made = Rect2(Vector2(_number, 1), Vector2(2, 3))
		TYPE_RID:
			made = rid_from_int64(_number)
	return var_to_bytes(type_convert(made, type))

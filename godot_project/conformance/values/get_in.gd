extends "../support/suite.gd"
## The value at a path, against decoding everything and looking there.

const Generator := preload("../support/generator.gd")
const Values := preload("../support/values.gd")

const SEED := 20261123
const COUNT := 100_000
const BATCH := 100
const MAX_FAILURES := 8
## Elements of one array, and entries of one dictionary, that are looked for.
const MAX_PARTS := 40

const MISSING := &"not there"

var _path_count := 0
var _left_out := 0


func test_every_value() -> void:
	for value: Variant in Values.all():
		_check_inside(var_to_bytes([value, {"key": value}]))


func test_generated_values() -> void:
	var generator := Generator.new(SEED)
	var count := part_of(COUNT)
	for first: int in range(0, count, BATCH):
		generator.random.seed = SEED + first
		for _index: int in mini(BATCH, count - first):
			_check_inside(var_to_bytes(generator.value()))
		if failures.size() >= MAX_FAILURES:
			return
	print("  get_in: %d paths" % _path_count)
	check(_left_out < count / 100, "%d left out" % _left_out)
	check(_path_count > count, "only %d paths" % _path_count)


## Typed containers with elements and keys of other types, as other programs may write them.
func test_foreign_values() -> void:
	var foreign := Foreign.new(SEED)
	_path_count = 0
	Engine.print_error_messages = false
	for _index: int in part_of(COUNT):
		var bytes := foreign.container(0)
		_check_inside(bytes)
		if failures.size() >= MAX_FAILURES:
			break
	Engine.print_error_messages = true
	_take_texts()
	print("  get_in: %d foreign paths" % _path_count)
	check(_path_count > part_of(COUNT), "only %d paths" % _path_count)


func test_foreign_keys_and_elements() -> void:
	var floats: Dictionary[float, String] = {0.0: "zero", 2.0: "two"}
	var bytes := var_to_bytes(floats)
	for key: Variant in [2, 2.0, 0, false, -0.0, 1, true, "2", null, NAN]:
		var expected: Variant = MISSING if key is String or key == null else floats.get(key, MISSING)
		check_value(VarBatch.get_in(bytes, [key], MISSING), expected, "at %s" % [key])
		check_value(VarBatch.get_in_each([bytes, bytes], [key], MISSING), [expected, expected], "each at %s" % [key])
	# Array[float] of the int 7; Array[int] of "a" and 7, whose "a" is dropped.
	check_value(VarBatch.get_in("1c00010003000000010000000200000007000000".hex_decode(), [0]), 7.0, "an int")
	var dropped := "1c000100020000000200000004000000010000006100000002000000" + "07000000"
	var get_it := func() -> Variant: return VarBatch.get_in(dropped.hex_decode(), [0])
	check_value(expect_logged(get_it, 0, 1, "VarBatch.get_in: "), 7, "behind what is dropped")
	var each := func() -> Array: return VarBatch.get_in_each([dropped.hex_decode()], [0])
	check_value(expect_logged(each, 0, 1, "VarBatch.get_in_each: buffer 0: "), [7], "each behind what is dropped")


func test_the_first_of_two_equal_keys_counts() -> void:
	var twice := "1b00000002000000040000000100000061000000020000000100000004000000010000006100000002000000" + "02000000"
	check_value(VarBatch.get_in(twice.hex_decode(), ["a"]), 1, "the first")


func test_texts_with_byte_order_marks() -> void:
	for key: String in ["\ufeffa", "\ufeff\ufeffa", "\ufeff"]:
		var bytes := var_to_bytes({key: 1, &"b": {[key]: 2}})
		var value: Dictionary = bytes_to_var(bytes)
		for path: String in ["a", "\ufeffa", "\ufeff\ufeffa", "", "\ufeff"]:
			check_value(VarBatch.get_in(bytes, [path], MISSING), value.get(path, MISSING), "%s in %s" % [path, key])


func test_the_whole_value() -> void:
	check_value(VarBatch.get_in(var_to_bytes([1, "two"]), []), [1, "two"], "an empty path")


func test_what_is_not_there_gives_the_default() -> void:
	var bytes := var_to_bytes({"list": [1, 2], 1: "one", "floats": PackedFloat32Array([1.5])})
	for path: Array in [
		["nothing"], [1.0], ["list", 2], ["list", -1], ["list", "1"], ["list", 1.0], ["list", 0, 0],
		["floats", 1], ["floats", 0, 0], [["list"]], [null], ["list", null],
	]:
		check_value(VarBatch.get_in(bytes, path, MISSING), MISSING, "the default at %s" % [path])
		check(VarBatch.get_in(bytes, path) == null, "null at %s" % [path])
	check_int(VarBatch.get_last_error(), OK, "error of a path that is not there")


func test_keys_are_the_same_as_the_engine_says() -> void:
	var value := {1: "int", 1.0: "float", NAN: "NaN", &"name": "text", Vector2(0, NAN): "vector", true: "bool"}
	var bytes := var_to_bytes(value)
	for key: Variant in [1, 1.0, NAN, "name", &"name", Vector2(0, NAN), true]:
		check_value(VarBatch.get_in(bytes, [key], MISSING), value[key], "at %s" % [key])
	for key: Variant in [false, ^"name", Vector2i(0, 0), 2, Vector2(NAN, 0)]:
		check_value(VarBatch.get_in(bytes, [key], MISSING), value.get(key, MISSING), "at %s" % [key])


func test_properties_of_an_object() -> void:
	var resource := StyleBoxFlat.new()
	resource.bg_color = Color.RED
	var bytes := var_to_bytes_with_objects({"style": resource})
	check_value(VarBatch.get_in(bytes, ["style", "bg_color"]), Color.RED, "a property")
	check_value(VarBatch.get_in(bytes, ["style", &"bg_color"]), Color.RED, "a property by its StringName")
	check_value(VarBatch.get_in(bytes, ["style", "none"], MISSING), MISSING, "no such property")
	var whole := func() -> Variant: return VarBatch.get_in(bytes, ["style"], MISSING)
	check_value(expect_errors(whole, 1, "VarBatch.get_in: "), MISSING, "an object is not decoded")


func test_damage_before_the_value_is_an_error_and_behind_it_is_not_seen() -> void:
	var bytes := var_to_bytes(["first", "second", 3])
	bytes.encode_u32(bytes.size() - 8, 99)
	check_value(VarBatch.get_in(bytes, [1]), "second", "before the damage")
	for path: Array in [[2], [2, 0]]:
		var damaged := func() -> Variant: return VarBatch.get_in(bytes, path, MISSING)
		check_value(expect_errors(damaged, 1, "inside [2]"), MISSING, "at the damage")
	check_int(VarBatch.get_last_error(), ERR_INVALID_DATA, "error of damage")
	# A text that is not UTF-8, deep in what is found: the error names the whole path.
	var text := var_to_bytes({"a": [{"b": "cccc"}]})
	text[text.size() - 1] = 0xff
	var inside := func() -> Variant: return VarBatch.get_in(text, ["a", 0], MISSING)
	check_value(expect_errors(inside, 1, "inside [\"a\"][0][\"b\"]"), MISSING, "a bad text")


func test_every_truncation() -> void:
	var whole := {"first": 1, "list": [PackedByteArray([1, 2, 3]), "text"], "last": Vector3.ONE}
	var bytes := var_to_bytes(whole)
	for size: int in bytes.size():
		var cut := bytes.slice(0, size)
		Engine.print_error_messages = false
		var found: Variant = VarBatch.get_in(cut, ["list", 1], MISSING)
		Engine.print_error_messages = true
		_take_texts()
		check(str(found) in [str(MISSING), "text"], "%d bytes: found %s" % [size, found])
	check_value(VarBatch.get_in(bytes.slice(0, bytes.size() - 12), ["list", 1]), "text", "cut behind it")


## Each buffer is looked at like one alone, on any number of threads.
func test_each() -> void:
	var buffers: Array = []
	var expected: Array = []
	for index: int in 6000:
		var packet := {"id": index, "to": {"name": "player %d" % index, "at": Vector3(index, 0, 1)}}
		if index % 7 == 0:
			packet.erase("to")
		buffers.append(var_to_bytes(packet))
		expected.append(MISSING if index % 7 == 0 else packet["to"])
	for threads: int in [1, 2, 0]:
		VarBatch.set_thread_count(threads)
		var found := VarBatch.get_in_each(buffers, ["to"], MISSING)
		check_value(found, expected, "on %d threads" % threads)
	buffers[1000] = "no buffer"
	buffers[2000] = PackedByteArray([1, 2])
	expected[1000] = MISSING
	expected[2000] = MISSING
	var each := func() -> Array: return VarBatch.get_in_each(buffers, ["to"], MISSING)
	check_value(expect_errors(each, 2, "VarBatch.get_in_each: buffer "), expected, "with two bad ones")
	check_value(VarBatch.get_in_each([], ["to"]), [], "no buffers")


## Typed containers are converted by the engine, which the threads may not ask.
func test_each_with_typed_containers() -> void:
	var buffers: Array = []
	var expected: Array = []
	for index: int in 3000:
		var floats: Array[float] = [index, 0.5]
		var names: Dictionary[StringName, int] = {&"a": index}
		expected.append([floats, names])
		buffers.append(var_to_bytes({"typed": [floats, names]}))
	check_value(VarBatch.get_in_each(buffers, ["typed"]), expected, "typed containers")


## Checks the values at all paths into what the engine decodes.
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
					check_value(VarBatch.get_in(bytes, path + [other], MISSING), dictionary.get(other, MISSING), "at %s" % [path + [other]])
	elif value is Array:
		var array: Array = value
		for index: int in mini(array.size(), MAX_PARTS):
			_check_parts(bytes, array[index], path + [index])
	elif typeof(value) >= TYPE_PACKED_BYTE_ARRAY:
		@warning_ignore("unsafe_method_access")
		var size: int = value.size()
		for index: int in mini(size, 3):
			@warning_ignore("unsafe_cast")
			check_value(VarBatch.get_in(bytes, path + [size - 1 - index]), value[size - 1 - index], "element at %s" % [path])
		check_value(VarBatch.get_in(bytes, path + [size], MISSING), MISSING, "behind %s" % [path])


## Keys that a typed Dictionary may take for this one.
func _similar(key: Variant) -> Array:
	match typeof(key):
		TYPE_BOOL, TYPE_INT:
			return [float(key), int(key)]
		TYPE_FLOAT:
			return [int(key)] if absf(key) < 1e9 else []
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return [String(key), StringName(key)] if not String(key).contains(":") else []
		TYPE_VECTOR2, TYPE_VECTOR2I:
			return [Vector2(key), Vector2i(key)]
	return []


## True if indexing gives what is there, or nothing, without an error.
func _is_taken(dictionary: Dictionary, key: Variant) -> bool:
	var type := dictionary.get_typed_key_builtin()
	return type == TYPE_NIL or type == typeof(key) or (type in [TYPE_INT, TYPE_FLOAT] and typeof(key) in [TYPE_INT, TYPE_FLOAT])


## False if a key is not read as what was written: a dictionary in it may have had several Callables as
## keys, which are all the same when they are read.
func _is_written(bytes: PackedByteArray, path: Array) -> bool:
	var text := bytes.hex_encode()
	for step: Variant in path:
		if (step is Array or step is Dictionary) and not text.contains(var_to_bytes(step).hex_encode()):
			return false
	return true


## Encodes typed containers whose parts often have another type.
class Foreign:
	const TYPES: Array[int] = [
		TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH, TYPE_VECTOR2, TYPE_VECTOR2I,
		TYPE_RECT2, TYPE_RECT2I, TYPE_RID, TYPE_ARRAY, TYPE_PACKED_BYTE_ARRAY, TYPE_PACKED_INT32_ARRAY,
		TYPE_PACKED_FLOAT64_ARRAY, TYPE_PACKED_STRING_ARRAY, TYPE_DICTIONARY, TYPE_NIL,
	]
	## Types that convert to each other.
	const ALIKE: Array[Array] = [
		[TYPE_BOOL, TYPE_INT, TYPE_FLOAT], [TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH],
		[TYPE_VECTOR2, TYPE_VECTOR2I], [TYPE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_STRING_ARRAY],
	]
	var random := RandomNumberGenerator.new()
	## Makes keys different, even when they are converted.
	var number := 1

	func _init(seed_number: int) -> void:
		random.seed = seed_number

	## An Array or a Dictionary with a type.
	func container(depth: int) -> PackedByteArray:
		var is_array := random.randi() % 2 == 0
		var alike: Array = ALIKE[random.randi() % ALIKE.size()] if random.randi() % 4 else TYPES
		var type: int = TYPE_OBJECT if random.randi() % 16 == 0 else alike[random.randi() % alike.size()]
		var count := random.randi_range(0, 5)
		var bytes := PackedByteArray()
		bytes.resize(12)
		bytes.encode_u32(0, (TYPE_ARRAY if is_array else TYPE_DICTIONARY) | (1 << 16))
		bytes.encode_u32(4, type)
		bytes.encode_u32(8, count)
		var first := random.randi() % 3
		for index: int in count:
			# The first parts fit more often, so that a search comes to the others.
			var part: int = type if index < first else alike[random.randi() % alike.size()]
			bytes.append_array(_part(part if part != TYPE_OBJECT else TYPE_NIL, depth))
			if not is_array:
				bytes.append_array(_part(TYPES[random.randi() % TYPES.size()], depth))
		return bytes

	func _part(type: int, depth: int) -> PackedByteArray:
		number += 1
		match type:
			TYPE_BOOL, TYPE_INT:
				return var_to_bytes(number)
			TYPE_FLOAT:
				return var_to_bytes(float(number))
			TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
				return var_to_bytes(type_convert("k%d" % number, type))
			TYPE_VECTOR2, TYPE_VECTOR2I:
				return var_to_bytes(type_convert(Vector2(number, 1), type))
			TYPE_RECT2, TYPE_RECT2I:
				return var_to_bytes(type_convert(Rect2(number, 1, 2, 3), type))
			TYPE_RID:
				return var_to_bytes(rid_from_int64(number))
			TYPE_ARRAY, TYPE_DICTIONARY:
				return container(depth + 1) if depth < 3 else var_to_bytes(type_convert([number], type))
			TYPE_NIL:
				return var_to_bytes(null)
		return var_to_bytes(type_convert([number], type))

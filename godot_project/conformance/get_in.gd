extends "suite.gd"
## The value at a path, against decoding everything and looking there.

const Generator := preload("generator.gd")
const Values := preload("values.gd")

const SEED := 20261123
const COUNT := 100_000
const BATCH := 100
const MAX_FAILURES := 8
## Elements of one array, and entries of one dictionary, that are looked for.
const MAX_PARTS := 40

const MISSING := &"not there"
const TWO_BYTE_ORDER_MARKS := "efbbbfefbbbf"

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
			var bytes := var_to_bytes(generator.value())
			# A text that begins with two byte order marks loses one each time: as a key, it is another.
			if not bytes.hex_encode().contains(TWO_BYTE_ORDER_MARKS):
				_check_inside(bytes)
			else:
				_left_out += 1
		if failures.size() >= MAX_FAILURES:
			return
	print("  get_in: %d paths" % _path_count)
	check(_left_out < count / 20, "%d left out" % _left_out)
	check(_path_count > count, "only %d paths" % _path_count)


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


## False if a key is not read as what was written: a dictionary in it may have had several Callables as
## keys, which are all the same when they are read.
func _is_written(bytes: PackedByteArray, path: Array) -> bool:
	var text := bytes.hex_encode()
	for step: Variant in path:
		if (step is Array or step is Dictionary) and not text.contains(var_to_bytes(step).hex_encode()):
			return false
	return true

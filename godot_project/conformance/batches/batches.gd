extends "../support/round_trip.gd"
## Many values in one call: the same as one call each, on any number of threads, and the results
## are nobody else's.

const Packed := preload("../support/packed_values.gd")

## Read-only, as every constant Array is.
const CONSTANT_VALUES: Array = [1, "two", [3, 4.5], {"five": 6}]


func test_values() -> void:
	for values: Array in [[], [7], [null, Vector3(1, 2, 3)], Values.all(), Values.mixed(1000)]:
		_check_batch(values, "batch of %d" % values.size())


func test_full_objects() -> void:
	var values := Values.Engines.storable_objects() + Values.mixed(50)
	var buffers := VarBatch.vars_to_bytes(values, true)
	check_int(buffers.size(), values.size(), "number of buffers")
	for i: int in buffers.size():
		check_bytes(buffers[i], var_to_bytes_with_objects(values[i]), "value %d" % i)
	buffers = buffers.filter(_is_decodable.bind(true))
	check(buffers.size() >= Values.Engines.storable_objects().size(), "too few to decode")
	var expected := Array(buffers, TYPE_NIL, &"", null).map(bytes_to_var_with_objects)
	check_values(VarBatch.bytes_to_vars(buffers, true), expected, "bytes_to_vars")


func test_result_types() -> void:
	for values: Array in [[], [1, 2]]:
		var buffers: Variant = VarBatch.vars_to_bytes(values)
		check_value(typeof(buffers), TYPE_ARRAY, "type of vars_to_bytes")
		check_int((buffers as Array).get_typed_builtin(), TYPE_PACKED_BYTE_ARRAY, "element type")
		var found: Variant = VarBatch.bytes_to_vars(buffers as Array)
		check_value(typeof(found), TYPE_ARRAY, "type of bytes_to_vars")
		check(not (found as Array).is_typed(), "bytes_to_vars gives a typed array")
		for result: Array in [buffers, found]:
			check(not result.is_read_only(), "a result is read-only")


func test_typed_and_read_only_arrays() -> void:
	var bytes: Array[PackedByteArray] = [PackedByteArray([1, 2, 3]), PackedByteArray()]
	var packed: Array[PackedInt32Array] = [Packed.make(TYPE_PACKED_INT32_ARRAY, 1000)]
	var ints: Array[int] = [0, -1, 1 << 40]
	var vectors: Array[Vector3] = [Vector3(1, 2, 3), Vector3.INF]
	var dictionaries: Array[Dictionary] = [{"a": 1}, {}]
	var texts: Array[String] = ["a", "日本"]
	var empty: Array[Color] = []
	for values: Array in [bytes, packed, ints, vectors, dictionaries, texts, empty]:
		_check_batch(values, "Array[%s]" % type_string(values.get_typed_builtin()))
	check(CONSTANT_VALUES.is_read_only(), "a constant array is not read-only")
	var mixed := Values.mixed(20)
	mixed.make_read_only()
	_check_batch(CONSTANT_VALUES, "constant array")
	_check_batch(mixed, "read-only array")
	var buffers := Values.engine_bytes(CONSTANT_VALUES)
	buffers.make_read_only()
	check_values(VarBatch.bytes_to_vars(buffers), CONSTANT_VALUES, "read-only buffers")
	# Values that are themselves read-only, alone and inside.
	var array: Array = [1, [2, 3]]
	var dictionary: Dictionary = {"a": array}
	array.make_read_only()
	dictionary.make_read_only()
	for value: Variant in [array, dictionary]:
		check_both_ways(value, "read-only value")
	_check_batch([array, dictionary, array], "read-only values")
	var found: Array = VarBatch.bytes_to_var(var_to_bytes(array))
	check(not found.is_read_only(), "the result is read-only")


## Large ones, of which one is there many times: its payload is read by every thread at once; and so
## many small ones that each thread may take a part of them.
func test_thread_counts_agree() -> void:
	var mixed := Values.mixed(300)
	for type: int in Packed.STRIDES:
		mixed.append(Packed.make(type, 70001))
	mixed.append(Packed.make(TYPE_PACKED_STRING_ARRAY, 70001))
	var large: Array = []
	var small: Array = []
	for i: int in 64:
		large.append(Packed.make(TYPE_PACKED_INT32_ARRAY, 1 << 18))
		large[-1][0] = i
		large[-1][-1] = -i
	var same: Array = []
	same.resize(64)
	same.fill(large[0])
	for i: int in 20_000:
		small.append(Packed.make(TYPE_PACKED_INT32_ARRAY, i % 20))
		small[-1].append(i)
	for values: Array in [mixed, large, same, small]:
		var buffers := Values.engine_bytes(values)
		var decoded := Array(buffers, TYPE_NIL, &"", null).map(bytes_to_var)
		var frames := PackedByteArray()
		for buffer: PackedByteArray in buffers:
			frames.append_array(frame(buffer))
		for count: int in [1, 2, 3, 0]:
			VarBatch.set_thread_count(count)
			var what := "of %d values with thread count %d" % [values.size(), count]
			var found := VarBatch.vars_to_bytes(values)
			if found != buffers:
				check_buffers(found, buffers, "vars_to_bytes " + what)
			check_bytes(VarBatch.vars_to_frames(values), frames, "vars_to_frames %s" % what)
			for back: Array in [VarBatch.bytes_to_vars(buffers), VarBatch.frames_to_vars(frames)]:
				check_int(Equal.first_unequal(back, decoded), -1, "values back " + what)


## A change of one result must show in no other result, no input and no later result.
func test_results_are_independent() -> void:
	for size: int in [3, 100_000]:
		var bytes: PackedByteArray = Packed.make(TYPE_PACKED_BYTE_ARRAY, size)
		var original := bytes.duplicate()
		var values: Array = [bytes, bytes, bytes]
		var encoded := var_to_bytes(original)
		var buffers := VarBatch.vars_to_bytes(values)
		var single := VarBatch.var_to_bytes(bytes)
		buffers[0].fill(0x55)
		single.fill(0xaa)
		check_bytes(buffers[1], encoded, "another buffer of %d" % size)
		check_bytes(bytes, original, "the input of %d" % size)
		check_buffers(VarBatch.vars_to_bytes(values), [encoded, encoded, encoded], "a later call")
		var sources: Array[PackedByteArray] = [encoded, encoded, encoded]
		var found := VarBatch.bytes_to_vars(sources)
		var first: PackedByteArray = found[0]
		first.fill(0x55)
		found[1].clear()
		check_bytes(sources[0], var_to_bytes(original), "the buffer of %d" % size)
		check_value(found[2], original, "another value of %d" % size)
		check_values(VarBatch.bytes_to_vars(sources), values, "a later call")


## A result is kept while many others are made: none may be built in its memory.
func test_results_are_not_reused() -> void:
	var array: PackedInt32Array = Packed.make(TYPE_PACKED_INT32_ARRAY, 50_000)
	var kept := VarBatch.var_to_bytes(array)
	var kept_batch := VarBatch.vars_to_bytes([array, Packed.make(TYPE_PACKED_COLOR_ARRAY, 7)])
	var expected := kept.duplicate()
	expected[0] = expected[0]  # a write, so that it is a copy of its own
	for round: int in 20:
		VarBatch.var_to_bytes(Packed.make(TYPE_PACKED_FLOAT32_ARRAY, 50_000 + round))
		VarBatch.vars_to_bytes([Packed.make(TYPE_PACKED_FLOAT32_ARRAY, 50_000 + round)])
	check_bytes(kept, expected, "a buffer after other calls")
	check_bytes(kept_batch[0], expected, "a batch after other calls")


func test_inputs_are_unchanged() -> void:
	var values := Values.mixed(300)
	var before := Values.engine_bytes(values)
	var elements := values.duplicate()
	var buffers := VarBatch.vars_to_bytes(values)
	VarBatch.vars_to_frames(values)
	check_int(values.size(), 300, "size of the values")
	check_buffers(Values.engine_bytes(values), before, "values after the call")
	for i: int in values.size():
		check(is_same(values[i], elements[i]), "element %d is another" % i)
	var sources := buffers.duplicate(true)
	VarBatch.bytes_to_vars(buffers.filter(_is_decodable.bind(false)))
	check_buffers(buffers, sources, "buffers after the call")


func _is_decodable(buffer: PackedByteArray, objects: bool) -> bool:
	return quietly(buffer.has_encoded_var.bind(0, objects))


## The whole batch both ways against one call of the engine for each value.
func _check_batch(values: Array, what: String) -> void:
	var expected := Values.engine_bytes(values)
	var untyped := Array(expected, TYPE_NIL, &"", null)
	var decoded := untyped.map(bytes_to_var)
	check_buffers(VarBatch.vars_to_bytes(values), expected, "vars_to_bytes of %s" % what)
	check_values(VarBatch.bytes_to_vars(expected), decoded, "bytes_to_vars of %s" % what)
	check_values(VarBatch.bytes_to_vars(untyped), decoded, "untyped, of %s" % what)

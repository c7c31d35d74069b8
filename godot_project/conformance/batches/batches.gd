extends "../support/round_trip.gd"
## Many values in one call: the same as one call each, on any number of threads, and the results
## are nobody else's.

## Read-only, as every constant Array is.
const CONSTANT_VALUES: Array = [1, "two", [3, 4.5], {"five": 6}]


func test_values_in_any_array() -> void:
	var bytes: Array[PackedByteArray] = [PackedByteArray([1, 2, 3]), PackedByteArray()]
	var packed: Array[PackedInt32Array] = [Packed.make(TYPE_PACKED_INT32_ARRAY, 1000)]
	var ints: Array[int] = [0, -1, 1 << 40]
	var vectors: Array[Vector3] = [Vector3(1, 2, 3), Vector3.INF]
	var dictionaries: Array[Dictionary] = [{"a": 1}, {}]
	var texts: Array[String] = ["a", "日本"]
	var empty: Array[Color] = []
	var mixed := Values.mixed(20)
	mixed.make_read_only()
	check(CONSTANT_VALUES.is_read_only(), "a constant array is not read-only")
	var typed: Array[Array] = [bytes, packed, ints, vectors, dictionaries, texts, empty]
	for values: Array in typed + [[], [7], Values.all(), Values.mixed(1000), CONSTANT_VALUES, mixed]:
		var what := "batch of %d of type %d" % [values.size(), values.get_typed_builtin()]
		var expected := Values.engine_bytes(values)
		var untyped := Array(expected, TYPE_NIL, &"", null)
		var decoded := untyped.map(bytes_to_var)
		check_same(VarBatch.vars_to_bytes(values), expected, "vars_to_bytes of %s" % what)
		expected.make_read_only()
		check_same(VarBatch.bytes_to_vars(expected), decoded, "bytes_to_vars of %s" % what)
		check_same(VarBatch.bytes_to_vars(untyped), decoded, "untyped, of %s" % what)


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
	var same := filled(64, large[0])
	for i: int in 20_000:
		small.append(Packed.make(TYPE_PACKED_INT32_ARRAY, i % 20))
		small[-1].append(i)
	for values: Array in [mixed, large, same, small]:
		var buffers := Values.engine_bytes(values)
		var decoded := Array(buffers, TYPE_NIL, &"", null).map(bytes_to_var)
		var frames := PackedByteArray()
		for buffer: PackedByteArray in buffers:
			frames.append_array(frame(buffer))
		for count: int in Threads.new([1, 2, 3, 0]):
			var what := "of %d values with thread count %d" % [values.size(), count]
			check_same(VarBatch.vars_to_bytes(values), buffers, "vars_to_bytes " + what)
			check_bytes(VarBatch.vars_to_frames(values), frames, "vars_to_frames %s" % what)
			for back: Array in [VarBatch.bytes_to_vars(buffers), VarBatch.frames_to_vars(frames)]:
				check_same(back, decoded, "values back " + what)


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
		check_same(VarBatch.vars_to_bytes(values), [encoded, encoded, encoded], "a later call")
		var sources: Array[PackedByteArray] = [encoded, encoded, encoded]
		var found := VarBatch.bytes_to_vars(sources)
		var first: PackedByteArray = found[0]
		first.fill(0x55)
		found[1].clear()
		check_bytes(sources[0], var_to_bytes(original), "the buffer of %d" % size)
		check_value(found[2], original, "another value of %d" % size)
		check_same(VarBatch.bytes_to_vars(sources), values, "a later call")


func test_inputs_are_unchanged() -> void:
	var values := Values.mixed(300)
	var before := Values.engine_bytes(values)
	var elements := values.duplicate()
	var buffers := VarBatch.vars_to_bytes(values)
	VarBatch.vars_to_frames(values)
	check_int(values.size(), 300, "size of the values")
	check_same(Values.engine_bytes(values), before, "values after the call")
	for i: int in values.size():
		check(is_same(values[i], elements[i]), "element %d is another" % i)
	var sources := buffers.duplicate(true)
	quietly(VarBatch.bytes_to_vars.bind(buffers))
	check_same(buffers, sources, "buffers after the call")

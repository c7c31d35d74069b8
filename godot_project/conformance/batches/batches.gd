extends "../files/files_base.gd"
## Many values in one call: the same as one call each, on any number of threads. In large batches threads read what
## needs nothing of the engine, and those that need it come after: all is in the order of the buffers.

## Read-only, as every constant Array is.
const CONSTANT_VALUES: Array = [1, "two", [3, 4.5], {"five": 6}]
## Kinds of buffers, of which two more have whole objects.
const KINDS := 10

## An Array[int] of 1.5, which is converted, and of a text, which is dropped.
var _converted := Values.typed_array(TYPE_INT, [7, 1.5, true])
var _dropped := Values.typed_array(TYPE_INT, [7, "x", 1.5, [], "y"])
## A key that is looked at by the engine: 50 arrays, one in the other.
var _key: Array = Engines.nested(50, [1])
var _objects := Engines.storable_objects()


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
	mixed += range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX).map(func(type: int) -> Variant: return Packed.make(type, 70001))
	var large: Array = []
	for i: int in 64:
		large.append(Packed.make(TYPE_PACKED_INT32_ARRAY, 1 << 18))
		large[-1][0] = i
		large[-1][-1] = -i
	var small := range(20_000).map(func(i: int) -> Variant: return Packed.make(TYPE_PACKED_INT32_ARRAY, i % 20) + PackedInt32Array([i]))
	for values: Array in [mixed, large, filled(64, large[0]), small]:
		var buffers := Values.engine_bytes(values)
		var decoded := Array(buffers, TYPE_NIL, &"", null).map(bytes_to_var)
		var frames := frames_of(buffers)
		for count: int in Threads.new([1, 2, 3, 0]):
			var what := "of %d values with thread count %d" % [values.size(), count]
			check_same(VarBatch.vars_to_bytes(values), buffers, "vars_to_bytes " + what)
			check_bytes(VarBatch.vars_to_frames(values), frames, "vars_to_frames %s" % what)
			for back: Array in [VarBatch.bytes_to_vars(buffers), VarBatch.frames_to_vars(frames)]:
				check_same(back, decoded, "values back " + what)


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


func test_mixed() -> void:
	for count: int in [16, 1200, 7000]:
		for step: int in [1, 7]:
			_check_kinds(count, func(i: int) -> int: return i * step % KINDS, "step %d" % step)


func test_one_kind() -> void:
	for kind: int in KINDS:
		for place: int in [0, 700, 1399]:
			var of := func(i: int) -> int: return kind if i == place else i % 2
			_check_kinds(1400, of, "kind %d at %d" % [kind, place])
	for kind: int in [4, 5]:
		_check_kinds(3000, func(_i: int) -> int: return kind, "all of kind %d" % kind)


func test_full_objects() -> void:
	_check_kinds(7000, func(i: int) -> int: return [10, 11, 0, 2, 4][i % 5], "full objects", true)


func _check_kinds(size: int, of: Callable, what: String, objects := false) -> void:
	var buffers: Array = []
	var expected: Array = []
	var lines := PackedStringArray()
	for i: int in size:
		_add(of.call(i) as int, i, buffers, expected, lines, objects)
	var before := buffers.duplicate()
	var is_warning := func(line: String) -> bool: return line.begins_with(WARNING)
	var code := OK if Array(lines).all(is_warning) else -1
	for count: int in Threads.new([1, 2, 3, 8]):
		check_forms("bytes_to_vars", [buffers, objects], expected, code, bounded(lines, OF_BUFFERS), true)
	check_same(buffers, before, "the buffers, %d, %s" % [size, what])


func _add(kind: int, i: int, buffers: Array, expected: Array, lines: PackedStringArray, objects: bool) -> void:
	var bytes := PackedByteArray()
	match kind:
		0:
			bytes = var_to_bytes([i, "text", _noise.slice(0, i % 300)])
		1:
			bytes = var_to_bytes({"i": i, &"name": Vector2(i, 1), "list": [[i], {}]})
		2:
			bytes = var_to_bytes("broken %d" % i).slice(0, 9 + i % 3)
		3:
			buffers.append([5, "no buffer", null, [PackedByteArray()]][i % 4])
			expected.append(null)
			lines.append("buffer %d: expected a PackedByteArray, found %s" % [i, type_string(typeof(buffers[-1]))])
			return
		4:
			bytes = _converted
		5:
			bytes = _dropped
			var logs := logged(call_method.bind(&"bytes_to_var", [bytes]))
			var text := logs[0].trim_prefix(WARNING + "VarBatch.bytes_to_var: ") if errors.is_open() else "dropped"
			lines.append(WARNING + "buffer %d: %s" % [i, text])
		6:
			# It is converted, and what follows is broken.
			bytes = Values.header(TYPE_ARRAY) + Values.u32(2) + _converted
			bytes += var_to_bytes("text").slice(0, 8 + i % 4)
		7:
			bytes = PackedByteArray([TYPE_NIL, 0, 0, 0])
		9:
			bytes = var_to_bytes({_key: i})
		10:
			bytes = var_to_bytes_with_objects([_objects[i % _objects.size()], i])
		11:
			bytes = var_to_bytes_with_objects({"o": _objects, "i": i})
	buffers.append(bytes)
	expected.append(quietly(bytes.decode_var.bind(0, objects)))
	var reason := VarBatch.validate([bytes], objects)[0]
	if not reason.is_empty():
		lines.append("buffer %d: %s" % [i, reason])

extends "broken_base.gd"
## Bytes that are cut, lying or damaged.

const FLAG_64 := 1 << 16
const COUNTS: PackedInt64Array = [
	0,
	1,
	2,
	4,
	100,
	0x10000000,
	0x15555556,
	0x1fffffff,
	0x20000000,
	0x40000000,
	0x55555556,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xc0000000,
	0xffffffff,
]
const MAX_HUGE_MSEC := 10_000
const MAX_HUGE_KIB := 65536


func test_every_truncation() -> void:
	for type: int in Values.types():
		# The fourth of the packed arrays has three elements, the first none.
		var value: Variant = Values.of(type)[3 if type >= TYPE_PACKED_BYTE_ARRAY else 0]
		check_verdicts(truncations(var_to_bytes(value)), "part of %s" % type_string(type))


func test_every_truncation_of_long_numbers() -> void:
	for value: Variant in [1 << 40, 0.1]:
		check_verdicts(truncations(var_to_bytes(value)), "part of %s" % value)


## Up to the last component, and where 32-bit components would end.
func test_truncation_of_wide_components() -> void:
	var wide: Array[PackedByteArray] = []
	for type: int in Values.FLOAT_COMPONENTS:
		wide.append(_wide(type, 1))
	for type: int in Values.PACKED_VECTORS:
		wide.append(_wide_packed(type, 2))
	for bytes: PackedByteArray in wide:
		var parts := truncations(bytes)
		var buffers := parts.slice(-9)
		buffers.append(parts[bytes.size() / 2 + 2])
		check_verdicts(buffers, "part of wide components")


func test_truncations_of_texts_and_containers() -> void:
	for value: Variant in ["text", &"name", ^"/a:b", [1, "a"], {"k": [2.5]}]:
		var type := type_string(typeof(value))
		check_verdicts(truncations(var_to_bytes(value)), "part of %s" % type)


## Both widths of components are readable, whatever the build writes itself.
func test_components_of_both_widths() -> void:
	var buffers: Array[PackedByteArray] = []
	for type: int in Values.FLOAT_COMPONENTS:
		for shift: int in 40:
			buffers.append_array([_narrow(type, shift), _wide(type, shift)])
	for type: int in Values.PACKED_VECTORS:
		for count: int in [0, 1, 2, 3, 5, 16, 17, 500]:
			buffers.append_array([_narrow_packed(type, count), _wide_packed(type, count)])
	for bytes: PackedByteArray in buffers:
		check(is_accepted(bytes), "not accepted by the engine: %s" % bytes.slice(0, 8).hex_encode())
	check_verdicts(buffers, "components of both widths")


## As elements, as elements of a typed Array, and as keys of one value.
func test_both_widths_in_one_value() -> void:
	var types := Array(Values.PACKED_VECTORS) + Values.FLOAT_COMPONENTS.keys()
	types.erase(TYPE_COLOR)
	for type: int in types:
		var parts := PackedByteArray()
		var keys := Values.u32(TYPE_DICTIONARY) + Values.u32(6)
		for i: int in 3:
			for part: PackedByteArray in (
				[_narrow_packed(type, i + 1), _wide_packed(type, i)]
				if type in Values.PACKED_VECTORS
				else [_narrow(type, i), _wide(type, i + 9)]
			):
				parts.append_array(part)
				keys.append_array(part + var_to_bytes(i))
		var array := Values.u32(TYPE_ARRAY) + Values.u32(6) + parts
		var typed := Values.u32(TYPE_ARRAY | FLAG_64) + Values.u32(type) + Values.u32(6) + parts
		check_verdicts([array, typed, keys], "both widths of %s" % type_string(type))


## Each bit of the header beside the type. Most mean nothing and are ignored.
func test_header_flags() -> void:
	for type: int in Values.types():
		var buffers: Array[PackedByteArray] = []
		for value: Variant in [Values.of(type)[0], Values.of(type)[-1]]:
			var bytes := var_to_bytes(value)
			bytes.resize(mini(bytes.size(), 4000))
			for bit: int in range(8, 32):
				buffers.append(with_u32(bytes, 0, bytes.decode_u32(0) ^ (1 << bit)))
			buffers.append(with_u32(bytes, 0, type | 0xffffff00))
		check_verdicts(buffers, "flags of %s" % type_string(type))


func test_unknown_types() -> void:
	var buffers: Array[PackedByteArray] = []
	var rests: PackedStringArray = ["000000", "0000000000000000000000", "0001000500000000000000"]
	for type: int in range(TYPE_MAX, 256):
		buffers.append(PackedByteArray([type]) + rests[type % rests.size()].hex_decode())
	check_verdicts(buffers, "type byte out of range")


## Counts that are wrong, negative, or overflow when they are multiplied. Nothing is allocated
## for them: neither the time nor the memory for 2^31 elements is spent.
func test_counts() -> void:
	var peak_before := _peak_kib()
	var started := Time.get_ticks_msec()
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		var bytes := var_to_bytes(Values.Packed.make(type, 3))
		check_verdicts(_with_counts(bytes), "count of %s" % type_string(type))
		bytes = with_u32(bytes, 0, type | FLAG_64)
		check_verdicts(_with_counts(bytes), "count of flagged %s" % type_string(type))
	check_time(started, MAX_HUGE_MSEC, "wrong counts")
	var grown := _peak_kib() - peak_before
	check(grown < MAX_HUGE_KIB, "address space grew by %d KiB for wrong counts" % grown)


func test_lengths_of_texts() -> void:
	var bytes := var_to_bytes(PackedStringArray(["abcdefg", "xyz", "é"]))
	var buffers: Array[PackedByteArray] = []
	for length: int in range(0, 30):
		buffers.append(with_u32(bytes, 8, length))
	for length: int in [0x7ffffffc, 0x7ffffffd, 0x7fffffff, 0x80000000, 0xfffffffd, 0xffffffff]:
		buffers.append(with_u32(bytes, 8, length))
	check_verdicts(buffers, "length of the first text")


## The padding is not looked at, but behind a text it must be there.
func test_padding() -> void:
	var buffers: Array[PackedByteArray] = []
	for length: int in range(1, 9):
		var bytes := var_to_bytes(Values.Packed.make(TYPE_PACKED_BYTE_ARRAY, length))
		var text := var_to_bytes(PackedStringArray(["abcdefgh".left(length)]))
		for source: PackedByteArray in [bytes, text]:
			var filled := source.duplicate()
			for i: int in range(source.size() - 3, source.size()):
				filled[i] = 0xff
				buffers.append(filled.duplicate())
			buffers.append(source.slice(0, source.size() - 1))
			buffers.append(source.slice(0, source.size() - 2))
	check_verdicts(buffers, "padding")


func test_trailing_bytes() -> void:
	for type: int in Values.types():
		var bytes := var_to_bytes(Values.of(type)[0])
		for count: int in [1, 3, 4, 9]:
			var tail := PackedByteArray()
			tail.resize(count)
			tail.fill(0xee)
			var buffers: Array[PackedByteArray] = [bytes + tail]
			check(is_accepted(buffers[0]), "the engine refuses trailing bytes")
			check_verdicts(buffers, "%d bytes behind %s" % [count, type_string(type)])


func test_bool_numbers() -> void:
	var buffers: Array[PackedByteArray] = []
	for number: int in [0, 1, 2, 0x100, 0x10000, 0x80000000, 0xffffffff]:
		buffers.append(Values.header(TYPE_BOOL) + Values.u32(number))
	check_verdicts(buffers, "bool")


## NaN of 32 bits that become 64 bits wide.
func test_narrow_floats() -> void:
	var buffers: Array[PackedByteArray] = []
	for bits: int in Values.Packed.FLOAT_BITS:
		buffers.append(Values.header(TYPE_FLOAT) + Values.u32(bits))
	check_verdicts(buffers, "32-bit float")


func test_elements_that_are_no_bytes() -> void:
	var wrong: Array = [null, 5, "text", PackedInt32Array([1]), [PackedByteArray()], {}, NAN]
	var buffers: Array = [_good]
	var expected: Array = ["good"]
	for element: Variant in wrong:
		buffers.append_array([element, _good])
		expected.append_array([null, "good"])
	var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
	var found: Array = expect_errors(decode, wrong.size(), "VarBatch.bytes_to_vars: buffer ")
	check_values(found, expected, "elements that are no bytes")
	for typed: Array in [[7] as Array[int], [&"x"] as Array[StringName]]:
		decode = func() -> Array: return VarBatch.bytes_to_vars(typed)
		found = expect_errors(decode, 1, "VarBatch.bytes_to_vars: buffer 0: ")
		check_values(found, [null], "typed array of something else")


## The line names the buffer, by its place in the batch.
func test_error_names_the_buffer() -> void:
	var buffers: Array[PackedByteArray] = []
	buffers.resize(20)
	buffers.fill(_good)
	buffers[13] = Values.header(TYPE_VECTOR3) + Values.u32(0)
	var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
	expect_errors(decode, 1, "VarBatch.bytes_to_vars: buffer 13: ")
	decode = func() -> Variant: return VarBatch.bytes_to_var(buffers[13])
	expect_errors(decode, 1, "VarBatch.bytes_to_var: ")
	expect_errors(decode, 1, "12")  # bytes that a Vector3 needs


## The last level that the engine reads, the first that it refuses, and far more.
func test_too_deep() -> void:
	for depth: int in [1025, 1026, 100_000]:
		var bytes := PackedByteArray()
		for i: int in depth - 1:
			bytes.append_array([TYPE_ARRAY, 0, 0, 0, 1, 0, 0, 0])
		bytes.append_array([TYPE_ARRAY, 0, 0, 0, 0, 0, 0, 0])
		check_verdict(bytes, "%d nested arrays" % depth)


## Enough buffers that several threads may read them.
func test_bad_buffers_in_a_large_batch() -> void:
	var bad := PackedByteArray([TYPE_PACKED_INT32_ARRAY, 0, 0, 0, 9, 0, 0, 0, 1, 2, 3, 4])
	var buffers: Array[PackedByteArray] = []
	var expected: Array = []
	for i: int in 20_000:
		var value: Variant = null if i % 1000 == 7 else PackedInt32Array([i])
		buffers.append(bad if value == null else var_to_bytes(value))
		expected.append(value)
	var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
	check(expect_errors(decode, 20, "at byte") == expected, "values around bad buffers")
	var frames := PackedByteArray()
	for buffer: PackedByteArray in buffers:
		frames.append_array(frame(buffer))
	var read := func() -> Array: return VarBatch.frames_to_vars(frames)
	check(expect_errors(read, 20, "at byte") == expected, "values around bad frames")


## Good bytes with one to three of them replaced, the same in every run.
func test_random_damage() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 4711
	var buffers: Array[PackedByteArray] = []
	for type: int in Values.types():
		for round: int in 20:
			var values := Values.of(type)
			var bytes := var_to_bytes(values[random.randi_range(0, mini(4, values.size() - 1))])
			for i: int in random.randi_range(1, 3):
				bytes[random.randi_range(0, mini(15, bytes.size() - 1))] = random.randi() & 0xff
			buffers.append(bytes)
	check_verdicts(buffers, "damaged")


func _with_counts(bytes: PackedByteArray) -> Array[PackedByteArray]:
	var buffers: Array[PackedByteArray] = []
	for count: int in COUNTS:
		buffers.append(with_u32(bytes, 4, count))
	return buffers


## A math type with 32-bit components, special floats from number [param shift] on.
func _narrow(type: int, shift: int) -> PackedByteArray:
	return Values.u32(type) + _floats(Values.FLOAT_COMPONENTS[type], shift)


func _narrow_packed(type: int, count: int) -> PackedByteArray:
	var components := Values.Packed.STRIDES[type] / 4 * count
	return Values.u32(type) + Values.u32(count) + _floats(components, count)


func _floats(count: int, shift: int) -> PackedByteArray:
	var bits := Values.Packed.FLOAT_BITS
	var bytes := PackedByteArray()
	for i: int in count:
		bytes.append_array(Values.u32(bits[(shift + i) % bits.size()]))
	return bytes


## A math type with 64-bit components, special doubles from number [param shift] on.
func _wide(type: int, shift: int) -> PackedByteArray:
	var bytes := Values.u32(type | FLAG_64)
	for i: int in Values.FLOAT_COMPONENTS[type]:
		bytes.append_array(PackedFloat64Array([_double(shift + i)]).to_byte_array())
	return bytes


func _wide_packed(type: int, count: int) -> PackedByteArray:
	var components := Values.Packed.STRIDES[type] / 4 * count
	var bytes := Values.u32(type | FLAG_64) + Values.u32(count)
	for i: int in components:
		bytes.append_array(PackedFloat64Array([_double(i)]).to_byte_array())
	return bytes


func _double(i: int) -> float:
	return Values.float_from_bits(Values.DOUBLE_BITS[i % Values.DOUBLE_BITS.size()])


## The most address space this process ever had, where the system tells. Memory that was asked
## for and never touched counts too.
func _peak_kib() -> int:
	if FileAccess.file_exists("/proc/self/status"):
		var status := FileAccess.open("/proc/self/status", FileAccess.READ)
		while not status.eof_reached():
			var line := status.get_line()
			if line.begins_with("VmPeak:"):
				return line.to_int()
	return 0

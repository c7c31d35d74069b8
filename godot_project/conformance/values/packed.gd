extends "../support/round_trip.gd"
## Packed arrays of many sizes: around those where a copy in blocks, a second thread or another way
## to allocate may begin.

const Packed := preload("../support/packed_values.gd")

const COUNTS: PackedInt32Array = [
	0, 1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 4097, 65537
]


func test_byte() -> void:
	_check_counts(TYPE_PACKED_BYTE_ARRAY)


func test_int32() -> void:
	_check_counts(TYPE_PACKED_INT32_ARRAY)


func test_int64() -> void:
	_check_counts(TYPE_PACKED_INT64_ARRAY)


func test_float32() -> void:
	_check_counts(TYPE_PACKED_FLOAT32_ARRAY)


func test_float64() -> void:
	_check_counts(TYPE_PACKED_FLOAT64_ARRAY)


func test_string() -> void:
	_check_counts(TYPE_PACKED_STRING_ARRAY)


func test_vector2() -> void:
	_check_counts(TYPE_PACKED_VECTOR2_ARRAY)


func test_vector3() -> void:
	_check_counts(TYPE_PACKED_VECTOR3_ARRAY)


func test_vector4() -> void:
	_check_counts(TYPE_PACKED_VECTOR4_ARRAY)


func test_color() -> void:
	_check_counts(TYPE_PACKED_COLOR_ARRAY)


## Every byte length modulo the padding, and lengths of text around blocks of 16, 32 and 64 bytes.
func test_every_length_of_byte_and_text() -> void:
	for length: int in 140:
		check_both_ways(Packed.make(TYPE_PACKED_BYTE_ARRAY, length), "%d bytes" % length)
		var letters := "abcdefgh".repeat(18).left(length)
		for text: String in [letters, letters + "é", "日" + letters, letters + "😀" + letters]:
			check_both_ways(PackedStringArray([text, "x"]), "text after %d letters" % length)


## The padding is zero even where the memory was used before: it is filled and freed first.
func test_padding_in_used_memory() -> void:
	for length: int in [1, 2, 3, 1021, 1022, 65533, 65534, 65535, 100_001, 1_000_001]:
		for value: Variant in [
			Packed.make(TYPE_PACKED_BYTE_ARRAY, length),
			PackedStringArray(["x".repeat(length), "y"]),
		]:
			var expected := var_to_bytes(value)
			for i: int in 4:
				_fill_and_free(expected.size())
				check_bytes(VarBatch.var_to_bytes(value), expected, "single value of %d" % length)
				_fill_and_free(expected.size())
				check_bytes(VarBatch.vars_to_bytes([value])[0], expected, "batch of %d" % length)
				_fill_and_free(expected.size() + 4)
				check_bytes(
					VarBatch.vars_to_frames([value]), frame(expected), "frame of %d" % length
				)


## NaN with payloads, signalling ones, infinities, -0.0 and the extremes, bit for bit.
func test_special_numbers() -> void:
	for type: int in Packed.STRIDES:
		var value: Variant = Packed.specials(type)
		check_both_ways(value, type_string(type))
		# The engine must not have lost them before VarBatch saw them.
		var bytes := VarBatch.var_to_bytes(value)
		var again: Variant = VarBatch.bytes_to_var(bytes)
		check_bytes(var_to_bytes(again), bytes, "%s, back again" % type_string(type))
	var floats: PackedFloat32Array = Packed.specials(TYPE_PACKED_FLOAT32_ARRAY)
	var found: PackedFloat32Array = VarBatch.bytes_to_var(VarBatch.var_to_bytes(floats))
	check_bytes(found.to_byte_array(), floats.to_byte_array(), "memory of the array")
	check("0100807f" in floats.to_byte_array().hex_encode(), "no signalling NaN to begin with")


func test_long_texts() -> void:
	var long := "0123456789".repeat(100_000)
	var wide := "日本語😀é".repeat(50_000)
	check_both_ways(PackedStringArray([long]), "a million letters")
	check_both_ways(PackedStringArray(["", wide, "", long, wide, ""]), "wide letters")


func _check_counts(type: int) -> void:
	for count: int in COUNTS:
		check_both_ways(Packed.make(type, count), "%s of %d" % [type_string(type), count])


func _fill_and_free(length: int) -> void:
	var used: Array[PackedByteArray] = []
	for i: int in 3:
		var bytes := PackedByteArray()
		bytes.resize(length)
		bytes.fill(0xcd)
		used.append(bytes)


## What was decoded is an ordinary array of the engine afterwards: it grows, shrinks, is shared and
## copied as the engine's own. Sizes around where its memory is made in another way.
func test_decoded_arrays_live_on() -> void:
	for type: int in Packed.STRIDES.keys() + [TYPE_PACKED_STRING_ARRAY]:
		for count: int in [4, 2047, 2048, 2049, 4096, 16384, 300_000]:
			var bytes := var_to_bytes(Packed.make(type, count))
			for found: Variant in [
				VarBatch.bytes_to_var(bytes), VarBatch.bytes_to_vars([bytes])[0]
			]:
				_check_life(found, bytes_to_var(bytes), "%d of %s" % [count, type_string(type)])


## Takes and leaves both arrays by reference.
func _check_life(found: Variant, expected: Variant, what: String) -> void:
	var kept: Variant = found.duplicate()
	for array: Variant in [found, expected]:
		array.append(array[0])
		array.resize(array.size() + 1000)
		array.insert(1, array[2])
		array.remove_at(0)
	check_value(found, expected, "grown " + what)
	for array: Variant in [found, expected]:
		array.resize(3)
		array.append_array(kept)
		array.reverse()
	check_value(found, expected, "shrunk " + what)
	check_value(found.slice(1), expected.slice(1), "part of " + what)
	check_int(found.size(), kept.size() + 3, "size of " + what)


## Decoded arrays lie side by side in memory: one that grows beyond its own must not write into the
## next, as it would with a wrong idea of how much it has.
func test_growing_leaves_neighbours_alone() -> void:
	for type: int in Packed.STRIDES.keys():
		for count: int in [100, 5000, 20_000]:
			var expected: Variant = Packed.make(type, count)
			var buffers: Array = []
			buffers.resize(6)
			buffers.fill(var_to_bytes(expected))
			var found := VarBatch.bytes_to_vars(buffers)
			var what := "%d of %s" % [count, type_string(type)]
			for i: int in found.size():
				found[i].append_array(expected)
				for other: int in found.size():
					var wanted: Variant = expected + expected if other <= i else expected
					check_value(found[other], wanted, "%s, %d grown, %d" % [what, i, other])

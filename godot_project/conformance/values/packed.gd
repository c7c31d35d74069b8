extends "../support/round_trip.gd"
## Packed arrays of many sizes: around those where a copy in blocks, a second thread or another way
## to allocate may begin.

const Packed := preload("../support/packed_values.gd")

const COUNTS: PackedInt32Array = [
	0, 1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 4097, 65537, 1_000_003
]


func test_every_type_in_every_size() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for count: int in COUNTS:
			check_both_ways(Packed.make(type, count), "%s of %d" % [type_string(type), count])


## Every byte length modulo the padding, and lengths of text around blocks of 16, 32 and 64 bytes.
func test_every_length_of_byte_and_text() -> void:
	for length: int in 140:
		check_both_ways(Packed.make(TYPE_PACKED_BYTE_ARRAY, length), "%d bytes" % length)
		var letters := "abcdefgh".repeat(18).left(length)
		for text: String in [letters, letters + "é", "日" + letters, letters + "😀" + letters]:
			check_both_ways(PackedStringArray([text, "x"]), "text after %d letters" % length)


func test_long_texts() -> void:
	var long := "0123456789".repeat(100_000)
	var wide := "日本語😀é".repeat(50_000)
	check_both_ways(PackedStringArray([long]), "a million letters")
	check_both_ways(PackedStringArray(["", wide, "", long, wide, ""]), "wide letters")


## The padding is zero even where the memory was used before: it is filled and freed first.
func test_padding_in_used_memory() -> void:
	for length: int in [1, 2, 3, 1021, 1022, 65533, 65534, 65535, 100_001, 1_000_001]:
		var texts := PackedStringArray(["x".repeat(length), "y"])
		for value: Variant in [Packed.make(TYPE_PACKED_BYTE_ARRAY, length), texts]:
			var bytes := var_to_bytes(value)
			for i: int in 4:
				_fill_and_free(bytes.size())
				check_bytes(VarBatch.var_to_bytes(value), bytes, "single value of %d" % length)
				_fill_and_free(bytes.size())
				check_bytes(VarBatch.vars_to_bytes([value])[0], bytes, "batch of %d" % length)
				_fill_and_free(bytes.size() + 4)
				var frames := VarBatch.vars_to_frames([value])
				check_bytes(frames, frame(bytes), "frame of %d" % length)


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


func _fill_and_free(length: int) -> void:
	var used: Array[PackedByteArray] = []
	for i: int in 3:
		var bytes := PackedByteArray()
		bytes.resize(length)
		bytes.fill(0xcd)
		used.append(bytes)

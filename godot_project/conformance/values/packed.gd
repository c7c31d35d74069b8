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


## Every byte length modulo the padding. Texts of every length are in strings.gd.
func test_every_length_of_bytes() -> void:
	for length: int in 140:
		check_both_ways(Packed.make(TYPE_PACKED_BYTE_ARRAY, length), "%d bytes" % length)


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


func _fill_and_free(length: int) -> void:
	var used: Array[PackedByteArray] = []
	for i: int in 3:
		var bytes := PackedByteArray()
		bytes.resize(length)
		bytes.fill(0xcd)
		used.append(bytes)

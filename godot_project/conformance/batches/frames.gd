extends "../support/round_trip.gd"
## Frames against files and streams that the engine wrote, and the engine's reading of ours.

## One for each process, as several may run at once.
var _path := "user://conformance_frames_%d.bin" % OS.get_process_id()


func finish() -> void:
	if FileAccess.file_exists(_path):
		DirAccess.remove_absolute(_path)
	super()


func test_no_values() -> void:
	check_bytes(VarBatch.vars_to_frames([]), PackedByteArray(), "frames of nothing")
	var found: Variant = VarBatch.frames_to_vars(PackedByteArray())
	check_value(found, [], "values of no frames")


func test_every_value_against_a_file() -> void:
	_check_against_file(Values.all())


func test_a_thousand_mixed_against_a_file() -> void:
	_check_against_file(Values.mixed(1000))


func test_large_values_against_a_file() -> void:
	var values: Array = []
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		values.append(Values.Packed.make(type, 40_001))
	_check_against_file(values)


func test_typed_and_read_only_arrays_against_a_file() -> void:
	var ints: Array[int] = [1, -2, 1 << 35]
	var packed: Array[PackedByteArray] = [PackedByteArray([1]), PackedByteArray([1, 2, 3, 4, 5])]
	packed.make_read_only()
	_check_against_file(ints)
	_check_against_file(packed)


func test_full_objects_against_a_file() -> void:
	var values := Values.Engines.storable_objects()
	_check_against_file(values, true)
	var frames := VarBatch.vars_to_frames(values, true)
	var denied := func() -> Array: return VarBatch.frames_to_vars(frames)
	var found: Array = expect_errors(denied, values.size(), "VarBatch.frames_to_vars: frame ")
	check_int(found.size(), values.size(), "values without permission for objects")
	check_int(found.count(null), values.size(), "nulls without permission for objects")


func test_against_a_stream() -> void:
	var values := Values.mixed(300)
	var stream := StreamPeerBuffer.new()
	for value: Variant in values:
		stream.put_var(value)
	var frames := VarBatch.vars_to_frames(values)
	check_bytes(frames, stream.data_array, "frames and a stream")
	var found := VarBatch.frames_to_vars(stream.data_array)
	check_int(found.size(), values.size(), "values of the stream")
	stream.data_array = frames
	stream.seek(0)
	for i: int in found.size():
		check_value(found[i], stream.get_var(), "value %d of the stream" % i)
	check_int(stream.get_available_bytes(), 0, "bytes that the stream leaves")


## What cannot be encoded writes nothing, as with store_var(), and the others stay.
func test_a_value_that_cannot_be_encoded() -> void:
	var too_deep := Values.Engines.nested(1026)
	var values: Array = [1, too_deep, "two", too_deep, PackedInt32Array([3])]
	var good: Array = [1, "two", PackedInt32Array([3])]
	var encode := func() -> PackedByteArray: return VarBatch.vars_to_frames(values)
	var found: PackedByteArray = expect_errors(encode, 2, "VarBatch.vars_to_frames: value ")
	check_bytes(found, VarBatch.vars_to_frames(good), "frames of the others")
	var encode_each := func() -> Array[PackedByteArray]: return VarBatch.vars_to_bytes(values)
	var buffers: Array[PackedByteArray] = expect_errors(
		encode_each, 2, "VarBatch.vars_to_bytes: value "
	)
	var expected: Array[PackedByteArray] = Values.engine_bytes([1, 0, "two", 0, good[2]])
	expected[1] = PackedByteArray()
	expected[3] = PackedByteArray()
	check_buffers(buffers, expected, "buffers of the others")


## So many that several threads plan them, in more than one step: in order, and without the bad one
## that the last step finds.
func test_many_small_values_over_threads() -> void:
	var values: Array = []
	var stream := StreamPeerBuffer.new()
	for index in 70_000:
		var value: Variant = index if index % 3 else PackedInt32Array([index, -index])
		values.append(value)
		stream.put_var(value)
	check_bytes(VarBatch.vars_to_frames(values), stream.data_array, "70,000 frames")
	values[69_000] = Values.Engines.nested(1026)
	var encode := func() -> PackedByteArray: return VarBatch.vars_to_frames(values)
	var found: PackedByteArray = expect_errors(encode, 1, "VarBatch.vars_to_frames: value 69000")
	values.remove_at(69_000)
	check_bytes(found, VarBatch.vars_to_frames(values), "frames of the others")


## A frame that is whole but holds rubbish is null; the next one is read.
func test_bad_payloads() -> void:
	var good: PackedByteArray = frame(var_to_bytes("good"))
	var bad_payloads: Array[PackedByteArray] = [
		PackedByteArray(),
		PackedByteArray([TYPE_INT]),
		PackedByteArray([TYPE_MAX, 0, 0, 0]),
		PackedByteArray([TYPE_VECTOR3, 0, 0, 0, 1, 2, 3, 4]),
		PackedByteArray([TYPE_PACKED_INT32_ARRAY, 0, 0, 0, 255, 255, 255, 127, 1, 2, 3, 4]),
	]
	for payload: PackedByteArray in bad_payloads:
		var frames := good + frame(payload) + good
		var decode := func() -> Array: return VarBatch.frames_to_vars(frames)
		var found: Array = expect_errors(decode, 1, "VarBatch.frames_to_vars: frame 1: ")
		check_values(found, ["good", null, "good"], "with payload %s" % payload.hex_encode())
		check_values(found, _read_file(frames), "as the engine, payload %s" % payload.hex_encode())


## Bytes behind a value inside its frame are ignored.
func test_trailing_bytes_in_a_frame() -> void:
	var payload := var_to_bytes(5) + PackedByteArray([9, 9, 9])
	var frames := frame(payload) + frame(var_to_bytes(6))
	check_values(VarBatch.frames_to_vars(frames), [5, 6], "with trailing bytes")
	check_values(_read_file(frames), [5, 6], "the engine, with trailing bytes")


## Every place to cut a file: the whole frames are read, then one error with its byte.
func test_every_truncation() -> void:
	var values: Array = [7, PackedByteArray([1, 2, 3, 4, 5]), "text", Vector2(1, 2), null]
	var frames := VarBatch.vars_to_frames(values)
	var ends: PackedInt32Array = [0]
	for value: Variant in values:
		ends.append(ends[-1] + 4 + var_to_bytes(value).size())
	check_int(ends[-1], frames.size(), "size of all frames")
	for length: int in frames.size():
		var cut := frames.slice(0, length)
		var whole := ends.bsearch(length, false) - 1
		var decode := func() -> Array: return VarBatch.frames_to_vars(cut)
		var count := 0 if ends[whole] == length else 1
		var found: Array = expect_errors(
			decode, count, "VarBatch.frames_to_vars: frame %d: " % whole
		)
		check_values(found, values.slice(0, whole), "cut at byte %d" % length)


func test_a_length_past_the_end() -> void:
	var good: PackedByteArray = frame(var_to_bytes(1.5))
	for length: int in [5, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff]:
		var frames := good + Values.u32(length) + PackedByteArray([0, 0, 0, 0])
		var decode := func() -> Array: return VarBatch.frames_to_vars(frames)
		var found: Array = expect_errors(decode, 1, "at byte")
		check_values(found, [1.5], "before a frame of %d bytes" % length)


func _check_against_file(values: Array, objects := false) -> void:
	var file := FileAccess.open(_path, FileAccess.WRITE)
	for value: Variant in values:
		file.store_var(value, objects)
	file.close()
	var stored := FileAccess.get_file_as_bytes(_path)
	var frames := VarBatch.vars_to_frames(values, objects)
	check_bytes(frames, stored, "frames and a file")
	var expected := _read_file(frames, objects)
	check_int(expected.size(), values.size(), "values that the engine reads")
	check_values(VarBatch.frames_to_vars(stored, objects), expected, "values of the file")


## What a loop of get_var() reads, with the engine's errors switched off.
func _read_file(frames: PackedByteArray, objects := false) -> Array:
	var file := FileAccess.open(_path, FileAccess.WRITE)
	file.store_buffer(frames)
	file.close()
	file = FileAccess.open(_path, FileAccess.READ)
	var values: Array = []
	while file.get_position() < frames.size():
		values.append(quietly(file.get_var.bind(objects)))
	file.close()
	return values

extends "round_trip.gd"
## Checks of bytes that may be bad: the engine's own verdict decides what VarBatch must say.

var _good: PackedByteArray = var_to_bytes("good")


## The same as the engine on every buffer, alone, in one batch between good ones, and as frames.
## Where the engine refuses: null, and one error line that says at which byte.
func check_verdicts(buffers: Array[PackedByteArray], what: String) -> void:
	var expected: Array = ["good"]
	var mixed: Array[PackedByteArray] = [_good]
	var frames := frame(_good)
	var refused := 0
	for buffer: PackedByteArray in buffers:
		check_verdict(buffer, what)
		refused += 0 if is_accepted(buffer) else 1
		mixed.append_array([buffer, _good])
		expected.append_array([engine_value(buffer), "good"])
		frames.append_array(frame(buffer) + frame(_good))
	# What the engine says of types that it reads itself is not counted.
	var expect := expect_errors if buffers.all(_is_native) else expect_own_errors
	var decode := func() -> Array: return VarBatch.bytes_to_vars(mixed)
	var found: Array = expect.call(decode, refused, "VarBatch.bytes_to_vars: buffer ")
	check_values(found, expected, "bytes_to_vars of %s" % what)
	var read := func() -> Array: return VarBatch.frames_to_vars(frames)
	found = expect.call(read, refused, "VarBatch.frames_to_vars: frame ")
	check_values(found, expected, "frames_to_vars of %s" % what)


## The same as the engine on [param buffer] alone.
func check_verdict(buffer: PackedByteArray, what: String) -> void:
	var decode := func() -> Variant: return VarBatch.bytes_to_var(buffer)
	var accepted := is_accepted(buffer)
	var found: Variant
	if not _is_native(buffer):
		found = expect_own_errors(decode, 0 if accepted else 1, "VarBatch.bytes_to_var: ")
	elif accepted:
		found = decode.call()
	else:
		found = expect_errors(decode, 1, "at byte")
	check_value(found, engine_value(buffer), "%s: %s" % [what, buffer.slice(0, 40).hex_encode()])


## Every part of [param bytes] that starts at its first byte and ends before its last.
func truncations(bytes: PackedByteArray) -> Array[PackedByteArray]:
	var parts: Array[PackedByteArray] = []
	for length: int in bytes.size():
		parts.append(bytes.slice(0, length))
	return parts


func is_accepted(buffer: PackedByteArray) -> bool:
	return quietly(func() -> bool: return buffer.has_encoded_var(0, false))


## Null where the engine refuses.
func engine_value(buffer: PackedByteArray) -> Variant:
	return quietly(func() -> Variant: return buffer.decode_var(0, false))


## A copy that holds [param number] at byte [param at].
static func with_u32(bytes: PackedByteArray, at: int, number: int) -> PackedByteArray:
	var copy := bytes.duplicate()
	copy.encode_u32(at, number)
	return copy


## Whether VarBatch reads these bytes itself, so that the engine has nothing to say about them.
func _is_native(buffer: PackedByteArray) -> bool:
	return buffer.size() < 4 or buffer[0] >= TYPE_MAX or buffer[0] in Values.NATIVE

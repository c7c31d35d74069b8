extends "../support/round_trip.gd"
## Checks of bytes that may be bad: the engine's own verdict decides what VarBatch must say.

var _good: PackedByteArray = var_to_bytes("good")


## The same as the engine on every buffer, alone, in one batch between good ones, and as frames.
## Where the engine refuses: null, and one error line that says at which byte, the same everywhere.
## Where it drops elements of a typed container: one warning a value.
func check_verdicts(buffers: Array[PackedByteArray], what: String) -> void:
	var expected: Array = ["good"]
	var mixed: Array[PackedByteArray] = [_good]
	var frames := frame(_good)
	var refused := 0
	var warned := 0
	var expect := expect_logged
	for buffer: PackedByteArray in buffers:
		check_verdict(buffer, what)
		if not is_accepted(buffer):
			refused += 1
		else:
			var lines := engine_lines(buffer)
			warned += 1 if has_drops(lines) else 0
			expect = expect_own_logged if has_noise(lines) else expect
		mixed.append_array([buffer, _good])
		expected.append_array([engine_value(buffer), "good"])
		frames.append_array(frame(buffer) + frame(_good))
	var decode := func() -> Array: return VarBatch.bytes_to_vars(mixed)
	var found: Array = expect.call(decode, refused, warned, "VarBatch.bytes_to_vars: buffer ")
	check_values(found, expected, "bytes_to_vars of %s" % what)
	var read := func() -> Array: return VarBatch.frames_to_vars(frames)
	found = expect.call(read, refused, warned, "VarBatch.frames_to_vars: frame ")
	check_values(found, expected, "frames_to_vars of %s" % what)


## The same as the engine on [param buffer] alone.
func check_verdict(buffer: PackedByteArray, what: String) -> void:
	var accepted := is_accepted(buffer)
	var shown := "%s: %s" % [what, buffer.slice(0, 40).hex_encode()]
	var check_quiet := func() -> String: return VarBatch.validate([buffer])[0]
	var reason: String = expect_errors(check_quiet, 0, "")
	check(reason.is_empty() == accepted, "%s: validate gives '%s'" % [shown, reason])
	var decode := func() -> Variant: return VarBatch.bytes_to_var(buffer)
	var found: Variant
	if accepted:
		var lines := engine_lines(buffer)
		var expect := expect_own_logged if has_noise(lines) else expect_logged
		found = expect.call(decode, 0, 1 if has_drops(lines) else 0, "VarBatch.bytes_to_var: ")
	else:
		check(" at byte " in reason, "%s: validate gives '%s'" % [shown, reason])
		found = expect_lines(decode, ["VarBatch.bytes_to_var: " + reason])
	check_value(found, engine_value(buffer), shown)


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


## What the engine logs about a buffer that it reads.
func engine_lines(buffer: PackedByteArray) -> PackedStringArray:
	return logged(func() -> void: buffer.decode_var(0, false))


## Whether it left out elements of typed containers: nothing in the value tells.
static func has_drops(lines: PackedStringArray) -> bool:
	for line: String in lines:
		if line.begins_with("Attempted to "):
			return true
	return false


## Whether it said anything else, such as that a text names no color, when it converted one.
static func has_noise(lines: PackedStringArray) -> bool:
	for line: String in lines:
		if not line.begins_with("Attempted to "):
			return true
	return false


## A copy that holds [param number] at byte [param at].
static func with_u32(bytes: PackedByteArray, at: int, number: int) -> PackedByteArray:
	var copy := bytes.duplicate()
	copy.encode_u32(at, number)
	return copy

extends "../support/round_trip.gd"
## Checks of bytes that may be bad: the engine's own verdict decides what VarBatch must say.

var _good: PackedByteArray = var_to_bytes("good")


## Bad bytes often go on after a value.
func _init() -> void:
	ignores_rest = true


## The same as the engine on every buffer, alone, in one batch between good ones, and as frames.
## Where the engine refuses: null, and one error line that says at which byte, the same everywhere.
## Where it drops elements of a typed container: one warning a value.
func check_verdicts(buffers: Array, what: String) -> void:
	var expected: Array = ["good"]
	var mixed: Array[PackedByteArray] = [_good]
	var refused := 0
	var warned := 0
	var is_noisy := false
	for buffer: PackedByteArray in buffers:
		check_verdict(buffer, what)
		if not is_accepted(buffer):
			refused += 1
		else:
			var lines := engine_lines(buffer)
			warned += int(has_drops(lines))
			is_noisy = is_noisy or has_noise(lines)
		mixed.append_array([buffer, _good])
		expected.append_array([engine_value(buffer), "good"])
	for row: Array in [["bytes_to_vars", mixed, "buffer"], ["frames_to_vars", frames_of(mixed), "value"]]:
		var decode := call_method.bind(row[0], [row[1]])
		var start := "VarBatch.%s: %s " % [row[0], row[2]]
		check_same(expect_logged(decode, refused, warned, start, is_noisy), expected, "%s of %s" % [row[0], what])


## The same as the engine on [param buffer] alone. It may complain of objects as well.
func check_verdict(buffer: PackedByteArray, what: String, objects := false) -> void:
	var shown := "%s: %s" % [what, buffer.slice(0, 60).hex_encode()]
	var decode := call_method.bind(&"bytes_to_var", [buffer, objects])
	var is_bad := not is_accepted(buffer, objects)
	var lines := engine_lines(buffer, objects)
	var found: Variant
	if objects:
		var reason: String = quietly(call_method.bind(&"validate", [[buffer], true]))[0]
		check(reason.is_empty() != is_bad, "%s: validate gives '%s'" % [shown, reason])
	else:
		check_reasons([buffer], false, what)
	if is_bad and not objects:
		found = expect_lines(decode, ["VarBatch.bytes_to_var: " + VarBatch.validate([buffer])[0]])
	else:
		var warnings := 0 if is_bad or not has_drops(lines) else 1
		found = expect_logged(decode, int(is_bad), warnings, "VarBatch.bytes_to_var: ", objects or has_noise(lines))
	check_value(found, engine_value(buffer, objects), shown)


## validate() gives a reason for each buffer that the engine refuses, in words and with a byte, and says nothing.
func check_reasons(buffers: Array, allow_objects: bool, what: String) -> void:
	var reasons: PackedStringArray = expect_errors(call_method.bind(&"validate", [buffers, allow_objects]), 0, "")
	check_int(reasons.size(), buffers.size(), "reasons")
	for i: int in mini(reasons.size(), buffers.size()):
		var accepted := is_accepted(buffers[i] as PackedByteArray, allow_objects)
		var is_reason := reasons[i].begins_with("expected ") and ", found " in reasons[i] and " at byte " in reasons[i]
		var shown: Array = [what, accepted, reasons[i], buffers[i].slice(0, 60).hex_encode()]
		check(reasons[i].is_empty() if accepted else is_reason, "%s: accepted: %s, '%s': %s" % shown)


func truncations(bytes: PackedByteArray) -> Array[PackedByteArray]:
	var parts := range(bytes.size()).map(func(length: int) -> PackedByteArray: return bytes.slice(0, length))
	return Array(parts, TYPE_PACKED_BYTE_ARRAY, &"", null)


func is_accepted(buffer: PackedByteArray, objects := false) -> bool:
	return quietly(buffer.has_encoded_var.bind(0, objects))


## Null where the engine refuses.
func engine_value(buffer: PackedByteArray, objects := false) -> Variant:
	return quietly(buffer.decode_var.bind(0, objects))


func engine_lines(buffer: PackedByteArray, objects := false) -> PackedStringArray:
	return logged(buffer.decode_var.bind(0, objects))


## Whether it left out elements of typed containers: nothing in the value tells.
static func has_drops(lines: PackedStringArray) -> bool:
	return Array(lines).any(_is_drop)


## Whether it said anything else, such as that a text names no color, when it converted one.
static func has_noise(lines: PackedStringArray) -> bool:
	return not Array(lines).all(_is_drop)


static func _is_drop(line: String) -> bool:
	return line.begins_with("Attempted to ")


static func with_u32(bytes: PackedByteArray, at: int, number: int) -> PackedByteArray:
	var copy := bytes.duplicate()
	copy.encode_u32(at, number)
	return copy

extends "../support/suite.gd"
## Random values of every type through VarBatch and through the engine: the same bytes, and from
## the engine's bytes the same values, alone and in batches, by every method.

const Generator := preload("../support/generator.gd")

const SEED := 20250301
const COUNT := 80_000
const WHOLE_COUNT := 20_000
const BATCH := 400
const SHOWN_BYTES := 200


func test_values() -> void:
	_run(part_of(COUNT), false)


func test_whole_objects() -> void:
	_run(part_of(WHOLE_COUNT), true)


func _run(count: int, whole: bool) -> void:
	var seed_number := SEED + int(whole)
	print("  differential: %d values, seed %d, whole objects: %s" % [count, seed_number, whole])
	var generator := Generator.new(seed_number, whole)
	for first: int in range(0, count, BATCH):
		# A seed for each batch, so that a failure can be looked at without all before it.
		generator.random.seed = seed_number + first
		VarBatch.set_thread_count(first / BATCH % 3)
		var values: Array = []
		for i: int in mini(BATCH, count - first):
			values.append(generator.value())
		_check_batch(values, whole, "seed %d, value" % generator.random.seed)
		if failures.size() > 20:
			return


func _check_batch(values: Array, whole: bool, what: String) -> void:
	var encoded: Array[PackedByteArray] = []
	var decoded: Array = []
	var frames := PackedByteArray()
	for value: Variant in values:
		var bytes := var_to_bytes_with_objects(value) if whole else var_to_bytes(value)
		encoded.append(bytes)
		decoded.append(bytes_to_var_with_objects(bytes) if whole else bytes_to_var(bytes))
		var length := PackedByteArray([0, 0, 0, 0])
		length.encode_u32(0, bytes.size())
		frames.append_array(length)
		frames.append_array(bytes)
	_check_encoded(VarBatch.vars_to_bytes(values, whole), encoded, "vars_to_bytes, " + what)
	var singles: Array[PackedByteArray] = []
	for value: Variant in values:
		singles.append(VarBatch.var_to_bytes(value, whole))
	_check_encoded(singles, encoded, "var_to_bytes, " + what)
	check_bytes(VarBatch.vars_to_frames(values, whole), frames, "vars_to_frames, " + what)
	_check_decoded(
		VarBatch.bytes_to_vars(encoded, whole), decoded, encoded, "bytes_to_vars, " + what
	)
	_check_decoded(
		VarBatch.frames_to_vars(frames, whole), decoded, encoded, "frames_to_vars, " + what
	)
	var found: Array = []
	for bytes: PackedByteArray in encoded:
		found.append(VarBatch.bytes_to_var(bytes, whole))
	_check_decoded(found, decoded, encoded, "bytes_to_var, " + what)


func _check_encoded(
	found: Array[PackedByteArray], expected: Array[PackedByteArray], what: String
) -> void:
	checks += expected.size()
	if found == expected:
		return
	check_int(found.size(), expected.size(), what)
	for i: int in mini(found.size(), expected.size()):
		if found[i] != expected[i]:
			check_bytes(found[i], expected[i], "%s %d: %s" % [what, i, _hex(expected[i])])
			return


func _check_decoded(
	found: Array, expected: Array, encoded: Array[PackedByteArray], what: String
) -> void:
	checks += expected.size()
	var at := Equal.first_unequal(found, expected)
	if at >= 0 and at < encoded.size():
		check_value(found[at], expected[at], "%s %d: %s" % [what, at, _hex(encoded[at])])
	elif at >= 0:
		check_int(found.size(), expected.size(), what)


func _hex(bytes: PackedByteArray) -> String:
	var text := bytes.slice(0, SHOWN_BYTES).hex_encode()
	return text if bytes.size() <= SHOWN_BYTES else "%s... of %d bytes" % [text, bytes.size()]

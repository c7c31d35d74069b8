extends "../support/suite.gd"
## Random values of every type through VarBatch and through the engine: the same bytes, and from
## the engine's bytes the same values, alone and in batches, by every method.

const SEED := 20250301
const COUNT := 80_000
const WHOLE_COUNT := 20_000
const BATCH := 400


func test_values() -> void:
	_run(part_of(COUNT), false)


func test_whole_objects() -> void:
	_run(part_of(WHOLE_COUNT), true)


func _run(count: int, whole: bool) -> void:
	var seed_number := SEED + int(whole)
	print("  differential: %d values, seed %d, whole objects: %s" % [count, seed_number, whole])
	var generator := Generator.new(seed_number, whole)
	var check_some := func(size: int, seed_of_batch: int) -> void:
		_check_batch(range(size).map(generator.value.unbind(1)), whole, "seed %d, value" % seed_of_batch)
	in_batches(count, BATCH, seed_number, generator.random, check_some)


func _check_batch(values: Array, whole: bool, what: String) -> void:
	var encoded: Array[PackedByteArray] = []
	var singles: Array[PackedByteArray] = []
	var expected: Array = []
	var decoded: Array = []
	var frames := PackedByteArray()
	for value: Variant in values:
		var bytes := var_to_bytes_with_objects(value) if whole else var_to_bytes(value)
		encoded.append(bytes)
		singles.append(VarBatch.var_to_bytes(value, whole))
		expected.append(bytes_to_var_with_objects(bytes) if whole else bytes_to_var(bytes))
		decoded.append(VarBatch.bytes_to_var(bytes, whole))
		frames.append_array(PackedInt32Array([bytes.size()]).to_byte_array() + bytes)
	check_bytes(VarBatch.vars_to_frames(values, whole), frames, "vars_to_frames, " + what)
	for found: Array in [
		[VarBatch.vars_to_bytes(values, whole), encoded, "vars_to_bytes"],
		[singles, encoded, "var_to_bytes"],
		[VarBatch.bytes_to_vars(encoded, whole), expected, "bytes_to_vars"],
		[VarBatch.frames_to_vars(frames, whole), expected, "frames_to_vars"],
		[decoded, expected, "bytes_to_var"],
	]:
		checks += values.size()
		check_int((found[0] as Array).size(), values.size(), "size, %s, %s" % [found[2], what])
		var at := Equal.first_unequal(found[0] as Array, found[1] as Array)
		if at >= 0 and at < mini((found[0] as Array).size(), values.size()):
			var shown := encoded[at].slice(0, 200).hex_encode()
			shown = "%s, %s %d: %s of %d bytes" % [found[2], what, at, shown, encoded[at].size()]
			check_value(found[0][at], found[1][at], shown)

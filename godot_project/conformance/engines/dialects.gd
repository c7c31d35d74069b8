extends "dialects_base.gd"
## Values of other engines, one by one: read, written, and translated on the bytes alone.


## Read, written, translated from there and back, and as it is.
func test_godot_3_by_hand() -> void:
	for pair: Array in godot_3_values():
		var bytes := Values.hex(pair[1] as String)
		var here := var_to_bytes(pair[0])
		check_call(&"bytes_to_var_in", [bytes, GODOT_3], pair[0], [])
		check_call(&"var_to_bytes_in", [pair[0], GODOT_3], bytes, [])
		check_call(&"transcode", [bytes, GODOT_3, GODOT_4], here, [])
		check_call(&"transcode", [here, GODOT_4, GODOT_3], bytes, [])
		check_call(&"transcode", [bytes, GODOT_3, GODOT_3], bytes, [])
		for other: VarBatch.Dialect in OTHERS:
			var there := VarBatch.transcode(bytes, GODOT_3, other)
			check_bytes(VarBatch.transcode(there, other, GODOT_3), bytes, "by way of others")


## A value that the other engine has comes back, with a warning at most. Any other is one error.
func test_every_value() -> void:
	var generator := Generator.new(271_828)
	for value: Variant in Values.all():
		_check_value(value, "a %s" % type_string(typeof(value)))
	for i: int in part_of(3000):
		_check_value(generator.value(), "random value %d" % i)


## Whatever the bytes are: what is translated is a value to the engine, and describe() has the same
## opinion.
func test_damaged_bytes() -> void:
	var generator := Generator.new(577_215)
	var whole := PackedByteArray()
	for pair: Array in godot_3_values():
		whole.append_array(Values.hex(pair[1] as String))
	var good := 0
	for i: int in part_of(40_000):
		var at := generator.random.randi_range(0, whole.size() / 4 - 2) * 4
		var bytes := whole.slice(at, at + 160)
		for change: int in generator.random.randi_range(0, 2):
			bytes[generator.random.randi() % mini(bytes.size(), 24)] = generator.random.randi()
		var from: VarBatch.Dialect = OTHERS.keys()[i % OTHERS.size()]
		var there := _transcoded(bytes, from, GODOT_4)
		var tree := VarBatch.describe(bytes, from)
		var shown := "%s of dialect %d" % [bytes.hex_encode(), from]
		check(tree.has("error") == there.is_empty(), "%s: described as %s" % [shown, tree])
		if not there.is_empty():
			good += 1
			var value: Variant = quietly(call_method.bind(&"bytes_to_var_in", [bytes, from]))
			check_value(value, quietly(bytes_to_var.bind(there)), shown)
			var reason := VarBatch.validate([there])[0]
			var is_value: bool = quietly(there.has_encoded_var.bind(0))
			check(is_value == reason.is_empty(), "%s: the engine differs: %s" % [shown, reason])
			check(is_value or "expected no object" in reason, "%s: no value: %s" % [shown, reason])
	check(good > 0, "none of them was good")


func test_large_values() -> void:
	var bytes := filled_bytes(20 << 20)
	for i: int in range(0, bytes.size(), 4099):
		bytes[i] = i
	var value := {"bytes": bytes, "list": range(50_000), "text": "日本語😀".repeat(50_000)}
	for threads: int in Threads.new([1, 2, 3]):
		var there := VarBatch.var_to_bytes_in(value, GODOT_3)
		check_value(VarBatch.bytes_to_var_in(there, GODOT_3), value, "large, %d threads" % threads)
		check_bytes(VarBatch.transcode(there, GODOT_3, GODOT_4), var_to_bytes(value), "translated")


func _check_value(value: Variant, what: String) -> void:
	var here := var_to_bytes(value)
	# Each reading costs a text the byte-order mark in front, so that of two the way there and back
	# leaves none.
	if "efbbbfefbbbf" in here.hex_encode():
		return
	for dialect: VarBatch.Dialect in OTHERS:
		var shown := "%s in %s" % [what, OTHERS[dialect]]
		var found: Array[PackedByteArray] = []
		# Freed objects are among them, which a lambda must not hold itself.
		var values: Array = [value]
		var lines := logged(func() -> void: found.append(VarBatch.var_to_bytes_in(values[0], dialect)))
		if not has_place(value, dialect):
			check_int(lines.size(), 1, "lines of " + shown)
			check("VarBatch.var_to_bytes_in: expected a type that " in lines[0], str(lines))
			check(found[0].is_empty(), "%s has bytes" % shown)
			continue
		for line: String in lines:
			check(line.begins_with(WARNING + "VarBatch.var_to_bytes_in: "), line)
		check(not found[0].is_empty(), "%s has no bytes" % shown)
		check_bytes(_transcoded(here, GODOT_4, dialect), found[0], "translated, " + shown)
		var expected: Variant = as_kept(bytes_to_var(here), dialect)
		check_value(VarBatch.bytes_to_var_in(found[0], dialect), expected, shown)
		var back := VarBatch.transcode(found[0], dialect, GODOT_4)
		check_value(bytes_to_var(back), expected, "as the engine reads it, " + shown)


## Without the lines about what is lost.
func _transcoded(bytes: PackedByteArray, from: VarBatch.Dialect, to: VarBatch.Dialect) -> PackedByteArray:
	return quietly(func() -> PackedByteArray: return VarBatch.transcode(bytes, from, to))

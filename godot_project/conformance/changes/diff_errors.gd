extends "../support/suite.gd"
## Bytes that are no values, deltas that are none, and what stands in the place of a pair: one line
## for each that says which and why, nothing as its result, and the others as ever.

const HASH_LEN := 8
const NO_PAIR := "expected an Array of two PackedByteArrays, found "

var _one := var_to_bytes(1)
var _two := var_to_bytes(2)


func test_bytes_that_are_no_values() -> void:
	var object := var_to_bytes_with_objects([Resource.new()])
	var texts: Dictionary = {
		PackedByteArray(): "expected 4 more bytes for a header, found 0, at byte 0",
		PackedByteArray([2, 0, 0]): "expected 4 more bytes for a header, found 3, at byte 0",
		_one + PackedByteArray([1, 2, 3, 4]):
		"expected nothing after the value, found 4 bytes, at byte 8",
		object:
		(
			"expected no object with properties, as objects are not allowed, found one, "
			+ "at byte 8 inside [0]"
		),
	}
	for bad: PackedByteArray in texts:
		for pair: Array in [[bad, _one, "before"], [_one, bad, "after"], [bad, bad, "before"]]:
			var before: PackedByteArray = pair[0]
			var after: PackedByteArray = pair[1]
			var diff := func() -> Array: return VarBatch.diff(before, after)
			var line := "%s: %s" % [pair[2], texts[bad]]
			var changes: Array = expect_lines(diff, ["VarBatch.diff: " + line])
			check_value(changes, [] as Array[Dictionary], "changes of no value")
			var batch := func() -> Array: return VarBatch.diff_batch([[before, after]])
			var lists: Array = expect_lines(batch, ["VarBatch.diff_batch: pair 0: " + line])
			check_value(lists, [[] as Array[Dictionary]], "changes of a batch")
	check(not VarBatch.diff(object, var_to_bytes([1]), true).is_empty(), "objects are refused")


## The reason is the one that validate() gives.
func test_truncated_values() -> void:
	var good := var_to_bytes({"a": [1, 2.5, "text"], "p": PackedInt64Array([1, 2]), "n": ^"a/b:c"})
	var other := var_to_bytes({"a": [1, 2.5, "tent"], "p": PackedInt64Array([1, 3]), "n": ^"a/b:d"})
	for size: int in good.size():
		var short := good.slice(0, size)
		var reason := VarBatch.validate([short])[0]
		for pair: Array in [["before", short, other], ["after", other, short]]:
			var diff := func() -> Array: return VarBatch.diff(pair[1], pair[2])
			var changes: Array = expect_lines(diff, ["VarBatch.diff: %s: %s" % [pair[0], reason]])
			check(changes.is_empty(), "changes of %d bytes" % size)


func test_what_is_no_delta() -> void:
	var delta := VarBatch.make_delta(_one, _two)
	var version := delta.duplicate()
	version[0] = 2
	_refuse_delta(_one, PackedByteArray(), "expected the version, found the end, at byte 0")
	_refuse_delta(_one, version, "expected version 1 of the delta format, found 2, at byte 0")
	_refuse_delta(_one, delta.slice(0, 5), "expected 8 bytes for the hash, found 4, at byte 1")
	_refuse_delta(
		_one, delta.slice(0, 9), "expected the length of the result, found the end, at byte 9"
	)
	var more := delta + PackedByteArray([0x80])
	_refuse_delta(_one, more, "expected a token, found the end, at byte %d" % more.size())


## It is not applied to other bytes than those that it was made of.
func test_wrong_base() -> void:
	var delta := VarBatch.make_delta(_one, _two)
	var expected := _hash_text(delta)
	for base: PackedByteArray in [_two, PackedByteArray(), _one.slice(0, 7)]:
		var found := _hash_text(VarBatch.make_delta(base, _one))
		var length := "%d bytes" % base.size()
		var text := "expected a base with the hash %s, found %s for its %s, at byte 1"
		_refuse_delta(base, delta, text % [expected, found, length])


## Each truncation and each changed byte: an error, or what has the right length and nothing else.
func test_damaged_deltas() -> void:
	var before := var_to_bytes(range(300))
	var values: Array = range(300)
	values[7] = 8
	values.insert(200, "more")
	var after := var_to_bytes(values)
	var delta := VarBatch.make_delta(before, after)
	check(delta.size() < 100, "a delta of %d bytes" % delta.size())
	for size: int in delta.size():
		var short := delta.slice(0, size)
		var apply := func() -> PackedByteArray: return VarBatch.apply_delta(before, short)
		var result: PackedByteArray = expect_errors(apply, 1, "VarBatch.apply_delta: expected ")
		check(result.is_empty(), "a result of %d bytes" % size)
	var refused := 0
	for at: int in delta.size():
		for bit: int in 8:
			var damaged := delta.duplicate()
			damaged[at] ^= 1 << bit
			var result: Array[PackedByteArray] = [PackedByteArray()]
			var lines := logged(func() -> void: result[0] = VarBatch.apply_delta(before, damaged))
			refused += lines.size()
			var expected := 0 if lines.size() == 1 else after.size()
			check_int(result[0].size(), expected, "size of a result")
			check(lines.size() == 1 or at > HASH_LEN, "byte %d may be any" % at)
	check(refused > 8 * HASH_LEN + 8, "only %d refused" % refused)


func test_what_is_no_pair() -> void:
	var bad: Dictionary = {
		1: NO_PAIR + "int",
		null: NO_PAIR + "Nil",
		_one: NO_PAIR + "PackedByteArray",
		[]: NO_PAIR + "an Array of size 0",
		[_one]: NO_PAIR + "an Array of size 1",
		[_one, _two, _one]: NO_PAIR + "an Array of size 3",
		[_one, 3]: NO_PAIR + "int as element 1",
		[null, _one]: NO_PAIR + "Nil as element 0",
		[[_one], _two]: NO_PAIR + "Array as element 0",
	}
	var pairs: Array = [[_one, _two]]
	var lines := PackedStringArray()
	for what: Variant in bad:
		lines.append("pair %d: %s" % [pairs.size(), bad[what]])
		pairs.append_array([what, [_one, _two]])
	_check_others("diff_batch", pairs, lines, _diff_batch)
	_check_others("make_deltas", pairs, lines, _make_deltas)
	var numbers: Array[int] = [7]
	expect_lines(
		func() -> Array: return VarBatch.make_deltas(numbers),
		["VarBatch.make_deltas: pair 0: " + NO_PAIR + "int"]
	)
	pairs = pairs.map(_with_delta)
	_check_others("apply_deltas", pairs, lines, _apply_deltas)


## Pairs of buffers that are none, between good ones.
func test_bad_buffers_in_batches() -> void:
	var bad := PackedByteArray([9])
	var pairs: Array = [[_one, bad], [_one, _two], [bad, bad], [_two, _one]]
	var lists: Array = expect_lines(
		func() -> Array: return VarBatch.diff_batch(pairs),
		[
			"VarBatch.diff_batch: pair 0: after: " + VarBatch.validate([bad])[0],
			"VarBatch.diff_batch: pair 2: before: " + VarBatch.validate([bad])[0],
		]
	)
	check_value(lists[1], VarBatch.diff(_one, _two), "pair 1")
	check_value(lists[3], VarBatch.diff(_two, _one), "pair 3")
	check(lists[0].is_empty() and lists[2].is_empty(), "changes of bad pairs")
	var results: Array = expect_lines(
		func() -> Array: return VarBatch.apply_deltas([[_one, bad], _with_delta([_one, _two])]),
		[
			(
				"VarBatch.apply_deltas: pair 0: expected version 1 of the delta format, found 9, "
				+ "at byte 0 of the delta"
			)
		]
	)
	check_value(results, [PackedByteArray(), _two] as Array[PackedByteArray], "results")


## Any bytes are good enough for deltas.
func test_deltas_of_any_bytes() -> void:
	var bad: Array[PackedByteArray] = [
		PackedByteArray(),
		PackedByteArray([9]),
		_one + _two,
		"no value".to_utf8_buffer(),
		_one.slice(1),
	]
	for before: PackedByteArray in bad:
		for after: PackedByteArray in bad:
			var delta := VarBatch.make_delta(before, after)
			check_bytes(VarBatch.apply_delta(before, delta), after, "apply_delta")


func _diff_batch(pairs: Array) -> Array:
	return VarBatch.diff_batch(pairs)


func _make_deltas(pairs: Array) -> Array:
	return VarBatch.make_deltas(pairs)


func _apply_deltas(pairs: Array) -> Array:
	return VarBatch.apply_deltas(pairs)


## That nothing comes of every other pair, one line each, and of the others what comes of the first.
func _check_others(
	method: String, pairs: Array, lines: PackedStringArray, action: Callable
) -> void:
	var expected := PackedStringArray()
	for line: String in lines:
		expected.append("VarBatch.%s: %s" % [method, line])
	var results: Array = expect_lines(action.bind(pairs), expected)
	check_int(results.size(), pairs.size(), "results of " + method)
	var good: Variant = action.call([pairs[0]])[0]
	for at: int in pairs.size():
		check(results[at] == (good if at % 2 == 0 else good.slice(0, 0)), "%s %d" % [method, at])


## A pair with what makes the second of the first, where there is one.
func _with_delta(pair: Variant) -> Variant:
	if pair is Array and (pair as Array) == [_one, _two]:
		return [_one, VarBatch.make_delta(_one, _two)]
	return pair


func _refuse_delta(base: PackedByteArray, delta: PackedByteArray, text: String) -> void:
	var line := text + " of the delta"
	var apply := func() -> PackedByteArray: return VarBatch.apply_delta(base, delta)
	var result: PackedByteArray = expect_lines(apply, ["VarBatch.apply_delta: " + line])
	check(result.is_empty(), "a result in spite of: " + line)


## The hash of its base as a message shows it.
func _hash_text(delta: PackedByteArray) -> String:
	var hash_bytes := delta.slice(1, 1 + HASH_LEN)
	hash_bytes.reverse()
	return hash_bytes.hex_encode()

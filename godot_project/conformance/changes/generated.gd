extends "../support/suite.gd"
## Pairs of random values, edited or unrelated: what differs makes the one of the other, to the byte, and back again, as
## changes, by a plain script that follows them, and as a delta. Of bytes that the engine reads and would not write, what
## differs between two makes the same value of the one as the engine reads of the other.

const Edits := preload("random_edits.gd")
const Mutator := preload("../hostile/mutator.gd")

const SEED := 20250307
const COUNT := 90_000
const WHOLE_COUNT := 10_000
const BATCH := 200
const HOSTILE_SEED := 20261122
const HOSTILE_COUNT := 400_000
const OBJECT_COUNT := 40_000
const HOSTILE_BATCH := 200
const MAX_LEN := 600

var _pair_count := 0
var _change_count := 0
var _left_out := 0
var _generator: Generator
var _mutator: Mutator
var _hostile_count := 0
var _partial_count := 0


func test_pairs() -> void:
	_run(part_of(COUNT), false)


func test_pairs_with_whole_objects() -> void:
	_run(part_of(WHOLE_COUNT), true)


func _run(count: int, whole: bool) -> void:
	var seed_number := SEED + int(whole)
	var generator := Generator.new(seed_number, whole)
	var edits := Edits.new(generator, whole)
	var check_some := func(size: int, seed_of_batch: int) -> void:
		var values: Array = []
		var is_related := func() -> bool: return edits.random.randi_range(0, 7) > 0
		var pairs := range(size).map(func(_i: int) -> Array: return edits.stable_pair(is_related, values))
		_left_out += pairs.count([])
		_check_pairs(pairs.filter(func(pair: Array) -> bool: return not pair.is_empty()), whole, "seed %d, pair" % seed_of_batch)
	in_batches(count, BATCH, seed_number, generator.random, check_some)
	var text := "  diff: %d pairs, %d changes, %d pairs left out, whole objects: %s"
	print(text % [_pair_count, _change_count, _left_out, whole])
	check_int(_pair_count + _left_out, count, "pairs")
	check(_left_out < count / 20, "%d of %d pairs left out" % [_left_out, count])
	check(_change_count > _pair_count, "only %d changes" % _change_count)


func _check_pairs(pairs: Array, whole: bool, what: String) -> void:
	var told := VarBatch.diff_batch(pairs, whole)
	var deltas := VarBatch.make_deltas(pairs)
	var based: Array = []
	check_int(told.size(), pairs.size(), "results of diff_batch")
	for i: int in pairs.size():
		var before: PackedByteArray = pairs[i][0]
		var after: PackedByteArray = pairs[i][1]
		var name := "%s %d" % [what, i]
		var changes := VarBatch.diff(before, after, whole)
		_pair_count += 1
		_change_count += changes.size()
		check_bytes(VarBatch.patch(before, changes, whole), after, "patch, " + name)
		var inverse := Edits.inverse(changes)
		check_bytes(VarBatch.patch(after, inverse, whole), before, "the inverse, " + name)
		check_bytes(VarBatch.patch(before, told[i] as Array, whole), after, "of a batch, " + name)
		check_int((told[i] as Array).size(), changes.size(), "changes of a batch, " + name)
		check(changes.is_empty() == (before == after), "changes of the same, or none, " + name)
		# As a script follows them, with objects in the place of their ids, and each old value there. A
		# whole object that is a key is another object each time, to which no script can go.
		if i % 4 == 0 and not whole:
			var live: Array = Edits.resolved(changes.duplicate(true))
			check_bytes(VarBatch.patch(before, live), after, "patch with objects, " + name)
			var value: Variant = Edits.patched(Edits.resolved(bytes_to_var(before)), live)
			check_bytes(var_to_bytes(value), after, "followed, " + name)
		var delta := VarBatch.make_delta(before, after)
		check_bytes(deltas[i], delta, "make_deltas, " + name)
		check(delta.size() <= after.size() + 25, "a delta of %d bytes, %s" % [delta.size(), name])
		based.append([before, delta])
		check(VarBatch.diff(after, after, whole).is_empty(), "changes of the same, " + name)
		check_bytes(VarBatch.patch(after, [], whole), after, "patch without changes, " + name)
		delta = VarBatch.make_delta(after, after.duplicate())
		check(delta.size() < 32, "a delta of nothing: %d, %s" % [delta.size(), name])
		check_bytes(VarBatch.apply_delta(after, delta), after, "a delta of nothing, " + name)
		if failures.size() >= MAX_FAILURES:
			return
	var results := VarBatch.apply_deltas(based)
	check_int(results.size(), pairs.size(), "results of apply_deltas")
	for i: int in results.size():
		for result: PackedByteArray in [results[i], VarBatch.apply_delta(based[i][0] as PackedByteArray, deltas[i])]:
			check_bytes(result, pairs[i][1] as PackedByteArray, "apply_delta, %s %d" % [what, i])


func test_known_pairs() -> void:
	const ONE := "02000000 01000000"
	const TWO := "02000000 02000000"
	const THREE := "02000000 03000000"
	const KEY_5 := "02000100 05000000 00000000"
	const KEY_A := "04000000 01000000 61000000"
	const PADDED := "04000000 01000000 6100ff00"
	for pair: Array in [
		# Array[int]: [1, 2], and [256] with a null.
		["1c000100 02000000 02000000" + ONE + TWO, "1c000100 02000000 02000000 02940000 00010000 00020000"],
		# Array[float]: [1.0], and an int in the place of it.
		["1c000100 03000000 01000000 03000000 0000803f", "1c000100 03000000 01000000" + ONE],
		# A key in 64 bits that fits into 32.
		["1b000000 01000000" + KEY_5 + ONE, "1b000000 01000000" + KEY_5 + TWO],
		# A key that is there twice.
		["1b000000 02000000" + ONE + ONE + ONE + TWO, "1b000000 02000000" + ONE + ONE + ONE + THREE],
		# A String, and a StringName of the same text.
		["1b000000 01000000" + KEY_A + ONE, "1b000000 02000000" + KEY_A + ONE + "15000000 01000000 61000000" + TWO],
		# A key with a padding that is not zero.
		["1b000000 01000000" + PADDED + ONE, "1b000000 01000000" + PADDED + TWO],
	]:
		for way: Array in [pair, [pair[1], pair[0]]]:
			quietly(_check_pair.bindv(way.map(Values.hex) + [false, "known pair"]))


func test_damaged_pairs() -> void:
	_run_hostile(part_of(HOSTILE_COUNT), false)


func test_damaged_pairs_with_whole_objects() -> void:
	_run_hostile(part_of(OBJECT_COUNT), true)


func _run_hostile(count: int, allow_objects: bool) -> void:
	var seed_number := HOSTILE_SEED + int(allow_objects)
	_generator = Generator.new(seed_number, allow_objects)
	_mutator = Mutator.new(_generator.random)
	var check_some := func(size: int, seed_of_batch: int) -> void:
		quietly(_check_batch.bind(size, allow_objects, seed_of_batch))
	in_batches(count, HOSTILE_BATCH, seed_number, _generator.random, check_some)
	print("  diff: %d pairs of %d, %d in parts" % [_hostile_count, count, _partial_count])
	check(_hostile_count > count / 10 and _partial_count > count / 20, "too few are values")


func _check_batch(count: int, allow_objects: bool, seed_number: int) -> void:
	for i: int in count:
		var before := _encoded(allow_objects)
		if before.size() > MAX_LEN:
			continue
		if _generator.random.randi() % 2 == 0:
			before = _mutator.mutate(before, _encoded(allow_objects))
		var after := _mutator.mutate(before, _encoded(allow_objects))
		if _is_value(before, allow_objects) and _is_value(after, allow_objects):
			_check_pair(before, after, allow_objects, "seed %d, pair %d" % [seed_number, i])
		if failures.size() >= MAX_FAILURES:
			return


func _check_pair(before: PackedByteArray, after: PackedByteArray, allow_objects: bool, what: String) -> void:
	var difference := _difference(before, after, allow_objects)
	var shown := "%s: %s to %s" % [what, before.hex_encode(), after.hex_encode()]
	check(difference.is_empty(), "%s: %s" % [shown, difference])


func _is_value(bytes: PackedByteArray, allow_objects: bool) -> bool:
	return not bytes.is_empty() and bytes.decode_var_size(0, allow_objects) >= bytes.size()


## "" where what differs between two buffers leads from the one to the other.
func _difference(before: PackedByteArray, after: PackedByteArray, allow_objects: bool) -> String:
	var changes := VarBatch.diff(before, after, allow_objects)
	var expected: Variant = _decoded(after, allow_objects)
	_hostile_count += 1
	_partial_count += 1 if changes and changes[0].path else 0
	var patched := VarBatch.patch(before, changes, allow_objects)
	if patched.is_empty():
		return "patch refuses %s" % [changes]
	var difference := Equal.difference(_decoded(patched, allow_objects), expected)
	if difference.is_empty() or not _is_read_again(after, allow_objects):
		return ""
	return "%s, by %s" % [difference, changes]


func _decoded(bytes: PackedByteArray, allow_objects: bool) -> Variant:
	return bytes_to_var_with_objects(bytes) if allow_objects else bytes_to_var(bytes)


## Whether the engine reads the same again of what it writes of the value. It does not of a text
## that begins with two byte order marks: each time one is lost.
func _is_read_again(bytes: PackedByteArray, allow_objects: bool) -> bool:
	var value: Variant = _decoded(bytes, allow_objects)
	var again := VarBatch.patch(bytes, [{"path": [], "op": "set", "new": value}], allow_objects)
	return Equal.difference(_decoded(again, allow_objects), value).is_empty()


## Of a generated value at times, mostly of a container of few types.
func _encoded(allow_objects: bool) -> PackedByteArray:
	var value: Variant = _generator.value() if _generator.random.randi() % 5 == 0 else _container(2)
	return var_to_bytes_with_objects(value) if allow_objects else var_to_bytes(value)


func _container(depth: int) -> Variant:
	var random := _generator.random
	const TYPES := [TYPE_INT, TYPE_FLOAT, TYPE_STRING, TYPE_STRING_NAME, TYPE_BOOL, TYPE_NIL]
	var type: int = TYPES[random.randi() % 6]
	if random.randi() % 2 == 0:
		var elements := range(random.randi() % 5).map(func(_i: int) -> Variant: return _element(type, depth))
		var array := Array(elements, type, &"", null)
		return array if type != TYPE_NIL or depth == 0 else [_container(depth - 1), array]
	var values: int = [TYPE_NIL, TYPE_INT][random.randi() % 2]
	var dictionary := Dictionary({}, type, &"", null, values, &"", null)
	for i: int in random.randi() % 5:
		dictionary[_element(type, 0)] = _element(values, depth)
	return dictionary


func _element(type: int, depth: int) -> Variant:
	var random := _generator.random
	var number := random.randi() % 3
	var others: Array = [null, number, "a", &"a", 1.5, ^"a/b:c", Vector2(number, 0), [number]]
	match type:
		TYPE_INT, TYPE_BOOL:
			return type_convert(number, type)
		TYPE_FLOAT:
			return [0.0, -0.0, NAN, 1.0][random.randi() % 4]
		TYPE_STRING, TYPE_STRING_NAME:
			return type_convert("ab".left(number), type)
	return _container(depth - 1) if depth > 0 else others[random.randi() % others.size()]

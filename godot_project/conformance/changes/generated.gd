extends "../support/suite.gd"
## Pairs of random values, edited or unrelated: what differs makes the one of the other, to the
## byte, and back again, as changes, by a plain script that follows them, and as a delta.

const Edits := preload("random_edits.gd")

const SEED := 20250307
const COUNT := 90_000
const WHOLE_COUNT := 10_000
const BATCH := 200

var _pair_count := 0
var _change_count := 0
var _left_out := 0


func test_pairs() -> void:
	_run(part_of(COUNT), false)


func test_pairs_with_whole_objects() -> void:
	_run(part_of(WHOLE_COUNT), true)


func _run(count: int, whole: bool) -> void:
	var seed_number := SEED + int(whole)
	var generator := Generator.new(seed_number, whole)
	var edits := Edits.new(generator, whole)
	var check_some := func(size: int, seed_of_batch: int) -> void:
		# What has ids must live as long as they are looked at.
		var values: Array = []
		_check_pairs(_make_pairs(edits, size, values), whole, "seed %d, pair" % seed_of_batch)
	in_batches(count, BATCH, seed_number, generator.random, check_some)
	var text := "  diff: %d pairs, %d changes, %d pairs left out, whole objects: %s"
	print(text % [_pair_count, _change_count, _left_out, whole])
	check_int(_pair_count + _left_out, count, "pairs")
	check(_left_out < count / 20, "%d of %d pairs left out" % [_left_out, count])
	check(_change_count > _pair_count, "only %d changes" % _change_count)


## Pairs of bytes. What the engine does not read as what it wrote is left out, such as a text that
## begins with two byte order marks: each time one is lost.
func _make_pairs(edits: Edits, count: int, values: Array) -> Array:
	var pairs: Array = []
	for i: int in count:
		var before: Variant = edits.value()
		var is_stable := edits.is_stable(before)
		var bytes := edits.encoded(before)
		var is_related := edits.random.randi_range(0, 7) > 0
		var after: Variant = edits.edited(before) if is_related else edits.value()
		values.append_array([before, after])
		var pair: Array[PackedByteArray] = [bytes, edits.encoded(after)]
		if is_stable and edits.is_stable(after):
			pairs.append(pair)
		else:
			_left_out += 1
	return pairs


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
		var alone := VarBatch.apply_delta(based[i][0] as PackedByteArray, deltas[i])
		for result: PackedByteArray in [results[i], alone]:
			check_bytes(result, pairs[i][1] as PackedByteArray, "apply_delta, %s %d" % [what, i])

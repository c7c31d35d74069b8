extends "../batches/threads_base.gd"
## What differs, from any thread, from several at once, of large values, and of many in one call:
## the same on any number of threads.

const Edits := preload("random_edits.gd")

const SEED := 20250309
const PAIRS := 200
const LARGE := 8 << 20

## What has the objects that the pairs have ids of.
var _generator := Generator.new(SEED, false)
var _values: Array = []
var _pairs: Array = []
var _deltas: Array[PackedByteArray] = []
## For each pair the bytes of its changes, and the bytes that the delta makes a pair with.
var _changes: Array[PackedByteArray] = []
var _based: Array = []


func _init() -> void:
	rounds = 5


## Packed arrays, all over which elements differ, and one that is longer. Containers of which some
## elements differ, and all of them: then the change has all of it.
func test_large_values() -> void:
	for type: int in [TYPE_PACKED_FLOAT32_ARRAY, TYPE_PACKED_BYTE_ARRAY, TYPE_PACKED_VECTOR3_ARRAY]:
		var packed: Variant = Packed.make(type, LARGE / Packed.STRIDES[type])
		var changed: Variant = packed.duplicate()
		var step: int = packed.size() / 100
		for i: int in 100:
			changed[i * step] = packed[i * step + 1]
		changed.append(packed[0])
		_check_large(packed, changed, "large %s" % type_string(type))
	var before := range(LARGE / 60).map(func(i: int) -> Dictionary: return {"id": i, "at": Vector3(1, 2, i)})
	var after := before.duplicate(true)
	for i: int in 100:
		after[i * 1000]["id"] = -i
	after.insert(500, {"new": true})
	_check_large(before, after, "large array of dictionaries")
	var ints: Variant = Packed.make(TYPE_PACKED_INT32_ARRAY, LARGE / 4)
	_check_large([ints], {"other": Packed.make(TYPE_PACKED_INT64_ARRAY, LARGE / 8)}, "unrelated")


func test_large_batches() -> void:
	for i: int in 32:
		var before: PackedInt32Array = Packed.make(TYPE_PACKED_INT32_ARRAY, 60_000 + i)
		var after := before.duplicate()
		after[i * 1000] += 1
		_pairs.append([var_to_bytes(before), var_to_bytes(after)] as Array[PackedByteArray])
	_expect()
	for count: int in Threads.new([1, 2, 3, 0]):
		work(1)
	check_no_problems()


func test_any_array_of_pairs() -> void:
	prepare()
	var typed: Array[Array] = []
	typed.assign(_pairs.slice(0, 10))
	typed.make_read_only()
	check_value(VarBatch.make_deltas(typed), _deltas.slice(0, 10), "make_deltas, typed")
	check_int(VarBatch.diff_batch(typed).size(), 10, "diff_batch, typed")
	check_int(VarBatch.make_deltas(filled(50, _pairs[1])).count(_deltas[1]), 50, "the same delta")
	for empty: Array in [[], [] as Array[Array]]:
		check_value(VarBatch.make_deltas(empty), [] as Array[PackedByteArray], "no deltas")
		check_value(VarBatch.apply_deltas(empty), [] as Array[PackedByteArray], "no results")
		check_value(VarBatch.diff_batch(empty), [], "no changes")


func _check_large(before: Variant, after: Variant, what: String) -> void:
	var bytes: Array[PackedByteArray] = [var_to_bytes(before), var_to_bytes(after)]
	var results: Array = []
	for count: int in Threads.new([1, 0]):
		var changes := VarBatch.diff(bytes[0], bytes[1])
		var delta := VarBatch.make_delta(bytes[0], bytes[1])
		check_bytes(VarBatch.patch(bytes[0], changes), bytes[1], "patch, " + what)
		check_bytes(VarBatch.patch(bytes[1], Edits.inverse(changes)), bytes[0], "back, " + what)
		check_bytes(VarBatch.apply_delta(bytes[0], delta), bytes[1], "apply_delta, " + what)
		check(changes.size() <= 102, "%d changes, %s" % [changes.size(), what])
		results.append([var_to_bytes(changes), delta])
	check_same(results[1] as Array, results[0] as Array, "changes and a delta, " + what)


func prepare() -> void:
	var edits := Edits.new(_generator, false)
	while _pairs.size() < PAIRS:
		var pair := edits.stable_pair(func() -> bool: return true, _values)
		_pairs.append_array([pair] if pair else [])
	_expect()


func _expect() -> void:
	for pair: Array[PackedByteArray] in _pairs:
		_deltas.append(VarBatch.make_delta(pair[0], pair[1]))
		_based.append([pair[0], _deltas[-1]])
		_changes.append(_encoded(VarBatch.diff(pair[0], pair[1])))


## Changes as bytes that are the same each time: the ids are those of the objects, not of what stands for them.
func _encoded(changes: Array[Dictionary]) -> PackedByteArray:
	return var_to_bytes(Edits.resolved(changes))


func work(count: int) -> void:
	var after := _pairs.map(func(pair: Array) -> PackedByteArray: return pair[1])
	for i: int in count:
		note_other(VarBatch.make_deltas(_pairs), _deltas, "make_deltas")
		note_other(Array(VarBatch.apply_deltas(_based), TYPE_NIL, &"", null), after, "apply_deltas")
		var lists := VarBatch.diff_batch(_pairs)
		for at: int in _pairs.size():
			var before: PackedByteArray = _pairs[at][0]
			note_other(VarBatch.patch(before, lists[at]), after[at], "patch %d" % at)
			var delta := VarBatch.make_delta(before, after[at])
			note_other(VarBatch.apply_delta(before, delta), after[at], "apply_delta %d" % at)
			note_other(_encoded(lists[at]), _changes[at], "diff_batch %d" % at)
			note_other(_encoded(VarBatch.diff(before, after[at])), _changes[at], "diff %d" % at)

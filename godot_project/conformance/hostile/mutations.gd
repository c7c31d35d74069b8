extends "../support/round_trip.gd"
## Bytes of the engine, damaged: VarBatch accepts them if and only if the engine does, as the same
## values and of the same size, and says why not where it does not.

const Mutator := preload("mutator.gd")

const SEED := 20250302
const COUNT := 800_000
const OBJECT_COUNT := 200_000
const BATCH := 500
## Values that are damaged, until others take their place.
const POOL := 400
const POOL_ROUNDS := 20  # batches
const MAX_LEN := 800

var _accepted := 0
var _refused := 0


func test_damaged() -> void:
	_run(part_of(COUNT), false)


## The objects are harmless, and no change of a few bytes makes another class of their names.
func test_damaged_objects() -> void:
	_run(part_of(OBJECT_COUNT), true)


func _run(count: int, allow_objects: bool) -> void:
	var seed_number := SEED + int(allow_objects)
	print("  mutations: %d, seed %d, allow_objects %s" % [count, seed_number, allow_objects])
	var generator := Generator.new(seed_number, allow_objects)
	var mutator := Mutator.new(generator.random)
	var pool: Array[PackedByteArray] = []
	for first: int in range(0, count, BATCH):
		var batch_number := first / BATCH
		if batch_number % POOL_ROUNDS == 0:
			pool = _make_pool(generator, seed_number + first, allow_objects)
		# A seed for each batch, so that the line of a failure leads to the buffer again.
		generator.random.seed = seed_number + first + 1
		VarBatch.set_thread_count(batch_number % 3)
		var any := func() -> PackedByteArray: return pool[generator.random.randi() % POOL]
		var buffers := range(mini(BATCH, count - first)).map(func(_i: int) -> Variant: return mutator.mutate(any.call(), any.call()))
		quietly(_check_batch.bind(buffers, allow_objects, "batch seed %d" % (seed_number + first)))
		if failures.size() >= MAX_FAILURES:
			break
	print("  mutations: %d accepted, %d refused" % [_accepted, _refused])
	check(_accepted > count / 10 and _refused > count / 10, "one verdict is too rare")


func _make_pool(generator: Generator, seed_number: int, whole: bool) -> Array[PackedByteArray]:
	generator.random.seed = seed_number
	var pool: Array[PackedByteArray] = []
	while pool.size() < POOL:
		var bytes := Values.engine_bytes([generator.value()], whole)
		pool.append_array(bytes if bytes[0].size() <= MAX_LEN else [])
	return pool


func _check_batch(buffers: Array, allow_objects: bool, what: String) -> void:
	checks += buffers.size()
	var reasons := VarBatch.validate(buffers, allow_objects)
	var found := VarBatch.bytes_to_vars(buffers, allow_objects)
	var expected: Array = []
	for i: int in buffers.size():
		var bytes: PackedByteArray = buffers[i]
		var size := bytes.decode_var_size(0, allow_objects)
		expected.append(bytes.decode_var(0, allow_objects) if size > 0 else null)
		var is_alike := (size > 0) == reasons[i].is_empty()
		if not is_alike or i % 5 == 0 and not _is_described(bytes, size, reasons[i], allow_objects):
			_report(bytes, allow_objects, "%s, number %d" % [what, i])
		_accepted += int(size > 0)
		_refused += int(size <= 0)
	if Equal.first_unequal(found, expected) >= 0:
		for i: int in buffers.size():
			_report(buffers[i], allow_objects, "%s, number %d" % [what, i])
	if buffers[0].size() % 4 == 0:
		var read := VarBatch.frames_to_vars(frames_of(buffers), allow_objects)
		var at := Equal.first_unequal(read, expected)
		if at >= 0 and at < read.size() and _is_comparable(buffers[at], read[at], allow_objects):
			check_int(at, -1, "%s, first frame that differs" % what)
		check_int(read.size(), buffers.size(), "%s, frames" % what)


func _report(bytes: PackedByteArray, allow_objects: bool, what: String) -> void:
	var difference := _disagreement(bytes, allow_objects)
	if difference and failures.size() < MAX_FAILURES:
		failures.append("%s: %s, for %s" % [what, difference, bytes.hex_encode()])


func _disagreement(bytes: PackedByteArray, allow_objects: bool) -> String:
	var size := bytes.decode_var_size(0, allow_objects)
	var accepted := bytes.has_encoded_var(0, allow_objects)
	var reason := VarBatch.validate([bytes], allow_objects)[0]
	if accepted != reason.is_empty():
		return "accepted by the engine: %s, validate: '%s'" % [accepted, reason]
	var found: Variant = VarBatch.bytes_to_var(bytes, allow_objects)
	var expected: Variant = bytes.decode_var(0, allow_objects)
	var difference := ""
	if Equal.first_unequal([found], [expected]) >= 0:
		if _is_comparable(bytes, found, allow_objects):
			difference = Equal.difference(found, expected)
	elif not _is_described(bytes, size, reason, allow_objects):
		difference = "expected size %d or '%s', found %s" % [size, reason, VarBatch.describe(bytes)]
	return difference


## Whether describe() has the same size, or the same reason. Objects that are refused it describes. A last
## padding may be missing.
func _is_described(bytes: PackedByteArray, size: int, reason: String, objects: bool) -> bool:
	var tree := VarBatch.describe(bytes)
	if reason.is_empty():
		return tree.get("size") == size and not tree.has("error")
	var may_be_whole := objects or reason.begins_with("expected no object")
	return tree.get("size", 0) <= bytes.size() + 3 and (may_be_whole or tree.get("error") == reason)


## Whether the engine makes of the bytes what it should, and the same each time. Some do not where a
## dictionary's type is a script, and none where a property that is a number is given an object: it
## takes the id of the object that it has just made.
func _is_comparable(bytes: PackedByteArray, found: Variant, allow_objects: bool) -> bool:
	if Engines.has_value_script_bug() and _has_script_type(found):
		return false
	return Equal.first_unequal([bytes.decode_var(0, allow_objects)], [bytes.decode_var(0, allow_objects)]) < 0


func _has_script_type(value: Variant) -> bool:
	if value is Dictionary:
		var dictionary: Dictionary = value
		if dictionary.get_typed_key_script() or dictionary.get_typed_value_script():
			return true
		return (dictionary.keys() + dictionary.values()).any(_has_script_type)
	return value is Array and (value as Array).any(_has_script_type)

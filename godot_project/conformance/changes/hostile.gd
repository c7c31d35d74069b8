extends "../support/suite.gd"
## Bytes that the engine reads and would not write: elements of another type in typed containers,
## keys that are there twice, ints of 64 bits that fit into 32. What differs between two of them
## fits, and makes the same value of the one as the engine reads of the other.

const Generator := preload("../support/generator.gd")
const Mutator := preload("../hostile/mutator.gd")

const SEED := 20261122
const COUNT := 400_000
const OBJECT_COUNT := 40_000
const BATCH := 200
const MAX_LEN := 600
const MAX_FAILURES := 5
## Of so many buffers one is a generated value, the others are containers of few types.
const GENERATED := 5

var _generator: Generator
var _mutator: Mutator
var _pair_count := 0
var _partial_count := 0


func test_known_pairs() -> void:
	const KEY_5 := "02000100050000000000000002000000"
	const KEY_1 := "0200000001000000"
	const KEY_A := "040000000100000061000000"
	var pairs: Array = [
		# Array[int]: [1, 2], and [256] with a null.
		[
			"1c000100020000000200000002000000010000000200000002000000",
			"1c0001000200000002000000029400000001000000020000",
		],
		# Array[float]: [1.0], and an int in the place of it.
		["1c0001000300000001000000030000000000803f", "1c0001000300000001000000" + KEY_1],
		# A key in 64 bits that fits into 32.
		["1b00000001000000" + KEY_5 + "01000000", "1b00000001000000" + KEY_5 + "02000000"],
		# A key that is there twice.
		[
			"1b00000002000000" + KEY_1 + KEY_1 + KEY_1 + "0200000002000000",
			"1b00000002000000" + KEY_1 + KEY_1 + KEY_1 + "0200000003000000",
		],
		# A String, and a StringName of the same text.
		[
			"1b00000001000000" + KEY_A + KEY_1,
			"1b00000002000000" + KEY_A + KEY_1 + "150000000100000061000000" + "0200000002000000",
		],
		# A key with a padding that is not zero.
		[
			"1b00000001000000" + "04000000010000006100ff00" + KEY_1,
			"1b00000001000000" + "04000000010000006100ff00" + "0200000002000000",
		],
	]
	for pair: Array in pairs:
		var before: PackedByteArray = (pair[0] as String).hex_decode()
		var after: PackedByteArray = (pair[1] as String).hex_decode()
		quietly(_check_pair.bind(before, after, false, "known pair"))
		quietly(_check_pair.bind(after, before, false, "known pair"))


func test_damaged_pairs() -> void:
	_run(part_of(COUNT), false)


func test_damaged_pairs_with_whole_objects() -> void:
	_run(part_of(OBJECT_COUNT), true)


func _run(count: int, allow_objects: bool) -> void:
	var seed_number := SEED + int(allow_objects)
	_generator = Generator.new(seed_number, allow_objects)
	_mutator = Mutator.new(_generator.random)
	for first: int in range(0, count, BATCH):
		# A seed for each batch, so that a failure can be looked at without all before it.
		_generator.random.seed = seed_number + first
		quietly(_check_batch.bind(mini(BATCH, count - first), allow_objects, seed_number + first))
		if failures.size() >= MAX_FAILURES:
			return
	print("  diff: %d pairs of %d, %d in parts" % [_pair_count, count, _partial_count])
	check(_pair_count > count / 10 and _partial_count > count / 20, "too few are values")


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


func _check_pair(
	before: PackedByteArray, after: PackedByteArray, allow_objects: bool, what: String
) -> void:
	checks += 1
	var difference := _difference(before, after, allow_objects)
	if not difference.is_empty():
		failures.append(
			"%s: %s to %s: %s" % [what, before.hex_encode(), after.hex_encode(), difference]
		)


## Whether there is a value, and nothing behind it.
func _is_value(bytes: PackedByteArray, allow_objects: bool) -> bool:
	return not bytes.is_empty() and bytes.decode_var_size(0, allow_objects) >= bytes.size()


## "" where what differs between two buffers leads from the one to the other.
func _difference(before: PackedByteArray, after: PackedByteArray, allow_objects: bool) -> String:
	var changes := VarBatch.diff(before, after, allow_objects)
	var expected: Variant = _decoded(after, allow_objects)
	_pair_count += 1
	_partial_count += (
		1 if not changes.is_empty() and not (changes[0].path as Array).is_empty() else 0
	)
	var patched := VarBatch.patch(before, changes, allow_objects)
	if patched.is_empty():
		return "patch refuses %s" % [changes]
	var difference := Equal.difference(_decoded(patched, allow_objects), expected)
	if difference.is_empty() or not _is_stable(after, allow_objects):
		return ""
	return "%s, by %s" % [difference, changes]


func _decoded(bytes: PackedByteArray, allow_objects: bool) -> Variant:
	return bytes_to_var_with_objects(bytes) if allow_objects else bytes_to_var(bytes)


## Whether the engine reads the same again of what it writes of the value. It does not of a text
## that begins with two byte order marks: each time one is lost.
func _is_stable(bytes: PackedByteArray, allow_objects: bool) -> bool:
	var whole: Array[Dictionary] = [
		{"path": [], "op": "set", "new": _decoded(bytes, allow_objects)}
	]
	var again := VarBatch.patch(bytes, whole, allow_objects)
	return (
		Equal.difference(_decoded(again, allow_objects), _decoded(bytes, allow_objects)).is_empty()
	)


func _encoded(allow_objects: bool) -> PackedByteArray:
	var random := _generator.random
	var value: Variant = _generator.value() if random.randi() % GENERATED == 0 else _container(2)
	return var_to_bytes_with_objects(value) if allow_objects else var_to_bytes(value)


## A container with few elements, mostly a typed one.
func _container(depth: int) -> Variant:
	var random := _generator.random
	var type: int = [TYPE_INT, TYPE_FLOAT, TYPE_STRING, TYPE_STRING_NAME, TYPE_BOOL, TYPE_NIL][
		random.randi() % 6
	]
	if random.randi() % 2 == 0:
		var array := Array([], type, &"", null)
		for i: int in random.randi() % 5:
			array.append(_element(type, depth))
		return array if type != TYPE_NIL or depth == 0 else [_container(depth - 1), array]
	var values: int = [TYPE_NIL, TYPE_INT][random.randi() % 2]
	var dictionary := Dictionary({}, type, &"", null, values, &"", null)
	for i: int in random.randi() % 5:
		dictionary[_element(type, 0)] = _element(values, depth)
	return dictionary


func _element(type: int, depth: int) -> Variant:
	var random := _generator.random
	var number := random.randi() % 3
	var of_type: Dictionary = {
		TYPE_INT: number,
		TYPE_FLOAT: [0.0, -0.0, NAN, 1.0][random.randi() % 4],
		TYPE_STRING: "ab".left(number),
		TYPE_STRING_NAME: StringName("ab".left(number)),
		TYPE_BOOL: number == 0,
	}
	if of_type.has(type):
		return of_type[type]
	if depth > 0:
		return _container(depth - 1)
	var others: Array = [null, number, "a", &"a", 1.5, ^"a/b:c", Vector2(number, 0), [number]]
	return others[random.randi() % others.size()]

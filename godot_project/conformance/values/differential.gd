extends "../support/round_trip.gd"
## Random values of every type, and random graphs of objects of many classes, through VarBatch and through the engine:
## the same bytes, and from the engine's bytes the same values, alone and in batches, by every method.

const ObjectGraphs := preload("../support/object_graphs.gd")
const Sword := preload("../support/classes/sword.gd")

const SEED := 20250301
const COUNT := 80_000
const WHOLE_COUNT := 20_000
const BATCH := 400
const GRAPH_SEED := 20261127
const GRAPH_COUNT := 10_000
const GRAPH_BATCH := 50
## A byte order mark. Where it begins a text, it is not read.
const MARK := "efbbbf"

var _used: Dictionary[Variant, bool] = {}


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


func test_graphs() -> void:
	var count := 400 if is_quick else part_of(GRAPH_COUNT)
	print("  object graphs: %d, seed %d" % [count, GRAPH_SEED])
	# What is made once and kept: by the engine, and of this function when it waits.
	quietly(_check_graphs.bind(GRAPH_SEED, true))
	await count_objects()
	var objects := await count_objects()
	for first: int in range(0, count, GRAPH_BATCH):
		VarBatch.set_thread_count(first / GRAPH_BATCH % 3)
		quietly(_check_graphs.bind(GRAPH_SEED + first, first / GRAPH_BATCH % 8 == 0))
		if failures.size() >= MAX_FAILURES:
			break
	check_int(_used.size(), ObjectGraphs.KIND_COUNT, "classes and scripts")
	_used.clear()
	check_int(await count_objects(), objects, "objects that are left")
	check_int(Sword.alive(), 0, "objects of scripts that are left")


## Objects that hold themselves, and one another: one line that says where, and the others stay.
func test_circles() -> void:
	var sword := Sword.new()
	var second := Sword.new()
	var scripted := Scripted.new()
	sword.hilt = second
	second.set_meta(&"owner", [scripted])
	scripted.content = {"k": sword}
	var places: Dictionary[String, Variant] = {
		'.hilt.metadata/owner[0].content["k"].hilt': sword,
		'[0].metadata/owner[0].content["k"].hilt': [second],
		'["a"][0].content["k"].hilt.metadata/owner[0]': {"a": [scripted]},
		'[key 0].content["k"].hilt.metadata/owner[0]': {scripted: 1},
	}
	for place: String in places:
		var value: Variant = places[place]
		check_value(quietly(var_to_bytes_with_objects.bind(value)), PackedByteArray(), "the engine")
		check_call(&"var_to_bytes", [value, true], PackedByteArray(), ["... inside %s..." % place])
		var others: Array[PackedByteArray] = [var_to_bytes(1), PackedByteArray(), var_to_bytes(2)]
		check_call(&"vars_to_bytes", [[1, value, 2], true], others, ["...value 1: ..."])
	sword.hilt = null


func _check_graphs(seed_number: int, by_all_methods: bool) -> void:
	var graphs := ObjectGraphs.new(seed_number)
	var what := "seed %d, graph" % seed_number
	var values: Array = []
	var encoded: Array[PackedByteArray] = []
	## What the engine makes of its bytes, in bytes.
	var again: Array[PackedByteArray] = []
	var frames := PackedByteArray()
	while values.size() < GRAPH_BATCH:
		var value: Variant = graphs.graph()
		var bytes := var_to_bytes_with_objects(value)
		var is_misread := graphs.has_value_scripts and Engines.has_value_script_bug()
		if is_misread and MARK in bytes.hex_encode():
			continue
		var shown := "%s %d" % [what, values.size()]
		values.append(value)
		encoded.append(bytes)
		frames += frame(bytes)
		check_bytes(VarBatch.var_to_bytes(value, true), bytes, "var_to_bytes, " + shown)
		var expected: Variant = bytes_to_var_with_objects(bytes)
		again.append(bytes if is_misread else var_to_bytes_with_objects(expected))
		var found: Variant = VarBatch.bytes_to_var(bytes, true)
		check_bytes(var_to_bytes_with_objects(found), again[-1], "bytes_to_var, " + shown)
		graphs.free_nodes_in([expected, found])
	check_bytes(VarBatch.vars_to_frames(values, true), frames, "vars_to_frames, " + what)
	_check_list(VarBatch.vars_to_bytes(values, true), encoded, "vars_to_bytes, " + what)
	_check_made(graphs, VarBatch.bytes_to_vars(encoded, true), again, "bytes_to_vars, " + what)
	if by_all_methods:
		_check_made(graphs, VarBatch.frames_to_vars(frames, true), again, "frames_to_vars, " + what)
		_check_list(VarBatch.vars_to_bytes_async(values, true).wait(), encoded, "vars_to_bytes_async, " + what)
		_check_made(graphs, VarBatch.bytes_to_vars_async(encoded, true).wait(), again, "bytes_to_vars_async, " + what)
	_used.merge(graphs.used)
	values.clear()
	graphs.close()


func _check_made(graphs: ObjectGraphs, values: Array, again: Array[PackedByteArray], what: String) -> void:
	_check_list(values.map(var_to_bytes_with_objects), again, what)
	graphs.free_nodes_in(values)


func _check_list(found: Array, expected: Array[PackedByteArray], what: String) -> void:
	check_int(found.size(), expected.size(), "size, " + what)
	for i: int in mini(found.size(), expected.size()):
		check_bytes(found[i] as PackedByteArray, expected[i], "%s %d" % [what, i])

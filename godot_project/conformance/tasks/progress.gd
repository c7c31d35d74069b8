extends "tasks_base.gd"
## How far a task is within one large value, which a save game usually is.

## How often it moves at least: in values that take long to make, and in those that are copied, where
## a busy machine may not look in time.
const MOVES := 10
const FEW_MOVES := 5


func test_containers() -> void:
	var entity := func(i: int) -> Dictionary: return {"pos": Vector3(i, 0, 1), "name": "entity %d" % i, "hp": i, "tags": [i]}
	var untyped := range(100_000).map(entity)
	var entities: Array[Dictionary] = Array(untyped, TYPE_DICTIONARY, "", null)
	var names := range(100_000).map(func(i: int) -> String: return "entity %d" % i)
	var by_name := Values.keyed(names, func(named: String) -> Dictionary: return untyped[named.to_int()])
	var text := func(i: int) -> String: return "a text of thirty letters %05d" % i
	var texts := PackedStringArray(range(500_000).map(text))
	await _check_moves(by_name, MOVES, true)
	for value: Variant in [untyped, entities, texts, {"a": {"b": [untyped]}}]:
		await _check_moves(value, MOVES)


func test_packed_arrays() -> void:
	var bytes := filled_bytes(64 << 20, 7)
	var parts := Values.keyed(range(64), func(_i: int) -> PackedByteArray: return filled_bytes(1 << 20, 7))
	await _check_moves(bytes, FEW_MOVES, true)
	for value: Variant in [bytes.to_float64_array(), parts]:
		await _check_moves(value, FEW_MOVES)
	# Without helpers the value is read in parts, between which frames go on.
	VarBatch.set_thread_count(1)
	VarBatch.save_vars(path, [bytes])
	var watch := Watch.new(VarBatch.load_vars_async(path))
	check_value(await finished(watch, "a load alone"), [bytes], "a load alone")
	# A quick disk gives 64 MiB within a few frames.
	check(watch.fractions.size() > 1, "alone: %d moves" % watch.fractions.size())


func _check_moves(value: Variant, moves: int, and_compressed := false) -> void:
	VarBatch.set_thread_count(2)
	var what := type_string(typeof(value))
	var expected := VarBatch.var_to_bytes([value])
	for mode: int in [-1, FileAccess.COMPRESSION_ZSTD] if and_compressed else [-1]:
		var shown := "%s, mode %d" % [what, mode]
		# A save of these sizes may be done before anybody looks often.
		await _check_task("save_vars", [path, [value], false, mode], 2, shown)
		var loaded: Variant = await _check_task("load_vars", [path], moves, shown)
		check(loaded is Array and VarBatch.var_to_bytes(loaded) == expected, shown)
	await _check_task("frames_to_vars", [VarBatch.vars_to_frames([value])], moves, what)
	await _check_task("bytes_to_vars", [VarBatch.vars_to_bytes([value])], moves, what)


## Looks without a pause, as a short task may end between two frames, and gives a busy machine many
## chances. Returns the result.
func _check_task(method: String, arguments: Array, moves: int, what: String) -> Variant:
	var most := 0
	var result: Variant
	for attempt: int in 20:
		var task: VarBatchTask = call_method(method + "_async", arguments)
		var watch := Watch.new(task)
		var seen := 0
		var last := -1.0
		var limit := Time.get_ticks_msec() + PATIENCE * slowness
		while not task.is_finished() and Time.get_ticks_msec() < limit:
			var now := task.get_progress()
			check(now >= last, "%s, %s: %f after %f" % [method, what, now, last])
			seen += int(now > last)
			last = now
			OS.delay_usec(20)
		most = maxi(most, seen)
		result = await finished(watch, what)
		if most >= moves:
			break
	check(most >= moves, "%s, %s: %d moves" % [method, what, most])
	return result

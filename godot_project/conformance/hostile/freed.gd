extends "../support/round_trip.gd"
## What was made is freed again, in debug builds, where the engine counts: of good bytes, and of
## those that break off in the middle.

## Rounds in which what is not freed adds up.
const ROUNDS := 40
## What the engine keeps for itself now and then, such as a name. In bytes.
const SLACK := 2048


func test_nothing_is_left() -> void:
	if not OS.is_debug_build():
		checks += 1
		return
	for type: int in Values.types():
		var values := Values.of(type)
		if type == TYPE_PACKED_STRING_ARRAY or type == TYPE_ARRAY:
			values.append(Packed.make(TYPE_PACKED_STRING_ARRAY, 20_000))
		for count: int in by_threads([1, 2]):
			var what := "%s, %d threads" % [type_string(type), count]
			_check_freed(_use.bind(values, Values.engine_bytes(values)), what)


func _check_freed(use: Callable, what: String) -> void:
	# What is made once and kept.
	use.call()
	use.call()
	var bytes := Performance.get_monitor(Performance.MEMORY_STATIC)
	var objects := object_count()
	for i: int in ROUNDS:
		use.call()
	var grown := Performance.get_monitor(Performance.MEMORY_STATIC) - bytes
	check(grown <= SLACK, "%s: %d bytes are left of %d rounds" % [what, grown, ROUNDS])
	check_int(object_count(), objects, "objects, " + what)


func _use(values: Array, buffers: Array[PackedByteArray]) -> void:
	var stream := VarBatch.vars_to_frames(values)
	VarBatch.vars_to_bytes(values)
	VarBatch.bytes_to_vars(buffers)
	VarBatch.frames_to_vars(stream)
	var found: Variant
	for i: int in values.size():
		found = VarBatch.bytes_to_var(VarBatch.var_to_bytes(values[i]))
	found = null
	Engine.print_error_messages = false
	for buffer: PackedByteArray in buffers:
		var cut := buffer.slice(0, -2)
		found = [VarBatch.bytes_to_var(cut), VarBatch.bytes_to_vars([buffer, cut, buffer])]
	Engine.print_error_messages = true

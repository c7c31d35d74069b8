extends "../tasks/tasks_base.gd"
## Base of the suites on scripts that run during a call and change its arguments, or use VarBatch.

const BIG := 300_000  # bytes, so that they are borrowed, not copied early


## What a script may do to an array that a call works on, or beside it.
func actions() -> Array[Callable]:
	return [
		func(these: Array) -> void: these.clear(),
		func(these: Array) -> void: these.resize(1),
		func(these: Array) -> void: these.resize(1000),
		func(these: Array) -> void: these.append_array(range(5000)),
		func(these: Array) -> void: these.fill(null),
		func(_these: Array) -> void: VarBatch.set_thread_count(VarBatch.get_thread_count() % 3 + 1),
		func(these: Array) -> void:
			these.reverse()
			VarBatch.bytes_to_vars(VarBatch.vars_to_bytes(some_values()))
			VarBatch.vars_to_frames_async(some_values()).wait()
			VarBatch.validate([var_to_bytes(1)])
			VarBatch.describe(var_to_bytes([1])),
	]


## Changes the buffers themselves, which the caller shares with the call.
func spoil(buffers: Array) -> void:
	for buffer: Variant in buffers:
		if buffer is PackedByteArray:
			buffer.fill(0xff)
			buffer.clear()


func some_values(count := BIG) -> Array:
	return [some_bytes(count), "text", [some_bytes(count), {"k": "v"}], {"a": [1, 2]}]


func some_bytes(count: int) -> PackedByteArray:
	return Packed.make(TYPE_PACKED_BYTE_ARRAY, count)

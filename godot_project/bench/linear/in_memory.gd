extends RefCounted
## Cases of VarBatch without files.

const Case := preload("case.gd")
const Shapes := preload("shapes.gd")

const GODOT_3 := VarBatch.DIALECT_GODOT_3
const GODOT_4 := VarBatch.DIALECT_GODOT_4
## Entries that are removed, or elements that are inserted, in no order.
const CHANGES := 5_000


static func all(_place: RefCounted) -> Dictionary[String, Callable]:
	var cases: Dictionary[String, Callable] = {}
	for shape: StringName in Shapes.VALUES:
		_add(cases, "var_to_bytes", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"var_to_bytes", [Shapes.value(shape, scale)]))
		_add(cases, "var_to_bytes_in", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"var_to_bytes_in", [Shapes.value(shape, scale), GODOT_3]))
		_add(cases, "bytes_to_var", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"bytes_to_var", [Shapes.buffer(shape, scale)]))
		_add(cases, "bytes_to_var_in", shape, func(scale: int) -> Callable:
			var bytes := VarBatch.transcode(Shapes.buffer(shape, scale), GODOT_4, GODOT_3)
			return Case.call_of(&"VarBatch", &"bytes_to_var_in", [bytes, GODOT_3]))
	for shape: StringName in Shapes.BUFFERS:
		_add(cases, "decode_var_size", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"decode_var_size", [Shapes.buffer(shape, scale)]))
		_add(cases, "describe", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"describe", [Shapes.buffer(shape, scale), GODOT_4, 1_000]))
		_add(cases, "validate", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"validate", [[Shapes.buffer(shape, scale)]]))
		_add(cases, "transcode", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"transcode", [Shapes.buffer(shape, scale), GODOT_4, GODOT_3]))
		_add(cases, "transcode", "%s, from Godot 3" % shape, func(scale: int) -> Callable:
			var bytes := VarBatch.transcode(Shapes.buffer(shape, scale), GODOT_4, GODOT_3)
			return Case.call_of(&"VarBatch", &"transcode", [bytes, GODOT_3, GODOT_4]))
	_add(cases, "get_in", "flat", func(scale: int) -> Callable:
		return Case.call_of(&"VarBatch", &"get_in", [Shapes.buffer(&"flat", scale), [Shapes.RECORDS * scale - 1, "id"]]))
	_add(cases, "get_in", "deep", func(scale: int) -> Callable:
		return Case.call_of(&"VarBatch", &"get_in", [Shapes.buffer(&"deep", scale), [Shapes.NESTS - 1, Shapes.NEST_WIDTH - 1]]))
	_add(cases, "get_in", "keys", func(scale: int) -> Callable:
		return Case.call_of(&"VarBatch", &"get_in", [Shapes.buffer(&"keys", scale), ["none"], 5]))
	_add_batches(cases)
	_add_changes(cases)
	return cases


static func _add(cases: Dictionary[String, Callable], method: String, shape: String, make: Callable) -> void:
	cases["VarBatch.%s, %s" % [method, shape]] = func(scale: int) -> Case: return Case.of(make.call(scale))


static func _add_batches(cases: Dictionary[String, Callable]) -> void:
	var values: Array[String] = ["vars_to_bytes", "vars_to_frames", "vars_to_bytes_async", "vars_to_frames_async"]
	var bytes: Array[String] = ["bytes_to_vars", "bytes_to_vars_async", "validate"]
	var frames: Array[String] = ["frames_to_vars", "frames_to_vars_async"]
	for method: String in values:
		_add(cases, method, "many", func(scale: int) -> Callable:
			return finished.bind(Case.call_of(&"VarBatch", method, [Shapes.records(scale)])))
		_add(cases, method, "deep", func(scale: int) -> Callable:
			return finished.bind(Case.call_of(&"VarBatch", method, [Shapes.value(&"deep", scale)])))
	for method: String in bytes:
		_add(cases, method, "many", func(scale: int) -> Callable:
			return finished.bind(Case.call_of(&"VarBatch", method, [Shapes.buffers(scale)])))
		_add(cases, method, "deep in many", func(scale: int) -> Callable:
			return finished.bind(Case.call_of(&"VarBatch", method, [[Shapes.buffer(&"deep", scale), var_to_bytes(1)]])))
	for method: String in frames:
		_add(cases, method, "many", func(scale: int) -> Callable:
			return finished.bind(Case.call_of(&"VarBatch", method, [VarBatch.vars_to_frames(Shapes.records(scale))])))
		_add(cases, method, "deep", func(scale: int) -> Callable:
			return finished.bind(Case.call_of(&"VarBatch", method, [VarBatch.vars_to_frames(Shapes.value(&"deep", scale))])))
	_add(cases, "get_in_each", "many", func(scale: int) -> Callable:
		return Case.call_of(&"VarBatch", &"get_in_each", [Shapes.buffers(scale), ["id"]]))


## Waits for the task that a call returns, if it does.
static func finished(call: Callable) -> void:
	var result: Variant = call.call()
	if result is VarBatchTask:
		var task: VarBatchTask = result
		task.wait()


static func _add_changes(cases: Dictionary[String, Callable]) -> void:
	for shape: StringName in Shapes.PAIRS:
		_add(cases, "diff", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"diff", Shapes.pair(shape, scale)))
		_add(cases, "diff_batch", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"diff_batch", [[Shapes.pair(shape, scale), Shapes.pair(shape, 1)]]))
		_add(cases, "make_delta", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"make_delta", Shapes.pair(shape, scale)))
		_add(cases, "make_deltas", shape, func(scale: int) -> Callable:
			return Case.call_of(&"VarBatch", &"make_deltas", [[Shapes.pair(shape, scale), Shapes.pair(shape, 1)]]))
		_add(cases, "apply_delta", shape, func(scale: int) -> Callable:
			var pair := Shapes.pair(shape, scale)
			return Case.call_of(&"VarBatch", &"apply_delta", [pair[0], VarBatch.make_delta(pair[0], pair[1])]))
		_add(cases, "apply_deltas", shape, func(scale: int) -> Callable:
			var pair := Shapes.pair(shape, scale)
			return Case.call_of(&"VarBatch", &"apply_deltas", [[[pair[0], VarBatch.make_delta(pair[0], pair[1])]]]))
		_add(cases, "patch", shape, func(scale: int) -> Callable:
			var pair := Shapes.pair(shape, scale)
			return Case.call_of(&"VarBatch", &"patch", [pair[0], VarBatch.diff(pair[0], pair[1])]))
	_add(cases, "patch", "keys in no order", func(scale: int) -> Callable:
		var entries: Dictionary = {}
		var changes: Array = []
		for number: int in _shuffled(CHANGES * scale):
			entries[entries.size()] = true
			changes.append({"path": [number], "op": "remove"})
		return Case.call_of(&"VarBatch", &"patch", [var_to_bytes(entries), changes]))
	_add(cases, "patch", "elements in no order", func(scale: int) -> Callable:
		var changes: Array = []
		for number: int in _shuffled(CHANGES * scale):
			changes.append({"path": [number % (changes.size() + 1)], "op": "insert", "new": number})
		return Case.call_of(&"VarBatch", &"patch", [var_to_bytes([]), changes]))


static func _shuffled(count: int) -> Array:
	var numbers: Array = range(count)
	seed(count)
	numbers.shuffle()
	return numbers

extends "res://demo/any_run.gd"
## To bytes and back, step by step: first what games hold, as it needs memory that was not used
## before. Then makes the world, times each way to encode and decode it in several rounds, and
## compares every byte and every value.

## In the order in which they are timed: decoding needs what was encoded before.
enum Step {
	ENGINE_ENCODE, VARS_TO_BYTES, VARS_TO_FRAMES, ENGINE_DECODE, BYTES_TO_VARS, FRAMES_TO_VARS
}

const KindsRun = preload("res://demo/kinds/run.gd")
const Options = preload("res://demo/options.gd")
const Row = preload("res://demo/row.gd")
const World = preload("res://demo/world.gd")

const CHUNKS_PER_STEP := 32

var rows: Array[Row] = [
	Row.new("encode", "var_to_bytes, in a loop", true),
	Row.new("encode", "VarBatch.vars_to_bytes", false),
	Row.new("encode", "VarBatch.vars_to_frames", false),
	Row.new("decode", "bytes_to_var, in a loop", true),
	Row.new("decode", "VarBatch.bytes_to_vars", false),
	Row.new("decode", "VarBatch.frames_to_vars", false),
]
var options: Options
var kinds: KindsRun
var world: World
## The time that making the world took, in microseconds.
var world_usec := 0

var _steps_done := 0
var _is_world_made := false
## The last result of each step.
var _results: Array = []


func _init(run_options: Options) -> void:
	options = run_options
	kinds = KindsRun.new(options)
	world = World.new(options.chunk_count, options.world_seed)
	_results.resize(Step.size())


func begin() -> void:
	super()
	_steps_done = 0
	for row in rows:
		row.forget()
	kinds.begin()
	status = kinds.status


func advance() -> bool:
	if not kinds.is_finished:
		kinds.advance()
		_follow_kinds()
	elif not _is_world_made:
		_make_world()
	elif _steps_done < options.round_count * Step.size():
		_time_step(_steps_done % Step.size())
		_steps_done += 1
	else:
		_end(_compare())
	return not is_finished


func progress() -> float:
	if is_finished:
		return 1.0
	var step_count := options.round_count * Step.size() + 1.0
	var world_progress := 0.2 * world.made() / options.chunk_count + 0.8 * _steps_done / step_count
	return 0.7 * kinds.progress() + 0.3 * world_progress


## The values that `frames_to_vars` decoded from the world's bytes.
func decoded() -> Array:
	return _results[Step.FRAMES_TO_VARS]


func _follow_kinds() -> void:
	status = kinds.status
	if kinds.is_finished and not kinds.problem.is_empty():
		_end(kinds.problem)


func _end(found_problem: String) -> void:
	problem = found_problem
	status = "All bytes and values equal" if problem.is_empty() else problem
	is_finished = true


func _make_world() -> void:
	status = "Making the world"
	var started := Time.get_ticks_usec()
	_is_world_made = not world.grow(CHUNKS_PER_STEP)
	world_usec += Time.get_ticks_usec() - started


## Times only the call itself; frees the result of the previous round first.
func _time_step(step: Step) -> void:
	_results[step] = null
	var started := Time.get_ticks_usec()
	var result: Variant = _do(step)
	var usec := maxf(Time.get_ticks_usec() - started, 1.0)
	_results[step] = result

	var row := rows[step]
	var engine := rows[Step.ENGINE_ENCODE if row.group == "encode" else Step.ENGINE_DECODE]
	row.usec = minf(row.usec, usec)
	row.ratio = engine.usec / row.usec
	row.bytes = _byte_count(step)
	var round_number := _steps_done / Step.size() + 1
	status = "Round %d of %d: %s" % [round_number, options.round_count, row.label]


func _do(step: Step) -> Variant:
	var out: Array = []
	match step:
		Step.ENGINE_ENCODE:
			for value: Variant in world.values:
				out.append(var_to_bytes(value))
		Step.VARS_TO_BYTES:
			return VarBatch.vars_to_bytes(world.values)
		Step.VARS_TO_FRAMES:
			return VarBatch.vars_to_frames(world.values)
		Step.ENGINE_DECODE:
			for buffer: PackedByteArray in _results[Step.ENGINE_ENCODE]:
				out.append(bytes_to_var(buffer))
		Step.BYTES_TO_VARS:
			return VarBatch.bytes_to_vars(_results[Step.VARS_TO_BYTES])
		Step.FRAMES_TO_VARS:
			return VarBatch.frames_to_vars(_results[Step.VARS_TO_FRAMES])
	return out


func _byte_count(step: Step) -> int:
	if step == Step.VARS_TO_FRAMES or step == Step.FRAMES_TO_VARS:
		return _results[Step.VARS_TO_FRAMES].size()
	var total := 0
	for buffer: PackedByteArray in _results[Step.ENGINE_ENCODE]:
		total += buffer.size()
	return total


## Compares the bytes with the engine's bytes, and the values by the bytes that the engine encodes
## them to: `==` would treat 0.0 and -0.0 as equal.
func _compare() -> String:
	var expected: Array = _results[Step.ENGINE_ENCODE]
	var stream := StreamPeerBuffer.new()
	for value: Variant in world.values:
		stream.put_var(value)
	if _results[Step.VARS_TO_FRAMES] != stream.data_array:
		return "the frames are not what put_var writes"
	for step: Step in [
		Step.VARS_TO_BYTES, Step.ENGINE_DECODE, Step.BYTES_TO_VARS, Step.FRAMES_TO_VARS
	]:
		var found: Array = _results[step]
		if found.size() != expected.size():
			return "%s: %d values, not %d" % [rows[step].label, found.size(), expected.size()]
		for index in found.size():
			var is_encoded := step == Step.VARS_TO_BYTES
			var bytes: PackedByteArray = found[index] if is_encoded else var_to_bytes(found[index])
			if bytes != expected[index]:
				return "%s: value %d differs" % [rows[step].label, index]
	return ""

extends "res://demo/any_run.gd"
## To bytes and back, step by step: makes the world, times each way to encode and decode it in several
## rounds, and compares every byte and every value.

const Options = preload("res://demo/options.gd")
const Row = preload("res://demo/row.gd")
const World = preload("res://demo/world.gd")

const CHUNKS_PER_STEP := 32

## The first of each group is the engine's.
var rows: Array[Row] = [
	Row.new("encode", "var_to_bytes, in a loop", "vars_to_bytes", true),
	Row.new("encode", "VarBatch.vars_to_bytes", "vars_to_bytes", false),
	Row.new("encode", "VarBatch.vars_to_frames", "vars_to_frames", false),
	Row.new("decode", "bytes_to_var, in a loop", "bytes_to_vars", true),
	Row.new("decode", "VarBatch.bytes_to_vars", "bytes_to_vars", false),
	Row.new("decode", "VarBatch.frames_to_vars", "frames_to_vars", false),
]
var options: Options
var world: World
## The time that making the world took, in microseconds.
var world_usec := 0

var _is_world_made := false
var _prepared := 0
var _timed := 0


func _init(run_options: Options) -> void:
	options = run_options
	world = World.new(options.chunk_count, options.world_seed)


func begin() -> void:
	super()
	_timed = 0
	for row in rows:
		row.forget()


func advance() -> bool:
	if not _is_world_made:
		status = "Making the world"
		var started := Time.get_ticks_usec()
		_is_world_made = not world.grow(CHUNKS_PER_STEP)
		world_usec += Time.get_ticks_usec() - started
	elif _prepared < rows.size():
		rows[_prepared].prepare(world.values)
		_prepared += 1
	elif _timed < options.round_count * rows.size():
		_time(rows[_timed % rows.size()])
		_timed += 1
	else:
		for row in rows:
			var found := row.problem()
			if not found.is_empty():
				problem = "%s: %s" % [row.label, found]
		status = "All bytes and values equal" if problem.is_empty() else problem
		is_finished = true
	return not is_finished


func progress() -> float:
	if is_finished:
		return 1.0
	var timed := _timed / (options.round_count * rows.size() + 1.0)
	return 0.2 * world.made() / options.chunk_count + 0.8 * timed


## The values that `frames_to_vars` decodes from the world's bytes.
func decoded() -> Array:
	return rows[-1].result()


func _time(row: Row) -> void:
	row.time()
	for engine in rows:
		if engine.group == row.group and engine.by_engine:
			row.ratio = engine.usec / row.usec
	var round_number := _timed / rows.size() + 1
	status = "Round %d of %d: %s" % [round_number, options.round_count, row.label]

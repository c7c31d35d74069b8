extends "res://demo/any_run.gd"
## What games hold, to bytes and back: some cold trips of each kind, then warm ones, engine and
## VarBatch in turns, then compares every byte and every value.
##
## A process has only one chance to be cold: a run that begins again keeps the cold times.

const Kind = preload("res://demo/kinds/kind.gd")
const Options = preload("res://demo/options.gd")
const Values = preload("res://demo/kinds/values.gd")

const COLD_ROUND_COUNT := 3
const _CHUNKS_PER_REGION := 8
## All cold trips together take 240 MiB.
const _REGIONS_MAX := 64

var kinds: Array[Kind] = []
var options: Options
var region_count := 0

## What to do, in order; each takes its kind and returns true, or false if something differs.
var _steps: Array[Callable] = []
var _steps_done := 0
var _is_cold := true


func _init(run_options: Options) -> void:
	options = run_options
	region_count = clampi(options.chunk_count / _CHUNKS_PER_REGION, 1, _REGIONS_MAX)
	_add("heights (float)", Values.heights)
	_add("normals (Vector3)", Values.normals)
	_add("colors", Values.colors)
	_add("ids (int)", Values.ids)
	_add("names (String)", Values.names)
	_add("inventory (Dictionary)", Values.inventories)


func begin() -> void:
	super()
	_steps.clear()
	_steps_done = 0
	if _is_cold:
		for _round in COLD_ROUND_COUNT:
			for kind in kinds:
				_add_turns(_time_cold, kind)
		_add_comparison(2 * COLD_ROUND_COUNT)
	for kind in kinds:
		kind.forget_warm()
		for _round in options.round_count:
			_add_turns(_time_warm, kind)
	_add_comparison(2)


func advance() -> bool:
	if not problem.is_empty():
		is_finished = true
	elif _steps_done < _steps.size():
		_steps[_steps_done].call()
		_steps_done += 1
	else:
		_is_cold = false
		is_finished = true
	return not is_finished


func progress() -> float:
	return 1.0 if is_finished else float(_steps_done) / maxi(_steps.size(), 1)


func _add(label: String, make: Callable) -> void:
	kinds.append(Kind.new(label, make.bind(region_count, options.world_seed)))


func _add_turns(step: Callable, kind: Kind) -> void:
	for by_engine: bool in [true, false]:
		_steps.append(step.bind(kind, by_engine))


func _add_comparison(trip_count: int) -> void:
	for kind in kinds:
		for index in trip_count:
			_steps.append(_compare.bind(kind, index))
		_steps.append(kind.keep_last)


func _time_cold(kind: Kind, by_engine: bool) -> void:
	status = "Cold: " + kind.label
	kind.time_cold(by_engine)


func _time_warm(kind: Kind, by_engine: bool) -> void:
	status = "Warm: " + kind.label
	kind.time_warm(by_engine)


func _compare(kind: Kind, index: int) -> void:
	status = "Comparing: " + kind.label
	if not kind.is_equal(index):
		problem = kind.label + ": bytes or values differ"

extends RefCounted
## One run of the bench: the requested cases and their results.

const Batch = preload("res://bench/batch.gd")
const Options = preload("res://bench/options.gd")
const Place = preload("res://bench/place.gd")
const Probe = preload("res://bench/probe.gd")
const Report = preload("res://bench/report.gd")
const Result = preload("res://bench/result.gd")
const Timing = preload("res://bench/timing.gd")

var options: Options
## The files of the run, if it has any.
var place: Place
var report := Report.new()
## Set by the first wrong result; nothing is timed after it.
var wrong := false

## Blocks that are kept so that results reuse memory of the process.
var _kept_block: PackedByteArray = []
var _started := Time.get_ticks_msec()


func _init(run_options: Options) -> void:
	options = run_options
	report.print_machine()


## True if the case is requested, so that the values of others need not be made.
func wants(name: String) -> bool:
	if wrong:
		return false
	for filter: String in options.filters:
		if name.contains(filter):
			return true
	return options.filters.is_empty()


## Checks, times and reports one case, if it is requested.
func time(result: Result, probe: Probe) -> void:
	if not wants(result.name) or not verify(result.name, probe.problem()):
		return
	if _kept_block.is_empty():
		Timing.settle_allocator()
		_kept_block = Timing.warm_memory()
	Timing.measure(probe, result, options.alone)
	report.add(result)


## The same, and once more without the time of freeing the results.
func time_twice(result: Result, probe: Batch) -> void:
	time(result, probe)
	probe.freeing_apart = true
	var direction := result.direction + ", freeing apart"
	var apart := Result.new("", result.type, result.count, result.bytes, direction)
	apart.name = result.name + "_freeing_apart"
	time(apart, probe)
	probe.freeing_apart = false


## Prints the error in a result; returns true if there is none.
func verify(name: String, problem: String) -> bool:
	if problem.is_empty():
		return true
	wrong = true
	printerr("bench: WRONG RESULT in %s: %s" % [name, problem])
	return false


## Prints the summary; returns true if any case ran.
func finish() -> bool:
	report.print_summary((Time.get_ticks_msec() - _started) / 1000.0)
	return report.case_count > 0

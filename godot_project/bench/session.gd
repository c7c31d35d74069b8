extends RefCounted
## One run of the bench: which cases are wanted, and what came of them.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Probe = preload("res://bench/probe.gd")
const Report = preload("res://bench/report.gd")
const Result = preload("res://bench/result.gd")
const Timing = preload("res://bench/timing.gd")

var report := Report.new()
## Set by the first wrong result; nothing is timed after it.
var wrong := false
## Whether results get memory that the process has already, or fresh memory where they are large.
var warm_memory := true

var _filters: PackedStringArray
var _settled := false
var _kept_block: PackedByteArray = []
var _started := Time.get_ticks_msec()


func _init(filters: PackedStringArray) -> void:
	_filters = filters
	report.print_machine()


## Whether the case is asked for, so that the others' values need not be made.
func wants(name: String) -> bool:
	if wrong:
		return false
	for filter: String in _filters:
		if name.contains(filter):
			return true
	return _filters.is_empty()


## Whether any of the cases is asked for.
func wants_any(names: PackedStringArray) -> bool:
	for name: String in names:
		if wants(name):
			return true
	return false


## Whether a case is asked for and its results are right, so that it is worth timing.
func may_time(name: String, probe: Probe) -> bool:
	if not wants(name) or not verify(name, probe.check()):
		return false
	if not _settled:
		Timing.settle_allocator()
		_settled = true
	if warm_memory and _kept_block.is_empty():
		_kept_block = Timing.warm_memory()
	return true


## Checks, times and reports one case, if it is asked for.
func time(result: Result, probe: Probe) -> void:
	if may_time(result.name, probe):
		_time(result, probe)


## The same, and once more with the freeing of the results outside of the time, for information.
func time_twice(result: Result, probe: BatchProbes.Batch) -> void:
	if not may_time(result.name, probe):
		return
	_time(result, probe)
	var direction := result.direction + ", freeing apart"
	var apart := Result.new("", result.type, result.count, result.bytes, direction)
	apart.name = result.name + "_freeing_apart"
	apart.target = NAN
	probe.freeing_apart = true
	_time(apart, probe)
	probe.freeing_apart = false


## Tells what is wrong with a result; returns whether nothing is.
func verify(name: String, problem: String) -> bool:
	if problem.is_empty():
		return true
	wrong = true
	printerr("bench: WRONG RESULT in %s: %s" % [name, problem])
	return false


## Prints what is told at the end; returns whether any case ran.
func finish() -> bool:
	report.print_summary((Time.get_ticks_msec() - _started) / 1000.0)
	return report.case_count > 0


func _time(result: Result, probe: Probe) -> void:
	Timing.measure(probe, result)
	report.add(result)

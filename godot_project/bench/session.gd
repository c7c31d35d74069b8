extends RefCounted
## One run of the bench: the requested cases and their results.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Probe = preload("res://bench/probe.gd")
const Report = preload("res://bench/report.gd")
const Result = preload("res://bench/result.gd")
const Timing = preload("res://bench/timing.gd")

var report := Report.new()
## Set by the first wrong result; nothing is timed after it.
var wrong := false
## True if results reuse memory of the process; false if large results get fresh memory.
var warm_memory := true

var _filters: PackedStringArray
var _settled := false
var _kept_block: PackedByteArray = []
var _started := Time.get_ticks_msec()


func _init(filters: PackedStringArray) -> void:
	_filters = filters
	report.print_machine()


## True if the case is requested, so that the values of others need not be made.
func wants(name: String) -> bool:
	if wrong:
		return false
	for filter: String in _filters:
		if name.contains(filter):
			return true
	return _filters.is_empty()


## True if any of the cases is requested.
func wants_any(names: PackedStringArray) -> bool:
	for name: String in names:
		if wants(name):
			return true
	return false


## True if a case is requested and its results are right, so that it is worth timing.
func may_time(name: String, probe: Probe) -> bool:
	if not wants(name) or not verify(name, probe.check()):
		return false
	if not _settled:
		Timing.settle_allocator()
		_settled = true
	if warm_memory and _kept_block.is_empty():
		_kept_block = Timing.warm_memory()
	return true


## Checks, times and reports one case, if it is requested.
func time(result: Result, probe: Probe) -> void:
	if may_time(result.name, probe):
		_time(result, probe)


## The same, and once more without the time of freeing the results, for information.
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


func _time(result: Result, probe: Probe) -> void:
	Timing.measure(probe, result)
	report.add(result)

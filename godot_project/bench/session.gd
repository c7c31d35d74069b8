extends RefCounted
## One run of the bench: which cases are wanted, and what came of them.

const Probe = preload("res://bench/probe.gd")
const Report = preload("res://bench/report.gd")
const Result = preload("res://bench/result.gd")
const Timing = preload("res://bench/timing.gd")

var report := Report.new()
## Set by the first wrong result; nothing is timed after it.
var wrong := false

var _filters: PackedStringArray
var _settled := false
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


## Checks, times and reports one case, if it is asked for.
func time(result: Result, probe: Probe) -> void:
	if not wants(result.name) or not verify(result.name, probe.check()):
		return
	if not _settled:
		Timing.settle_allocator()
		_settled = true
	Timing.measure(probe, result)
	report.add(result)


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

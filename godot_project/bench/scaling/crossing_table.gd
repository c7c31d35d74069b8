extends RefCounted
## The table of where threads are faster: one row per size, thread counts side by side, and for each
## series a line with the sizes from which they are used and from which they gain.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Cores = preload("res://bench/scaling/cores.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Table = preload("res://bench/table.gd")
const Timing = preload("res://bench/timing.gd")

## The min speed-up that counts as faster.
const PAYS := 1.05
## How long the helpers are watched, and the min number of calls.
const WATCH_USEC := 10_000
const WATCH_CALLS := 4
## Helpers have work if they are this busy, or get a core more often than this: threads that have
## just started also get one once or twice.
const BUSY := 0.05
const IDLE_WAKES := 2.0

var session: Session

var _counts := Cores.thread_counts()
var _table: Table
var _titled := false
var _series := ""
## For each series: the first size that woke helpers, and the first from which all sizes gain, back
## to back and rested.
var _used_from := ""
var _pays_from: Array[String] = ["", ""]


func _init(run_session: Session) -> void:
	session = run_session
	var columns: Array[Array] = [["value", -28], ["size", -12], ["call", -16]]
	for when: String in ["", "rested "]:
		columns.append([when + "1", 18 if when.is_empty() else 14])
		for count: int in _counts.slice(1):
			columns.append(["%d threads" % count, 12])
			columns.append(["gain", 8])
	columns.append(["helpers", 11])
	_table = Table.new(columns)


func add(case: Result, probe: BatchProbes.Batch) -> void:
	if not session.may_time(case.name, probe):
		return
	if case.type + ", " + case.direction != _series:
		finish()
		_series = case.type + ", " + case.direction
	var entrants: Array[Timing.Entrant] = []
	for rested: bool in [false, true]:
		for count: int in _counts:
			entrants.append(Timing.Entrant.new(Probe.Contender.VARBATCH, count, rested))
	var times := Timing.paired(probe, entrants, Timing.Effort.short())
	VarBatch.set_thread_count(0)
	_print(case, times, _watch(probe, Timing.quantile(times[_counts.size() - 1], 0.5)))


## Prints the result of the last series.
func finish() -> void:
	if _series.is_empty():
		return
	print(
		(
			"  %s: threads used from %s; they gain from %s, rested from %s"
			% [_series, _or_never(_used_from), _or_never(_pays_from[0]), _or_never(_pays_from[1])]
		)
	)
	_series = ""
	_used_from = ""
	_pays_from = ["", ""]


func _or_never(size: String) -> String:
	return "no size" if size.is_empty() else size + " on"


## The activity of the helpers, with all threads and calls back to back.
func _watch(probe: Probe, usec: float) -> PackedFloat64Array:
	probe.run(Probe.Contender.VARBATCH, 1)
	var calls := maxi(ceili(WATCH_USEC / usec), WATCH_CALLS)
	return Cores.watch(func() -> void: probe.run(Probe.Contender.VARBATCH, calls))


func _print(case: Result, times: Array[PackedFloat64Array], helpers: PackedFloat64Array) -> void:
	if not _titled:
		print("\nFrom which size on threads pay. Microseconds a call, gain = against one thread.")
		print("rested = %d us after the call before, when helpers sleep." % Timing.REST_USEC)
		print("helpers = how busy they are, with all threads and calls back to back.")
		print(Cores.explanation())
		_table.print_titles()
		_titled = true
	var asleep := helpers[0] < BUSY and helpers[1] <= IDLE_WAKES
	var size := Table.batch_text(case.count, case.bytes)
	var cells: PackedStringArray = [case.type, size, case.direction]
	var json := {
		"type": case.type, "bytes": case.bytes, "count": case.count, "direction": case.direction
	}
	for part: int in 2:
		var prefix := "rested_" if part == 1 else ""
		var alone := times[part * _counts.size()]
		for index in _counts.size():
			var threaded := times[part * _counts.size() + index]
			var usec := Timing.quantile(threaded, 0.5)
			var gains := Timing.ratios(alone, threaded)
			var gain := Timing.quantile(gains, 0.5)
			cells.append(Table.usec_text(usec))
			json["%sus_%d" % [prefix, _counts[index]]] = Table.number(usec)
			if index > 0:
				cells.append(Table.ratio_text(gain, Timing.noisy(gains)))
				json["%sgain_%d" % [prefix, _counts[index]]] = Table.number(gain)
			if index == _counts.size() - 1:
				# A gain without helpers is noise. If none can be seen, as on systems other than
				# Linux, it counts.
				_note_gain(part, 1.0 if asleep else gain, size)
	var busy := "%.0f%%" % (helpers[0] * 100.0)
	cells.append("?" if is_nan(helpers[0]) else "asleep" if asleep else busy)
	json["helpers_busy"] = Table.number(helpers[0])
	json["helpers_used"] = null if is_nan(helpers[0]) else not asleep
	json["rounds"] = times[0].size()
	if not asleep and _used_from.is_empty():
		_used_from = size
	_table.print_row(cells)
	session.report.add_json(case.name, json)


func _note_gain(part: int, gain: float, size: String) -> void:
	if gain < PAYS:
		_pays_from[part] = ""
	elif _pays_from[part].is_empty():
		_pays_from[part] = size

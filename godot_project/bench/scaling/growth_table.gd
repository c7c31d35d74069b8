extends RefCounted
## One table of how a cost grows, step by step, and the cliffs in it.
##
## A cliff is a step at which VarBatch's cost of a byte (or of a value) more than doubles while the
## engine's does not. It is marked only if a second measurement confirms it. Code that is as fast as
## memory slows down where memory does: at the size of the caches and of the blocks that the
## allocator keeps. Such a step is marked differently if the engine's own memcpy takes it at the
## same size, which is how it encodes a PackedByteArray. So that series comes first.

const Result = preload("res://bench/result.gd")
const Probe = preload("res://bench/probe.gd")
const Session = preload("res://bench/session.gd")
const Table = preload("res://bench/table.gd")
const Timing = preload("res://bench/timing.gd")

const CLIFF := 2.0
const NO_CLIFF := 1.5
const MEMCPY := "PackedByteArray, to bytes"
const COLUMNS: Array[Array] = [
	["value", -28],
	["size", -12],
	["call", -16],
	["engine ns", 13],
	["VarBatch ns", 13],
	["engine", 9],
	["VarBatch", 10],
	["ratio", 9],
	["step: engine", 15],
	["VarBatch", 10],
	["", 8],
]

var _session: Session
var _title: String
## True if the columns show GB/s of one value; false for nanoseconds of each of many.
var _per_value: bool
var _table: Table
## The cost of a byte or a value at the previous step, for each series.
var _before: Dictionary[String, Vector2] = {}
var _cliffs: PackedStringArray = []
## The engine's step of the memcpy at each size.
var _memcpy_steps: Dictionary[int, float] = {}


func _init(session: Session, title: String, per_value: bool) -> void:
	_session = session
	_title = title
	_per_value = per_value
	var columns := COLUMNS.duplicate()
	columns[5] = ["ns each" if per_value else "GB/s", 9]
	columns[6] = [columns[5][0], 10]
	_table = Table.new(columns)


## Checks, times and prints the next step of the series of the case's type and direction.
func add(case: Result, probe: Probe) -> void:
	if not _session.may_time(case.name, probe):
		return
	if not _title.is_empty():
		print("\n", _title)
		_table.print_titles()
		_title = ""
	var series := case.type + ", " + case.direction
	var before: Vector2 = _before.get(series, Vector2(NAN, NAN))
	Timing.measure(probe, case, Timing.Effort.short())
	if _is_cliff(_cost(case) / before):
		Timing.measure(probe, case, Timing.Effort.short())
	var step := _cost(case) / before
	_before[series] = _cost(case)
	if series == MEMCPY:
		_memcpy_steps[case.bytes] = step.x
	var mark := _mark(case, step)
	if mark == "CLIFF":
		_cliffs.append("%s, at %s" % [series, _size(case)])
	_print(case, step, mark)


func finish() -> void:
	if _before.is_empty():
		return
	print("cliffs: ", "none" if _cliffs.is_empty() else "; ".join(_cliffs))


## Nanoseconds per byte or value, with the engine and with VarBatch.
func _cost(case: Result) -> Vector2:
	var parts := case.count if _per_value else case.bytes
	return Vector2(case.engine_median, case.varbatch_median) * 1000.0 / parts


func _is_cliff(step: Vector2) -> bool:
	return step.y > CLIFF and step.x < NO_CLIFF


func _mark(case: Result, step: Vector2) -> String:
	if not _is_cliff(step):
		return ""
	var by_memory: bool = not _per_value and _memcpy_steps.get(case.bytes, 0.0) >= NO_CLIFF
	return "memory" if by_memory else "CLIFF"


func _size(case: Result) -> String:
	return str(case.count) if _per_value else Table.size_text(case.bytes)


func _print(case: Result, step: Vector2, mark: String) -> void:
	var cost := _cost(case)
	var shown := cost if _per_value else Vector2.ONE / cost
	var first := is_nan(step.x)
	(
		_table
		. print_row(
			[
				case.type,
				_size(case),
				case.direction,
				"%.0f" % (case.engine_median * 1000.0),
				"%.0f" % (case.varbatch_median * 1000.0),
				"%.2f" % shown.x,
				"%.2f" % shown.y,
				Table.ratio_text(case.ratio, case.noisy),
				"" if first else "%.2f" % step.x,
				"" if first else "%.2f" % step.y,
				mark,
			]
		)
	)
	(
		_session
		. report
		. add_json(
			case.name,
			{
				"type": case.type,
				"bytes": case.bytes,
				"count": case.count,
				"direction": case.direction,
				"engine_us": Table.number(case.engine_median),
				"varbatch_us": Table.number(case.varbatch_median),
				"ratio": Table.number(case.ratio),
				"engine_step": Table.number(step.x),
				"varbatch_step": Table.number(step.y),
				"cliff": mark,
				"rounds": case.rounds,
				"noisy": case.noisy,
			}
		)
	)

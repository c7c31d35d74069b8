extends RefCounted
## Starts a process for each call, in turns: the engine, VarBatch, and another library if there is
## one. Prints a table of the medians.

const Call = preload("res://bench/cold/call.gd")
const Cases = preload("res://bench/cold/cases.gd")
const Place = preload("res://bench/files/place.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Table = preload("res://bench/table.gd")
const Timing = preload("res://bench/timing.gd")

const INTRO := """
Microseconds of one call in a new process whose values were just made: medians of %d processes
each, in turns. ratio = engine / VarBatch, the median of the rounds; ~ = noisy. fresh: the game
still holds all that it made. reuse: it has just freed a result of the same shape.
MiB: resident memory before the call / at its peak / after it / after its result was freed.
"""
const _MIB := 1048576.0
const _SCENE := "res://bench/cold/cold.tscn"

## What starts an engine.
var engine := ""
## The folder of a project with another library, or "".
var other := ""

var _session: Session
var _place: Place
var _rounds := 0
var _table: Table


func _init(session: Session, place: Place, rounds: int) -> void:
	_session = session
	_place = place
	_rounds = rounds


## Returns the error, or "".
func run() -> String:
	print(INTRO % _rounds)
	var columns: Array[Array] = [["type", -25], ["size", -12], ["direction", -24], ["engine", 9]]
	columns.append(["VarBatch", 10])
	if not other.is_empty():
		columns.append(["other", 10])
	columns.append_array([["ratio", 9], ["target", 7], ["", 9]])
	columns.append_array([["MiB, VarBatch", 25], ["MiB, engine", 25]])
	_table = Table.new(columns)
	_table.print_titles()
	for index in Cases.ROWS.size():
		var case := Cases.result(Cases.ROWS[index])
		if _session.wants(case.name):
			await (Engine.get_main_loop() as SceneTree).process_frame  # Prints row by row.
			if not _session.verify(case.name, _run(case, index)):
				return "nothing is measured after it"
	return ""


func _run(case: Result, index: int) -> String:
	var name: String = Cases.ROWS[index][3]
	if name == "load_vars":
		Place.store(_place.path(name), Cases.values(Cases.ROWS[index]))
		_place.settle()
	var ways: Array[String] = [Cases.ENGINE, Cases.VARBATCH]
	if not other.is_empty():
		ways.append(Cases.OTHER)
	var times: Dictionary[String, PackedFloat64Array] = {}
	var memory: Dictionary[String, Array] = {}
	for way: String in ways:
		times[way] = PackedFloat64Array()
		memory[way] = []
	var expected: Variant = null
	for _round in _rounds:
		for way: String in ways:
			if name == "save_vars":
				_place.settle()
			var answer := _call([Cases.CALL, str(index), way, _place.folder])
			if answer.is_empty():
				return "%s: no answer" % way
			expected = answer.hash if expected == null else expected
			if answer.hash != expected:
				return "%s: its hash is %s, expected %s" % [way, answer.hash, expected]
			times[way].append(answer.usec as float)
			memory[way].append(answer.memory)
		# Every other round runs backwards, so that none always follows the same other one.
		ways.reverse()
	_place.remove_files()
	_report(case, times, memory)
	return ""


## Starts a process with these arguments, and returns its answer.
func _call(arguments: PackedStringArray) -> Dictionary:
	var project := other if Cases.OTHER in arguments else ProjectSettings.globalize_path("res://")
	var command: PackedStringArray = ["--headless", "--path", project, _SCENE]
	# A script that fails does not quit.
	command.append_array(["--quit-after", "10", "--"])
	var output: Array = []
	OS.execute(engine, command + arguments, output)
	for line: String in "".join(PackedStringArray(output)).split("\n"):
		if line.begins_with(Call.ANSWER):
			return JSON.parse_string(line.trim_prefix(Call.ANSWER))
	return {}


func _report(
	case: Result, times: Dictionary[String, PackedFloat64Array], memory: Dictionary[String, Array]
) -> void:
	case.engine_median = Timing.quantile(times[Cases.ENGINE], 0.5)
	case.varbatch_median = Timing.quantile(times[Cases.VARBATCH], 0.5)
	var ratios := Timing.ratios(times[Cases.ENGINE], times[Cases.VARBATCH])
	case.ratio = Timing.quantile(ratios, 0.5)
	case.noisy = Timing.noisy(ratios)
	var cells: PackedStringArray = [case.type, Table.batch_text(case.count, case.bytes)]
	cells.append(case.direction)
	var line := {"type": case.type, "bytes": case.bytes, "count": case.count}
	line.direction = case.direction
	for way: String in times:
		var median := Timing.quantile(times[way], 0.5)
		cells.append("%.0f" % median)
		line[way + "_us"] = median
		line[way + "_min_us"] = Timing.quantile(times[way], 0.0)
		line[way + "_memory"] = _medians(memory[way])
	cells.append(Table.ratio_text(case.ratio, case.noisy))
	var has_target := case.has_target()
	cells.append("%sx" % case.target if has_target else "")
	cells.append(("reached" if case.reached() else "BELOW") if has_target else "")
	cells.append(_memory_text(line[Cases.VARBATCH + "_memory"]))
	cells.append(_memory_text(line[Cases.ENGINE + "_memory"]))
	_table.print_row(cells)
	line.merge({"ratio": case.ratio, "noisy": case.noisy, "rounds": _rounds})
	line.merge({"target": Table.number(case.target)})
	line.merge({"reached": case.reached() if has_target else null})
	_session.report.add_json(case.name, line)


## The median of each number.
static func _medians(rows: Array) -> Array:
	var medians: Array = []
	for column: int in rows[0].size():
		medians.append(
			Timing.quantile(rows.map(func(row: Array) -> float: return row[column]), 0.5)
		)
	return medians


static func _memory_text(bytes: Array) -> String:
	return " / ".join(bytes.map(func(number: float) -> String: return "%.0f" % (number / _MIB)))

extends RefCounted
## Section: the first call of a process. Starts a process for each call, the engine and VarBatch in turns,
## and prints a table of the medians.

const Call = preload("res://bench/cold/call.gd")
const Cases = preload("res://bench/cold/cases.gd")
const Options = preload("res://bench/options.gd")
const Place = preload("res://bench/place.gd")
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
const _COLUMNS: Array[Array] = [
	["type", -25],
	["size", -12],
	["direction", -24],
	["VarBatch", 10],
	["engine", 9],
	["ratio", 9],
	["MiB, VarBatch", 25],
	["MiB, engine", 25],
]
const _MIB := 1048576.0
var _session: Session
var _options: Options
var _place: Place
var _table := Table.new(_COLUMNS)


func run(session: Session) -> void:
	_session = session
	_options = session.options
	_place = session.place
	print(INTRO % _options.rounds)
	_table.print_titles()
	var rows := Cases.rows()
	for index in rows.size():
		var case := Cases.result(rows[index])
		if session.wants(case.name):
			await (Engine.get_main_loop() as SceneTree).process_frame  # Prints row by row.
			session.verify(case.name, _run(case, rows[index], index))


func _run(case: Result, row: Array, index: int) -> String:
	var name: String = row[3]
	if name == "load_vars":
		Place.store(_place.path(name), Cases.values(row))
		_place.settle()
	var times: Dictionary[String, PackedFloat64Array] = {}
	var memory: Dictionary[String, Array] = {}
	var expected: Variant = null
	var ways: Array[String] = [Cases.VARBATCH]
	if not _options.alone:
		ways.append(Cases.ENGINE)
	for way: String in ways:
		times[way] = PackedFloat64Array()
		memory[way] = []
	for _round in _options.rounds:
		for way: String in ways:
			if name.begins_with("save"):
				_place.settle()
			var answer := _call([str(index), way, _place.folder])
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


## The answer of a process that makes one call.
func _call(arguments: PackedStringArray) -> Dictionary:
	var command: PackedStringArray = [
		"--headless", "--path", ProjectSettings.globalize_path("res://")
	]
	# A script that fails does not quit.
	command.append_array(["res://bench/bench.tscn", "--quit-after", "10", "--", "--call"])
	var output: Array = []
	OS.execute(_options.engine, command + arguments, output)
	for line: String in "".join(PackedStringArray(output)).split("\n"):
		if line.begins_with(Call.ANSWER):
			return JSON.parse_string(line.trim_prefix(Call.ANSWER))
	return {}


func _report(
	case: Result, times: Dictionary[String, PackedFloat64Array], memory: Dictionary[String, Array]
) -> void:
	if times.has(Cases.ENGINE):
		var ratios := Timing.ratios(times[Cases.ENGINE], times[Cases.VARBATCH])
		case.ratio = Timing.quantile(ratios, 0.5)
		case.noisy = Timing.noisy(ratios)
	var cells: PackedStringArray = [case.type, Table.batch_text(case.count, case.bytes)]
	cells.append(case.direction)
	var line := {"type": case.type, "bytes": case.bytes, "count": case.count}
	line.merge(
		{"direction": case.direction, "ratio": Table.number(case.ratio), "noisy": case.noisy}
	)
	line.rounds = _options.rounds
	for way: String in times:
		line[way + "_us"] = Timing.quantile(times[way], 0.5)
		line[way + "_min_us"] = Timing.quantile(times[way], 0.0)
		line[way + "_memory"] = _medians(memory[way])
		cells.append("%.0f" % line[way + "_us"])
	cells.append(Table.ratio_text(case.ratio, case.noisy))
	for way: String in times:
		var bytes: Array = line[way + "_memory"]
		cells.append(
			" / ".join(bytes.map(func(number: float) -> String: return "%.0f" % (number / _MIB)))
		)
	_table.print_row(cells)
	_session.report.add_json(case.name, line)


## The median of each number.
static func _medians(rows: Array) -> Array:
	return range(rows[0].size()).map(
		func(column: int) -> float:
			return Timing.quantile(rows.map(func(row: Array) -> float: return row[column]), 0.5)
	)

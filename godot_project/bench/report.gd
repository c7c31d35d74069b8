extends RefCounted
## Prints tables for people while the cases run, and one JSON line per case at the end, for
## machines.

const Result = preload("res://bench/result.gd")
const Table = preload("res://bench/table.gd")

## Columns of the table of times: title and width.
const COLUMNS: Array[Array] = [
	["type", -28],
	["size", -12],
	["direction", -40],
	["engine min", 11],
	["median", 11],
	["VarBatch min", 14],
	["median", 11],
	["GB/s", 7],
	["ratio", 9],
	["floor", 11],
	["/floor", 8],
]

var case_count := 0

var _build := "debug" if OS.is_debug_build() else "release"
var _json: PackedStringArray = []
var _table := Table.new(COLUMNS)
var _heading := ""


## The conditions that the numbers depend on.
func print_machine() -> void:
	var machine := {
		"version": VarBatch.get_version(),
		"engine": "%s" % Engine.get_version_info()["string"],
		"processor": OS.get_processor_name(),
		"cores": OS.get_processor_count(),
		"system": OS.get_distribution_name(),
		"hugepages": _huge_pages(),
		"date": Time.get_date_string_from_system(),
	}
	_json.append("JSON " + JSON.stringify({"machine": machine}, "", false))
	print("VarBatch ", machine.version, ", threads in effect: ", VarBatch.get_thread_count())
	print("engine ", machine.engine, ", ", _build, " build")
	print(machine.processor, ", ", machine.cores, " processors, ", machine.system)
	print("transparent_hugepage: ", machine.hugepages)


## The heading of the next cases, printed with the first of them.
func start_table(title: String) -> void:
	_heading = title


func add(result: Result) -> void:
	_print_heading()
	var cells: PackedStringArray = [
		result.type, Table.batch_text(result.count, result.bytes), result.direction
	]
	var times := [
		result.engine_min, result.engine_median, result.varbatch_min, result.varbatch_median
	]
	cells.append_array(times.map(Table.usec_text))
	cells.append("%.2f" % result.speed())
	cells.append(Table.ratio_text(result.ratio, result.noisy))
	cells.append(Table.usec_text(result.floor_median))
	cells.append("" if is_nan(result.floor_ratio) else "%.2f" % result.floor_ratio)
	_table.print_row(cells)
	add_json(result.name, result.row())


## Keeps a machine-readable line for the end; adds the fields that most cases share.
func add_json(name: String, row: Dictionary) -> void:
	case_count += 1
	var line := {"case": name}
	line.merge(row)
	line.merge({"build": _build, "threads": VarBatch.get_thread_count()})
	_json.append("JSON " + JSON.stringify(line, "", false))


func print_summary(seconds: float) -> void:
	print("")
	for line: String in _json:
		print(line)
	print("\n%d cases in %.0f s" % [case_count, seconds])


func _print_heading() -> void:
	if case_count == 0:
		print(
			"\nTimes in microseconds a call. ratio = engine / VarBatch, /floor = VarBatch / floor,"
		)
		print("medians of paired rounds; ~ = noisy.")
		print("A result is freed within its time, but where it says 'freeing apart'.")
	if _heading.is_empty():
		return
	print("\n", _heading)
	_table.print_titles()
	_heading = ""


## The system's huge page setting, which determines the cost of fresh memory.
func _huge_pages() -> String:
	var setting := FileAccess.get_file_as_string("/sys/kernel/mm/transparent_hugepage/enabled")
	return setting.get_slice("[", 1).get_slice("]", 0) if "[" in setting else "unknown"

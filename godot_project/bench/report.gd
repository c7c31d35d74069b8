extends RefCounted
## Prints tables for people as the cases come, and a JSON line a case at the end, for machines.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Result = preload("res://bench/result.gd")

## Columns of the table of times: title and width; titles of the numbers end where they end.
const COLUMNS: Array[Array] = [
	["type", -28],
	["size", -12],
	["direction", -25],
	["engine min", 11],
	["median", 11],
	["VarBatch min", 14],
	["median", 11],
	["GB/s", 7],
	["ratio", 9],
	["target", 8],
	["floor", 11],
	["/floor", 8],
	["target", 9],
	["", 9],
]
const MIB := 1048576

var case_count := 0

var _build := "debug" if OS.is_debug_build() else "release"
var _json: PackedStringArray = []
var _below: PackedStringArray = []
var _target_count := 0
var _heading := ""


## What the numbers depend on.
func print_machine() -> void:
	print("VarBatch ", VarBatch.get_version(), ", threads in effect: ", VarBatch.get_thread_count())
	print("engine ", Engine.get_version_info()["string"], ", ", _build, " build")
	print(
		(
			"%s, %d processors, %s"
			% [OS.get_processor_name(), OS.get_processor_count(), OS.get_distribution_name()]
		)
	)
	var speeds := _copy_speeds()
	print("memcpy of 1 MiB: %.1f GB/s; slice of 1 MiB: %.1f GB/s" % [speeds.x, speeds.y])
	if speeds.y < speeds.x / 2.0:
		print("(slice copies byte by byte in this build: as a floor from bytes it says little)")
	print("Times in microseconds a call. ratio = engine / VarBatch, /floor = VarBatch / floor,")
	print("medians of paired rounds; ~ = noisy. target = at least, and beside /floor at most.")


## The heading of the next cases; it is printed when there is one.
func start_table(title: String) -> void:
	_heading = title


func add(result: Result) -> void:
	_print_heading()
	var mark := ""
	if result.has_target():
		_target_count += 1
		mark = "reached" if result.reached() else "BELOW"
		if not result.reached():
			_below.append(result.name)
	_print_row(
		[
			result.type,
			size_text(result.bytes) if result.count == 1 else _batch_text(result),
			result.direction,
			_usec(result.engine_min),
			_usec(result.engine_median),
			_usec(result.varbatch_min),
			_usec(result.varbatch_median),
			"%.2f" % result.speed(),
			"%.2fx%s" % [result.ratio, "~" if result.noisy else " "],
			_optional("%sx", result.target),
			_usec(result.floor_median),
			_optional("%.2f", result.floor_ratio),
			_optional("%s", result.floor_target),
			mark,
		]
	)
	add_json(
		{
			"case": result.name,
			"type": result.type,
			"bytes": result.bytes,
			"count": result.count,
			"direction": result.direction,
			"engine_us": _number(result.engine_median),
			"engine_min_us": _number(result.engine_min),
			"varbatch_us": _number(result.varbatch_median),
			"varbatch_min_us": _number(result.varbatch_min),
			"floor_us": _number(result.floor_median),
			"ratio": _number(result.ratio),
			"floor_ratio": _number(result.floor_ratio),
			"target": _number(result.target),
			"floor_target": _number(result.floor_target),
			"reached": result.reached() if result.has_target() else null,
			"rounds": result.rounds,
			"noisy": result.noisy,
		}
	)


## Keeps a machine-readable line for the end; what holds for all cases is added here.
func add_json(row: Dictionary) -> void:
	case_count += 1
	row["build"] = _build
	row["threads"] = VarBatch.get_thread_count()
	_json.append("JSON " + JSON.stringify(row, "", false))


func print_summary(seconds: float) -> void:
	print("")
	for line: String in _json:
		print(line)
	print("\n%d cases in %.0f s" % [case_count, seconds])
	if _target_count > 0:
		print("targets reached: %d of %d" % [_target_count - _below.size(), _target_count])
	for name: String in _below:
		print("  BELOW: ", name)


## `64 KiB` and so on; those sizes of the bench that are not whole are of megabytes.
static func size_text(bytes: int) -> String:
	if bytes >= MIB:
		return String.num(bytes / float(MIB), 1).trim_suffix(".0") + " MiB"
	if bytes >= 1024:
		return "%d KiB" % (bytes / 1024)
	return "%d B" % bytes


func _print_heading() -> void:
	if _heading.is_empty():
		return
	print("\n", _heading)
	var titles: PackedStringArray = []
	for column: Array in COLUMNS:
		titles.append(column[0])
	_print_row(titles)
	_heading = ""


func _print_row(cells: PackedStringArray) -> void:
	var line := ""
	for index in cells.size():
		var width: int = COLUMNS[index][1]
		line += cells[index].lpad(width) if width > 0 else cells[index].rpad(-width)
	print(line.rstrip(" "))


func _batch_text(result: Result) -> String:
	return "%dx%s" % [result.count, size_text(result.bytes)]


## A number, or nothing where there is none.
func _optional(format: String, number: float) -> String:
	if is_nan(number):
		return ""
	return format % (String.num(number, 2).trim_suffix(".0") if format.contains("%s") else number)


## Three or more digits that say something, and none that do not.
func _usec(usec: float) -> String:
	if is_nan(usec):
		return ""
	if usec < 10.0:
		return "%.3f" % usec
	return "%.2f" % usec if usec < 1000.0 else "%.0f" % usec


func _number(value: float) -> Variant:
	return null if is_nan(value) else snappedf(value, 0.0001)


## GB a second of one thread copying 1 MiB, the best of several: by the engine's copy-on-write,
## which is an allocation and a memcpy, and by `slice`.
func _copy_speeds() -> Vector2:
	var bytes: PackedByteArray = []
	bytes.resize(MIB)
	bytes.fill(1)
	var best := Vector2.INF
	for _round in 20:
		var started := Time.get_ticks_usec()
		for _call in 20:
			var written: PackedByteArray = bytes.duplicate()
			written[0] = 2
		var between := Time.get_ticks_usec()
		for _call in 20:
			var _sliced: PackedByteArray = bytes.slice(0)
		best.x = minf(best.x, (between - started) / 20.0)
		best.y = minf(best.y, (Time.get_ticks_usec() - between) / 20.0)
	return Vector2(MIB, MIB) / best / 1000.0

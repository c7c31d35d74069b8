## Writes rust/docs/BENCHMARKS.md and the table in README.md: the part of benchmarks.sh that Godot
## does. Argument: the folder of the repository. Reads target/bench/ENGINE*.jsonl there.
## Closes with `wrote N tables`.
extends SceneTree

const Tables = preload("benchmarks_tables.gd")

const ENGINES: Array[String] = ["editor", "release-template"]
const DOCUMENT := "rust/docs/BENCHMARKS.md"
## The section that ends the page: written by hand, and kept.
const MODEL := "\n## Four cores and more"
const README := "README.md"
const BEGIN := "<!-- bench: scripts/benchmarks.sh writes this table -->\n"
const END := "<!-- /bench -->"
const MIB := 1048576.0

const LOOP_KEY := "get_var in a loop_ms"
const LOAD_KEY := "load_vars_ms"

## By file: by the name of the case, its row.
var _rows: Dictionary[String, Dictionary] = {}
var _machine := {}
var _table_count := 0
var _problem := ""


func _initialize() -> void:
	var root: String = OS.get_cmdline_user_args()[0]
	for engine: String in ENGINES:
		for table: Array in Tables.TABLES:
			var file: String = engine + table[0]
			if not _rows.has(file):
				_rows[file] = _read(root.path_join("target/bench/%s.jsonl" % file))
	var page := Tables.INTRO % _machine_text() + "".join(Tables.TABLES.map(_section))
	var old := FileAccess.get_file_as_string(root.path_join(DOCUMENT))
	page += old.substr(old.find(MODEL)) if MODEL in old else ""
	var readme := _with_table(FileAccess.get_file_as_string(root.path_join(README)))
	if _problem.is_empty():
		_write(root.path_join(DOCUMENT), page)
		_write(root.path_join(README), readme)
		print("wrote %d tables" % _table_count)
	else:
		printerr("benchmarks: ", _problem)
	quit(0 if _problem.is_empty() else 1)


func _read(path: String) -> Dictionary:
	var rows := {}
	for line: String in FileAccess.get_file_as_string(path).split("\n", false):
		var row: Dictionary = JSON.parse_string(line)
		if row.has("machine"):
			_machine = row.machine
			continue
		rows[row.case + (", nothing flushed" if row.get("no_flush", false) else "")] = row
	return rows


func _machine_text() -> String:
	if _machine.is_empty():
		_problem = "no numbers in target/bench/: run scripts/benchmarks.sh without --only-write"
		return ""
	return (
		"VarBatch %s with Godot %s on %s, %d cores, %s, `transparent_hugepage` at `%s`, measured on %s."
		% ["version", "engine", "processor", "cores", "system", "hugepages", "date"].map(
			func(key: String) -> Variant: return _machine[key]
		)
	)


func _section(table: Array) -> String:
	var names: Array[String] = []
	for engine: String in ENGINES:
		for name: String in _rows[engine + table[0]]:
			if name.begins_with(table[1]) and name not in names:
				names.append(name)
	if names.is_empty():
		return ""
	_table_count += 1
	var text: String = "\n## %s\n\n" % table[2]
	if table[3]:
		text += table[3] + "\n\n"
	return text + call(table[4], table[0], names)


## The row of a case in an engine, or an empty Dictionary.
func _row(engine: String, suffix: String, name: String) -> Dictionary:
	return _rows[engine + suffix].get(name, {})


func _times_and_floor(suffix: String, names: Array[String]) -> String:
	return _times(suffix, names, true)


func _times(suffix: String, names: Array[String], has_floor := false) -> String:
	var titles := ["", "editor build", "ratio", "release template", "ratio"]
	var text := _title(titles + (["floor"] if has_floor else []))
	for name: String in names:
		var cells: Array = [_label(suffix, name)]
		for engine: String in ENGINES:
			cells.append_array(_time_cells(_row(engine, suffix, name)))
		if has_floor:
			var floor_ratio: Variant = _row(ENGINES[1], suffix, name).get("floor_ratio")
			cells.append("" if floor_ratio == null else "%.2f" % (1.0 / floor_ratio))
		text += _line(cells)
	return text


func _label(suffix: String, name: String) -> String:
	var row := _row(ENGINES[0], suffix, name)
	row = row if row else _row(ENGINES[1], suffix, name)
	var parts: PackedStringArray = [row.type]
	if row.count > 1:
		parts.append(
			("%d of %s" % [row.count, _size(row.bytes)]) if row.bytes else "%d" % row.count
		)
	elif row.bytes:
		parts.append(_size(row.bytes))
	var call_name: String = row.direction.get_slice(",", 0)
	var rest: String = row.direction.trim_prefix(call_name)
	if call_name.is_valid_ascii_identifier():
		call_name = "`%s`" % call_name
	return "%s: %s%s" % [", ".join(parts), call_name, rest]


func _time_cells(row: Dictionary) -> Array[String]:
	if row.is_empty():
		return ["", ""]
	return [_pair(row.engine_us, row.varbatch_us), _ratio(row.ratio) + ("~" if row.noisy else "")]


func _counts(suffix: String, names: Array[String]) -> String:
	var counts: Array[int] = []
	var series: Array[String] = []
	for name: String in names:
		var row := _row(ENGINES[1], suffix, name)
		if row and int(row.count) not in counts:
			counts.append(int(row.count))
		if row and "%s: %s" % [row.type, row.direction] not in series:
			series.append("%s: %s" % [row.type, row.direction])
	counts.sort()
	var text := _title(
		["release template"] + counts.map(func(count: int) -> String: return str(count))
	)
	for title: String in series:
		var cells: Array = [title]
		for count: int in counts:
			cells.append("")
			for name: String in names:
				var row := _row(ENGINES[1], suffix, name)
				if row and row.count == count and "%s: %s" % [row.type, row.direction] == title:
					var each := 1000.0 / count
					cells[-1] = "%.0f / %.0f" % [row.engine_us * each, row.varbatch_us * each]
		text += _line(cells)
	return text


func _spans(suffix: String, names: Array[String]) -> String:
	var text := _title(["", "editor build", "release template"])
	for name: String in names:
		for key: String in _row(ENGINES[0], suffix, name):
			var cells: Array = [
				"%s: %s" % [name.get_slice("/", 1), key.trim_suffix("_ms").replace("_ms", "")]
			]
			for engine: String in ENGINES:
				var times: Variant = _row(engine, suffix, name).get(key)
				if times is Array:
					var spread: Array = [_median(times), times.min(), times.max()]
					cells.append("%s (%s to %s)" % spread.map(_number))
			if cells.size() == 3:
				text += _line(cells)
	return text


func _compression(suffix: String, names: Array[String]) -> String:
	var text := _title(["release template", "MB of the engine", "MB", "save", "load"])
	for name: String in names:
		var row := _row(ENGINES[1], suffix, name)
		if row.is_empty():
			continue
		var cells: Array = [name.trim_prefix("compression/").replace("/", ", ")]
		cells.append_array(["%.2f" % (row.engine_bytes / 1e6), "%.2f" % (row.varbatch_bytes / 1e6)])
		for what: String in ["save", "load"]:
			var times := ["engine", "1_thread", "all_threads"].map(
				func(way: String) -> String: return _number(row["%s_%s_ms" % [what, way]])
			)
			cells.append(" / ".join(times))
		text += _line(cells)
	return text


func _memory(suffix: String, names: Array[String]) -> String:
	var text := _title(["", "editor build", "release template"])
	for name: String in names:
		var cells: Array = [_label(suffix, name)]
		for engine: String in ENGINES:
			var row := _row(engine, suffix, name)
			var by_engine: Variant = row.get("engine_overhead_bytes")
			var beside := "–" if by_engine == null else "%.2f" % (by_engine / MIB)
			cells.append("%s / %.2f" % [beside, row.get("overhead_bytes", NAN) / MIB])
		text += _line(cells)
	return text


func _growth(suffix: String, names: Array[String]) -> String:
	var text := _title(["", "editor build", "release template"])
	for name: String in names:
		var cells: Array = [name.trim_prefix("memory/").replace("/", ": ")]
		for engine: String in ENGINES:
			var row := _row(engine, suffix, name)
			cells.append(
				(
					""
					if row.is_empty()
					else "%.1f / %.1f" % [row.peak_bytes / MIB, row.after_bytes / MIB]
				)
			)
		text += _line(cells)
	return text


## The numbers of the first calls, of the engine's and of VarBatch's.
func _resident(suffix: String, names: Array[String]) -> String:
	var text := _title(
		["", "editor build: engine", "VarBatch", "release template: engine", "VarBatch"]
	)
	for name: String in names:
		var cells: Array = [_label(suffix, name)]
		for engine: String in ENGINES:
			for way: String in ["engine", "varbatch"]:
				var bytes: Array = _row(engine, suffix, name).get(way + "_memory", [])
				cells.append(
					" / ".join(bytes.map(func(part: float) -> String: return "%.0f" % (part / MIB)))
				)
		text += _line(cells)
	return text


## The README with its table made anew.
func _with_table(readme: String) -> String:
	var text := _title(["", "editor build", "", "release template", ""])
	for row: Array in Tables.ROWS:
		var cells: Array = [row[0]]
		for engine: String in ENGINES:
			var found := _row(engine, row[1], row[2])
			if found.is_empty():
				_problem = (
					"no numbers for %s in the %s: run scripts/benchmarks.sh" % [row[2], engine]
				)
				return ""
			if found.has(LOOP_KEY):
				var loop: Array = found[LOOP_KEY]
				var ours: Array = found[LOAD_KEY]
				var ratios := range(loop.size()).map(
					func(at: int) -> float: return loop[at] / ours[at]
				)
				cells.append(_pair(_median(loop) * 1000.0, _median(ours) * 1000.0))
				cells.append(_ratio(_median(ratios)))
			else:
				cells.append_array(_time_cells(found))
		text += _line(cells)
	var begin := readme.find(BEGIN) + BEGIN.length()
	var end := readme.find(END)
	if begin < BEGIN.length() or end < begin:
		_problem = "README.md has no region for the table"
		return ""
	return readme.left(begin) + text + readme.substr(end)


func _write(path: String, text: String) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_string(text)


func _title(cells: Array) -> String:
	return _line(cells) + "|" + "---|".repeat(cells.size()) + "\n"


func _line(cells: Array) -> String:
	return "| " + " | ".join(PackedStringArray(cells)) + " |\n"


func _size(bytes: float) -> String:
	if bytes >= MIB:
		return String.num(bytes / MIB, 1).trim_suffix(".0") + " MiB"
	return "%d KiB" % (bytes / 1024) if bytes >= 1024 else "%d B" % bytes


## Two times in the unit that fits the first.
func _pair(first_us: float, second_us: float) -> String:
	if first_us >= 1000.0:
		return "%s / %s ms" % [_number(first_us / 1000.0), _number(second_us / 1000.0)]
	return "%s / %s µs" % [_number(first_us), _number(second_us)]


## Three digits that say something.
func _number(number: float) -> String:
	if number > 0.0 and number < 0.01:
		return "%.4f" % number
	if number < 10.0:
		return "%.2f" % number
	return "%.1f" % number if number < 100.0 else "%.0f" % number


func _ratio(ratio: float) -> String:
	if ratio >= 1000.0:
		return "over 1000x"
	return "%.2fx" % ratio if ratio < 2.0 else "%.1fx" % ratio


func _median(times: Array) -> float:
	var sorted := times.duplicate()
	sorted.sort()
	return sorted[sorted.size() / 2]

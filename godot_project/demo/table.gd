extends RefCounted
## The demo's table as text: the cells of a row, for both the window and the plain table.

const Row = preload("res://demo/row.gd")
const Run = preload("res://demo/run.gd")

const TITLES: Array[String] = ["", "", "bytes", "ms", "MB/s", "speed"]


## Group, label, bytes, milliseconds, MB/s, and the speed relative to the engine.
static func cells(row: Row) -> PackedStringArray:
	if not row.is_timed():
		return [row.group, row.label, "", "", "", ""]
	return [
		row.group,
		row.label,
		grouped(row.bytes),
		"%.2f" % (row.usec / 1000.0),
		grouped(roundi(row.megabytes_per_second())),
		"%.1fx" % row.ratio,
	]


## The two lines above the table: what runs, and on which machine.
static func headlines(run: Run) -> PackedStringArray:
	return [
		(
			"VarBatch %s, threads: %d, Godot %s, %s build"
			% [
				VarBatch.get_version(),
				VarBatch.get_thread_count(),
				Engine.get_version_info()["string"],
				"debug" if OS.is_debug_build() else "release",
			]
		),
		(
			"World of %s chunks, seed %d: %s packed arrays, made in %d ms. Best of %d rounds."
			% [
				grouped(run.options.chunk_count),
				run.options.world_seed,
				grouped(run.world.values.size()),
				roundi(run.world_usec / 1000.0),
				run.options.round_count,
			]
		),
	]


## The whole table as plain text, with aligned columns.
static func text(run: Run) -> String:
	var lines: Array[PackedStringArray] = [PackedStringArray(TITLES)]
	for row: Row in run.rows:
		lines.append(cells(row))
	var out := headlines(run)
	out.append("")
	out.append_array(aligned(lines, 2))
	return "\n".join(out)


## Formats lines of cells in columns; the first columns are texts, the others numbers.
static func aligned(lines: Array[PackedStringArray], text_columns: int) -> PackedStringArray:
	var widths: PackedInt32Array = []
	widths.resize(lines[0].size())
	for line: PackedStringArray in lines:
		for column in line.size():
			widths[column] = maxi(widths[column], line[column].length())
	var out: PackedStringArray = []
	for line: PackedStringArray in lines:
		var padded: PackedStringArray = []
		for column in line.size():
			var is_text := column < text_columns
			var cell := line[column]
			padded.append(cell.rpad(widths[column]) if is_text else cell.lpad(widths[column] + 2))
		out.append("  ".join(padded).rstrip(" "))
	return out


## Formats 1234567 as 1,234,567.
static func grouped(number: int) -> String:
	var digits := str(number)
	for at in range(digits.length() - 3, 0, -3):
		digits = digits.insert(at, ",")
	return digits

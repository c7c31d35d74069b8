extends RefCounted
## The demo's table as text: the cells of a row, for both the window and the plain table.

const Plain = preload("res://demo/plain.gd")
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
		Plain.grouped(row.bytes),
		"%.2f" % (row.usec / 1000.0),
		Plain.grouped(roundi(row.megabytes_per_second())),
		"%.1fx" % row.ratio,
	]


## The three lines above the table: what runs, and on which machine.
static func headlines(run: Run) -> PackedStringArray:
	var build := "debug" if OS.is_debug_build() else "release"
	var engine: String = Engine.get_version_info()["string"]
	var machine := [VarBatch.get_version(), VarBatch.get_thread_count(), engine, build]
	var world := [Plain.grouped(run.options.chunk_count), run.options.world_seed]
	world += [Plain.grouped(run.world.values.size()), roundi(run.world_usec / 1000.0)]
	world.append(run.options.round_count)
	var found := VarBatch.get_diagnostics()
	return [
		"VarBatch %s, threads: %d, Godot %s, %s build" % machine,
		"Engine memory: %s. Huge pages: %s. Text: %s." % [found.engine_memory, found.huge_pages, found.text],
		"World of %s chunks, seed %d: %s packed arrays, made in %d ms. Best of %d rounds." % world,
	]


## The whole table as plain text, with aligned columns.
static func text(run: Run) -> String:
	var lines: Array[PackedStringArray] = [PackedStringArray(TITLES)]
	for row: Row in run.rows:
		lines.append(cells(row))
	var out := headlines(run)
	out.append("")
	out.append_array(Plain.aligned(lines, 2))
	return "\n".join(out)

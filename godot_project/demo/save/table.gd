extends RefCounted
## The table of the saves as text: the cells of a row, for both the window and the plain table.

const Plain = preload("res://demo/plain.gd")
const Run = preload("res://demo/save/run.gd")
const Way = preload("res://demo/save/way.gd")

const TITLES: Array[String] = ["", "saved after", "caller blocked", "longest frame", "vs. idle"]
const WIDTHS: Array[float] = [222.0, 98.0, 122.0, 122.0, 84.0]


## Label, time until the file was complete, time of the call, the longest frame, and that as a
## multiple of an idle game's.
static func cells(run: Run, way: Way) -> PackedStringArray:
	var saved := Way.median(way.saved_usec)
	var blocked := Way.median(way.blocked_usec)
	var times := longest(way) / longest(run.ways[0])
	return [
		way.label,
		"" if is_nan(saved) else "%.2f s" % (saved / 1_000_000.0),
		"" if is_nan(blocked) else milliseconds(blocked),
		"" if is_nan(longest(way)) else milliseconds(longest(way)),
		"" if is_nan(times) else "%.*fx" % [1 if times >= 2.0 else 2, times],
	]


static func longest(way: Way) -> float:
	return Way.median(way.longest_usec)


## A longer frame is visible as a hitch.
static func late_usec(run: Run) -> float:
	var idle := longest(run.ways[0])
	return 1.5 * maxf(0.0 if is_nan(idle) else idle, 1_000_000.0 / 60.0)


## The two lines above the table: what runs, and how.
static func headlines(run: Run) -> PackedStringArray:
	var rounds := run.round_count()
	var mib := run.options.mib
	var how := "Median of %d rounds." % rounds if rounds > 1 else "One round."
	var flush := "VarBatch waits until the disk has it all, store_var does not."
	return [
		"Saves %d MiB: as many packed arrays of 1 MiB. %s" % [mib, how],
		"%s The files take %d MiB meanwhile." % [flush, (run.ways.size() - 1) * mib],
	]


## The whole table as plain text, with aligned columns; [param table] makes the lines and cells.
static func text(run: Run, table: GDScript) -> String:
	var lines: Array[PackedStringArray] = [PackedStringArray(table.TITLES)]
	for way: Way in run.ways:
		lines.append(table.cells(run, way))
	var out: PackedStringArray = table.headlines(run)
	out.append("")
	out.append_array(Plain.aligned(lines, 1))
	return "\n".join(out)


static func milliseconds(usec: float) -> String:
	return "%.*f ms" % [2 if usec < 1_000.0 else 1 if usec < 100_000.0 else 0, usec / 1_000.0]

extends RefCounted
## The table of the flight as text: the cells of a row, for both the window and the plain table.

const Run = preload("res://demo/flight/run.gd")
const SaveTable = preload("res://demo/save/table.gd")
const Way = preload("res://demo/save/way.gd")

const TITLES: Array[String] = ["", "a save takes", "writes", "longest frame", "vs. idle"]
const WIDTHS: Array[float] = [192.0, 94.0, 84.0, 112.0, 68.0]


## As for the saves, but with what a save writes instead of the time of the call.
static func cells(run: Run, way: Way) -> PackedStringArray:
	var out := SaveTable.cells(run, way)
	var saved := Way.median(way.saved_usec)
	var mib := Way.median(way.written_mib)
	out[1] = "" if is_nan(saved) else SaveTable.milliseconds(saved)
	out[2] = "" if is_nan(mib) else "%.2f MiB" % mib
	return out


## The two lines above the table: what runs, and how.
static func headlines(run: Run) -> PackedStringArray:
	var count := run.land.chunks.size() if run.land != null else 0
	var what := [count, Run.Land.CHUNK_KIB, run.save_count]
	var kill := "A process that is killed loses nothing that save_vars_async has acknowledged."
	var world := "World of %d chunks of %d KiB, saved once a second. Saves in each way: %d." % what
	return [world, kill] if run.last_end.is_empty() else [run.last_end, world]

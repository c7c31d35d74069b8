extends RefCounted
## The table of what games hold, as text: the cells of a row, for both the window and the plain
## table.

const Kind = preload("res://demo/kinds/kind.gd")
const Plain = preload("res://demo/plain.gd")
const Race = preload("res://demo/kinds/race.gd")
const Run = preload("res://demo/kinds/run.gd")

const TITLES: Array[String] = [
	"", "bytes", "to bytes, cold", "", "warm", "", "back, cold", "", "warm", ""
]


## Label and bytes, then for each column the milliseconds of both, and the speed of VarBatch
## relative to the engine.
static func cells(kind: Kind) -> PackedStringArray:
	var out: PackedStringArray = [kind.label, Plain.grouped(kind.bytes) if kind.bytes > 0 else ""]
	for race in kind.races:
		if race.is_timed():
			out.append(
				"%s / %s" % [_milliseconds(race.engine_usec()), _milliseconds(race.varbatch_usec())]
			)
			out.append("%.1fx" % race.ratio())
		else:
			out.append_array(["", ""])
	return out


## The two lines above the table: what the numbers are, and what cold and warm mean.
static func headlines(run: Run) -> PackedStringArray:
	return [
		"What games hold, %d values each, in ms: engine / VarBatch." % run.region_count,
		(
			"Cold: values just made, fresh memory, median of %d. Warm: the same again, median of %d."
			% [Run.COLD_ROUND_COUNT, run.options.round_count]
		),
	]


## The whole table as plain text, with aligned columns.
static func text(run: Run) -> String:
	var lines: Array[PackedStringArray] = [PackedStringArray(TITLES)]
	for kind in run.kinds:
		lines.append(cells(kind))
	var out := headlines(run)
	out.append("")
	out.append_array(Plain.aligned(lines, 1))
	return "\n".join(out)


static func _milliseconds(usec: float) -> String:
	return "%.*f" % [1 if usec >= 10_000.0 else 2, usec / 1_000.0]

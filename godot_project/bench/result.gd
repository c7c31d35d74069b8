extends RefCounted
## One case and its results. Times are microseconds per call; NAN if there is none.

const Table = preload("res://bench/table.gd")

## The name of the case: section, type, size and direction, as in
## `packed/PackedColorArray/1KiB/to_bytes`.
var name := ""
var type := ""
## Payload bytes of one value; 0 if they differ.
var bytes := 0
## Values per call.
var count := 1
var direction := ""

var engine_min := NAN
var engine_median := NAN
var varbatch_min := NAN
var varbatch_median := NAN
var floor_median := NAN
## Median of the engine's time over VarBatch's, round by round.
var ratio := NAN
## Median of VarBatch's time over the floor's, round by round.
var floor_ratio := NAN
var rounds := 0
## True if the ratios of the rounds varied widely.
var noisy := false


## A case that is named after its section and what it is.
func _init(
	section: String, case_type: String, case_count: int, case_bytes: int, case_direction: String
) -> void:
	type = case_type
	count = case_count
	bytes = case_bytes
	direction = case_direction
	# For a command line: no spaces inside, no commas.
	var size := Table.batch_text(count, bytes).replace(" ", "")
	name = "/".join([section, type, size, direction]).replace(",", "").replace(" ", "_")


## The fields of a line for machines, with null where there is no time.
func row() -> Dictionary:
	var fields := {"type": type, "bytes": bytes, "count": count, "direction": direction}
	fields.merge({"rounds": rounds, "noisy": noisy})
	var times: Dictionary[String, float] = {
		"engine_us": engine_median,
		"engine_min_us": engine_min,
		"varbatch_us": varbatch_median,
		"varbatch_min_us": varbatch_min,
		"floor_us": floor_median,
		"ratio": ratio,
		"floor_ratio": floor_ratio,
	}
	for key: String in times:
		fields[key] = Table.number(times[key])
	return fields


## The speed at which VarBatch encodes or decodes, in GB/s.
func speed() -> float:
	return bytes * count / varbatch_median / 1000.0

extends RefCounted
## What one case came to. Times are microseconds a call; NAN where there is nothing to tell.

## Where the case is: section, type, size and direction, as `packed/PackedColorArray/1KiB/to_bytes`.
var name := ""
var type := ""
## Payload bytes of one value.
var bytes := 0
## Values a call.
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
## Whether the ratios of the rounds were far apart.
var noisy := false

## The ratio to reach, and the ratio to the floor not to pass.
var target := NAN
var floor_target := NAN


## Names are for a command line: no spaces, no commas.
func set_name(text: String) -> void:
	name = text.replace(",", "").replace(" ", "_")


func has_target() -> bool:
	return not is_nan(target) or not is_nan(floor_target)


func reached() -> bool:
	if not is_nan(target) and not ratio >= target:
		return false
	return is_nan(floor_target) or floor_ratio <= floor_target


## Bytes a second that VarBatch encodes or decodes, in GB/s.
func speed() -> float:
	return bytes * count / varbatch_median / 1000.0

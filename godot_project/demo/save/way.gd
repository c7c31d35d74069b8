extends RefCounted
## A way to save, with its measurements, one sample per round. It is a row of the table.

## The way that saves nothing: measures an idle game.
const IDLE := "idle, no save"

var label := ""
var by_engine := false
## The time until the file was complete.
var saved_usec: PackedInt64Array = []
## The time of the call.
var blocked_usec: PackedInt64Array = []
## The longest frame from the call until the file was complete. For idle: in each rest.
var longest_usec: PackedInt64Array = []


func _init(way_label: String, way_by_engine: bool) -> void:
	label = way_label
	by_engine = way_by_engine


func is_idle() -> bool:
	return label == IDLE


## Returns the median of samples, or NAN if there are none.
static func median(samples: PackedInt64Array) -> float:
	if samples.is_empty():
		return NAN
	var sorted := samples.duplicate()
	sorted.sort()
	var middle := sorted.size() / 2
	if sorted.size() % 2 == 1:
		return sorted[middle]
	return (sorted[middle - 1] + sorted[middle]) / 2.0

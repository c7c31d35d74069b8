extends RefCounted
## A way to save, and what was measured of it: one sample a round. It is a row of the table.

## The way that is no saving: what an idle game measures.
const IDLE := "idle, no save"

var label := ""
var by_engine := false
## How long until the file was complete.
var saved_usec: PackedInt64Array = []
## How long the call took.
var blocked_usec: PackedInt64Array = []
## The longest frame from the call until the file was complete. For idle: of each rest.
var longest_usec: PackedInt64Array = []


func _init(way_label: String, way_by_engine: bool) -> void:
	label = way_label
	by_engine = way_by_engine


func is_idle() -> bool:
	return label == IDLE


## The median of samples, or NAN where there are none.
static func median(samples: PackedInt64Array) -> float:
	if samples.is_empty():
		return NAN
	var sorted := samples.duplicate()
	sorted.sort()
	var middle := sorted.size() / 2
	if sorted.size() % 2 == 1:
		return sorted[middle]
	return (sorted[middle - 1] + sorted[middle]) / 2.0

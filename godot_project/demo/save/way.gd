extends RefCounted
## A way to save, with its measurements, one sample per round. It is a row of the table.

const Timing = preload("res://bench/timing.gd")

## The way that saves nothing: measures an idle game.
const IDLE := "idle, no save"

var label := ""
## The time until the file was complete.
var saved_usec: PackedFloat64Array = []
## The time of the call.
var blocked_usec: PackedFloat64Array = []
## The longest frame from the call until the file was complete. For idle: in each rest.
var longest_usec: PackedFloat64Array = []
## What a save has written. Only of a world that is saved as one flies.
var written_mib: PackedFloat64Array = []


func _init(way_label: String) -> void:
	label = way_label


func is_idle() -> bool:
	return label == IDLE


func is_by_varbatch() -> bool:
	return not is_idle() and not label.begins_with("store_var")


## Returns the median of samples, or NAN if there are none.
static func median(samples: PackedFloat64Array) -> float:
	return NAN if samples.is_empty() else Timing.quantile(samples, 0.5)

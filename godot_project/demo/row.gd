extends RefCounted
## A timed step of the demo, as a row of the table.

var group := ""
var label := ""
## True if this is the engine's step, which the others of the group are compared with.
var by_engine := false
## Bytes written or read.
var bytes := 0
## The best time of the rounds so far; INF before the first.
var usec := INF
## The speed relative to the engine.
var ratio := NAN


func _init(row_group: String, row_label: String, row_by_engine: bool) -> void:
	group = row_group
	label = row_label
	by_engine = row_by_engine


func forget() -> void:
	usec = INF
	ratio = NAN


func is_timed() -> bool:
	return is_finite(usec)


func megabytes_per_second() -> float:
	return bytes / usec if is_timed() else 0.0

extends RefCounted
## A timed step of the demo, as a row of the table.

const Batch = preload("res://bench/batch.gd")

var group := ""
var label := ""
## True if this is the engine's step, which the others of the group are compared with.
var by_engine := false
## Bytes written or read.
var bytes := 0
## The best time of the rounds so far, without freeing the result; INF before the first.
var usec := INF
## The speed relative to the engine.
var ratio := NAN

var _call_name := ""
var _probe: Batch


func _init(row_group: String, row_label: String, call_name: String, row_by_engine: bool) -> void:
	group = row_group
	label = row_label
	_call_name = call_name
	by_engine = row_by_engine


## Makes what the call needs.
func prepare(values: Array) -> void:
	_probe = Batch.new(_call_name, values)
	_probe.freeing_apart = true
	bytes = _probe.encode()
	if not _probe.frames.is_empty():
		bytes = _probe.frames.size()


func time() -> void:
	var contender := Batch.Contender.ENGINE if by_engine else Batch.Contender.VARBATCH
	usec = minf(usec, maxf(_probe.run(contender, 1), 1.0))


## Returns the error in VarBatch's result, or "" if it is the engine's result.
func problem() -> String:
	return "" if by_engine else _probe.problem()


func result() -> Variant:
	_probe.varbatch_once()
	return _probe.kept


func forget() -> void:
	usec = INF
	ratio = NAN


func is_timed() -> bool:
	return is_finite(usec)


func megabytes_per_second() -> float:
	return bytes / usec if is_timed() else 0.0

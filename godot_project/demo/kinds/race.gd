extends RefCounted
## The times of the engine and of VarBatch for the same call, one sample per round.

const Way = preload("res://demo/save/way.gd")

var _engine_usec: PackedInt64Array = []
var _varbatch_usec: PackedInt64Array = []


func add(by_engine: bool, usec: int) -> void:
	var samples := _engine_usec if by_engine else _varbatch_usec
	samples.append(maxi(usec, 1))


func is_timed() -> bool:
	return not _engine_usec.is_empty() and not _varbatch_usec.is_empty()


## The medians. NAN before the first round.
func engine_usec() -> float:
	return Way.median(_engine_usec)


func varbatch_usec() -> float:
	return Way.median(_varbatch_usec)


## The speed of VarBatch relative to the engine.
func ratio() -> float:
	return engine_usec() / varbatch_usec()

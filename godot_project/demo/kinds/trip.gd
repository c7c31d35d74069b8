extends RefCounted
## Values on their trip to bytes and back, by the engine or by VarBatch.

var by_engine := false
var values: Array = []
var buffers: Array = []
var decoded: Array = []


func _init(trip_by_engine: bool, trip_values: Array) -> void:
	by_engine = trip_by_engine
	values = trip_values


func encode() -> void:
	if not by_engine:
		buffers = VarBatch.vars_to_bytes(values)
		return
	for value: Variant in values:
		buffers.append(var_to_bytes(value))


func decode() -> void:
	if not by_engine:
		decoded = VarBatch.bytes_to_vars(buffers)
		return
	for buffer: PackedByteArray in buffers:
		decoded.append(bytes_to_var(buffer))


## Frees the results.
func clear() -> void:
	buffers = []
	decoded = []


## Returns true if the buffers, and what the engine encodes the decoded values to, are these.
func is_equal_to(expected: Array) -> bool:
	if buffers.size() != expected.size() or decoded.size() != expected.size():
		return false
	for index in expected.size():
		if buffers[index] != expected[index] or var_to_bytes(decoded[index]) != expected[index]:
			return false
	return true

extends RefCounted
## Section: many values in one call, against a loop of the engine's function.

const Batch = preload("res://bench/batch.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const CALLS: Array[String] = ["vars_to_bytes", "bytes_to_vars", "vars_to_frames", "frames_to_vars"]
## Of small values, those where the engine's own way is close.
const SMALL_CALLS: Array[String] = [
	"vars_to_bytes",
	"vars_to_frames",
	"vars_to_frames, put_var",
	"bytes_to_vars",
	"frames_to_vars",
	"frames_to_vars, get_var",
]
## Type, payload bytes per value, number of values, and the calls to time.
const BATCHES: Array[Array] = [
	[TYPE_PACKED_INT32_ARRAY, 65536, 500, CALLS],
	[TYPE_PACKED_INT32_ARRAY, 1048576, 64, CALLS],
	[TYPE_PACKED_VECTOR3_ARRAY, 65536, 500, CALLS],
	[TYPE_PACKED_VECTOR3_ARRAY, 1048576, 64, CALLS],
	[TYPE_PACKED_INT32_ARRAY, 64, 20_000, SMALL_CALLS],
]


func run(session: Session) -> void:
	session.report.start_table(
		"Batches, against a loop of var_to_bytes or bytes_to_var, or where named put_var or get_var"
	)
	for batch: Array in BATCHES:
		var values: Array = []
		for call_name: String in batch[3]:
			var case := Result.new("batch", type_string(batch[0]), batch[2], batch[1], call_name)
			if not session.wants(case.name):
				continue
			if values.is_empty():
				values = Values.batch(batch[0], batch[1], batch[2])
			var probe := Batch.new(call_name, values)
			probe.floored = true
			session.time_twice(case, probe)

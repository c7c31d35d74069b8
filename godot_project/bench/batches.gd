extends RefCounted
## Section: many values in one call, against a loop of the engine's function.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

## Targets of values of 64 KiB and more; all other calls have the target of every case.
const LARGE: Dictionary[String, float] = {
	"vars_to_bytes": 4.0,
	"bytes_to_vars": 3.0,
	"vars_to_frames": Result.NEVER_BELOW,
	"frames_to_vars": Result.NEVER_BELOW,
}
const SMALL: Dictionary[String, float] = {
	"vars_to_bytes": 3.0,
	"vars_to_frames": 16.0,
	"vars_to_frames, put_var": Result.NEVER_BELOW,
	"bytes_to_vars": 2.5,
	"frames_to_vars": 3.0,
	"frames_to_vars, get_var": Result.NEVER_BELOW,
}
## Type, payload bytes per value, number of values, and the calls to time with their targets.
const BATCHES: Array[Array] = [
	[TYPE_PACKED_INT32_ARRAY, 65536, 500, LARGE],
	[TYPE_PACKED_INT32_ARRAY, 1048576, 64, LARGE],
	[TYPE_PACKED_VECTOR3_ARRAY, 65536, 500, LARGE],
	[TYPE_PACKED_VECTOR3_ARRAY, 1048576, 64, LARGE],
	[TYPE_PACKED_INT32_ARRAY, 64, 20_000, SMALL],
]


func run(session: Session) -> void:
	session.report.start_table(
		"Batches, against a loop of var_to_bytes or bytes_to_var, or where named put_var or get_var"
	)
	for batch: Array in BATCHES:
		var values: Array = []
		for call_name: String in batch[3]:
			var type := type_string(batch[0])
			var case := Result.new("batch", type, batch[2], batch[1], call_name)
			case.target = batch[3][call_name]
			if not session.wants(case.name):
				continue
			if values.is_empty():
				values = Values.batch(batch[0], batch[1], batch[2])
			session.time_twice(case, BatchProbes.of(call_name, values))

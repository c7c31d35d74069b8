extends RefCounted
## Section: many values in one call, against a loop of the engine's function.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Report = preload("res://bench/report.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

## Type, payload bytes of a value, values, and the calls to time with their targets.
const BATCHES: Array[Array] = [
	[
		TYPE_PACKED_INT32_ARRAY,
		65536,
		500,
		{"vars_to_bytes": 4.0, "bytes_to_vars": 3.0, "vars_to_frames": NAN, "frames_to_vars": NAN}
	],
	[
		TYPE_PACKED_INT32_ARRAY,
		1048576,
		64,
		{"vars_to_bytes": 4.0, "bytes_to_vars": 3.0, "vars_to_frames": NAN, "frames_to_vars": NAN}
	],
	[TYPE_PACKED_VECTOR3_ARRAY, 65536, 500, {"vars_to_bytes": 4.0, "bytes_to_vars": 3.0}],
	[TYPE_PACKED_VECTOR3_ARRAY, 1048576, 64, {"vars_to_bytes": 4.0, "bytes_to_vars": 3.0}],
	[
		TYPE_PACKED_INT32_ARRAY,
		64,
		20_000,
		{
			"vars_to_bytes": 2.0,
			"vars_to_frames": 16.0,
			"vars_to_frames, put_var": NAN,
			"bytes_to_vars": NAN,
			"frames_to_vars": NAN,
			"frames_to_vars, get_var": NAN,
		}
	],
]


func run(session: Session) -> void:
	session.report.start_table(
		"Batches, against a loop of var_to_bytes or bytes_to_var, or where named put_var or get_var"
	)
	for batch: Array in BATCHES:
		var cases := _cases(batch)
		var names: PackedStringArray = []
		for case: Result in cases:
			names.append(case.name)
		if not session.wants_any(names):
			continue
		var values := Values.batch(batch[0], batch[1], batch[2])
		for case: Result in cases:
			if session.wants(case.name):
				session.time(case, _probe(case.direction, values))


func _cases(batch: Array) -> Array[Result]:
	var cases: Array[Result] = []
	var targets: Dictionary = batch[3]
	for direction: String in targets:
		var result := Result.new()
		result.type = type_string(batch[0])
		result.bytes = batch[1]
		result.count = batch[2]
		result.direction = direction
		result.target = targets[direction]
		var size := Report.size_text(result.bytes).replace(" ", "")
		result.set_name("batch/%s/%dx%s/%s" % [result.type, result.count, size, direction])
		cases.append(result)
	return cases


func _probe(direction: String, values: Array) -> BatchProbes.Batch:
	match direction:
		"vars_to_bytes":
			return BatchProbes.VarsToBytes.new(values)
		"vars_to_frames":
			return BatchProbes.VarsToFrames.new(values)
		"vars_to_frames, put_var":
			return BatchProbes.VarsToFramesPutVar.new(values)
		"bytes_to_vars":
			return BatchProbes.BytesToVars.new(values)
		"frames_to_vars":
			return BatchProbes.FramesToVars.new(values)
	return BatchProbes.FramesToVarsGetVar.new(values)

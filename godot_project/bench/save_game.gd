extends RefCounted
## Section: a saved game, as one value and as a batch, on one thread and on all that there are.
## All that a call makes is freed inside its time, by the engine and by VarBatch alike.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Result = preload("res://bench/result.gd")
const SaveProbes = preload("res://bench/save_probes.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

## How the rows are called, and what to give to `set_thread_count`.
const THREADS: Dictionary[String, int] = {"1 thread": 1, "all threads": 0}
## Ratios to reach on one thread, and on two or more.
const ENCODE: Array[float] = [1.6, 2.5]
const DECODE: Array[float] = [NAN, 1.5]
const VALIDATE: Array[float] = [5.0, 5.0]
## The calls with an Array of all entities as one value, and with one value for each entity.
const ONE_CALLS: Dictionary[String, Array] = {
	"var_to_bytes": ENCODE, "bytes_to_var": DECODE, "validate": VALIDATE
}
const BATCH_CALLS: Dictionary[String, Array] = {
	"vars_to_bytes": ENCODE,
	"vars_to_frames": ENCODE,
	"bytes_to_vars": DECODE,
	"frames_to_vars": DECODE,
	"validate": VALIDATE,
}


func run(session: Session) -> void:
	session.report.start_table(
		"A saved game, by one call and by a loop; freeing is part of each time"
	)
	_run(session, 1, ONE_CALLS)
	_run(session, Values.ENTITIES, BATCH_CALLS)


func _run(session: Session, count: int, calls: Dictionary[String, Array]) -> void:
	var values: Array = []
	for call_name: String in calls:
		var probe: BatchProbes.Batch = null
		for threads: String in THREADS:
			var case := _case(count, call_name, threads, calls[call_name])
			if not session.wants(case.name) or THREADS[threads] == 0 and _only_one():
				continue
			if values.is_empty():
				values = Values.save_game()
				values = [values] if count == 1 else values
			if probe == null:
				probe = _probe(call_name, values)
			case.bytes = probe.encoded_len() / count
			VarBatch.set_thread_count(THREADS[threads])
			session.time(case, probe)
			VarBatch.set_thread_count(0)


func _case(count: int, call_name: String, threads: String, targets: Array) -> Result:
	var result := Result.new()
	result.type = "save game, " + threads
	result.count = count
	result.direction = call_name
	result.target = targets[0 if THREADS[threads] == 1 else 1]
	var size := "one" if count == 1 else str(count)
	result.set_name("save_game/%s/%s/%s" % [threads, size, call_name])
	return result


## Whether all threads are the caller alone: the rows would be the same twice.
func _only_one() -> bool:
	return VarBatch.get_thread_count() == 1


func _probe(call_name: String, values: Array) -> BatchProbes.Batch:
	var probe: BatchProbes.Batch
	match call_name:
		"var_to_bytes":
			probe = SaveProbes.VarToBytes.new(values)
		"bytes_to_var":
			probe = SaveProbes.BytesToVar.new(values)
		"vars_to_bytes":
			probe = BatchProbes.VarsToBytes.new(values)
		"vars_to_frames":
			probe = BatchProbes.VarsToFrames.new(values)
		"bytes_to_vars":
			probe = BatchProbes.BytesToVars.new(values)
		"frames_to_vars":
			probe = BatchProbes.FramesToVars.new(values)
		"validate":
			probe = SaveProbes.Validate.new(values)
	probe.floored = false
	return probe

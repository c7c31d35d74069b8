extends RefCounted
## Section: a saved game, as one value and as a batch, on one thread and on all threads.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Result = preload("res://bench/result.gd")
const SaveProbes = preload("res://bench/save_probes.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

## The names of the rows, and the argument of `set_thread_count`.
const THREADS: Dictionary[String, int] = {"1 thread": 1, "all threads": 0}
## Target ratios on one thread, and on two or more.
const ENCODE: Array[float] = [1.6, 2.5]
const DECODE: Array[float] = [Result.NEVER_BELOW, 1.5]
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
	session.report.start_table("A saved game, by one call and by a loop")
	_run(session, 1, ONE_CALLS)
	_run(session, Values.ENTITIES, BATCH_CALLS)


func _run(session: Session, count: int, calls: Dictionary[String, Array]) -> void:
	var values: Array = []
	for call_name: String in calls:
		var probe: BatchProbes.Batch = null
		for threads: String in THREADS:
			var case := Result.new("save_game", threads, count, 0, call_name)
			case.type = "save game, " + threads
			if not session.wants(case.name) or THREADS[threads] == 0 and _only_one():
				continue
			if values.is_empty():
				values = Values.save_game()
				values = [values] if count == 1 else values
			if probe == null:
				probe = SaveProbes.of(call_name, values)
			case.target = calls[call_name][0 if THREADS[threads] == 1 else 1]
			case.bytes = probe.encoded_len() / count
			VarBatch.set_thread_count(THREADS[threads])
			if call_name == "validate":  # It returns nothing to free.
				session.time(case, probe)
			else:
				session.time_twice(case, probe)
			VarBatch.set_thread_count(0)


## True if the caller is the only thread: both rows would be the same.
func _only_one() -> bool:
	return VarBatch.get_thread_count() == 1

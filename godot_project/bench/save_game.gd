extends RefCounted
## Section: a saved game, as one value and as a batch, on one thread and on all threads.

const Batch = preload("res://bench/batch.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

## The names of the rows, and the argument of `set_thread_count`.
const THREADS: Dictionary[String, int] = {"1 thread": 1, "all threads": 0}
## The calls with an Array of all entities as one value, and with one value for each entity.
const ONE_CALLS: Array[String] = ["var_to_bytes", "bytes_to_var", "validate"]
const BATCH_CALLS: Array[String] = [
	"vars_to_bytes", "vars_to_frames", "bytes_to_vars", "frames_to_vars", "validate"
]


func run(session: Session) -> void:
	session.report.start_table("A saved game, by one call and by a loop")
	_run(session, 1, ONE_CALLS)
	_run(session, Values.ENTITIES, BATCH_CALLS)


func _run(session: Session, count: int, calls: Array[String]) -> void:
	var values: Array = []
	for call_name: String in calls:
		var probe: Batch = null
		for threads: String in THREADS:
			var case := Result.new("save_game", threads, count, 0, call_name)
			case.type = "save game, " + threads
			# If the caller is the only thread, both rows would be the same.
			var is_same := THREADS[threads] == 0 and VarBatch.get_thread_count() == 1
			if is_same or not session.wants(case.name):
				continue
			if values.is_empty():
				values = Values.save_game()
				values = [values] if count == 1 else values
			if probe == null:
				probe = Batch.new(call_name, values)
			case.bytes = probe.encode() / count
			VarBatch.set_thread_count(THREADS[threads])
			if call_name == "validate":  # It returns nothing to free.
				session.time(case, probe)
			else:
				session.time_twice(case, probe)
			VarBatch.set_thread_count(0)

extends RefCounted
## Hears the signals of one task, and notes what they said, and where.

## What `finished` was emitted with, each time.
var results: Array = []
var fractions: PackedFloat64Array = []
## Signals that did not come on the main thread, and `progressed` after `finished`.
var problems := PackedStringArray()

var _mutex := Mutex.new()


func _init(task: VarBatchTask) -> void:
	task.progressed.connect(_on_progressed)
	task.finished.connect(_on_finished)


func is_finished() -> bool:
	_mutex.lock()
	var found := not results.is_empty()
	_mutex.unlock()
	return found


func _on_progressed(fraction: float) -> void:
	_hear("progressed")
	if fraction < 0.0 or fraction > 1.0 or is_nan(fraction):
		_note("a fraction of %s" % fraction)
	if fractions and fraction < fractions[-1]:
		_note("a fraction of %s after %s" % [fraction, fractions[-1]])
	if is_finished():
		_note("progressed after finished")
	fractions.append(fraction)


func _on_finished(result: Variant) -> void:
	_hear("finished")
	_mutex.lock()
	results.append(result)
	_mutex.unlock()


func _hear(what: String) -> void:
	if OS.get_thread_caller_id() != OS.get_main_thread_id():
		_note("%s on another thread" % what)


func _note(problem: String) -> void:
	_mutex.lock()
	problems.append(problem)
	_mutex.unlock()

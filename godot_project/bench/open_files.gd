extends RefCounted
## Section: a saved game in a file that is open, value by value and all at once, against loops of
## store_var() and get_var(). Opening and closing it is not timed.

const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const CALLS: Array[String] = ["store_var", "store_vars", "get_var", "get_vars", "get_vars, count"]

var _path := "user://varbatch_bench_%d.dat" % OS.get_process_id()
var _values: Array = []
var _found: Array = []


func run(session: Session) -> void:
	session.report.start_table("A saved game in an open file, against a loop of store_var or get_var")
	for call_name: String in CALLS:
		var case := Result.new("open_files", "save game", Values.ENTITIES, 0, call_name)
		if session.wants(case.name):
			_values = Values.save_game() if _values.is_empty() else _values
			var probe := Probe.new()
			probe.engine = _use.bind("engine, " + call_name.left(3))
			probe.varbatch = _use.bind(call_name)
			probe.check = _problem.bind(call_name)
			_use(1, "engine, sto")
			session.time(case, probe)
	DirAccess.remove_absolute(_path)


## Values that are read are kept until the end, on both sides.
func _use(calls: int, way: String) -> int:
	var usec := 0
	for _call in calls:
		var flags := FileAccess.READ if "get" in way else FileAccess.WRITE
		var file := FileAccess.open(_path, flags)
		_found = []
		var started := Time.get_ticks_usec()
		match way:
			"store_var":
				for value: Variant in _values:
					VarBatch.store_var(file, value)
			"store_vars":
				VarBatch.store_vars(file, _values)
			"get_var":
				for _value in _values.size():
					_found.append(VarBatch.get_var(file))
			"get_vars":
				_found = VarBatch.get_vars(file)
			"get_vars, count":
				_found = VarBatch.get_vars(file, _values.size())
			"engine, sto":
				for value: Variant in _values:
					file.store_var(value)
			"engine, get":
				for _value in _values.size():
					_found.append(file.get_var())
		usec += Time.get_ticks_usec() - started
	return usec


func _problem(call_name: String) -> String:
	var bytes := FileAccess.get_file_as_bytes(_path)
	_use(1, call_name)
	if "get" in call_name:
		return Probe.values_difference(_values, _found)
	return Probe.difference(bytes, FileAccess.get_file_as_bytes(_path))

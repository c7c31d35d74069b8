extends Node
## Entry of the cold bench: the first call of a process, as a game makes it, by the engine and by
## VarBatch.
##
##     godot --headless --path godot_project res://bench/cold/cold.tscn [-- OPTIONS FILTERS]
##
## OPTIONS are `--rounds 7`, the processes of each way; `--engine PATH`, which starts them where the
## executable of this process does not do it alone; and `--other PROJECT`, the folder of a copy of
## this project with another library, which takes its turns too.
## A filter keeps the cases whose name contains it, as in `bytes_to_vars` or `_reuse`.
## All results are compared with the engine's. A wrong one is printed, and the exit status is 1; a
## speed below its target is marked, but is not a failure.
## This script never names VarBatch, so that it can report what is missing if the library is.

const Cases = preload("res://bench/cold/cases.gd")
const Place = preload("res://bench/files/place.gd")

var _place: Place
var _rounds := 7
var _engine := OS.get_executable_path()
var _other := ""
var _filters: PackedStringArray = []


func _ready() -> void:
	var arguments := OS.get_cmdline_user_args()
	var problem := ""
	if not ClassDB.class_exists(&"VarBatch"):
		problem = "the VarBatch extension is not loaded; build it with scripts/build.sh"
	elif Cases.CALL in arguments:
		load("res://bench/cold/call.gd").new().run(arguments.slice(1))
	else:
		problem = _read(arguments)
		if problem.is_empty():
			problem = await _run()
		if problem.is_empty():
			print("bench: done")
	if not problem.is_empty():
		printerr("bench: ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _exit_tree() -> void:
	if _place != null:
		_place.remove_all()


## Reads the options. Returns the error, or "".
func _read(arguments: PackedStringArray) -> String:
	var at := 0
	while at < arguments.size():
		var argument := arguments[at]
		var value := arguments[at + 1] if at + 1 < arguments.size() else ""
		at += 2
		if argument == "--rounds" and value.is_valid_int() and value.to_int() > 0:
			_rounds = value.to_int()
		elif argument == "--engine" and not value.is_empty():
			_engine = value
		elif argument == "--other" and not value.is_empty():
			_other = value
		elif argument.begins_with("--"):
			return "unknown option, or no value for it: %s" % argument
		else:
			_filters.append(argument)
			at -= 1
	return ""


## Returns the error, or "".
func _run() -> String:
	var session: RefCounted = load("res://bench/session.gd").new(_filters)
	_place = Place.new()
	var problem := _place.prepare(Cases.FILE_MIB)
	if problem.is_empty():
		var turns: RefCounted = load("res://bench/cold/turns.gd").new(session, _place, _rounds)
		turns.set(&"engine", _engine)
		turns.set(&"other", _other)
		problem = await turns.call(&"run")
	if problem.is_empty() and not session.call(&"finish"):
		problem = "no case matches the filter"
	return problem

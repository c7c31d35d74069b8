extends Node
## Entry of the bench of files and tasks: the speed of saving and loading with VarBatch in this
## engine, of a script with FileAccess, and of the disk itself.
##
##     godot --headless --path godot_project res://bench/files/files.tscn [-- OPTIONS FILTERS]
##
## OPTIONS are `--mib 256`, `--rounds 9`, `--runs 15` of tasks, and `--no-flush`, which measures
## cases that are only fair without flushing: for a process that was started so that it cannot
## flush.
## The filters are `memory`, `saving`, `tasks`, `loading` and `compression`.
## All results are compared with the engine's before they are timed. A wrong one is printed, and the
## exit status is 1; slowness is not a failure.
## This script never names VarBatch, so that it can report what is missing if the library is.

const Options = preload("res://bench/files/options.gd")
const Place = preload("res://bench/files/place.gd")

const _MEMORY_PROBE := "res://bench/files/memory_probe.gd"
const _SECTIONS: Array[String] = [
	"res://bench/files/memory.gd",
	"res://bench/files/saving.gd",
	"res://bench/files/tasks.gd",
	"res://bench/files/loading.gd",
]
const _NO_FLUSH_SECTIONS: Array[String] = [
	"res://bench/files/saving.gd",
	"res://bench/files/compression.gd",
]

var _place: Place


func _ready() -> void:
	var options := Options.new(OS.get_cmdline_user_args())
	if not ClassDB.class_exists(&"VarBatch"):
		_end("the VarBatch extension is not loaded; build it with scripts/build.sh")
	elif not _unknown(options.filters).is_empty():
		_end("no section matches " + _unknown(options.filters))
	elif not options.problem.is_empty():
		_end(options.problem)
	elif options.probe.is_empty():
		_run(options)
	else:
		await load(_MEMORY_PROBE).new().run(options)
		get_tree().quit()


func _exit_tree() -> void:
	if _place != null:
		_place.remove_all()


func _run(options: Options) -> void:
	var session: RefCounted = load("res://bench/session.gd").new(options.filters)
	_place = Place.new()
	var problem := _place.prepare(options.mib)
	if not problem.is_empty():
		_end(problem)
		return
	for path: String in _NO_FLUSH_SECTIONS if options.no_flush else _SECTIONS:
		if not session.call(&"wants", _name(path)):
			continue
		await get_tree().process_frame  # Prints the tables section by section.
		await load(path).new().run(session, options, _place)
		_place.remove_files()
		if session.get(&"wrong"):
			_end("")
			return
	session.call(&"finish")
	print("bench: done")
	get_tree().quit()


## A filter for which neither process has a section, or "".
func _unknown(filters: PackedStringArray) -> String:
	for filter: String in filters:
		var names := (_SECTIONS + _NO_FLUSH_SECTIONS).map(_name)
		if not names.any(func(name: String) -> bool: return name.contains(filter)):
			return filter
	return ""


func _name(path: String) -> String:
	return path.get_file().get_basename()


func _end(problem: String) -> void:
	if not problem.is_empty():
		printerr("bench: ", problem)
	get_tree().quit(1)

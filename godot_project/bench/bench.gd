extends Node
## Entry of the bench: the speed of VarBatch and of the engine's own functions, in this engine.
##
##     godot --headless --path godot_project res://bench/bench.tscn [-- [OPTIONS] [FILTER ...]]
##
## Without a set, calls are repeated in this process. `--cold` measures the first call of a process, as
## a game makes it, each in a process of its own. `--files` measures saving and loading on the disk of
## user://, and what a game notices of tasks. The other options are in options.gd.
## A filter keeps the cases whose name contains it, as in `packed/PackedInt32Array`, `/64KiB/` or, of
## files, `tasks`.
## Every result is compared with the engine's before it is timed: a wrong one is printed and the exit
## status is 1. Slowness is not a failure.
## This script never names VarBatch, so that it can report what is missing if the library is.

const Options = preload("res://bench/options.gd")
const Place = preload("res://bench/place.gd")

const SECTIONS: Dictionary[String, Array] = {
	"": ["packed", "batches", "save_game", "open_files", "objects", "singles", "parts", "diff", "undo", "state"],
	"cold": ["cold/turns"],
	"files": ["files/saving", "files/tasks", "files/loading", "files/store", "files/waits"],
}
const NO_FLUSH_SECTIONS: Array[String] = ["files/saving", "files/compression"]
## The number of files of `--mib` at the same time: a store with five, a journal with four of them, and one spare.
const STORE_FILES := 10
const SLOW_FLUSH_SECTIONS: Array[String] = ["files/waits"]

var _place: Place


func _ready() -> void:
	var options := Options.new(OS.get_cmdline_user_args())
	var problem := options.problem
	if not ClassDB.class_exists(&"VarBatch"):
		problem = "the VarBatch extension is not loaded; build it with scripts/build.sh"
	elif not options.call_arguments.is_empty():
		await load("res://bench/cold/call.gd").new().run(options.call_arguments)
	elif problem.is_empty():
		problem = await _run(options)
		if problem.is_empty():
			print("bench: done")
	if not problem.is_empty():
		printerr("bench: ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _exit_tree() -> void:
	if _place != null:
		_place.remove_all()


## Returns the error, or "".
func _run(options: Options) -> String:
	var session: RefCounted = load("res://bench/session.gd").new(options)
	if not options.set_name.is_empty():
		_place = Place.new("varbatch_bench_")
		var problem := _place.prepare(options.mib, STORE_FILES if options.set_name == "files" else Place.FILES)
		if not problem.is_empty():
			return problem
		session.set(&"place", _place)
	var sections: Array = NO_FLUSH_SECTIONS if options.no_flush else SECTIONS[options.set_name]
	if options.slow_flush > 0:
		sections = SLOW_FLUSH_SECTIONS
	for path: String in sections:
		await get_tree().process_frame  # Prints the tables section by section.
		await load("res://bench/%s.gd" % path).new().run(session)
		if session.get(&"wrong"):
			return "nothing is measured after it"
	# Of files there are two runs, so the script that starts them tells.
	var is_found: bool = session.call(&"finish") or options.set_name == "files"
	return "" if is_found else "no case matches the filter"

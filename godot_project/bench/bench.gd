extends Node
## Entry of the bench: how fast VarBatch is against the engine's own functions, in this engine.
##
##     godot --headless --path godot_project res://bench/bench.tscn [-- FILTER ...]
##
## A filter keeps the cases whose name contains it, as in `packed/PackedInt32Array` or `/64KiB/`.
## Every result is compared with the engine's before it is timed: a wrong one is printed and the
## exit status is 1. A speed below its target is marked, and fails nothing.
## This script never names VarBatch, so that it can say what is missing when the library is.

const SECTIONS: Array[String] = [
	# Memory first: memory that earlier cases had freed would hide what a call takes.
	"res://bench/memory.gd",
	"res://bench/packed.gd",
	"res://bench/batches.gd",
	"res://bench/save_game.gd",
	"res://bench/singles.gd",
]


func _ready() -> void:
	if not ClassDB.class_exists(&"VarBatch"):
		printerr("bench: the VarBatch extension is not loaded; build it with scripts/build.sh")
		get_tree().quit(1)
		return
	var session: RefCounted = load("res://bench/session.gd").new(OS.get_cmdline_user_args())
	for path: String in SECTIONS:
		await get_tree().process_frame  # So that the tables come out section by section.
		var section: RefCounted = load(path).new()
		section.call(&"run", session)
		if session.get(&"wrong"):
			get_tree().quit(1)
			return
	var ran: bool = session.call(&"finish")
	print("bench: done" if ran else "bench: no case matches the filter")
	get_tree().quit(0 if ran else 1)

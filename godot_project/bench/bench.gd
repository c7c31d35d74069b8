extends Node
## Entry of the bench: how fast VarBatch is against the engine's own functions, in this engine.
##
##     godot --headless --path godot_project res://bench/bench.tscn [-- [--scaling] [FILTER ...]]
##
## `--scaling` measures instead how times grow with size, count and threads.
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
const SCALING_SECTIONS: Array[String] = [
	# Before the others make the process own much memory.
	"res://bench/scaling/sizes.gd",
	"res://bench/scaling/counts.gd",
	"res://bench/scaling/threads.gd",
	"res://bench/scaling/crossing.gd",
]


func _ready() -> void:
	if not ClassDB.class_exists(&"VarBatch"):
		printerr("bench: the VarBatch extension is not loaded; build it with scripts/build.sh")
		get_tree().quit(1)
		return
	var filters := OS.get_cmdline_user_args()
	var sections := SECTIONS
	if "--scaling" in filters:
		filters.remove_at(filters.find("--scaling"))
		sections = SCALING_SECTIONS
	var session: RefCounted = load("res://bench/session.gd").new(filters)
	for path: String in sections:
		await get_tree().process_frame  # So that the tables come out section by section.
		var section: RefCounted = load(path).new()
		section.call(&"run", session)
		if session.get(&"wrong"):
			get_tree().quit(1)
			return
	var ran: bool = session.call(&"finish")
	print("bench: done" if ran else "bench: no case matches the filter")
	get_tree().quit(0 if ran else 1)

extends Node
## Entry of the bench: the speed of VarBatch and of the engine's own functions, in this engine.
##
##     godot --headless --path godot_project res://bench/bench.tscn [-- [OPTION] [FILTER ...]]
##
## OPTION `--scaling` measures instead how times grow with size, count and threads; `--diff`
## measures differences between states, deltas, and their sizes.
## A filter keeps the cases whose name contains it, as in `packed/PackedInt32Array` or `/64KiB/`.
## Every result is compared with the engine's before it is timed: a wrong one is printed and the
## exit status is 1. A speed below its target is marked, but is not a failure.
## This script never names VarBatch, so that it can report what is missing if the library is.

const SECTIONS: Array[String] = [
	# Memory first: memory freed by earlier cases would hide what a call allocates.
	"res://bench/memory.gd",
	"res://bench/packed.gd",
	"res://bench/batches.gd",
	"res://bench/save_game.gd",
	"res://bench/singles.gd",
	"res://bench/parts.gd",
	"res://bench/undo.gd",
]
const SCALING_SECTIONS: Array[String] = [
	# Before the other sections make the process own much memory.
	"res://bench/scaling/sizes.gd",
	"res://bench/scaling/counts.gd",
	"res://bench/scaling/threads.gd",
	"res://bench/scaling/crossing.gd",
]
const DIFF_SECTIONS: Array[String] = [
	"res://bench/diff/motion.gd",
	"res://bench/diff/deltas.gd",
	"res://bench/diff/states.gd",
]
const OPTIONS: Dictionary[String, Array] = {"--scaling": SCALING_SECTIONS, "--diff": DIFF_SECTIONS}


func _ready() -> void:
	if not ClassDB.class_exists(&"VarBatch"):
		printerr("bench: the VarBatch extension is not loaded; build it with scripts/build.sh")
		get_tree().quit(1)
		return
	var filters := OS.get_cmdline_user_args()
	var sections := SECTIONS.duplicate()
	for option: String in OPTIONS:
		if option in filters:
			filters.remove_at(filters.find(option))
			sections.assign(OPTIONS[option])
	var session: RefCounted = load("res://bench/session.gd").new(filters)
	for path: String in sections:
		await get_tree().process_frame  # Prints the tables section by section.
		var section: RefCounted = load(path).new()
		section.call(&"run", session)
		if session.get(&"wrong"):
			get_tree().quit(1)
			return
	var ran: bool = session.call(&"finish")
	print("bench: done" if ran else "bench: no case matches the filter")
	get_tree().quit(0 if ran else 1)

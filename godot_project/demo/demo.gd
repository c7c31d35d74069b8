extends Control
## Entry of the demo: encodes and decodes a world of chunks, and saves while a game runs; both with the
## engine and with VarBatch. Then saves a world chunk by chunk as one flies over it.
##
##     godot [--headless] --path godot_project res://demo/demo.tscn [-- OPTIONS]
##
## Without a display it prints all tables and quits. With one it shows them in a window, one tab
## each. This script never names VarBatch, so that it can report what is missing if the library is.

const Options = preload("res://demo/options.gd")


func _ready() -> void:
	var options := Options.new(OS.get_cmdline_user_args())
	var problem := options.problem
	if not problem.is_empty():
		problem += "\n" + Options.USAGE
	elif not ClassDB.class_exists(&"VarBatch"):
		problem = "the VarBatch extension is not loaded; build it with scripts/build.sh"
	if not problem.is_empty():
		printerr("demo: ", problem)
		get_tree().quit(1)
		return
	var window: Control = load("res://demo/window.tscn").instantiate()
	window.set(&"options", options)
	add_child(window)

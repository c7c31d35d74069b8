extends "runner.gd"
## The suites that look at files of a real Godot 3: for scripts/godot3-test.sh, which has them made.


func _ready() -> void:
	var paths := PackedStringArray()
	for suite: String in ["values", "inputs", "saves"]:
		paths.append("res://conformance/from_godot3_%s.tscn" % suite)
	run(paths)

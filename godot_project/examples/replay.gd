extends Node
## Worked example: a replay that grows by a record a tick, and shows its last second.
##
## Each tick appends one record in the background, in the order of the calls, so that the game never
## waits for the disk. If the game crashes, the replay ends a few ticks earlier. The last second is
## read from the end of the file, however long it is. Run as a scene, it records some ticks and prints
## the last ones:
##
##     godot --headless --path godot_project res://examples/replay.tscn

const PATH := "user://replay.frames"
const TICKS := 180
const TICKS_A_SECOND := 60

var tick := 0
## The last append.
var task: VarBatchTask


func _ready() -> void:
	begin()
	for _tick: int in TICKS:
		record({"tick": tick, "input": tick % 4, "at": Vector2(tick, 0)})
	for state: Dictionary in last_second():
		print(state)
	DirAccess.remove_absolute(PATH)
	get_tree().quit()


## Begins a new replay.
func begin() -> void:
	if FileAccess.file_exists(PATH):
		DirAccess.remove_absolute(PATH)
	tick = 0
	task = null


## Adds a tick to the replay.
func record(state: Dictionary) -> void:
	tick += 1
	task = VarBatch.append_vars_async(PATH, [state])


## Returns the ticks of the last second, without reading those before.
func last_second() -> Array:
	if task != null:
		task.wait()
	return VarBatch.load_vars(PATH, false, -TICKS_A_SECOND)

extends SceneTree
## A main loop that starts tasks before its first frame. See before_frames.gd.

const Early := preload("before_frames.gd")


func _init() -> void:
	Early.start("_init")
	Early.begin_load()


func _initialize() -> void:
	Early.start("_initialize")


func _process(_delta: float) -> bool:
	return Early.is_over()

extends Node
## Prints how long the first call of a process takes, in microseconds: see api.gd.

const Child := preload("../support/child.gd")


func _ready() -> void:
	var start := Time.get_ticks_usec()
	VarBatch.var_to_bytes(1)
	print("took ", Time.get_ticks_usec() - start)
	print(Child.LAST_LINE)
	get_tree().quit()

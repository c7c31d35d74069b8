extends Node
## A process that opens the store whose path it is given, saves, and is killed by its end.

const Child := preload("../support/child.gd")


func _ready() -> void:
	VarBatch.set_print_error_messages(false)
	var store := VarBatchStore.open(Child.own_arguments()[0])
	print("it is ", "opened" if store else "busy" if VarBatch.get_last_error() == ERR_BUSY else "refused")
	if store:
		store.save_vars_async({1: 2})
	print(Child.LAST_LINE)
	get_tree().quit()

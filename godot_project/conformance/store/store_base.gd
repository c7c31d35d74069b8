extends "../files/files_base.gd"
## Base of the suites on stores.

var store: VarBatchStore


func _exit_tree() -> void:
	store = null
	super()


func open_with(values: Dictionary, objects := false) -> void:
	store = open()
	check_int(store.save_vars(values, [], objects), OK, "save")


func close_and_open() -> void:
	check_int(store.close(), OK, "close")
	store = open()


## Also a Callable, which the method itself is not.
func open(at := path, mode := VarBatch.COMPRESSION_NONE) -> VarBatchStore:
	return VarBatchStore.open(at, mode)

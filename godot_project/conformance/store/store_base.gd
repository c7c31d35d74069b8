extends "../files/files_base.gd"
## Base of the suites on stores.

var store: VarBatchStore


func _exit_tree() -> void:
	store = null
	super()


## Also a Callable, which the method itself is not.
func open(at := path, mode := VarBatch.COMPRESSION_NONE) -> VarBatchStore:
	return VarBatchStore.open(at, mode)

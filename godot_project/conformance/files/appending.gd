extends Resource
## An object whose property appends to a file whenever it is read.

static var to := ""
static var results: Array[int] = []

@export var read := 0:
	get:
		if not to.is_empty():
			results.append(VarBatch.append_vars(to, ["inner"]))
		return read

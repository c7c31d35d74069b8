extends RefCounted
## Values for the tasks of soak.gd, and what each kind of task has to make of them. Any thread may
## ask.

var _values: Array = []
var _buffers: Array[PackedByteArray] = []
var _frames := PackedByteArray()
## What the decoded values encode to: ids of objects become those of new ones.
var _expected := PackedByteArray()
var _path := ""


func _init(values: Array, path: String) -> void:
	_values = values
	_buffers = VarBatch.vars_to_bytes(values)
	_frames = VarBatch.vars_to_frames(values)
	_expected = VarBatch.vars_to_frames(VarBatch.frames_to_vars(_frames), true)
	_path = path
	# By each mode once, which loading finds out by itself.
	var mode := -1 if hash(path) % 2 else int(FileAccess.COMPRESSION_ZSTD)
	VarBatch.save_vars(path, values, false, mode)


func start(kind: String, saved_path: String, mode: int) -> VarBatchTask:
	match kind:
		"to bytes":
			return VarBatch.vars_to_bytes_async(_values)
		"to frames":
			return VarBatch.vars_to_frames_async(_values)
		"from bytes":
			return VarBatch.bytes_to_vars_async(_buffers)
		"from frames":
			return VarBatch.frames_to_vars_async(_frames)
		"save":
			return VarBatch.save_vars_async(saved_path, _values, false, mode if mode > 0 else -1)
	return VarBatch.load_vars_async(_path)


## What is wrong with a result, "" if nothing is.
func problem(kind: String, result: Variant) -> String:
	match kind:
		"to bytes":
			return "" if result is Array and result == _buffers else "other buffers"
		"to frames":
			return "" if result is PackedByteArray and result == _frames else "other frames"
		"save":
			return "" if result is int and result == OK else "found %s" % result
	if not result is Array:
		return "no array"
	return "" if VarBatch.vars_to_frames(result as Array, true) == _expected else "other values"

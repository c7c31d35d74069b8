extends RefCounted
## Makes one call in this process, and prints its time, a hash of its result, and the resident
## memory before it, at its peak, after it, and after its result was freed.
##
## Before the call, the engine makes the same result, and the holes that are left in memory are
## filled. In a fresh process all of that is kept. For reuse the result is freed, in a process that
## keeps the memory that it freed, as one does that has loaded something.
# What is only kept is named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Cases = preload("res://bench/cold/cases.gd")
const Place = preload("res://bench/files/place.gd")
const Resident = preload("res://bench/resident.gd")
const Timing = preload("res://bench/timing.gd")

## The start of the line with the answer.
const ANSWER := "answer "
## The bytes before the elements of a packed array in a frame.
const _HEADERS := 12
## Holes are filled with blocks of these sizes.
const _BLOCKS: Array[int] = [1 << 24, 1 << 22, 1 << 20, 1 << 18, Resident.HOLE_MIN]

var _row: Array
var _name := ""
var _path := ""
var _values: Array = []
var _buffers: Array = []
var _frames: PackedByteArray = []
## The result of the last call. GDScript itself keeps it too until the method of the call returns:
## so each call is made in its own method.
var _kept: Variant = null


func run(arguments: PackedStringArray) -> void:
	_row = Cases.ROWS[arguments[0].to_int()]
	_name = _row[3]
	var way := arguments[1]
	_path = arguments[2].path_join("saved by " + way if _name == "save_vars" else _name)
	var reuses: bool = _row[4] == Cases.REUSE
	if reuses:
		Timing.settle_allocator()
	_prepare()
	_make_spare(way)
	var _spare: Variant = _kept
	_kept = null
	var holes: Array[PackedByteArray] = []
	for block_len: int in _BLOCKS:
		holes.append_array(Resident.fill_holes(block_len))
	# Reading the memory takes some: not out of a hole where the result fits.
	holes.remove_at(holes.size() - 2)
	if reuses:
		_spare = null
	Resident.forget_peak()
	var memory: PackedInt64Array = [Resident.now()]
	var started := Time.get_ticks_usec()
	if way == Cases.ENGINE:
		_engine()
	else:
		_varbatch()
	var usec := Time.get_ticks_usec() - started
	memory.append(Resident.peak())
	memory.append(Resident.now())
	if way == Cases.ENGINE and _name == "save_vars":
		# What it costs to start the flush is not part of it.
		started = Time.get_ticks_usec()
		_flush()
		usec -= Time.get_ticks_usec() - started
	var found: Variant = _hash()
	_kept = null
	memory.append(Resident.now())
	print(ANSWER, JSON.stringify({"usec": usec, "hash": found, "memory": memory}))


## Makes what the call takes.
func _prepare() -> void:
	if _name == "load_vars":
		return
	_values = Cases.values(_row)
	if not _name in ["bytes_to_var", "bytes_to_vars", "frames_to_vars"]:
		return
	for value: Variant in _values:
		_buffers.append(var_to_bytes(value))
	if _name == "frames_to_vars":
		_frames = _joined(_buffers)


## Makes a result of the shape that the way will make.
func _make_spare(way: String) -> void:
	if _name == "vars_to_frames" and way != Cases.ENGINE:
		var block: PackedByteArray = []
		block.resize(_values.size() * (_HEADERS + _row[2]))
		block.fill(1)
		_kept = block
	elif _name != "save_vars":
		_engine()


func _engine() -> void:
	var out: Array = []
	match _name:
		"var_to_bytes":
			_kept = var_to_bytes(_values[0])
		"vars_to_bytes", "vars_to_frames":
			for value: Variant in _values:
				out.append(var_to_bytes(value))
			_kept = out
		"bytes_to_var":
			_kept = bytes_to_var(_buffers[0])
		"bytes_to_vars", "frames_to_vars":
			for buffer: PackedByteArray in _buffers:
				out.append(bytes_to_var(buffer))
			_kept = out
		"load_vars":
			_kept = Place.fetch(_path)
		"save_vars":
			Place.store(_path, _values)
			_flush()


func _varbatch() -> void:
	match _name:
		"var_to_bytes":
			_kept = VarBatch.var_to_bytes(_values[0])
		"vars_to_bytes":
			_kept = VarBatch.vars_to_bytes(_values)
		"vars_to_frames":
			_kept = VarBatch.vars_to_frames(_values)
		"bytes_to_var":
			_kept = VarBatch.bytes_to_var(_buffers[0])
		"bytes_to_vars":
			_kept = VarBatch.bytes_to_vars(_buffers)
		"frames_to_vars":
			_kept = VarBatch.frames_to_vars(_frames)
		"load_vars":
			_kept = VarBatch.load_vars(_path)
		"save_vars":
			VarBatch.save_vars(_path, _values)


## Waits until the disk has the file, as `save_vars` does.
func _flush() -> void:
	OS.execute("sync", ["-d", _path])


## A hash of the result, the same for frames and for the buffers in them. Takes no memory.
func _hash() -> Variant:
	match _name:
		"save_vars":
			return FileAccess.get_md5(_path)
		"vars_to_frames":
			var context := HashingContext.new()
			context.start(HashingContext.HASH_MD5)
			if _kept is Array:
				var head: PackedByteArray = [0, 0, 0, 0]
				for buffer: PackedByteArray in _kept:
					head.encode_u32(0, buffer.size())
					context.update(head)
					context.update(buffer)
			else:
				context.update(_kept)
			return context.finish().hex_encode()
	return hash(_kept)


## The frames of these buffers.
func _joined(buffers: Array) -> PackedByteArray:
	var stream := StreamPeerBuffer.new()
	for buffer: PackedByteArray in buffers:
		stream.put_u32(buffer.size())
		stream.put_data(buffer)
	return stream.data_array

extends RefCounted
## Makes one call in this process, and prints its time, a hash of its result, and the resident
## memory before it, at its peak, after it, and after its result was freed.
##
## Before the call, the engine makes the same result, and the holes that are left in memory are
## filled. In a fresh process all of that is kept. For reuse the result is freed, in a process that
## keeps the memory that it freed, as one does that has loaded something.
# What is only kept is named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Batch = preload("res://bench/batch.gd")
const Cases = preload("res://bench/cold/cases.gd")
const Place = preload("res://bench/place.gd")
const Resident = preload("res://bench/resident.gd")
const Timing = preload("res://bench/timing.gd")

## The start of the line with the answer.
const ANSWER := "answer "
## The bytes before the elements of a packed array in a frame.
const _HEADERS := 12
## Holes are filled with blocks of these sizes.
const _BLOCKS: Array[int] = [1 << 24, 1 << 22, 1 << 20, 1 << 18, Resident.HOLE_MIN]

var _name := ""
var _path := ""
## Keeps the result of the last call. GDScript itself keeps it too until the method of the call returns:
## so each call is made in its own method.
var _batch: Batch


## Arguments: the index of the row, the way, and the folder for files.
func run(arguments: PackedStringArray) -> void:
	var row: Array = Cases.rows()[arguments[0].to_int()]
	_name = row[3]
	var way := arguments[1]
	var saves := _name.begins_with("save")
	_path = arguments[2].path_join("saved by " + way if saves else _name)
	var reuses: bool = row[4] == Cases.REUSE
	if reuses:
		Timing.settle_allocator()
	_batch = Batch.new(_name, [] if _name == "load_vars" else Cases.values(row))
	if _name in ["bytes_to_var", "bytes_to_vars", "frames_to_vars"]:
		_batch.encode()
	if _name == "vars_to_frames" and way != Cases.ENGINE:
		_make_spare_frames(row)
	elif not saves:
		_call(Cases.ENGINE)
	var _spare: Variant = _batch.kept
	_batch.kept = null
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
	_call(way)
	var usec := Time.get_ticks_usec() - started
	memory.append(Resident.peak())
	memory.append(Resident.now())
	if way == Cases.ENGINE and saves:
		# What it costs to start the flush is not part of it.
		started = Time.get_ticks_usec()
		_flush()
		usec -= Time.get_ticks_usec() - started
	var found: Variant = _hash()
	_batch.kept = null
	memory.append(Resident.now())
	print(ANSWER, JSON.stringify({"usec": usec, "hash": found, "memory": memory}))


## A result of the shape that VarBatch will make.
func _make_spare_frames(row: Array) -> void:
	var block: PackedByteArray = []
	block.resize(_batch.values.size() * (_HEADERS + row[2]))
	block.fill(1)
	_batch.kept = block


func _call(way: String) -> void:
	match _name:
		"load_vars" when way == Cases.ENGINE:
			_batch.kept = Place.fetch(_path)
		"load_vars":
			_batch.kept = VarBatch.load_vars(_path)
		"save_vars", "save_vars_async" when way == Cases.ENGINE:
			Place.store(_path, _batch.values)
			_flush()
		"save_vars":
			VarBatch.save_vars(_path, _batch.values)
		"save_vars_async":
			VarBatch.save_vars_async(_path, _batch.values).wait()
		_ when way == Cases.ENGINE:
			_batch.engine_once()
		_:
			_batch.varbatch_once()


## Waits until the disk has the file, as `save_vars` does.
func _flush() -> void:
	OS.execute("sync", ["-d", _path])


## A hash of the result, the same for frames and for the buffers in them. Takes no memory.
func _hash() -> Variant:
	if _name.begins_with("save"):
		return FileAccess.get_md5(_path)
	if _name != "vars_to_frames":
		return hash(_batch.kept)
	var context := HashingContext.new()
	context.start(HashingContext.HASH_MD5)
	if _batch.kept is Array:
		var head: PackedByteArray = [0, 0, 0, 0]
		for buffer: PackedByteArray in _batch.kept:
			head.encode_u32(0, buffer.size())
			context.update(head)
			context.update(buffer)
	else:
		context.update(_batch.kept)
	return context.finish().hex_encode()

extends RefCounted
## Section: the memory that a call takes besides its own result.
##
## The overhead of a call is the peak of the process's resident memory during it, minus what was
## resident before it, minus the payload of its result. The engine's loop is measured in the same
## way: the difference is VarBatch's cost.
##
## Limits: only pages are counted, and a page that earlier work freed but did not return is reused
## unseen. The allocator cannot be asked to return memory, so this section runs first, in big
## blocks, VarBatch before the engine, and keeps every result until it ends: no large free block can
## be reused. For the same reason the results are checked only at the end. Memory of a result
## besides its bytes (the head of an allocation, the rest of its last page, the slots of the Array)
## counts as overhead on both sides. For decoded dictionaries that is several times their bytes.
## VarBatch's threads, which start with its first batch, are started before by a batch that is also
## kept.

const Batch = preload("res://bench/memory_batch.gd")
const Resident = preload("res://bench/resident.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const MIB := 1048576.0
## Values and payload bytes of each (0: a saved game); large blocks first, for the reason above.
const BATCHES: Array[Vector2i] = [
	Vector2i(64, 1048576),
	Vector2i(500, 65536),
	Vector2i(20_000, 64),
	Vector2i(1, 0),
	Vector2i(Values.ENTITIES, 0),
]
## The printed rows of a batch: a call, its name for one value ("": not printed, as it is the call
## for many), its name for many, and the engine's equivalent, if any.
const ROWS: Array[Array] = [
	[Batch.Call.VARS_TO_BYTES, "var_to_bytes", "vars_to_bytes", Batch.Call.ENGINE_TO_BYTES],
	[Batch.Call.VARS_TO_FRAMES, "", "vars_to_frames", null],
	[Batch.Call.VALIDATE, "validate", "validate", null],
	[Batch.Call.BYTES_TO_VARS, "bytes_to_var", "bytes_to_vars", Batch.Call.ENGINE_FROM_BYTES],
	[Batch.Call.FRAMES_TO_VARS, "", "frames_to_vars", null],
]


func run(session: Session) -> void:
	var batches: Array[Batch] = []
	for batch: Vector2i in BATCHES:
		batches.append(Batch.new(batch.x, batch.y))
	batches.assign(batches.filter(func(batch: Batch) -> bool: return session.wants(_name(batch))))
	if batches.is_empty():
		return
	print("\nMemory that a call takes beside its result, in MiB")
	if not Resident.can_measure():
		print("n/a: needs Linux, and /proc/self/clear_refs open for writing")
		return
	print(
		"%-28s%-12s%-18s%8s%14s%14s" % ["type", "size", "call", "result", "VarBatch", "engine loop"]
	)
	var warm: Array = [Values.batch(TYPE_PACKED_INT32_ARRAY, 1048576, 8)]
	warm.append(VarBatch.vars_to_bytes(warm[0]))
	for batch: Batch in batches:
		_measure(session, batch)
	for batch: Batch in batches:
		if not session.verify(_name(batch), batch.check()):
			return


func _measure(session: Session, batch: Batch) -> void:
	batch.make_values()
	var overheads: PackedInt64Array = []
	for what: Batch.Call in Batch.Call.values():
		batch.fill_holes(what)
		Resident.forget_peak()
		var before := Resident.now()
		batch.run(what)
		overheads.append(Resident.peak() - before - batch.payload_len(what))
	for row: Array in ROWS:
		var what: Batch.Call = row[0]
		var call_name: String = row[1] if batch.count == 1 else row[2]
		if call_name.is_empty():
			continue
		var by_engine: Variant = null if row[3] == null else overheads[row[3]]
		# For packed arrays, without their headers, which only the bytes have.
		var payload := batch.payload_len(what)
		if what != Batch.Call.VALIDATE and batch.bytes > 0:
			payload = batch.bytes * batch.count
		_print(session, batch, call_name, payload, overheads[what], by_engine)


func _print(
	session: Session,
	batch: Batch,
	call_name: String,
	payload: int,
	overhead: int,
	by_engine: Variant
) -> void:
	print(
		(
			"%-28s%-12s%-18s%8.1f%14.2f%14s"
			% [
				batch.type,
				batch.size_text(),
				call_name,
				payload / MIB,
				overhead / MIB,
				"-" if by_engine == null else "%.2f" % (by_engine / MIB),
			]
		)
	)
	(
		session
		. report
		. add_json(
			_name(batch) + call_name,
			{
				"type": batch.type,
				"bytes": payload / batch.count,
				"count": batch.count,
				"direction": call_name,
				"overhead_bytes": overhead,
				"engine_overhead_bytes": by_engine,
			}
		)
	)


func _name(batch: Batch) -> String:
	var size := batch.size_text().replace(" ", "")
	return "memory/%s/%s/" % [batch.type.replace(" ", "_"), size]

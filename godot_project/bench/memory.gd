extends RefCounted
## Section: the memory that a batch call takes besides its own result.
##
## Linux keeps the peak of a process's resident memory (VmHWM) and lets the process forget it. The
## overhead of a call is the peak during it, less what was resident before it, less the payload of
## its result. The engine's loop goes through the same: the difference is what VarBatch costs.
##
## Limits. Only pages are seen, and a page that some earlier work had freed but not given back is
## taken again unseen. There is no way to ask the allocator to give back, so this section runs
## first, in big blocks, VarBatch before the engine, and keeps every result until it ends: nothing
## large is free to be taken. For the same reason the results are checked only at the end.
## What a result takes besides its bytes (the head of an allocation, the rest of its last page, the
## slots of the Array) counts as overhead on both sides. Threads that VarBatch starts with its first
## batch are started before, by a batch that is kept too.

enum Call {
	VARS_TO_BYTES, ENGINE_TO_BYTES, VARS_TO_FRAMES, BYTES_TO_VARS, ENGINE_FROM_BYTES, FRAMES_TO_VARS
}

const Probe = preload("res://bench/probe.gd")
const Report = preload("res://bench/report.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const MIB := 1048576.0
const TYPE := TYPE_PACKED_INT32_ARRAY
## Values and payload bytes of each; the large ones first, for the reason above.
const BATCHES: Array[Vector2i] = [Vector2i(64, 1048576), Vector2i(500, 65536), Vector2i(20_000, 64)]
## Holes smaller than this are left: there may be very many.
const HOLE_MIN := 65536
const HOLES_MAX := 256

## Results of this section that are to be compared, and inputs that must not be freed.
var _kept: Array = []
var _blocks: Array[PackedByteArray] = []


func run(session: Session) -> void:
	var wanted: Array[Vector2i] = []
	for batch: Vector2i in BATCHES:
		if session.wants(_batch_name(batch)):
			wanted.append(batch)
	if wanted.is_empty():
		return
	print("\nMemory that a call takes beside its result, in MiB")
	if not _can_measure():
		print("n/a: needs Linux, and /proc/self/clear_refs open for writing")
		return
	print(
		"%-28s%-11s%-18s%8s%14s%14s" % ["type", "size", "call", "result", "VarBatch", "engine loop"]
	)
	var warm := Values.batch(TYPE, 1048576, 8)
	_kept.append([warm, VarBatch.vars_to_bytes(warm)])
	for batch: Vector2i in wanted:
		_measure_batch(session, batch)
	for batch: Array in _kept.slice(1):
		if not session.wrong:
			_check_batch(session, batch)


func _measure_batch(session: Session, batch: Vector2i) -> void:
	var values := Values.batch(TYPE, batch.y, batch.x)
	var results: Array = []
	var overheads: PackedInt64Array = []
	results.resize(Call.size())
	_kept.append(results)
	for what: Call in Call.values():
		var input: Variant = values
		if what == Call.BYTES_TO_VARS or what == Call.ENGINE_FROM_BYTES:
			input = results[Call.ENGINE_TO_BYTES]
		elif what == Call.FRAMES_TO_VARS:
			input = results[Call.VARS_TO_FRAMES]
		_fill_holes(maxi(batch.y, HOLE_MIN))
		_forget_peak()
		var before := _resident("VmRSS:")
		results[what] = _call(what, input)
		overheads.append(_resident("VmHWM:") - before - _payload_len(results[what]))
	results.append(values)

	_print(session, batch, "vars_to_bytes", overheads[0], overheads[1])
	_print(session, batch, "vars_to_frames", overheads[2], null)
	_print(session, batch, "bytes_to_vars", overheads[3], overheads[4])
	_print(session, batch, "frames_to_vars", overheads[5], null)


## Takes and keeps blocks of a payload's size until one comes from fresh memory: no block of that
## size that was freed before is left for a result.
func _fill_holes(block_len: int) -> void:
	for _try in HOLES_MAX:
		var before := _resident("VmRSS:")
		var block: PackedByteArray = []
		block.resize(block_len)
		_blocks.append(block)
		if _resident("VmRSS:") - before >= block_len:
			return


func _call(what: Call, input: Variant) -> Variant:
	match what:
		Call.VARS_TO_BYTES:
			return VarBatch.vars_to_bytes(input)
		Call.VARS_TO_FRAMES:
			return VarBatch.vars_to_frames(input)
		Call.BYTES_TO_VARS:
			return VarBatch.bytes_to_vars(input)
		Call.FRAMES_TO_VARS:
			return VarBatch.frames_to_vars(input)
	var out: Array = []
	if what == Call.ENGINE_TO_BYTES:
		for value: Variant in input:
			out.append(var_to_bytes(value))
	else:
		for buffer: PackedByteArray in input:
			out.append(bytes_to_var(buffer))
	return out


func _check_batch(session: Session, results: Array) -> void:
	var values: Array = results[-1]
	var frames: PackedByteArray = results[Call.VARS_TO_FRAMES]
	var place := 0
	for index in values.size():
		var bytes := var_to_bytes(values[index])
		var problems: Dictionary[String, String] = {
			"vars_to_bytes": Probe.difference(bytes, results[Call.VARS_TO_BYTES][index]),
			"vars_to_frames":
			Probe.difference(bytes, frames.slice(place + 4, place + 4 + bytes.size())),
			"bytes_to_vars":
			Probe.value_difference(values[index], results[Call.BYTES_TO_VARS][index]),
			"frames_to_vars":
			Probe.value_difference(values[index], results[Call.FRAMES_TO_VARS][index]),
		}
		place += 4 + bytes.size()
		for call_name: String in problems:
			if not session.verify("memory/%s, value %d" % [call_name, index], problems[call_name]):
				return


func _print(
	session: Session, batch: Vector2i, name: String, overhead: int, by_engine: Variant
) -> void:
	print(
		(
			"%-28s%-11s%-18s%8.1f%14.2f%14s"
			% [
				type_string(TYPE),
				"%dx%s" % [batch.x, Report.size_text(batch.y)],
				name,
				batch.x * batch.y / MIB,
				overhead / MIB,
				"-" if by_engine == null else "%.2f" % (by_engine / MIB),
			]
		)
	)
	(
		session
		. report
		. add_json(
			{
				"case": _batch_name(batch) + name,
				"type": type_string(TYPE),
				"bytes": batch.y,
				"count": batch.x,
				"direction": name,
				"overhead_bytes": overhead,
				"engine_overhead_bytes": by_engine,
			}
		)
	)


func _batch_name(batch: Vector2i) -> String:
	var size := Report.size_text(batch.y).replace(" ", "")
	return "memory/%s/%dx%s/" % [type_string(TYPE), batch.x, size]


## Bytes of payload, in buffers, in frames or in decoded values.
func _payload_len(result: Variant) -> int:
	if result is PackedByteArray:
		return result.size()
	var total := 0
	for value: Variant in result:
		total += value.size() * Values.ELEMENT_LEN[typeof(value)]
	return total


func _can_measure() -> bool:
	return OS.get_name() == "Linux" and _forget_peak() and _resident("VmHWM:") > 0


## Makes the peak equal to what is resident now; returns whether that is allowed here.
func _forget_peak() -> bool:
	var file := FileAccess.open("/proc/self/clear_refs", FileAccess.WRITE)
	return file != null and file.store_string("5")


## A line of /proc/self/status, in bytes; 0 if there is none.
func _resident(field: String) -> int:
	var file := FileAccess.open("/proc/self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line := file.get_line()
		if line.begins_with(field):
			return line.get_slice(":", 1).to_int() * 1024
	return 0

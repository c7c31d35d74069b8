extends RefCounted
## The resident memory of this process on Linux: the current size, and its peak (VmHWM), which a
## process can reset.

## Smaller holes are ignored: there may be very many.
const HOLE_MIN := 65536
const HOLES_MAX := 256


static func can_measure() -> bool:
	return OS.get_name() == "Linux" and forget_peak() and peak() > 0


## Resets the peak to the current size; returns true if that is allowed here.
static func forget_peak() -> bool:
	var file := FileAccess.open("/proc/self/clear_refs", FileAccess.WRITE)
	return file != null and file.store_string("5")


static func now() -> int:
	return _status("VmRSS:")


static func peak() -> int:
	return _status("VmHWM:")


## Returns blocks of at least [param block_len] bytes, the last of which came from fresh memory: as
## long as they are kept, a result cannot reuse a freed block of that size.
static func fill_holes(block_len: int) -> Array[PackedByteArray]:
	var blocks: Array[PackedByteArray] = []
	var len := maxi(block_len, HOLE_MIN)
	for _try in HOLES_MAX:
		var before := now()
		var block: PackedByteArray = []
		block.resize(len)
		blocks.append(block)
		if now() - before >= len:
			break
	return blocks


## Returns a line of /proc/self/status, in bytes; 0 if there is none.
static func _status(field: String) -> int:
	var file := FileAccess.open("/proc/self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line := file.get_line()
		if line.begins_with(field):
			return line.get_slice(":", 1).to_int() * 1024
	return 0

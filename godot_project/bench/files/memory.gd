extends RefCounted
## Section: the memory that a call takes besides the values, while it runs and after it. Each call
## is measured in its own process, as reused memory would go unseen.

const Child = preload("res://conformance/support/child.gd")
const Data = preload("res://bench/files/data.gd")
const Options = preload("res://bench/files/options.gd")
const Place = preload("res://bench/files/place.gd")
const Probe = preload("res://bench/files/memory_probe.gd")
const Resident = preload("res://bench/resident.gd")
const Rows = preload("res://bench/files/rows.gd")
const Session = preload("res://bench/session.gd")

const _DATA: Array[String] = [Data.PACKED, Data.TWO_MILLION, Data.SAVE_GAME]
const _MIB := 1048576.0


func run(session: Session, options: Options, place: Place) -> void:
	if not Resident.can_measure() or Child.own_command().is_empty():
		print("\nMemory: n/a, needs Linux, and /proc/self/clear_refs open for writing")
		return
	Rows.start(
		"Files: memory beside what was there before the call, MiB: at its peak, and after it",
		["values", "call", "peak", "after", "peak over after"]
	)
	for name: String in _DATA:
		for way: String in Probe.WAYS:
			var title := Data.title(name, options.mib)
			var arguments: PackedStringArray = [Options.PROBE, name, way, place.folder]
			var ended := Child.run(arguments + PackedStringArray([str(options.mib)]))
			var growth := _growth(ended[1] as PackedStringArray)
			if not session.verify("memory", "" if growth.size() == 2 else str(ended)):
				return
			var cells: PackedStringArray = [title, "`%s`" % way]
			for bytes in PackedInt64Array([growth[0], growth[1], growth[0] - growth[1]]):
				cells.append("%.1f" % (bytes / _MIB))
			Rows.add(cells)
			var line := {"peak_bytes": growth[0], "after_bytes": growth[1]}
			session.report.add_json("memory/%s/%s" % [title, way], line)


static func _growth(lines: PackedStringArray) -> PackedInt64Array:
	for line: String in lines:
		if line.begins_with(Probe.ANSWER):
			var parts := line.split(" ")
			return [parts[1].to_int(), parts[2].to_int()]
	return []

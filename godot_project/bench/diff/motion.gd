extends RefCounted
## Section: the size of deltas for a game that moves: 1,000 entities, recorded for two seconds at 60
## snapshots per second, against the whole snapshots. Made from a seed, so that the sizes are the
## same in every run.

const Motion = preload("res://bench/diff/motion_record.gd")
const Session = preload("res://bench/session.gd")
const Table = preload("res://bench/table.gd")

const _COLUMNS: Array[Array] = [
	["state", -26],
	["of all, move", 12],
	["full", 10],
	["kbit/s", 9],
	["Zstandard", 11],
	["kbit/s", 9],
	["delta", 9],
	["kbit/s", 9],
	["its Zstd.", 11],
	["kbit/s", 9],
]
const _NAMES: Array[String] = ["full", "full_zstd", "delta", "delta_zstd"]


func run(session: Session) -> void:
	var table: Table = null
	for as_objects: bool in [false, true]:
		for percent: int in [100, 10, 1]:
			var title := "array of dictionaries" if as_objects else "dictionary of arrays"
			var name := "motion/%s/%d%%" % [title.replace(" ", "_"), percent]
			if not session.wants(name):
				continue
			if table == null:
				print("\nMotion of %d entities, mean bytes a snapshot, at 60 Hz" % Motion.ENTITIES)
				table = Table.new(_COLUMNS)
				table.print_titles()
			var sizes := _sizes(session, name, Motion.record(percent, as_objects))
			if session.wrong:
				return
			var cells: PackedStringArray = [title, "%d %%" % percent]
			var row := {}
			for index in sizes.size():
				cells.append("%d" % roundi(sizes[index]))
				cells.append("%d" % roundi(sizes[index] * 8 * Motion.RATE / 1000.0))
				row[_NAMES[index] + "_bytes"] = Table.number(sizes[index])
			table.print_row(cells)
			session.report.add_json(name, row)


## Means over all snapshots but the first, which has no predecessor.
func _sizes(
	session: Session, name: String, snapshots: Array[PackedByteArray]
) -> PackedFloat64Array:
	var sums: PackedFloat64Array = [0, 0, 0, 0]
	var count := snapshots.size() - 1
	for index in count:
		var after := snapshots[index + 1]
		var delta := VarBatch.make_delta(snapshots[index], after)
		var is_right := VarBatch.apply_delta(snapshots[index], delta) == after
		if not session.verify(
			name, "" if is_right else "the delta of snapshot %d is wrong" % index
		):
			return sums
		var sizes: PackedFloat64Array = [
			after.size(),
			after.compress(FileAccess.COMPRESSION_ZSTD).size(),
			delta.size(),
			delta.compress(FileAccess.COMPRESSION_ZSTD).size(),
		]
		for column in sizes.size():
			sums[column] += sizes[column] / count
	return sums

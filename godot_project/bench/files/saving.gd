extends RefCounted
## Section: packed arrays to a file, with a loop of `store_var`, with `save_vars`, and as plain
## bytes to a file that is renamed. Flushing is included; the loop never flushes. With `--no-flush`
## nothing is flushed, except by the file system itself: ext4 starts to write a file when it is
## renamed over another one, or closed after being truncated. So new files are saved too. Plain and
## the loop free the old file themselves, `save_vars` does so in the background. The bytes of the
## plain file are prepared in advance. It is flushed by `sync -d`: the cost of starting that is
## measured with a file that has nothing to flush, and subtracted.

const Data = preload("res://bench/files/data.gd")
const Place = preload("res://bench/place.gd")
const Rows = preload("res://bench/files/rows.gd")
const Session = preload("res://bench/session.gd")
const Turns = preload("res://bench/files/turns.gd")

const _LOOP := "`store_var` in a loop"
const _OURS := "`save_vars`"
const _PLAIN := "plain"
const _PARTS: Array[String] = ["write", "flush", "rename"]
const _PIECE := 1 << 20

var _place: Place
var _no_flush := false
var _values: Array
var _pieces: Array[PackedByteArray] = []
## The parts of the plain way, round by round.
var _parts: Array[PackedFloat64Array] = []


func run(session: Session) -> void:
	var place := session.place
	_place = place
	_no_flush = session.options.no_flush
	if not session.wants("saving/" + Data.title(Data.PACKED, session.options.mib)):
		return
	_values = Data.make(Data.PACKED, session.options.mib)
	Place.store(place.path(_LOOP), _values)
	var error := VarBatch.save_vars(place.path(_OURS), _values)
	var problem := Place.difference(place.path(_LOOP), place.path(_OURS))
	if not session.verify("saving", error_string(error) if error != OK else problem):
		return
	_cut_pieces()
	_save_plain()
	problem = Place.difference(place.path(_LOOP), place.path(_PLAIN))
	if not session.verify("saving, plain", problem):
		return
	_time(session, "over an old file", place.settle)
	if _no_flush:
		_time(session, "to a new file", _remove_and_settle)
	place.remove_files()


func _time(session: Session, where: String, before: Callable) -> void:
	_parts.clear()
	var ways: Dictionary[String, Callable] = {
		_LOOP: _save_by_loop, _OURS: _save_by_varbatch, _PLAIN: _save_plain
	}
	var turns := Turns.new(ways, session.options.rounds, before)
	_parts.remove_at(0)  # Of the round that only warms up.
	_print(turns, session, "%s, packed, %s" % [Data.title(Data.PACKED, session.options.mib), where])


func _remove_and_settle() -> void:
	_place.remove_files()
	_place.settle()


func _save_by_loop() -> float:
	var started := Time.get_ticks_usec()
	Place.store(_place.path(_LOOP), _values)
	return Turns.msec_since(started)


func _save_by_varbatch() -> float:
	var started := Time.get_ticks_usec()
	VarBatch.save_vars(_place.path(_OURS), _values)
	return Turns.msec_since(started)


func _save_plain() -> float:
	var beside := _place.path("beside")
	var started := Time.get_ticks_usec()
	var file := FileAccess.open(beside, FileAccess.WRITE)
	for piece: PackedByteArray in _pieces:
		file.store_buffer(piece)
	file.close()
	var parts: PackedFloat64Array = [Turns.msec_since(started), 0.0, 0.0]
	if not _no_flush:
		# Twice: the second one has nothing to flush.
		for factor: int in [1, -1]:
			started = Time.get_ticks_usec()
			OS.execute("sync", ["-d", beside])
			parts[1] += factor * Turns.msec_since(started)
	started = Time.get_ticks_usec()
	DirAccess.rename_absolute(beside, _place.path(_PLAIN))
	parts[2] = Turns.msec_since(started)
	_parts.append(parts)
	return parts[0] + parts[1] + parts[2]


func _cut_pieces() -> void:
	var file := FileAccess.open(_place.path(_LOOP), FileAccess.READ)
	while file.get_position() < file.get_length():
		_pieces.append(file.get_buffer(_PIECE))


func _print(turns: Turns, session: Session, title: String) -> void:
	var how := "NOTHING is flushed" if _no_flush else "save_vars and plain flush, the loop does not"
	Rows.start("Files: save %s, ms; %s" % [title, how], ["save", "min", "median", "max"])
	for name: String in turns.times:
		Rows.add(PackedStringArray([name]) + turns.cells(name))
	for part in _PARTS.size():
		var msecs: PackedFloat64Array = []
		for round_parts: PackedFloat64Array in _parts:
			msecs.append(round_parts[part])
		if not (_no_flush and _PARTS[part] == "flush"):
			Rows.add(PackedStringArray(["… " + _PARTS[part]]) + Turns.spread(msecs, "%.1f"))
	print("\nsave_vars / plain: ", turns.ratio(_OURS, _PLAIN))
	print("loop / save_vars: ", turns.ratio(_LOOP, _OURS))
	var line := {"no_flush": _no_flush}
	for name: String in turns.times:
		line[name.replace("`", "") + "_ms"] = turns.times[name]
	session.report.add_json("saving/" + title, line)

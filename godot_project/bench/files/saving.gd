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
const Session = preload("res://bench/session.gd")
const Turns = preload("res://bench/files/turns.gd")

const _LOOP := "`store_var` in a loop"
const _OURS := "`save_vars`"
const _PLAIN := "plain"
const _PIECE := 1 << 20

var _place: Place
var _no_flush := false
var _values: Array
var _pieces: Array[PackedByteArray] = []


func run(session: Session) -> void:
	var title := Data.title(Data.PACKED, session.options.mib)
	if not session.wants("saving/" + title):
		return
	_place = session.place
	_no_flush = session.options.no_flush
	_values = Data.make(Data.PACKED, session.options.mib)
	Place.store(_place.path(_LOOP), _values)
	var file := FileAccess.open(_place.path(_LOOP), FileAccess.READ)
	while file.get_position() < file.get_length():
		_pieces.append(file.get_buffer(_PIECE))
	_save_by_varbatch()
	_save_plain()
	for way: String in [_OURS, _PLAIN]:
		if not session.verify(way, Place.difference(_place.path(_LOOP), _place.path(way))):
			return
	_time(session, title + ", packed, over an old file", _place.settle)
	if _no_flush:
		_time(session, title + ", packed, to a new file", _remove_and_settle)
	_place.remove_files()


func _time(session: Session, title: String, before: Callable) -> void:
	var ways: Dictionary[String, Callable] = {
		_LOOP: _save_by_loop, _OURS: _save_by_varbatch, _PLAIN: _save_plain
	}
	var turns := Turns.new(ways, session.options.rounds, before)
	var how := "NOTHING is flushed" if _no_flush else "save_vars and plain flush, the loop does not"
	Turns.print_title("Files: save %s, ms; %s" % [title, how], ["save", "median (min to max)"])
	for name: String in turns.times:
		Turns.print_row([name, Turns.spread(turns.times[name], "%.1f")])
	print("\nsave_vars / plain: ", turns.ratio(_OURS, _PLAIN))
	print("loop / save_vars: ", turns.ratio(_LOOP, _OURS))
	var line := turns.row()
	line.no_flush = _no_flush
	session.report.add_json("saving/" + title, line)


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
	var msec := 0.0
	if not _no_flush:
		OS.execute("sync", ["-d", beside])
		var flushed := Time.get_ticks_usec()
		OS.execute("sync", ["-d", beside])  # Has nothing to flush.
		msec -= 2.0 * Turns.msec_since(flushed)
	DirAccess.rename_absolute(beside, _place.path(_PLAIN))
	return msec + Turns.msec_since(started)

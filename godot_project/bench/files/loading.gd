extends RefCounted
## Section: a file to values, with a loop of `get_var` and with `load_vars`. The file is in the
## system's cache. The time does not include freeing the values.

const Data = preload("res://bench/files/data.gd")
const Place = preload("res://bench/place.gd")
const Probe = preload("res://bench/probe.gd")
const Session = preload("res://bench/session.gd")
const Timing = preload("res://bench/timing.gd")
const Turns = preload("res://bench/files/turns.gd")

const _LOOP := "`get_var` in a loop"
const _OURS := "`load_vars`"
const _DATA: Array[String] = [Data.PACKED, Data.MIDDLE, Data.SMALL, Data.SAVE_GAME]

var _path := ""
var _kept: Array = []


func run(session: Session) -> void:
	_path = session.place.path("values")
	Timing.settle_allocator()
	Turns.print_title(
		"Files: load, from the system's cache, ms: median (min to max)",
		["values", _LOOP, _OURS, "ratio"]
	)
	var ways: Dictionary[String, Callable] = {
		_LOOP: _time.bind(_load_by_loop), _OURS: _time.bind(_load_by_varbatch)
	}
	for name: String in _DATA:
		var title := Data.title(name, session.options.mib)
		if not session.wants("loading/" + title):
			continue
		var values := Data.make(name, session.options.mib)
		Place.store(_path, values)
		if not session.verify(title, Probe.values_difference(values, VarBatch.load_vars(_path))):
			return
		values.clear()
		var turns := Turns.new(ways, session.options.rounds)
		var cells: PackedStringArray = [title]
		for way: String in turns.times:
			cells.append(Turns.spread(turns.times[way], "%.1f"))
		cells.append(turns.ratio(_LOOP, _OURS))
		Turns.print_row(cells)
		session.report.add_json("loading/" + title, turns.row())
	session.place.remove_files()


func _time(load_once: Callable) -> float:
	var started := Time.get_ticks_usec()
	load_once.call()
	var msec := Turns.msec_since(started)
	_kept = []
	return msec


# Methods of their own: GDScript keeps the last result of a call until the method returns.
func _load_by_loop() -> void:
	_kept = Place.fetch(_path)


func _load_by_varbatch() -> void:
	_kept = VarBatch.load_vars(_path)

extends RefCounted
## Section: a file to values, with a loop of `get_var` and with `load_vars`. The file is in the
## system's cache. Freeing the values is reported separately: it is the engine's work on both sides.

const Data = preload("res://bench/files/data.gd")
const Place = preload("res://bench/place.gd")
const Probe = preload("res://bench/probe.gd")
const Rows = preload("res://bench/files/rows.gd")
const Session = preload("res://bench/session.gd")
const Timing = preload("res://bench/timing.gd")
const Turns = preload("res://bench/files/turns.gd")

const _LOOP := "`get_var` in a loop"
const _OURS := "`load_vars`"
const _DATA: Array[String] = [Data.PACKED, Data.MIDDLE, Data.SMALL, Data.SAVE_GAME]

var _path := ""
var _kept: Array = []
## The time that freeing the loaded values took, in milliseconds.
var _freeing: Dictionary[String, PackedFloat64Array] = {}


func run(session: Session) -> void:
	_path = session.place.path("values")
	Timing.settle_allocator()
	Rows.start(
		"Files: load, from the system's cache, ms: median (min to max)",
		["values", _LOOP, _OURS, "ratio", "with freeing"]
	)
	for name: String in _DATA:
		var title := Data.title(name, session.options.mib)
		if not session.wants("loading/" + title):
			continue
		var values := Data.make(name, session.options.mib)
		Place.store(_path, values)
		if not session.verify("loading " + title, Probe.values_difference(values, VarBatch.load_vars(_path))):
			return
		values.clear()
		_freeing = {_LOOP: PackedFloat64Array(), _OURS: PackedFloat64Array()}
		var ways: Dictionary[String, Callable] = {
			_LOOP: _time.bind(_LOOP, _load_by_loop), _OURS: _time.bind(_OURS, _load_by_varbatch)
		}
		_print(Turns.new(ways, session.options.rounds, func() -> void: pass), session, title)
	session.place.remove_files()


func _time(name: String, load_once: Callable) -> float:
	var started := Time.get_ticks_usec()
	load_once.call()
	var msec := Turns.msec_since(started)
	started = Time.get_ticks_usec()
	_kept = []
	_freeing[name].append(Turns.msec_since(started))
	return msec


# Methods of their own: GDScript keeps the last result of a call until the method returns.
func _load_by_loop() -> void:
	_kept = Place.fetch(_path)


func _load_by_varbatch() -> void:
	_kept = VarBatch.load_vars(_path)


func _print(turns: Turns, session: Session, title: String) -> void:
	var cells: PackedStringArray = [title]
	var line := {}
	var whole: Array[PackedFloat64Array] = []
	for name: String in turns.times:
		var parts := turns.cells(name)
		cells.append("%s (%s to %s)" % [parts[1], parts[0], parts[2]])
		line[name.replace("`", "") + "_ms"] = turns.times[name]
		var sums: PackedFloat64Array = []
		for turn in turns.times[name].size():
			# The first is the freeing of the warm-up round.
			sums.append(turns.times[name][turn] + _freeing[name][turn + 1])
		whole.append(sums)
	cells.append(turns.ratio(_LOOP, _OURS))
	cells.append(Turns.ratio_text(whole[0], whole[1]))
	Rows.add(cells)
	session.report.add_json("loading/" + title, line)

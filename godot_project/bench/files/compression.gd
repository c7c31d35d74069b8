extends RefCounted
## Section: compressed files, by `save_vars` and `load_vars` with one thread and with all, against
## loops of `store_var` and `get_var` with `open_compressed`. MB are those of the values' bytes.

const Data = preload("res://bench/files/data.gd")
const Place = preload("res://bench/place.gd")
const Probe = preload("res://bench/probe.gd")
const Rows = preload("res://bench/files/rows.gd")
const Session = preload("res://bench/session.gd")
const Turns = preload("res://bench/files/turns.gd")

const _DATA: Array[String] = [Data.SAVE_GAME, Data.VOXELS]
const _MODES: Dictionary[String, int] = {
	"none": -1,
	"Zstandard": FileAccess.COMPRESSION_ZSTD,
	"Deflate": FileAccess.COMPRESSION_DEFLATE,
	"GZip": FileAccess.COMPRESSION_GZIP,
}
const _ENGINE := "engine"
const _ONE := "1 thread"
const _ALL := "all threads"
const _WAYS: Array[String] = [_ENGINE, _ONE, _ALL]

var _place: Place
var _mode := -1
var _values: Array
var _kept: Array = []
## Of the values.
var _bytes := 0


func run(session: Session) -> void:
	_place = session.place
	Rows.start(
		(
			"Compression: MB/s of engine / VarBatch with 1 thread / with %d; nothing is flushed"
			% VarBatch.get_thread_count()
		),
		["values", "mode", "MB, engine", "MB, VarBatch", "save", "ratio", "load", "ratio"]
	)
	for name: String in _DATA:
		var title := Data.title(name, session.options.mib)
		if not session.wants("compression/" + title):
			continue
		_values = Data.make(name, session.options.mib)
		Place.store(place.path("plain"), _values)
		_bytes = FileAccess.get_size(place.path("plain"))
		for mode: String in _MODES:
			_mode = _MODES[mode]
			if not session.verify("compression/%s/%s" % [name, mode], _check()):
				return
			_time(session, title, mode)
	_place.remove_files()


## The engine must read what VarBatch wrote, and VarBatch what the engine wrote.
func _check() -> String:
	var by_engine := _place.path(_ENGINE)
	Place.store(by_engine, _values, _mode)
	var expected := FileAccess.get_file_as_bytes(_place.path("plain"))
	for way: String in [_ONE, _ALL]:
		_use_threads(way)
		var error := VarBatch.save_vars(_place.path(way), _values, false, _mode)
		if error != OK:
			return error_string(error)
		var stream := Place.open(_place.path(way), FileAccess.READ, _mode)
		if stream == null or stream.get_buffer(_bytes + 1) != expected:
			return "the engine reads other bytes from the file"
		if not Probe.value_difference(_values, VarBatch.load_vars(by_engine)).is_empty():
			return "load_vars reads other values from the engine's file"
		if not Probe.value_difference(_values, VarBatch.load_vars(_place.path(way))).is_empty():
			return "load_vars reads other values"
	return ""


func _time(session: Session, title: String, mode: String) -> void:
	var saves: Dictionary[String, Callable] = {}
	var loads: Dictionary[String, Callable] = {}
	for way: String in _WAYS:
		saves[way] = _save.bind(way)
		loads[way] = _load.bind(way)
	var saving := Turns.new(saves, session.options.rounds, func() -> void: pass)
	var loading := Turns.new(loads, session.options.rounds, func() -> void: pass)
	VarBatch.set_thread_count(0)
	var sizes: PackedInt64Array = [
		FileAccess.get_size(_place.path(_ENGINE)), FileAccess.get_size(_place.path(_ALL))
	]
	var cells: PackedStringArray = [title, mode]
	for size in sizes:
		cells.append("%.2f" % (size / 1e6))
	var line := {"engine_bytes": sizes[0], "varbatch_bytes": sizes[1], "bytes": _bytes}
	for turns: Turns in [saving, loading]:
		var speeds: PackedStringArray = []
		for way: String in _WAYS:
			speeds.append("%.0f" % (_bytes / 1e3 / turns.median(way)))
			var what := "save" if turns == saving else "load"
			line["%s_%s_ms" % [what, way.replace(" ", "_")]] = turns.median(way)
		cells.append(" / ".join(speeds))
		var one := Turns.spread(
			Turns.Timing.ratios(turns.times[_ENGINE], turns.times[_ONE]), "%.1f"
		)
		var all := Turns.spread(
			Turns.Timing.ratios(turns.times[_ENGINE], turns.times[_ALL]), "%.1f"
		)
		cells.append("%sx / %sx" % [one[1], all[1]])
	Rows.add(cells)
	session.report.add_json("compression/%s/%s" % [title, mode], line)


func _save(way: String) -> float:
	_use_threads(way)
	var started := Time.get_ticks_usec()
	if way == _ENGINE:
		Place.store(_place.path(way), _values, _mode)
	else:
		VarBatch.save_vars(_place.path(way), _values, false, _mode)
	return Turns.msec_since(started)


## All load the files of VarBatch and of the engine as written. The time does not include freeing.
func _load(way: String) -> float:
	_use_threads(way)
	var started := Time.get_ticks_usec()
	_load_once(way)
	var msec := Turns.msec_since(started)
	_kept = []
	return msec


# A method of its own: GDScript keeps the last result of a call until the method returns.
func _load_once(way: String) -> void:
	if way == _ENGINE:
		_kept = Place.fetch(_place.path(way), _mode)
	else:
		_kept = VarBatch.load_vars(_place.path(way))


static func _use_threads(way: String) -> void:
	VarBatch.set_thread_count(1 if way == _ONE else 0)

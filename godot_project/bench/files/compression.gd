extends RefCounted
## Section: compressed and encrypted files, by `save_vars` and `load_vars` with one thread and with all,
## against loops of `store_var` and `get_var` with `open_compressed` and `open_encrypted_with_pass`. MB
## are those of the values' bytes.

const Data = preload("res://bench/files/data.gd")
const Place = preload("res://bench/place.gd")
const Probe = preload("res://bench/probe.gd")
const Session = preload("res://bench/session.gd")
const Turns = preload("res://bench/files/turns.gd")

const _DATA: Array[String] = [Data.SAVE_GAME, Data.VOXELS, Data.PACKED]
const _MODES: Dictionary[String, int] = {
	"none": -1,
	"Zstandard": FileAccess.COMPRESSION_ZSTD,
	"Deflate": FileAccess.COMPRESSION_DEFLATE,
	"GZip": FileAccess.COMPRESSION_GZIP,
	"encrypted": Place.ENCRYPTED,
}
const _ENGINE := "engine"
const _ONE := "1 thread"
const _ALL := "all threads"

var _place: Place
var _mode := -1
var _values: Array
var _kept: Array = []


func run(session: Session) -> void:
	_place = session.place
	Turns.print_title(
		"Compression: ms of engine / VarBatch with 1 thread / with all; nothing is flushed",
		["values", "mode", "MB, engine", "MB, VarBatch", "save", "load"]
	)
	for name: String in _DATA:
		var title := Data.title(name, session.options.mib)
		if not session.wants("compression/" + title):
			continue
		_values = Data.make(name, session.options.mib)
		Place.store(_place.path("plain"), _values)
		# Large packed arrays are only encrypted: the engine compresses them for seconds.
		for mode: String in _MODES if name != Data.PACKED else {"encrypted": 0}:
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
		_save(way)
		var stream := Place.open(_place.path(way), FileAccess.READ, _mode)
		if stream == null or stream.get_buffer(expected.size() + 1) != expected:
			return "the engine reads other bytes from the file"
		for path: String in [by_engine, _place.path(way)]:
			if not Probe.value_difference(_values, VarBatch.load_vars(path, false, 0, -1, _key())).is_empty():
				return "load_vars reads other values from " + path
	return ""


func _time(session: Session, title: String, mode: String) -> void:
	var cells: PackedStringArray = [title, mode]
	var line := {"bytes": FileAccess.get_size(_place.path("plain"))}
	var turns: Dictionary[String, Turns] = {}
	for what: String in ["save", "load"]:
		var ways: Dictionary[String, Callable] = {}
		for way: String in [_ENGINE, _ONE, _ALL]:
			ways[way] = (_save if what == "save" else _load).bind(way)
		turns[what] = Turns.new(ways, session.options.rounds)
	VarBatch.set_thread_count(0)
	for field: String in ["engine_bytes", "varbatch_bytes"]:
		line[field] = FileAccess.get_size(_place.path(_ENGINE if field == "engine_bytes" else _ALL))
		cells.append("%.2f" % (line[field] / 1e6))
	for what: String in turns:
		var times: PackedStringArray = []
		for way: String in turns[what].times:
			times.append("%.1f" % turns[what].median(way))
			line["%s_%s_ms" % [what, way.replace(" ", "_")]] = turns[what].median(way)
		cells.append(" / ".join(times))
	Turns.print_row(cells)
	session.report.add_json("compression/%s/%s" % [title, mode], line)


func _save(way: String) -> float:
	VarBatch.set_thread_count(1 if way == _ONE else 0)
	var started := Time.get_ticks_usec()
	if way == _ENGINE:
		Place.store(_place.path(way), _values, _mode)
	else:
		VarBatch.save_vars(_place.path(way), _values, false, maxi(_mode, -1), _key())
	return Turns.msec_since(started)


## All load the files of VarBatch and of the engine as written. The time does not include freeing.
func _load(way: String) -> float:
	VarBatch.set_thread_count(1 if way == _ONE else 0)
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
		_kept = VarBatch.load_vars(_place.path(way), false, 0, -1, _key())


func _key() -> Variant:
	return Place.PASSWORD if _mode == Place.ENCRYPTED else null

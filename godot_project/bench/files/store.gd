extends RefCounted
## Section: a world of 10,000 chunks of 16 KiB in a `VarBatchStore`, against `save_vars` of all of them, a
## file for each chunk, and a row at a time. What is saved by VarBatch is on the disk; of files, nothing is
## flushed. Files are in the system's cache.

const Place = preload("res://bench/place.gd")
const Session = preload("res://bench/session.gd")
const Timing = preload("res://bench/timing.gd")
const Turns = preload("res://bench/files/turns.gd")

const _SIDE := 100
const _CHUNK := 16_384
const _CHANGED := 100
const _NEAR := 21
const _AUTOSAVES := 1_000

var _place: Place
var _path := ""
var _world := {}
var _noise := PackedByteArray()
var _store: Variant = null
var _random := RandomNumberGenerator.new()


func run(session: Session) -> void:
	if not session.wants("store/world") or not ClassDB.class_exists(&"VarBatchStore"):
		return
	_place = session.place
	_path = _place.path("world.store")
	_make_world()
	var title := "Store: %d chunks of 16 KiB, ms: median (min to max)" % _world.size()
	Turns.print_title(title, ["", "time", "of the store's"])
	_time(session, "first save", {"`save_vars`": _save_all, "store": _save_first}, true)
	_open()
	var changed: Dictionary[String, Callable] = {"`save_vars`": _save_all, "a file a chunk": _save_files}
	_time(session, "100 changed chunks", changed.merged({"store": _save_changed}), true)
	_save_each_file(_world)
	var near: Dictionary[String, Callable] = {"a file a chunk": _load_files, "a row at a time": _load_rows}
	_time(session, "441 chunks around a player", near.merged({"store": _load_near}), false)
	_time(session, "open, and one chunk", {"store": _load_one}, false)
	_open()
	_autosave(session)
	session.verify("store/world", _problem())
	_store = null
	_place.remove_files()


func _make_world() -> void:
	_random.seed = 34
	_noise = Crypto.new().generate_random_bytes(1 << 20)
	for index in _SIDE * _SIDE:
		_world[Vector2i(index % _SIDE, index / _SIDE)] = _chunk()


func _chunk() -> PackedByteArray:
	var from := _random.randi_range(0, _noise.size() - _CHUNK)
	return _noise.slice(from, from + _CHUNK)


func _open() -> void:
	_store = null
	_store = ClassDB.class_call_static(&"VarBatchStore", &"open", _path)


func _some_chunks() -> Dictionary:
	var some := {}
	while some.size() < _CHANGED:
		var at := Vector2i(_random.randi_range(0, _SIDE - 1), _random.randi_range(0, _SIDE - 1))
		_world[at] = _chunk()
		some[at] = _world[at]
	return some


func _near() -> Array:
	var from := Vector2i(_random.randi_range(0, _SIDE - _NEAR), _random.randi_range(0, _SIDE - _NEAR))
	var keys: Array = []
	for index in _NEAR * _NEAR:
		keys.append(from + Vector2i(index % _NEAR, index / _NEAR))
	return keys


func _save_all() -> float:
	return _timed(func() -> void: VarBatch.save_vars(_place.path("all.dat"), _world.values()))


func _save_first() -> float:
	_store = null
	DirAccess.remove_absolute(_path)
	return _timed(
		func() -> void:
			_open()
			_store.save_vars(_world)
	)


func _save_changed() -> float:
	var some := _some_chunks()
	return _timed(func() -> void: _store.save_vars_async(some).wait())


func _save_files() -> float:
	# The store does not get these.
	var world := _world.duplicate()
	var some := _some_chunks()
	_world = world
	return _timed(_save_each_file.bind(some))


func _save_each_file(chunks: Dictionary) -> void:
	for at: Vector2i in chunks:
		var file := FileAccess.open(_place.path("%d,%d" % [at.x, at.y]), FileAccess.WRITE)
		file.store_var(chunks[at])


func _load_files() -> float:
	var load_each := func(keys: Array) -> Array:
		return keys.map(
			func(at: Vector2i) -> Variant:
				return FileAccess.open(_place.path("%d,%d" % [at.x, at.y]), FileAccess.READ).get_var()
		)
	return _timed(load_each.bind(_near()))


func _load_rows() -> float:
	var load_each := func(keys: Array) -> Array:
		return keys.map(func(at: Vector2i) -> Variant: return _store.load_var(at))
	return _timed(load_each.bind(_near()))


func _load_near() -> float:
	var keys := _near()
	return _timed(func() -> Array: return _store.load_vars(keys))


func _load_one() -> float:
	_store = null
	return _timed(
		func() -> Variant:
			_open()
			return _store.load_var(Vector2i(50, 50))
	)


func _timed(action: Callable) -> float:
	var started := Time.get_ticks_usec()
	action.call()
	return Turns.msec_since(started)


## A thousand autosaves, one after the other, and what they write to the disk.
func _autosave(session: Session) -> void:
	var times: PackedFloat64Array = []
	var blocked: PackedFloat64Array = []
	var written := _written()
	for _save in _AUTOSAVES:
		var some := _some_chunks()
		var started := Time.get_ticks_usec()
		var task: RefCounted = _store.save_vars_async(some)
		blocked.append(Turns.msec_since(started))
		task.wait()
		times.append(Turns.msec_since(started))
	written = _written() - written
	var size := FileAccess.get_size(_path) / float(_world.size() * (_CHUNK + 8))
	Turns.print_title("Store: %d autosaves of 100 chunks, without a pause" % _AUTOSAVES, ["", ""])
	for name: String in ["to OK, ms", "caller blocked, ms"]:
		var found := times if "OK" in name else blocked
		var parts := [0.5, 0.99, 1.0].map(func(part: float) -> float: return Timing.quantile(found, part))
		Turns.print_row([name + ": median, p99, worst", "%.2f, %.2f, %.2f" % parts])
	Turns.print_row(["written by one, MiB", "%.2f" % (written / float(_AUTOSAVES) / Place.MIB)])
	Turns.print_row(["file, of its data", "%.3f" % size])
	session.report.add_json("store/autosaves", {"ms": times, "blocked_ms": blocked, "written": written, "size": size})


## What this process has written to disks so far, in bytes; 0 where the system does not tell.
func _written() -> int:
	var file := FileAccess.open("/proc/self/io", FileAccess.READ)
	var io := file.get_buffer(1 << 10).get_string_from_ascii() if file else ""
	return io.get_slice("write_bytes: ", 1).to_int() - io.get_slice("cancelled_write_bytes: ", 1).to_int()


func _problem() -> String:
	var keys := _world.keys()
	var found: Array = _store.load_vars(keys)
	for index in keys.size():
		if found[index] != _world[keys[index]]:
			return "another value for %s" % keys[index]
	return ""


## Each way against the last one, which is the store's.
func _time(session: Session, name: String, ways: Dictionary[String, Callable], settles: bool) -> void:
	var turns := Turns.new(ways, session.options.rounds, _place.settle if settles else Callable())
	for way: String in ways:
		var ratio := "" if way == "store" else turns.ratio(way, "store")
		Turns.print_row(["%s: %s" % [name, way], Turns.spread(turns.times[way], "%.2f"), ratio])
	session.report.add_json("store/" + name, turns.row())

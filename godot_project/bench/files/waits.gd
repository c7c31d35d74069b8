extends RefCounted
## Section: what a game waits for while a `VarBatchStore` works in the background: a `load_var` of a random
## key in each frame of 60 a second, of which only the call is timed. And calls with many keys, which need
## no more than a frame. A million keys are only measured if a filter names them, as that takes long.

const Place = preload("res://bench/place.gd")
const Resident = preload("res://bench/resident.gd")
const Session = preload("res://bench/session.gd")
const Timing = preload("res://bench/timing.gd")
const Turns = preload("res://bench/files/turns.gd")

const _CHUNK := 16_384
const _CHUNKS_A_MIB := Place.MIB / _CHUNK
## Different chunks, of which the world is made.
const _CHUNKS := 1_024
const _SIDE := 1_000
const _CHANGED := 100
## The save of much has this many times `--mib`.
const _MUCH := 4
## Seconds of autosaves for each of `--runs`.
const _SECONDS := 2
## After a save, some of its work goes on.
const _REST_MSEC := 1_000
const _QUEUED: PackedInt32Array = [1_000, 40_000]
const _COLUMN := 1_024
const _COLUMNS := 196
const _MILLION := 1_000_000
const _BIG := 100_000_000

var _tree: SceneTree = Engine.get_main_loop()
var _session: Session
var _place: Place
var _store: Variant = null
var _random := RandomNumberGenerator.new()
var _chunks: Array[PackedByteArray] = []
## For each key of the world its chunk, from the first key that is there.
var _world: PackedInt32Array = []
var _first := 0
var _task: RefCounted
## When a task has rested, and when the next autosave begins; in milliseconds.
var _end := 0
var _next := 0
var _calls: PackedFloat64Array = []
var _problem := ""


func run(session: Session) -> void:
	if not ClassDB.class_exists(&"VarBatchStore"):
		return
	_session = session
	_place = session.place
	_random.seed = 52
	if session.wants("store/waits"):
		Engine.max_fps = 60
		OS.low_processor_usage_mode = false
		await _wait_in_frames()
		Engine.max_fps = 0
	if session.options.slow_flush == 0:
		_queue()
		_find_range()
		_save_big()
		_save_million()
	_store = null
	_place.remove_files()


## A new store, or the one that is there.
func _open(name: String, is_new := true) -> void:
	_store = null
	if is_new:
		_place.remove_files()
	_store = ClassDB.class_call_static(&"VarBatchStore", &"open", _place.path(name))


func _timed(action: Callable) -> float:
	var started := Time.get_ticks_usec()
	action.call()
	return Turns.msec_since(started)


func _check(error: Variant) -> void:
	if error != OK:
		_problem = VarBatch.get_last_error_message()


#region In each frame


func _wait_in_frames() -> void:
	var mib := _session.options.mib
	var noise := Crypto.new().generate_random_bytes(_CHUNKS * _CHUNK)
	for index in _CHUNKS:
		_chunks.append(noise.slice(index * _CHUNK, (index + 1) * _CHUNK))
	_open("waits.store")
	if _timed(_store.save_var.bind("first", 1)) < _session.options.slow_flush:
		# A library that is preloaded in vain.
		_session.verify("store/waits", "flushes are not slower")
		return
	_check(_store.save_vars(_change(range(mib * _CHUNKS_A_MIB))))
	_place.settle()
	var slow := _session.options.slow_flush
	var title := "Store: a load_var in each frame of 60 a second, ms"
	if slow > 0:
		title += "; each flush takes %d ms longer" % slow
	Turns.print_title(title, ["meanwhile, in the background", "load: median, p99, worst", "loads", "worst call"])
	_end = Time.get_ticks_msec() + _session.options.runs * _SECONDS * 1_000
	await _time("autosave", "an autosave of 100 x 16 KiB each second", _autosave)
	_end = 0
	var much := range(_world.size(), _world.size() + _MUCH * mib * _CHUNKS_A_MIB)
	_begin(_save.bind(_change(much)))
	await _time("save", "a save of %d MiB" % (_MUCH * mib), _is_working)
	_first = _world.size() / 2
	_check(_store.erase_keys(range(_first).map(_key)))
	var erased := _first / _CHUNKS_A_MIB
	_begin(func() -> RefCounted: return _store.compact_async())
	await _time("compaction", "compact_async, %d MiB were erased" % erased, _is_working)
	_check(_store.close())
	_session.verify("store/waits", _problem)


## Puts another chunk at each of these keys. Returns what is to be saved.
func _change(indexes: Array) -> Dictionary:
	var values := {}
	for index: int in indexes:
		if index >= _world.size():
			_world.append(0)
		_world[index] = _random.randi_range(0, _CHUNKS - 1)
		values[_key(index)] = _chunks[_world[index]]
	return values


static func _key(index: int) -> Vector2i:
	return Vector2i(index % _SIDE, index / _SIDE)


func _save(values: Dictionary) -> RefCounted:
	return _store.save_vars_async(values)


func _begin(action: Callable) -> void:
	var started := Time.get_ticks_usec()
	_task = action.call()
	_calls.append(Turns.msec_since(started))
	_end = 0


## True until the time is over. Begins a save in each second, also if the last one has not ended.
func _autosave() -> bool:
	var now := Time.get_ticks_msec()
	if now >= _next:
		_next = now + 1_000
		var until := _end
		var changed: Array = []
		for _chunk in _CHANGED:
			changed.append(_random.randi_range(0, _world.size() - 1))
		_begin(_save.bind(_change(changed)))
		_end = until
	return now < _end


## True until the task has ended, and a moment longer.
func _is_working() -> bool:
	if _end == 0 and _task.is_finished():
		_end = Time.get_ticks_msec() + _REST_MSEC
		_check(_task.get_result())
	return _end == 0 or Time.get_ticks_msec() < _end


## Loads in each frame while there is work, in which that may be continued, and prints how long it took.
func _time(name: String, title: String, is_working: Callable) -> void:
	var times: PackedFloat64Array = []
	while is_working.call():
		var index := _random.randi_range(_first, _world.size() - 1)
		var started := Time.get_ticks_usec()
		var found: Variant = _store.load_var(_key(index))
		times.append(Turns.msec_since(started))
		if not found is PackedByteArray or found != _chunks[_world[index]]:
			_problem = "%s: another value for %s" % [title, _key(index)]
		await _tree.process_frame
	_check(_task.wait())
	var parts := [0.5, 0.99, 1.0].map(func(part: float) -> float: return Timing.quantile(times, part))
	var cells := ["%.3f, %.2f, %.2f" % parts, str(times.size()), "%.2f" % Timing.quantile(_calls, 1.0)]
	Turns.print_row([title] + cells)
	var slow := _session.options.slow_flush
	var case_name := "store/waits/" + name
	if slow > 0:
		case_name += ", slow flush"
		title += ", each flush %d ms slower" % slow
	var row := {"p99_ms": parts[1], "worst_ms": parts[2], "call_ms": _calls, "loads": times.size()}
	_session.report.add_json(case_name, {"title": title}.merged(row))
	_calls.clear()


#endregion
#region Many keys


## So many saves at once, of one value each.
func _queue() -> void:
	if not _session.wants("store/queue"):
		return
	Turns.print_title("Store: save_vars_async at once, of a key each, ms: median (min to max)", ["", "calls", "all are saved"])
	for count: int in _QUEUED:
		var calls: PackedFloat64Array = []
		var saved: PackedFloat64Array = []
		for turn in _session.options.rounds + 1:
			_open("queue.store")
			_place.settle()
			var tasks: Array = []
			tasks.resize(count)
			var started := Time.get_ticks_usec()
			for index in count:
				tasks[index] = _store.save_vars_async({index: turn})
			var called := Turns.msec_since(started)
			for task: RefCounted in tasks:
				_check(task.wait())
			if turn > 0:
				calls.append(called)
				saved.append(Turns.msec_since(started))
			if _store.get_key_count() != count or _store.load_var(count - 1) != turn:
				_problem = "not all were saved"
		Turns.print_row([str(count), Turns.spread(calls, "%.2f"), Turns.spread(saved, "%.2f")])
		_session.report.add_json("store/queue/%d" % count, {"calls_ms": calls, "saved_ms": saved})
	_session.verify("store/queue", _problem)


func _find_range() -> void:
	if not _session.wants("store/range"):
		return
	_open("range.store")
	_check(_store.save_vars(_columns(_COLUMNS)))
	var find := func() -> float:
		var x := _random.randi_range(0, _COLUMNS - 1)
		var started := Time.get_ticks_usec()
		var keys: Array = _store.get_keys(Vector2i(x, 0), Vector2i(x + 1, 0))
		var msec := Turns.msec_since(started)
		if keys.size() != _COLUMN or keys[-1] != Vector2i(x, _COLUMN - 1):
			_problem = "not the keys of a column"
		return msec
	var count := func() -> float:
		var x := _random.randi_range(0, _COLUMNS - 1)
		var started := Time.get_ticks_usec()
		_check(OK if _store.get_key_count(Vector2i(x, 0), Vector2i(x + 1, 0)) == _COLUMN else FAILED)
		return Turns.msec_since(started)
	_print_turns("range", "%d of %d keys" % [_COLUMN, _COLUMN * _COLUMNS], {"get_keys": find, "get_key_count": count})


func _columns(count: int) -> Dictionary:
	var values := {}
	for index in count * _COLUMN:
		values[Vector2i(index / _COLUMN, index % _COLUMN)] = index
	return values


func _print_turns(name: String, title: String, ways: Dictionary[String, Callable]) -> void:
	var turns := Turns.new(ways, _session.options.rounds)
	Turns.print_title("Store: %s, ms: median (min to max)" % title, ["", ""])
	for way: String in ways:
		Turns.print_row(["`%s`" % way, Turns.spread(turns.times[way], "%.2f")])
	_session.report.add_json("store/" + name, turns.row())
	_session.verify("store/" + name, _problem)


## The memory that a save of one value takes above that value.
func _save_big() -> void:
	if not _session.wants("store/memory") or not Resident.can_measure():
		return
	var value := Crypto.new().generate_random_bytes(_CHUNK)
	while value.size() < _BIG:
		value.append_array(value)
	value.resize(_BIG)
	_open("big.store")
	_check(_store.save_var("small", 1))
	var _holes := Resident.fill_holes(Place.MIB)
	var taken: Array[float] = []
	for save: Callable in [
		func() -> void: _check(_store.save_var("big", value)),
		func() -> void: _check(_store.save_vars_async({"big": value}).wait()),
		func() -> void: _check(OK if _store.load_var("big").size() == _BIG else FAILED)
	]:
		Resident.forget_peak()
		var before := Resident.now()
		save.call()
		taken.append((Resident.peak() - before) / 1e6)
	Turns.print_title("Store: memory for a value of %d MB, MB above it" % (_BIG / 1_000_000), ["", ""])
	for index in taken.size():
		var way: String = ["`save_var`", "`save_vars_async`", "`load_var`, with the value"][index]
		Turns.print_row([way, "%.0f" % taken[index]])
	var row := {"save_mb": taken[0], "save_async_mb": taken[1], "load_mb": taken[2]}
	_session.report.add_json("store/memory", row)
	_session.verify("store/memory", _problem)


func _save_million() -> void:
	if not "store/million" in _session.options.filters:
		return
	var name := "million.store"
	var values := _columns(_MILLION / _COLUMN)
	var half := values.keys().slice(0, values.size() / 2)
	_open(name)
	_place.settle()
	var times := {"first save": _timed(func() -> void: _check(_store.save_vars(values)))}
	times["close"] = _timed(func() -> void: _check(_store.close()))
	times["open"] = _timed(_open.bind(name, false))
	var miss := func(at: Vector2i) -> void:
		if _store.load_var(at, "none") is not String:
			_problem = "found a key that was never saved"
	times["first miss"] = _timed(miss.bind(Vector2i(-1, 0)))
	times["second miss"] = _timed(miss.bind(Vector2i(_COLUMN, -1)))
	times["count"] = _timed(func() -> void: _check(OK if _store.get_key_count() == values.size() else FAILED))
	_place.settle()
	times["erase half"] = _timed(func() -> void: _check(_store.erase_keys(half)))
	if _store.get_key_count() != values.size() - half.size():
		_problem = "not half of the keys were erased"
	Turns.print_title("Store: %d keys, ms" % values.size(), ["", ""])
	var row := {}
	for what: String in times:
		Turns.print_row([what, "%.1f" % times[what]])
		row[what + "_ms"] = times[what]
	_session.report.add_json("store/million", row)
	_session.verify("store/million", _problem)

#endregion

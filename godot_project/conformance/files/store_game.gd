extends "crash_game.gd"
## The same with a store, for scripts/crash-test.sh --store: `-- --run files/store_game`. Each
## generation saves some keys and erases others, and with them what the store holds then: so a
## commit of which a part is missing is found out, as is any older one.

const PowerGame := preload("power_game.gd")

const KEYS := 197
const GENERATION := "generation"
const HELD := "held"

var _store: VarBatchStore
## The number of each key's value.
var _held: Dictionary = {}


func _look() -> int:
	_named.append_array([SAVE + "-wal", SAVE + "-journal", "lost+found"])
	var generation := super()
	if _arguments[0] != "kill" or randi() % 10 > 0 or _store == null:
		return generation
	# Its first save is not as the others.
	_store.close()
	DirAccess.remove_absolute(_path)
	_append("notes", "found 0")
	_held = {}
	_open(_path)
	return 0


## Notes how long it takes, and whether a journal was there.
func _open(from: String) -> void:
	_store = null
	var is_left := FileAccess.file_exists(from + "-wal")
	var start := Time.get_ticks_usec()
	_store = VarBatchStore.open(from, -1 if _key == null else FileAccess.COMPRESSION_ZSTD)
	_append("opens", "%d %d" % [Time.get_ticks_usec() - start, int(is_left)])


func _save(generation: int, form := "") -> Variant:
	if _store == null:
		_open(_path)
	match randi() % 30:
		0:
			_store.compact_async()
		1:
			_store.close()
			_open(_path)
	_append("notes", "began %d" % generation)
	var values := {GENERATION: generation, HELD: _held}
	var erased: Array = []
	for _i: int in randi() % 30 if _held else 3 * KEYS:
		var index := randi() % KEYS
		var key: Variant = index if index % 3 else "key %d" % index
		if randi() % 4:
			_held[key] = generation * KEYS + index
			values[key] = PowerGame.record(_held[key])
		elif not key in values:
			_held.erase(key)
			erased.append(key)
	return _store.call("save_vars" + form, values, erased)


func _note(generation: int, error: int, may_be_cancelled := false) -> void:
	super(generation, error, may_be_cancelled)
	if error != OK:
		_held = _store.load_var(HELD, {})


func _load(_from: String) -> Array:
	return [_store.load_var(GENERATION, 0)]


func _generation_in(from: String) -> int:
	if _store == null or _store.get_path() != from:
		_open(from)
	if _store == null:
		return -1
	var keys := _store.get_keys()
	_held = _store.load_var(HELD, {})
	if keys.is_empty():
		return 0
	var values := _store.load_vars(_held.keys())
	var is_whole := keys.size() == _held.size() + 2 and values.size() == _held.size()
	for i: int in values.size():
		is_whole = is_whole and values[i] is Array and values[i] == PowerGame.record(_held.values()[i])
	return _store.load_var(GENERATION, -1) if is_whole else -1


func _begin(_number: int, _mode := -1) -> VarBatchTask:
	return _save(QUIT_GENERATION, "_async")

extends "crash_game.gd"
## The same with a store, for scripts/crash-test.sh --store: `-- --run files/store_game`. Each
## generation saves some keys and erases others, and with them what the store holds then: so a
## commit of which a part is missing is found out, as is any older one.

const PowerGame := preload("power_game.gd")

const KEYS := 197
const GENERATION := "generation"
const HELD := "held"
## What may lie beside the file of one that was killed: of the store, while it is made, and of a backup.
const BESIDE: PackedStringArray = [
	"-wal", "-shm", "-lock", "-varbatch-new", ".bak-varbatch-new", ".bak-varbatch-copy", ".bak-varbatch-copy-wal",
	".bak-varbatch-copy-shm"
]

var _store: VarBatchStore
## The number of each key's value.
var _held: Dictionary = {}
var _copying: VarBatchTask
## The first error of a look.
var _error := OK


func _look() -> int:
	for end: String in BESIDE:
		_named.append(SAVE + end)
	_named.append("lost+found")
	if FileAccess.file_exists(_path) and randi() % 10 == 0:
		var other := _path + ".other"
		_expect_ok("rename", VarBatchStore.rename(_path, other))
		_expect_ok("rename", VarBatchStore.rename(other, _path))
	var generation := super()
	if _arguments[0] != "kill" or randi() % 10 > 0 or _store == null:
		return generation
	_store.close()
	_expect_ok("remove", VarBatchStore.remove(_path))
	_append("notes", "found 0")
	_held = {}
	_open(_path)
	return 0


func _expect_ok(what: String, error: int) -> void:
	if error != OK:
		_append("results", "bad: %s: %s" % [what, VarBatch.get_last_error_message()])


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
		2:
			if _arguments[0] == "kill" and (_copying == null or _copying.is_finished()):
				_note_copied()
				_copying = _store.backup_async(_backup)
	_append("notes", "began %d" % generation)
	var changes := _change(generation)
	return _store.call("save_vars" + form, changes[0], changes[1])


func _note_copied() -> void:
	if _copying and _copying.wait() != OK:
		_append("results", "bad: backup: %s" % _copying.get_error_message())


func _change(generation: int) -> Array:
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
	return [values, erased]


func _note(generation: int, error: int, may_be_cancelled := false) -> void:
	super(generation, error, may_be_cancelled)
	if error != OK:
		_held = _store.load_var(HELD, {})


func _load(_from: String) -> Array:
	return [_store.load_var(GENERATION, 0)]


func _generation_in(from: String) -> int:
	_error = OK
	if _store == null or _store.get_path() != from:
		_open(from)
		_note_error()
	if _store == null:
		return -1
	var generation := _generation_of_store()
	if from == _backup:
		_store.close()
		_store = null
	return generation if _error == OK else -1


func _generation_of_store() -> int:
	var keys := _store.get_keys()
	_note_error()
	_held = _store.load_var(HELD, {})
	_note_error()
	if keys.is_empty():
		return 0
	var values := _store.load_vars(_held.keys())
	_note_error()
	var is_whole := keys.size() == _held.size() + 2 and values.size() == _held.size()
	for i: int in values.size():
		is_whole = is_whole and values[i] is Array and values[i] == PowerGame.record(_held.values()[i])
	return _store.load_var(GENERATION, -1) if is_whole else -1


func _note_error() -> void:
	if _error == OK:
		_error = VarBatch.get_last_error()


func _begin(_number: int, _mode := -1) -> VarBatchTask:
	return _save(QUIT_GENERATION, "_async")

extends "files_base.gd"
## Objects that only a save holds, which it frees when it has read them, and whose scripts then call the same file. The
## save must not hold its place among the calls for that file meanwhile: whoever waits for it would wait for ever.

const OUTER: PackedStringArray = [
	"save_vars", "save_vars_async", "append_vars", "append_vars_async", "store", "store_async"
]
const INNER: PackedStringArray = [
	"save_vars", "append_vars", "append_vars_async", "begin_append", "load_vars", "transcode_file", "store", "store_load"
]

var _first: Meddler
var _freed := 0
var _store: VarBatchStore
var _begun: VarBatchTask


func finish() -> void:
	_store = null
	_begun = null
	super()


func test_calls_of_freed_objects() -> void:
	_make_files()
	for count: int in by_threads():
		for outer: String in OUTER:
			for inner: String in INNER:
				_check_freed(outer, inner, [], OK)


func test_saves_that_fail() -> void:
	_make_files()
	var in_itself: Array = []
	in_itself.append(in_itself)
	for outer: String in OUTER:
		for inner: String in INNER:
			_check_freed(outer, inner, [in_itself], ERR_INVALID_DATA)
	in_itself.clear()


func test_cancelled_tasks() -> void:
	_make_files()
	for count: int in by_threads():
		for outer: String in ["save_vars_async", "append_vars_async", "store_async"]:
			for inner: String in INNER:
				_begin(inner)
				var task: VarBatchTask = _call(outer, _values())
				task.cancel()
				task.wait()
				_check_ended(outer, inner)


## What the engine prints while a call opens its source.
func test_calls_of_a_logger() -> void:
	check_int(VarBatch.save_var(path, 1), OK, "a file")
	var append := func() -> void: VarBatch.append_vars(path, [2])
	var translate := func() -> int:
		return VarBatch.transcode_file("uid://nothing", path, VarBatch.DIALECT_GODOT_3, VarBatch.DIALECT_GODOT_4)
	logged(func() -> void: check(with_logger(append, translate) != OK, "no such file"))
	check(not errors.is_open() or VarBatch.load_vars(path).size() > 1, "nothing was appended")


func _make_files() -> void:
	write(folder + "/godot3", frame(VarBatch.var_to_bytes_in("translated", VarBatch.DIALECT_GODOT_3)))
	_store = VarBatchStore.open(folder + "/store")


func _call(call_name: String, values: Array) -> Variant:
	match call_name:
		"load_vars":
			VarBatch.load_vars(path, true)
		"transcode_file":
			VarBatch.transcode_file(folder + "/godot3", path, VarBatch.DIALECT_GODOT_3, VarBatch.DIALECT_GODOT_4)
		"begin_append":
			_begun = VarBatch.append_vars_async(path, values)
		"store":
			return _store.save_vars({"values": values}, [], true)
		"store_async":
			return _store.save_vars_async({"values": values}, [], true)
		"store_load":
			_store.load_vars(["values"], true)
		_:
			return call_method(call_name, [path, values, true])
	return OK


func _check_freed(outer: String, inner: String, more: Array, expected: int) -> void:
	_begin(inner)
	var error: int = quietly(func() -> int: return waited(_call(outer, _values() + more)))
	var what := "%s, in which a freed object calls %s" % [outer, inner]
	check_int(error, expected, what)
	if expected == OK and inner == "append_vars" and not outer.begins_with("store"):
		# What a task does comes after, as the object is freed before it has its place in line.
		var size: int = {"save_vars": 3, "save_vars_async": 2, "append_vars": 4, "append_vars_async": 4}[outer]
		check_int(VarBatch.load_vars(path, true).size(), size, "values of " + what)
	_check_ended(outer, inner)


func _check_ended(outer: String, inner: String) -> void:
	check_int(_freed, 1, "objects freed in %s that call %s" % [outer, inner])
	Meddler.reset()
	_first = null
	if _begun:
		check_int(_begun.wait() as int, OK, "the append that %s began" % outer)
	check_int(VarBatch.save_var(path, 1), OK, "the next save")


func _begin(inner: String) -> void:
	check_int(VarBatch.save_var(path, 1), OK, "a file")
	_freed = 0
	_begun = null
	Meddler.on_free = func() -> void:
		Meddler.on_free = Callable()
		_freed += 1
		check_int(waited(_call(inner, ["inner"])) as int, OK, "%s of a freed object" % inner)


## Two objects. The first has one more until that is read: after this only the save holds it.
func _values() -> Array:
	_first = Meddler.new()
	_first.watched = Meddler.new()
	var second := Meddler.new()
	var first := _first
	Meddler.on_get = func() -> void:
		if Meddler.calls > 1:
			first.watched = null
	Meddler.on_set = Callable()
	Meddler.calls = 0
	return [first, second]

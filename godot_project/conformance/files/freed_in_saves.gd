extends "files_base.gd"
## Objects that only a save holds, which it frees when it has read them, and whose scripts then call
## the same file. The save must not hold its place among the calls for that file meanwhile: whoever
## waits for it would wait for ever.

const Meddler := preload("../hostile/meddler.gd")
const OUTER: PackedStringArray = ["save_vars", "save_vars_async", "append_vars", "append_vars_async"]
const INNER: PackedStringArray = ["save_vars", "append_vars", "append_vars_async", "load_vars", "transcode_file"]

var _first: Meddler
var _freed := 0


func finish() -> void:
	Meddler.reset()
	super()


func test_calls_of_freed_objects() -> void:
	write(folder + "/godot3", frame(VarBatch.var_to_bytes_in("translated", VarBatch.DIALECT_GODOT_3)))
	for count: int in by_threads():
		for outer: String in OUTER:
			for inner: String in INNER:
				_check_freed(outer, inner, [], OK)


## It holds them until it has failed.
func test_saves_that_fail() -> void:
	write(folder + "/godot3", frame(VarBatch.var_to_bytes_in("translated", VarBatch.DIALECT_GODOT_3)))
	var in_itself: Array = []
	in_itself.append(in_itself)
	for outer: String in OUTER:
		for inner: String in INNER:
			_check_freed(outer, inner, [in_itself], ERR_INVALID_DATA)
	in_itself.clear()


func test_cancelled_tasks() -> void:
	write(folder + "/godot3", frame(VarBatch.var_to_bytes_in("translated", VarBatch.DIALECT_GODOT_3)))
	for count: int in by_threads():
		for outer: String in ["save_vars_async", "append_vars_async"]:
			for inner: String in INNER:
				_begin(inner)
				var task: VarBatchTask = call_method(outer, [path, _values(), true])
				task.cancel()
				task.wait()
				_check_ended(outer, inner)


func _check_freed(outer: String, inner: String, more: Array, expected: int) -> void:
	_begin(inner)
	var call := func() -> int: return call_and_wait(outer, [path, _values() + more, true])
	var error: int = quietly(call)
	var what := "%s, in which a freed object calls %s" % [outer, inner]
	check_int(error, expected, what)
	if expected == OK and inner == "append_vars":
		# What a task does comes after, as the object is freed before it has its place in line.
		var size: int = {"save_vars": 3, "save_vars_async": 2, "append_vars": 4, "append_vars_async": 4}[outer]
		check_int(VarBatch.load_vars(path, true).size(), size, "values of " + what)
	_check_ended(outer, inner)


func _check_ended(outer: String, inner: String) -> void:
	check_int(_freed, 1, "objects freed in %s that call %s" % [outer, inner])
	Meddler.reset()
	_first = null
	check_int(VarBatch.save_var(path, 1), OK, "the next save")


func _begin(inner: String) -> void:
	check_int(VarBatch.save_var(path, 1), OK, "a file")
	_freed = 0
	Meddler.on_free = func() -> void:
		Meddler.on_free = Callable()
		_freed += 1
		match inner:
			"load_vars":
				VarBatch.load_vars(path, true)
			"transcode_file":
				VarBatch.transcode_file(folder + "/godot3", path, VarBatch.DIALECT_GODOT_3, VarBatch.DIALECT_GODOT_4)
			_:
				var error: int = call_and_wait(inner, [path, ["inner"]])
				check_int(error, OK, "%s of a freed object" % inner)


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

extends "meddling_base.gd"
## Scripts that run during calls other than those in meddling.gd: what a call gives is what it would have
## given.

const Loader := preload("../tasks/warming_loader.gd")
const MEDDLER_PATH := "res://conformance/hostile/meddler.gd"
## As long: one that is loaded by a script, and a resource that is no script.
const WARMING_PATH := "res://conformance/hostile/me.warming"
const PLAIN_PATH := "res://conformance/hostile/plain.tres"
const SMALL := 50_000


## A setter of what a task makes asks that very task.
func test_setters_that_use_their_own_task() -> void:
	use([1, Meddler.new(), "two"], true)
	for count: int in Threads.new(THREAD_COUNTS):
		for kind: String in FROM:
			var expected: Variant = plain(kind)
			for end: String in ["await", "wait"]:
				var tasks: Array[VarBatchTask] = []
				var inner: Array = []
				Meddler.on_set = func() -> void:
					inner.append_array([tasks[0].wait(), tasks[0].get_result()])
					inner.append(tasks[0].is_finished())
				tasks.append(start(kind))
				var result: Variant = await result_of(tasks[0], end)
				Meddler.reset()
				check_result(result, expected, kind, "its own task, %d threads" % count)
				check_value(inner.slice(0, 3), [null, null, false], "its own task, within")


func test_diff() -> void:
	var before := var_to_bytes_with_objects([1, Meddler.new(), some_bytes(SMALL)])
	var other := Meddler.new()
	other.number = 5
	var after := var_to_bytes_with_objects([[other, 2], Meddler.new(), some_bytes(SMALL / 2), other])
	var make := func() -> Array:
		return [[before.duplicate(), after.duplicate()], 5, [after.duplicate(), before.duplicate()]]
	var diff := func(pairs: Array) -> Array:
		return expect_errors(call_method.bind(&"diff_batch", [pairs, true]), 1, "pair 1: expected an Array")
	var spoil_pairs := func(pairs: Array) -> void:
		for pair: Variant in pairs:
			spoil(pair as Array if pair is Array else [])
	_check_meddled(make, spoil_pairs, diff)
	var make_two := func() -> Array: return [before.duplicate(), after.duplicate()]
	var diff_two := func(two: Array) -> Array:
		return VarBatch.diff(two[0] as PackedByteArray, two[1] as PackedByteArray, true)
	_check_meddled(make_two, spoil, diff_two)


func test_patch() -> void:
	var before := var_to_bytes_with_objects({"list": [1, 2, some_bytes(SMALL)], "object": Meddler.new()})
	var make := func() -> Array:
		return [
			{"path": ["list", 0], "op": "set", "old": 1, "new": Meddler.new()},
			{"path": ["list", 3], "op": "insert", "new": [Meddler.new(), some_bytes(SMALL)]},
			{"path": ["list", 1], "op": "set", "old": 2, "new": {"k": Meddler.new()}},
			{"path": ["object"], "op": "set", "old": Meddler.new(), "new": "none"},
			{"path": ["list", 2], "op": "remove", "old": some_bytes(SMALL)},
			{"path": ["new"], "op": "insert", "index": 0, "new": Meddler.new()},
		]
	var bytes: Array[PackedByteArray] = [PackedByteArray()]
	var patch := func(changes: Array) -> PackedByteArray:
		bytes[0] = before.duplicate()
		return VarBatch.patch(bytes[0], changes, true)
	check(not (patch.call(make.call()) as PackedByteArray).is_empty(), "nothing was patched")
	var spoil_changes := func(changes: Array) -> void:
		bytes[0].fill(0xff)
		for change: Variant in changes:
			if change is Dictionary:
				(change.get("path", []) as Array).clear()
				change.op = "remove"
				change.erase("new")
				change.erase("index")
	_check_meddled(make, spoil_changes, patch)


## Whether there is a script is asked of the engine, which may run another to find it.
func test_validate() -> void:
	var loader := Loader.new()
	ResourceLoader.add_resource_format_loader(loader)
	var object := _with_script(WARMING_PATH)
	var make := func() -> Array:
		var buffers: Array = range(6).map(func(_i: int) -> PackedByteArray: return object.duplicate())
		return buffers + [object.slice(0, -5), var_to_bytes(some_bytes(SMALL)), 5]
	var validate := func(buffers: Array) -> Array: return Array(VarBatch.validate(buffers, true))
	Loader.action = func() -> void: Meddler.run(Meddler.on_init)
	_check_meddled(make, spoil, validate)
	Loader.action = Callable()
	ResourceLoader.remove_resource_format_loader(loader)


## Checks what [param call_it] gives of what [param make] makes, while scripts change that.
func _check_meddled(make: Callable, spoils: Callable, call_it: Callable) -> void:
	var expected: Variant = call_it.call(make.call())
	var calls := 0
	for action: Callable in actions() + [spoils]:
		for hook: int in 3:
			var these: Array = make.call()
			var meddle := action.bind(these)
			Meddler.on_init = meddle if hook == 0 else Callable()
			Meddler.on_get = meddle if hook == 1 else Callable()
			Meddler.on_set = meddle if hook == 2 else Callable()
			var found: Variant = call_it.call(these)
			calls += Meddler.calls
			Meddler.reset()
			check_value(found, expected, "with a script of kind %d" % hook)
	check(calls > 0, "no script ran")


## The engine loads any resource where it is asked for a script. One that is none is refused.
func test_resources_that_are_no_scripts() -> void:
	var bytes := _with_script(PLAIN_PATH)
	check_value(quietly(bytes_to_var_with_objects.bind(bytes)), null, "what the engine makes of it")
	var verdicts := VarBatch.validate([bytes], true)
	check(PLAIN_PATH in verdicts[0], "the verdict is '%s'" % verdicts[0])
	var typed := var_to_bytes_with_objects(Array([], TYPE_OBJECT, &"RefCounted", Meddler))
	for refused: PackedByteArray in [bytes, _renamed(typed, PLAIN_PATH)]:
		check_call(&"bytes_to_var", [refused, true], null, ["...%s..." % PLAIN_PATH])


## A Logger hears of what calls print, and changes their arguments and the threads.
func test_loggers() -> void:
	if not errors.is_open():
		check(true, "this engine has no Logger")
		return
	var bad := var_to_bytes("text").slice(0, 9)
	var big := some_bytes(BIG)
	var good := var_to_bytes(big)
	var deep: Array = Engines.nested(1026)
	var change := {"path": [5], "op": "set", "old": 1, "new": 2}
	var delta := VarBatch.make_delta(good, bad)
	# What stands before the array, the array, and what stands behind it.
	var calls: Dictionary[String, Array] = {
		"vars_to_bytes": [[], [1, deep, big, deep, "end"], []],
		"vars_to_bytes_async": [[], [1, deep, big, deep, "end"], []],
		"bytes_to_vars": [[], [good, bad, good, 5, bad, good], []],
		"bytes_to_vars_async": [[], [good, bad, good, 5, bad, good], []],
		"save_vars": [[path], [big, deep, big], []],
		"diff_batch": [[], [[good, bad], [bad, good], 5, [good, good]], []],
		"make_deltas": [[], [[good], [bad, good], 5, [good, bad]], []],
		"apply_deltas": [[], [[good, good], [good, delta], 5, [good, bad]], []],
		"patch": [[good], [change, change, 5], []],
		"var_to_bytes_in": [[], [big, rid_from_int64(5)], [GODOT_3]],
	}
	for method: String in calls:
		var list: Array = calls[method][1]
		var results: Array = []
		var run := func(of: Array) -> void:
			results.append(call_and_wait(method, calls[method][0] + [of] + calls[method][2]))
		var expected := logged(run.bind(list.duplicate()))
		check(not expected.is_empty(), "%s logs nothing" % method)
		for action: Callable in actions():
			var given := list.duplicate()
			var lines: PackedStringArray = with_logger(action.bind(given), logged.bind(run.bind(given)))
			check(lines == expected, "%s logs %s" % [method, lines])
			check_value(results[-1], results[0], "%s with a Logger" % method)


func _with_script(script_path: String) -> PackedByteArray:
	return _renamed(var_to_bytes_with_objects([Meddler.new(), some_bytes(SMALL)]), script_path)


func _renamed(bytes: PackedByteArray, script_path: String) -> PackedByteArray:
	check_int(script_path.length(), MEDDLER_PATH.length(), "length of a path")
	return Values.replaced(bytes, MEDDLER_PATH.to_ascii_buffer(), script_path.to_ascii_buffer())

extends "../tasks/tasks_base.gd"
## Scripts that run during a call or a task and change what it works on. Nothing crashes, the results are whole, and
## what they would have been.

const Loader := preload("../tasks/warming_loader.gd")
const Sly := preload("../support/static_names.gd")

const BIG := 300_000  # bytes, so that they are borrowed, not copied early
const MEDDLER_PATH := "res://conformance/hostile/meddler.gd"
## As long: one that is loaded by a script, and a resource that is no script.
const WARMING_PATH := "res://conformance/hostile/me.warming"
const PLAIN_PATH := "res://conformance/hostile/plain.tres"
const SMALL := 50_000


## In calls and tasks of each kind, a getter changes the values, or a setter and _init() the bytes: what is
## made is what would have been.
func test_scripts_that_change_what_is_worked_on() -> void:
	for count: int in Threads.new([1, 2]):
		for action: Callable in actions() + [spoil]:
			for place: int in [0, 2, 4]:
				var these := some_values()
				these.insert(place, [1, {"k": Meddler.new()}] if place == 2 else Meddler.new())
				use(these.duplicate(), true)
				check_same(_buffers, these.map(var_to_bytes_with_objects), "the batch")
				var buffers := _buffers
				var frames := _frames
				# Values share what they hold with those that are expected.
				for kind: String in FROM if action == spoil else KINDS:
					values = these.duplicate()
					_buffers = buffers
					var expected: Variant = plain(kind)
					for end: String in ["plain", "wait", "await"]:
						values = these.duplicate()
						_buffers = Array(buffers.duplicate(true), TYPE_NIL, &"", null)
						_frames = frames.duplicate()
						var meddle := func() -> void:
							action.call(_buffers if kind in FROM else values)
							_frames.fill(0xff)
						Meddler.on_get = Callable() if kind in FROM else meddle
						Meddler.on_set = meddle if kind in FROM else Callable()
						Meddler.on_init = Meddler.on_set
						var result: Variant = plain(kind) if end == "plain" else await result_of(start(kind), end)
						Meddler.reset()
						_frames = frames
						check_result(result, expected, kind, "a script, %s, %d threads" % [end, count])
	# The head of a compressed file is written before its values.
	for action: Callable in actions():
		values = some_values() + [Meddler.new()]
		var frames := VarBatch.vars_to_frames(values, true)
		Meddler.on_get = action.bind(values)
		check_int(VarBatch.save_vars(path, values, true, FileAccess.COMPRESSION_ZSTD), OK, "save_vars, compressed")
		Meddler.reset()
		check_bytes(VarBatch.vars_to_frames(VarBatch.load_vars(path, true), true), frames, "a compressed file")


func test_getters_that_change_containers() -> void:
	for place: int in [0, 2, 5]:
		var third: Array = [1, 2]
		var big := some_bytes(BIG)
		var inner: Array = [big, "text", third, some_bytes(100), {"k": "v"}, some_bytes(BIG)]
		var table := {"a": inner, "b": big.duplicate(), 5: [inner]}
		for action: Callable in [
			inner.clear,
			func() -> void: table.clear(),
			inner.resize.bind(2),
			inner.append_array.bind(range(1000)),
			func() -> void: inner[0] = "other",
			func() -> void: inner.push_front(inner.duplicate()),
			func() -> void: table["new"] = table.duplicate(),
			func() -> void: table.erase("b"),
			third.clear,
		]:
			var these: Array = [big, [table, inner], "end", table]
			inner.insert(mini(place, inner.size()), Meddler.new())
			for form: String in ["vars_to_bytes", "var_to_bytes", "vars_to_frames"]:
				for value: Variant in [these, table] if form == "var_to_bytes" else [these]:
					# Calls that go on changing what they walk may never end, with the engine as well.
					var once: Array[Callable] = [action]
					Meddler.on_get = func() -> void:
						if once:
							once.pop_back().call()
					var found: Variant = call_method(form, [value, true])
					Meddler.reset()
					if form == "vars_to_frames":
						check(VarBatch.frames_to_vars(found, true).size() <= 4, "too many frames")
						continue
					var buffers: Array = found if found is Array else [found]
					check_int(buffers.size(), 4 if form == "vars_to_bytes" else 1, "buffers")
					for buffer: PackedByteArray in buffers:
						var size: int = quietly(buffer.decode_var_size.bind(0, true))
						check(buffer.is_empty() or size == buffer.size(), "a buffer that is no value")


func test_getters_that_free() -> void:
	var first := Node.new()
	var second := Object.new()
	var these: Array = [first, Meddler.new(), first, [second], {"k": second}, "end"]
	var waiting: Array = [first, second]
	Meddler.on_get = func() -> void:
		while not waiting.is_empty():
			(waiting.pop_back() as Object).free()
	var found := VarBatch.vars_to_bytes(these, true)
	check_int(found.size(), these.size(), "buffers of freed objects")
	check_bytes(found[2], var_to_bytes(null), "an object that was freed in between")
	check_bytes(found[4], var_to_bytes({"k": null}), "an object that was freed in between")
	check_bytes(found[5], var_to_bytes("end"), "the value behind")


func test_nothing_runs() -> void:
	var bytes := var_to_bytes_with_objects([Meddler.new(), {"k": Meddler.new()}])
	Meddler.reset()
	for allow: bool in [false, true]:
		VarBatch.validate([bytes, bytes], allow)
	VarBatch.describe(bytes)
	check_call(&"bytes_to_var", [bytes], null, ["expected no object..."])
	check_int(Meddler.calls, 0, "calls of a script")


## The script of a typed container is asked for its path while the container is walked: by the
## engine's own method, not by a function of the script that has the same name.
func test_scripts_with_methods_of_scripts() -> void:
	var array := Array([Sly.new(), null], TYPE_OBJECT, &"RefCounted", Sly)
	var table := {"list": array, "big": some_bytes(BIG)}
	for value: Variant in [array, [array, 5], table]:
		Sly.calls = 0
		Sly.action = func() -> void:
			array.clear()
			table.clear()
		var found := VarBatch.var_to_bytes(value, true)
		Sly.action = Callable()
		check_int(Sly.calls, 0, "calls of a script's own functions")
		check_bytes(found, var_to_bytes_with_objects(value), "typed by a script")
		check_both_ways(value, "typed by a script", true)
		check_int(Sly.calls, 0, "calls of a script's own functions")


## What a script may do to an array that a call works on, or beside it.
func actions() -> Array[Callable]:
	return [
		func(these: Array) -> void: these.clear(),
		func(these: Array) -> void: these.resize(1),
		func(these: Array) -> void: these.resize(1000),
		func(these: Array) -> void: these.append_array(range(5000)),
		func(these: Array) -> void: these.fill(null),
		func(_these: Array) -> void: VarBatch.set_thread_count(VarBatch.get_thread_count() % 3 + 1),
		func(these: Array) -> void:
			these.reverse()
			VarBatch.bytes_to_vars(VarBatch.vars_to_bytes(some_values()))
			VarBatch.vars_to_frames_async(some_values()).wait()
			VarBatch.validate([var_to_bytes(1)])
			VarBatch.describe(var_to_bytes([1])),
	]


func spoil(buffers: Array) -> void:
	for buffer: Variant in buffers:
		if buffer is PackedByteArray:
			buffer.fill(0xff)
			buffer.clear()


func some_values(count := BIG) -> Array:
	return [some_bytes(count), "text", [some_bytes(count), {"k": "v"}], {"a": [1, 2]}]


func some_bytes(count: int) -> PackedByteArray:
	return Packed.make(TYPE_PACKED_BYTE_ARRAY, count)


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
	_check_meddled(make_two, spoil, func(two: Array) -> Array: return VarBatch.diff(two[0], two[1], true))


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


## The engine may run a script to find another.
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

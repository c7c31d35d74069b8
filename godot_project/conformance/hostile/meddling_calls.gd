extends "../tasks/tasks_base.gd"
## Scripts that run during a call and change its arguments, or use VarBatch themselves: what a call
## gives is what it would have given. See meddling.gd for the plain calls on batches.

const Meddler := preload("meddler.gd")
const Loader := preload("../tasks/warming_loader.gd")
const BIG := 50_000  # bytes, so that they are borrowed, not copied early
const MEDDLER_PATH := "res://conformance/hostile/meddler.gd"
## As long: one that is loaded by a script, and a resource that is no script.
const WARMING_PATH := "res://conformance/hostile/me.warming"
const PLAIN_PATH := "res://conformance/hostile/plain.tres"


func finish() -> void:
	Meddler.reset()
	super()


func test_getters_during_tasks_and_saves() -> void:
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		for action: Callable in _actions():
			for place: int in [0, 2, 4]:
				var these := _values()
				these.insert(place, Meddler.new())
				use(these.duplicate(), true)
				var expected: Dictionary = {}
				for kind: String in ["to bytes", "to frames", "save"]:
					expected[kind] = plain(kind)
				for kind: String in expected:
					for way: String in ["plain", "wait", "await"]:
						values = these.duplicate()
						Meddler.on_get = action.bind(values)
						var task := start(kind) if way != "plain" else null
						var result: Variant = plain(kind) if way == "plain" else null
						Meddler.reset()
						if way == "wait":
							result = task.wait()
						elif way == "await":
							result = await task.finished
						check_result(result, expected[kind], kind, "a getter, %s" % way)
		VarBatch.set_thread_count(count)
		_check_compressed()


## The head of a compressed file is written before its values.
func _check_compressed() -> void:
	for action: Callable in _actions():
		values = _values() + [Meddler.new()]
		var expected := VarBatch.vars_to_frames(values, true)
		Meddler.on_get = action.bind(values)
		var mode := FileAccess.COMPRESSION_ZSTD
		check_int(VarBatch.save_vars(path, values, true, mode), OK, "save_vars, compressed")
		Meddler.reset()
		var found := VarBatch.vars_to_frames(VarBatch.load_vars(path, true), true)
		check_bytes(found, expected, "a compressed file")


func test_setters_during_tasks_and_loads() -> void:
	for count: int in [1, 2]:
		VarBatch.set_thread_count(count)
		for action: Callable in _actions() + [_spoil]:
			use(_values() + [Meddler.new(), [1, {"k": Meddler.new()}], _values()], true)
			var buffers := _buffers.duplicate(true)
			var frames := _frames.duplicate()
			for kind: String in ["from bytes", "from frames", "load"]:
				_buffers = buffers.duplicate(true)
				_frames = frames.duplicate()
				var expected: Variant = plain(kind)
				for way: String in ["plain", "wait", "await"]:
					_buffers = buffers.duplicate(true)
					_frames = frames.duplicate()
					var meddle := func() -> void:
						# It may not be typed after this, but for what is added.
						action.call(_buffers if action == _spoil else [])
						_buffers.resize(3)
						_frames.fill(0xff)
					Meddler.on_init = meddle
					Meddler.on_set = meddle
					var result: Variant
					if way == "plain":
						result = plain(kind)
					elif way == "wait":
						result = start(kind).wait()
					else:
						result = await start(kind).finished
					Meddler.reset()
					check_result(result, expected, kind, "a setter, %s" % way)


## A setter of what a task makes asks that very task.
func test_setters_that_use_their_own_task() -> void:
	use([1, Meddler.new(), "two"], true)
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		for kind: String in ["from bytes", "from frames", "load"]:
			var expected: Variant = plain(kind)
			for is_awaited: bool in [false, true]:
				var tasks: Array[VarBatchTask] = []
				var inner: Array = []
				Meddler.on_set = func() -> void:
					inner.append(tasks[0].wait())
					inner.append(tasks[0].get_result())
					inner.append(tasks[0].is_finished())
				tasks.append(start(kind))
				var result: Variant
				if is_awaited:
					result = await tasks[0].finished
				else:
					result = tasks[0].wait()
				Meddler.reset()
				check_result(result, expected, kind, "its own task")
				check_value(inner.slice(0, 3), [null, null, false], "its own task, within")


func test_diff() -> void:
	var before := var_to_bytes_with_objects([1, Meddler.new(), _bytes(BIG)])
	var other := Meddler.new()
	other.number = 5
	var after := var_to_bytes_with_objects([[other, 2], Meddler.new(), _bytes(BIG / 2), other])
	var make := func() -> Array:
		return [[before.duplicate(), after.duplicate()], 5, [after.duplicate(), before.duplicate()]]
	var diff := func(pairs: Array) -> Array:
		var run := func() -> Array: return VarBatch.diff_batch(pairs, true)
		return expect_errors(run, 1, "pair 1: expected an Array")
	var expected: Array = diff.call(make.call())
	for action: Callable in _actions() + [_spoil_pairs]:
		var pairs: Array = make.call()
		Meddler.on_init = action.bind(pairs)
		Meddler.on_set = action.bind(pairs)
		var found: Array = diff.call(pairs)
		Meddler.reset()
		check_value(found, expected, "diff_batch")
		var one := before.duplicate()
		var two := after.duplicate()
		Meddler.on_init = func() -> void: _spoil_pairs([[one, two]])
		var changes := VarBatch.diff(one, two, true)
		Meddler.reset()
		check_value(changes, expected[0], "diff")


func test_patch() -> void:
	var before := var_to_bytes_with_objects({"list": [1, 2, _bytes(BIG)], "object": Meddler.new()})
	var make := func() -> Array:
		return [
			{"path": ["list", 0], "op": "set", "old": 1, "new": Meddler.new()},
			{"path": ["list", 3], "op": "insert", "new": [Meddler.new(), _bytes(BIG)]},
			{"path": ["list", 1], "op": "set", "old": 2, "new": {"k": Meddler.new()}},
			{"path": ["object"], "op": "set", "old": Meddler.new(), "new": "none"},
			{"path": ["list", 2], "op": "remove", "old": _bytes(BIG)},
			{"path": ["new"], "op": "insert", "index": 0, "new": Meddler.new()},
		]
	var expected := VarBatch.patch(before.duplicate(), make.call() as Array, true)
	check(not expected.is_empty(), "nothing was patched")
	var spoil := func(changes: Array) -> void:
		for change: Variant in changes:
			if change is Dictionary:
				(change.get("path", []) as Array).clear()
				change.op = "remove"
				change.erase("new")
				change.erase("index")
	for action: Callable in _actions() + [spoil]:
		for when: int in 3:
			var changes: Array = make.call()
			var bytes := before.duplicate()
			var meddle := func() -> void:
				action.call(changes)
				bytes.fill(0xff)
			Meddler.on_get = meddle if when == 0 else Callable()
			Meddler.on_set = meddle if when == 1 else Callable()
			Meddler.on_init = meddle if when == 2 else Callable()
			var found := VarBatch.patch(bytes, changes, true)
			Meddler.reset()
			check_bytes(found, expected, "patch, a script of kind %d" % when)


## Whether there is a script is asked of the engine, which may run another to find it.
func test_validate() -> void:
	var loader := Loader.new()
	ResourceLoader.add_resource_format_loader(loader)
	var object := _with_script(WARMING_PATH)
	var make := func() -> Array:
		var buffers: Array = []
		for i: int in 6:
			buffers.append(object.duplicate())
		return buffers + [object.slice(0, -5), var_to_bytes(_bytes(BIG)), 5]
	var expected := VarBatch.validate(make.call() as Array, true)
	check_int(expected.size(), 9, "verdicts")
	var calls: Array = []
	for action: Callable in _actions() + [_spoil]:
		var buffers: Array = make.call()
		Loader.action = func() -> void:
			calls.append(1)
			action.call(buffers)
		var found := VarBatch.validate(buffers, true)
		Loader.action = Callable()
		check(found == expected, "validate: %s, not %s" % [found, expected])
	check(calls.size() >= _actions().size(), "no script ran")
	ResourceLoader.remove_resource_format_loader(loader)


## The engine loads any resource where it is asked for a script. One that is none is refused.
func test_resources_that_are_no_scripts() -> void:
	var bytes := _with_script(PLAIN_PATH)
	check_value(quietly(bytes_to_var_with_objects.bind(bytes)), null, "what the engine makes of it")
	var decode := func() -> Variant: return VarBatch.bytes_to_var(bytes, true)
	check_value(expect_errors(decode, 1, PLAIN_PATH), null, "an object without a script")
	var verdicts := VarBatch.validate([bytes], true)
	check(PLAIN_PATH in verdicts[0], "the verdict is '%s'" % verdicts[0])
	var typed := var_to_bytes_with_objects(Array([], TYPE_OBJECT, &"RefCounted", Meddler))
	_replace(typed, PLAIN_PATH)
	bytes = typed
	check_value(expect_errors(decode, 1, PLAIN_PATH), null, "elements without a script")


## A Logger hears of what calls print, and changes their arguments and the threads.
func test_loggers() -> void:
	if not errors.is_open():
		check(true, "this engine has no Logger")
		return
	var bad := var_to_bytes("text").slice(0, 9)
	var good := var_to_bytes(_bytes(BIG))
	var deep: Array = Values.Engines.nested(1026)
	var change := {"path": [5], "op": "set", "old": 1, "new": 2}
	var delta := VarBatch.make_delta(good, bad)
	var calls: Dictionary[String, Callable] = {
		"vars_to_bytes_async": func(a: Array) -> Variant: return VarBatch.vars_to_bytes_async(a).wait(),
		"bytes_to_vars_async": func(a: Array) -> Variant: return VarBatch.bytes_to_vars_async(a).wait(),
		"save_vars": func(a: Array) -> Variant: return VarBatch.save_vars(path, a),
		"diff_batch": func(a: Array) -> Variant: return VarBatch.diff_batch(a),
		"make_deltas": func(a: Array) -> Variant: return VarBatch.make_deltas(a),
		"apply_deltas": func(a: Array) -> Variant: return VarBatch.apply_deltas(a),
		"patch": func(a: Array) -> Variant: return VarBatch.patch(good, a),
	}
	var arguments: Dictionary[String, Array] = {
		"vars_to_bytes_async": [1, deep, _bytes(BIG), deep, "end"],
		"bytes_to_vars_async": [good, bad, good, 5, bad, good],
		"save_vars": [_bytes(BIG), deep, _bytes(BIG)],
		"diff_batch": [[good, bad], [bad, good], 5, [good, good]],
		"make_deltas": [[good], [bad, good], 5, [good, bad]],
		"apply_deltas": [[good, good], [good, delta], 5, [good, bad]],
		"patch": [change, change, 5],
	}
	for method: String in calls:
		var call := calls[method]
		var results: Array = []
		var first := func() -> void: results.append(call.call(arguments[method].duplicate()))
		var expected_lines := logged(first)
		check(not expected_lines.is_empty(), "%s logs nothing" % method)
		for action: Callable in _actions():
			var given := arguments[method].duplicate()
			var run := func() -> void: results.append(call.call(given))
			var lines: PackedStringArray = with_logger(action.bind(given), logged.bind(run))
			check(lines == expected_lines, "%s logs %s" % [method, lines])
			check_value(results[-1], results[0], "%s with a Logger" % method)


## An object whose script is at another path.
func _with_script(script_path: String) -> PackedByteArray:
	var bytes := var_to_bytes_with_objects([Meddler.new(), _bytes(BIG)])
	_replace(bytes, script_path)
	return bytes


func _replace(bytes: PackedByteArray, script_path: String) -> void:
	check_int(script_path.length(), MEDDLER_PATH.length(), "length of a path")
	var at := bytes.hex_encode().find(MEDDLER_PATH.to_ascii_buffer().hex_encode()) / 2
	for i: int in script_path.length():
		bytes[at + i] = script_path.unicode_at(i)


## What a script may do to an array that a call works on, or beside it.
func _actions() -> Array[Callable]:
	return [
		func(these: Array) -> void: these.clear(),
		func(these: Array) -> void: these.resize(1),
		func(these: Array) -> void: these.append_array(range(5000)),
		func(these: Array) -> void: these.fill(null),
		func(_these: Array) -> void: VarBatch.set_thread_count(VarBatch.get_thread_count() % 3 + 1),
		func(these: Array) -> void:
			these.reverse()
			VarBatch.bytes_to_vars(VarBatch.vars_to_bytes(_values()))
			VarBatch.vars_to_frames_async(_values()).wait(),
	]


## Changes the buffers themselves, which the caller shares with the call.
func _spoil(buffers: Array) -> void:
	for buffer: Variant in buffers:
		if buffer is PackedByteArray:
			buffer.fill(0xff)
			buffer.clear()


func _spoil_pairs(pairs: Array) -> void:
	for pair: Variant in pairs:
		if pair is Array:
			_spoil(pair as Array)


func _values() -> Array:
	return [_bytes(BIG), "text", [_bytes(BIG), {"k": "v"}], {"a": [1, 2]}]


func _bytes(count: int) -> PackedByteArray:
	return Values.Packed.make(TYPE_PACKED_BYTE_ARRAY, count)

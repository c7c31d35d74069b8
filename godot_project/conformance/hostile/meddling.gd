extends "meddling_base.gd"
## Scripts that run during a call or a task and change what it works on: the arrays that are encoded, the
## containers in them, the buffers that are decoded. Nothing crashes, the results are whole.

const Sly := preload("../support/static_names.gd")


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
						var task := start(kind) if end != "plain" else null
						var result: Variant = plain(kind) if end == "plain" else null
						if task:
							result = await result_of(task, end)
						Meddler.reset()
						_frames = frames
						check_result(result, expected, kind, "a script, %s, %d threads" % [end, count])
	# The head of a compressed file is written before its values.
	for action: Callable in actions():
		values = some_values() + [Meddler.new()]
		var frames := VarBatch.vars_to_frames(values, true)
		Meddler.on_get = action.bind(values)
		var mode := FileAccess.COMPRESSION_ZSTD
		check_int(VarBatch.save_vars(path, values, true, mode), OK, "save_vars, compressed")
		Meddler.reset()
		check_bytes(VarBatch.vars_to_frames(VarBatch.load_vars(path, true), true), frames, "a compressed file")


## The containers around the object are changed: all that is promised is a value.
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


## Objects that are freed while they wait for their turn.
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


## validate() and describe() make nothing, so no script runs.
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

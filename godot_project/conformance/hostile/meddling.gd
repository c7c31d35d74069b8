extends "../support/round_trip.gd"
## Scripts that run during a call and change what the call works on: the arrays that are encoded,
## the containers in them, the buffers that are decoded. Nothing crashes, the results are whole.

const Meddler := preload("meddler.gd")
const Sly := preload("../support/static_names.gd")
const BIG := 300_000  # bytes, so that they are borrowed, not copied early


func finish() -> void:
	Meddler.reset()
	super()


## The batch itself is emptied, filled and changed by a getter.
func test_getters_that_change_the_batch() -> void:
	var actions: Array[Callable] = [
		func(values: Array) -> void: values.clear(),
		func(values: Array) -> void: values.resize(1000),
		func(values: Array) -> void: values.fill(null),
		func(values: Array) -> void: values.reverse(),
		func(values: Array) -> void: values.append_array(range(5000)),
	]
	for action: Callable in actions:
		for place: int in [0, 3, 6]:
			var values := _big_values()
			var expected := Values.engine_bytes(values)
			values.insert(place, Meddler.new())
			expected.insert(place, var_to_bytes_with_objects(values[place]))
			Meddler.on_get = action.bind(values)
			var found := VarBatch.vars_to_bytes(values, true)
			Meddler.reset()
			check_buffers(found, expected, "vars_to_bytes, a getter changes the batch")
			values = _big_values()
			values.insert(place, Meddler.new())
			Meddler.on_get = action.bind(values)
			var frames := VarBatch.vars_to_frames(values, true)
			Meddler.reset()
			check_bytes(frames, _framed(expected), "vars_to_frames, a getter changes the batch")


## The containers around the object are changed: all that is promised is a value.
func test_getters_that_change_containers() -> void:
	for place: int in [0, 2, 5]:
		var third: Array = [1, 2]
		var inner: Array = [_bytes(BIG), "text", third, _bytes(100), {"k": "v"}, _bytes(BIG)]
		var table := {"a": inner, "b": _bytes(BIG), 5: [inner]}
		var actions: Array[Callable] = [
			inner.clear,
			func() -> void: table.clear(),
			inner.resize.bind(2),
			inner.append_array.bind(range(1000)),
			func() -> void: inner[0] = "other",
			func() -> void: inner.push_front(inner.duplicate()),
			func() -> void: table["new"] = table.duplicate(),
			func() -> void: table.erase("b"),
			third.clear,
		]
		for action: Callable in actions:
			var values: Array = [_bytes(BIG), [table, inner], "end", table]
			inner.insert(mini(place, inner.size()), Meddler.new())
			Meddler.on_get = _once(action)
			_check_whole(VarBatch.vars_to_bytes(values, true), values.size())
			Meddler.on_get = _once(action)
			_check_whole([VarBatch.var_to_bytes(values, true)], 1)
			Meddler.on_get = _once(action)
			_check_whole([VarBatch.var_to_bytes(table, true)], 1)
			Meddler.on_get = _once(action)
			var frames := VarBatch.vars_to_frames(values, true)
			Meddler.reset()
			check(VarBatch.frames_to_vars(frames, true).size() <= 4, "too many frames")


## Objects that are freed while they wait for their turn.
func test_getters_that_free() -> void:
	var first := Node.new()
	var second := Object.new()
	var values: Array = [first, Meddler.new(), first, [second], {"k": second}, "end"]
	var waiting: Array = [first, second]
	Meddler.on_get = func() -> void:
		while not waiting.is_empty():
			(waiting.pop_back() as Object).free()
	var found := VarBatch.vars_to_bytes(values, true)
	check_int(found.size(), values.size(), "buffers of freed objects")
	check_bytes(found[2], var_to_bytes(null), "an object that was freed in between")
	check_bytes(found[4], var_to_bytes({"k": null}), "an object that was freed in between")
	check_bytes(found[5], var_to_bytes("end"), "the value behind")


## A getter, a setter and _init that call VarBatch themselves, and turn threads on and off.
func test_calls_within_calls() -> void:
	var values := _big_values()
	values.append(Meddler.new())
	var expected: Array[PackedByteArray] = []
	for value: Variant in values:
		expected.append(var_to_bytes_with_objects(value))
	var seen: Array = []
	var inside := func() -> void:
		VarBatch.set_thread_count(seen.size() % 3)
		seen.append(VarBatch.bytes_to_vars(VarBatch.vars_to_bytes(_big_values())).size())
		VarBatch.validate([var_to_bytes(1)])
		VarBatch.describe(var_to_bytes([1]))
	Meddler.on_get = inside
	var buffers := VarBatch.vars_to_bytes(values, true)
	Meddler.reset()
	check_buffers(buffers, expected, "with calls in a getter")
	Meddler.on_init = inside
	Meddler.on_set = inside
	var found := VarBatch.bytes_to_vars(expected, true)
	Meddler.reset()
	check_values(found, expected.map(_engine_value), "with calls in a setter")
	check(seen.size() >= 3, "scripts ran %d times only" % seen.size())
	check(
		seen.all(func(count: int) -> bool: return count == 6), "calls within calls gave %s" % [seen]
	)


## The list of buffers is emptied, filled and changed while it is decoded.
func test_setters_that_change_the_buffers() -> void:
	var actions: Array[Callable] = [
		func(buffers: Array) -> void: buffers.clear(),
		func(buffers: Array) -> void: buffers.resize(1000),
		func(buffers: Array) -> void: buffers.fill(PackedByteArray()),
		func(buffers: Array) -> void: buffers.reverse(),
		func(buffers: Array) -> void: buffers[-1] = PackedByteArray(),
	]
	for action: Callable in actions:
		for place: int in [0, 3, 6]:
			var values := _big_values()
			values.insert(place, [1, {"k": Meddler.new()}])
			var buffers: Array = values.map(var_to_bytes_with_objects)
			var expected: Array = buffers.map(_engine_value)
			for when: String in ["on_init", "on_set"]:
				var given := buffers.duplicate()
				Meddler.on_init = action.bind(given) if when == "on_init" else Callable()
				Meddler.on_set = action.bind(given) if when == "on_set" else Callable()
				var found := VarBatch.bytes_to_vars(given, true)
				Meddler.reset()
				check_values(found, expected, "bytes_to_vars, %s changes the buffers" % when)


## An object that changes what it is given inside itself.
func test_setters_that_change_their_value() -> void:
	var object := Meddler.new()
	object.watched = [1, [2, 3], {"k": _bytes(100)}]
	var bytes := var_to_bytes_with_objects([object, object])
	var made: Array = []
	Meddler.on_init = func() -> void: made.append(1)
	var found: Array = VarBatch.bytes_to_var(bytes, true)
	Meddler.reset()
	check_int(made.size(), 2, "objects made")
	(found[0].watched as Array).clear()
	check_value(found[1].watched, [1, [2, 3], {"k": _bytes(100)}], "the other object")


## validate() and describe() make nothing, so no script runs.
func test_nothing_runs() -> void:
	var bytes := var_to_bytes_with_objects([Meddler.new(), {"k": Meddler.new()}])
	Meddler.reset()
	for allow: bool in [false, true]:
		VarBatch.validate([bytes, bytes], allow)
	VarBatch.describe(bytes)
	var decode := func() -> Variant: return VarBatch.bytes_to_var(bytes)
	check_value(expect_errors(decode, 1, "VarBatch."), null, "objects without permission")
	check_int(Meddler.calls, 0, "calls of a script")


## The script of a typed container is asked for its path while the container is walked: by the
## engine's own method, not by a function of the script that has the same name.
func test_scripts_with_methods_of_scripts() -> void:
	var array := Array([Sly.new(), null], TYPE_OBJECT, &"RefCounted", Sly)
	var table := {"list": array, "big": _bytes(BIG)}
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


## A Logger hears of an error in the middle of nothing: it may change the batch as well.
func test_loggers_that_change_the_batch() -> void:
	if not errors.is_open():
		check(true, "this engine has no Logger")
		return
	var bad := var_to_bytes("text").slice(0, 9)
	var good := var_to_bytes(_bytes(BIG))
	var buffers: Array = [good, bad, good, bad, good]
	var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
	var found: Array = with_logger(
		buffers.clear, expect_errors.bind(decode, 2, "VarBatch.bytes_to_vars: buffer ")
	)
	var values: Array = [1, Values.Engines.nested(1026), "two", _bytes(BIG)]
	var expected := Values.engine_bytes([1, 0, "two", _bytes(BIG)])
	expected[1] = PackedByteArray()
	var encode := func() -> Array[PackedByteArray]: return VarBatch.vars_to_bytes(values)
	# Not values.clear itself: the engine would hash an array that deep.
	var clear := func() -> void: values.clear()
	var encoded: Array[PackedByteArray] = with_logger(
		clear, expect_errors.bind(encode, 1, "VarBatch.vars_to_bytes: value 1")
	)
	check_values(found, [_bytes(BIG), null, _bytes(BIG), null, _bytes(BIG)], "with a Logger")
	check_buffers(encoded, expected, "with a Logger")


## Calls that go on changing what they walk may never end, with the engine as with VarBatch.
func _once(action: Callable) -> Callable:
	var left: Array = [action]
	return func() -> void:
		if not left.is_empty():
			(left.pop_back() as Callable).call()


func _check_whole(buffers: Array[PackedByteArray], count: int) -> void:
	check_int(buffers.size(), count, "buffers")
	for buffer: PackedByteArray in buffers:
		var is_whole: bool = (
			buffer.is_empty() or quietly(buffer.decode_var_size.bind(0, true)) == buffer.size()
		)
		check(is_whole, "a buffer that is no value: %s" % buffer.slice(0, 40).hex_encode())


func _big_values() -> Array:
	return [_bytes(BIG), "text", [_bytes(BIG), {"k": "v"}], {"a": [1, 2]}, 7, _bytes(10)]


func _bytes(count: int) -> PackedByteArray:
	return Values.Packed.make(TYPE_PACKED_BYTE_ARRAY, count)


func _framed(buffers: Array[PackedByteArray]) -> PackedByteArray:
	var frames := PackedByteArray()
	for buffer: PackedByteArray in buffers:
		frames += frame(buffer)
	return frames


func _engine_value(buffer: PackedByteArray) -> Variant:
	return bytes_to_var_with_objects(buffer)

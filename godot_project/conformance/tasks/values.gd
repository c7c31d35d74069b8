extends "tasks_base.gd"
## What a task works on is what the values were at the call, whatever becomes of them meanwhile.
## With one thread nothing but the call itself has worked when they are changed.

const TO_BYTES: PackedStringArray = ["to bytes", "to frames", "save"]
const FROM_BYTES: PackedStringArray = ["from bytes", "from frames"]
## Bytes of arrays that are copied at once, borrowed, and worked on by more than one thread.
const SIZES: PackedInt32Array = [3, 64, 65, 700, 5000, 90_000]


func test_packed_arrays_written_in_place() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		var make := func() -> Array:
			var made: Array = []
			for size: int in SIZES:
				made.append(Values.Packed.make(type, size / 4 + 1))
			return made
		var spoil := func(these: Array) -> void:
			for i: int in these.size():
				these[i].reverse()
				these[i][0] = these[i][-1]
				if i % 3 == 1:
					these[i].append(these[i][0])
				elif i % 3 == 2:
					these[i].resize(these[i].size() / 2)
		await _check_spoiled(make, spoil, type_string(type))


func test_filled_arrays() -> void:
	var spoil := func(these: Array) -> void:
		for bytes: PackedByteArray in these:
			bytes.fill(0xee)
			bytes.clear()
	await _check_spoiled(_arrays, spoil, "filled")


## A typed variable of the script that is the same array.
func test_a_variable_written_to() -> void:
	for kind: String in TO_BYTES:
		for count: int in in_turns(THREAD_COUNTS):
			VarBatch.set_thread_count(count)
			var bytes := _noise.duplicate()
			var texts := PackedStringArray(["one", "two"])
			use([bytes, texts])
			var expected: Variant = plain(kind)
			var task := start(kind)
			for i: int in range(0, bytes.size(), 100):
				bytes[i] = 0xee
			texts[0] = "changed"
			texts.append("three")
			check_result(await task.finished, expected, kind, "a variable that was written to")


func test_arrays_changed() -> void:
	var make := func() -> Array:
		var made := _arrays()
		made.append([1, [2, _noise.duplicate()], "text"])
		made.append_array(range(2000))
		return made
	for spoil: Callable in [
		func(these: Array) -> void: these.clear(),
		func(these: Array) -> void: these.append_array(range(1000)),
		func(these: Array) -> void: these.reverse(),
		func(these: Array) -> void: these.fill(null),
		func(these: Array) -> void: these.resize(3),
		func(these: Array) -> void: these.shuffle(),
		func(these: Array) -> void:
			for i: int in 500:
				these.pop_front()
			these.insert(0, "first"),
	]:
		await _check_spoiled(make, spoil, "arrays that are changed")


func test_nested_values_changed() -> void:
	var make := func() -> Array:
		var made: Array = []
		for i: int in 700:
			made.append(
				{"i": i, "list": [i, str(i), {"inner": _noise.slice(0, i)}], "bytes": _noise}
			)
		return made
	for spoil: Callable in [
		func(these: Array) -> void:
			for entry: Dictionary in these:
				entry.clear(),
		func(these: Array) -> void:
			for entry: Dictionary in these:
				entry.erase("i")
				entry["new"] = 1
				entry.bytes = null,
		func(these: Array) -> void:
			for entry: Dictionary in these:
				entry.list[2].inner.append(7)
				entry.list[2].clear()
				entry.list.append_array([4, 5, 6])
				entry.list[1] += " changed",
		func(these: Array) -> void:
			for entry: Dictionary in these:
				entry.list.clear()
				entry.list = {}
				entry.make_read_only(),
	]:
		await _check_spoiled(make, spoil, "nested values that are changed")


func test_texts_changed() -> void:
	var make := func() -> Array:
		var made: Array = []
		for i: int in 500:
			var text := "日本語 %d " % i
			made.append(text.repeat(i))
			made.append(PackedStringArray([text, text.repeat(i)]))
		return made
	var spoil := func(these: Array) -> void:
		for i: int in these.size():
			if these[i] is String:
				these[i] += " and more"
				these[i] = (these[i] as String).reverse()
			else:
				these[i][1] = "changed"
				these[i].sort()
	await _check_spoiled(make, spoil, "texts that are changed")


## Nothing holds them but the task.
func test_values_that_are_gone() -> void:
	var make := func() -> Array:
		return _arrays() + [["text".repeat(9999)], {"key": _noise.duplicate()}]
	var spoil := func(these: Array) -> void:
		these.clear()
		# What was freed is used again.
		for i: int in 50:
			these.append(PackedByteArray([i]).duplicate())
			these[-1].resize(SIZES[i % SIZES.size()])
			these[-1].fill(i)
	await _check_spoiled(make, spoil, "values that are gone")


func test_typed_values_changed() -> void:
	var make := func() -> Array:
		var packed: Array[PackedByteArray] = [_noise.duplicate(), PackedByteArray([1, 2, 3])]
		var ints: Dictionary[String, PackedInt32Array] = {"a": _noise.to_int32_array()}
		return [packed, ints]
	var spoil := func(these: Array) -> void:
		these[0][0].fill(1)
		these[0].clear()
		these[1].a.fill(1)
		these[1].clear()
	await _check_spoiled(make, spoil, "typed values")


## An object's id is written, though it is freed, and its properties as they were.
func test_objects_changed() -> void:
	for count: int in in_turns(THREAD_COUNTS):
		for whole: bool in [false, true]:
			# A save of ids alone warns of it.
			for kind: String in TO_BYTES if whole else TO_BYTES.slice(0, 2):
				VarBatch.set_thread_count(count)
				var gradient := Gradient.new()
				var scripted: RefCounted = Values.Engines.Scripted.new()
				use([1, gradient, {"scripted": scripted}, _noise.duplicate()], whole)
				var expected: Variant = plain(kind)
				var task := start(kind)
				gradient.set_color(0, Color.RED)
				scripted.set(&"number", 99)
				(values[2] as Dictionary).clear()
				values.clear()
				gradient = null
				scripted = null
				check_result(await task.finished, expected, kind, "objects that are changed")


func test_buffers_changed() -> void:
	use(_arrays() + Values.mixed(200))
	var expected: Variant = plain("from bytes")
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for is_written: bool in [true, false]:
			var buffers: Array[PackedByteArray] = []
			for buffer: PackedByteArray in _buffers:
				buffers.append(buffer.duplicate())
			var task := VarBatch.bytes_to_vars_async(buffers)
			if is_written:
				for buffer: PackedByteArray in buffers:
					buffer.fill(0xff)
			buffers.clear()
			check_result(await task.finished, expected, "from bytes", "buffers that are changed")


func test_frames_changed() -> void:
	use(_arrays() + Values.mixed(200))
	var expected: Variant = plain("from frames")
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for is_written: bool in [true, false]:
			var frames := _frames.duplicate()
			var task := VarBatch.frames_to_vars_async(frames)
			if is_written:
				frames.fill(0xff)
			frames.resize(3)
			check_result(await task.finished, expected, "from frames", "frames that are changed")


## What comes out is nobody else's.
func test_results_are_changed() -> void:
	use(_arrays())
	for kind: String in FROM_BYTES + PackedStringArray(["load"]):
		var task := start(kind)
		var found: Array = task.wait()
		for bytes: PackedByteArray in found:
			bytes.fill(7)
		check_result(start(kind).wait(), plain(kind), kind, "after a result was changed")


func _arrays() -> Array:
	return Array(SIZES).map(func(size: int) -> PackedByteArray: return _noise.slice(0, size))


## Starts a task on what [param make] gives, lets [param spoil] change all of it, and looks whether
## the result is as the plain call's before.
func _check_spoiled(make: Callable, spoil: Callable, what: String) -> void:
	for count: int in in_turns(THREAD_COUNTS):
		VarBatch.set_thread_count(count)
		for kind: String in TO_BYTES:
			var these: Array = make.call()
			use(these)
			var expected: Variant = plain(kind)
			DirAccess.remove_absolute(path)
			var task := start(kind)
			spoil.call(these)
			var shown := "%s, %d threads" % [what, count]
			check_result(await task.finished, expected, kind, shown)

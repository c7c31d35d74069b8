extends "tasks_base.gd"
## What a task works on is what the values were at the call, whatever becomes of them meanwhile. With one thread nothing
## but the call itself has worked when they are changed. Objects are made, and their scripts run, on the main thread.

const TO_BYTES: PackedStringArray = ["to bytes", "to frames", "save"]
## Bytes of arrays that are copied at once, borrowed, and worked on by more than one thread.
const SIZES: PackedInt32Array = [3, 64, 65, 700, 5000, 90_000]

var _threads: Array[int] = []


## The list of values, what is in it, and what is in that. Where it is cleared, nothing holds them but
## the task, and what was freed is used again.
func test_everything_changed() -> void:
	var spoils: Array[Callable] = [
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
		# Packed arrays are written in place.
		func(these: Array) -> void:
			for i: int in these.size():
				if typeof(these[i]) >= TYPE_PACKED_BYTE_ARRAY:
					these[i].reverse()
					these[i][0] = these[i][-1]
					these[i].resize(these[i].size() * (i % 3 + 1) / 2),
		func(these: Array) -> void:
			these.assign(range(50).map(func(i: int) -> PackedByteArray: return filled_bytes(SIZES[i % SIZES.size()], i))),
	]
	var inside: Array[Callable] = [
		func(value: Variant) -> void: value.clear(),
		func(value: Variant) -> void:
			if value is Dictionary:
				value.erase("i")
				value["new"] = 1
				value.bytes = null
			else:
				value.fill(value[0])
				value.reverse(),
		func(value: Variant) -> void:
			if value is Dictionary:
				value.list[2].inner.append(7)
				value.list[2].clear()
				value.list.append_array([4, 5, 6])
				value.list[1] += " changed"
			elif value is PackedStringArray:
				value[-1] = "changed"
				value.sort(),
		func(value: Variant) -> void:
			if value is Dictionary:
				value.list.clear()
				value.list = {}
				value.make_read_only(),
	]
	for spoil: Callable in inside:
		spoils.append(
			func(these: Array) -> void:
				for i: int in these.size():
					if these[i] is String:
						these[i] = (these[i] as String).reverse() + " and more"
					elif not these[i] is int:
						spoil.call(these[i])
		)
	for i: int in spoils.size():
		await each_kind(
			func(kind: String, how: String) -> void:
				var these: Array = _everything()
				use(these)
				var expected: Variant = plain(kind)
				DirAccess.remove_absolute(path)
				var task := start(kind)
				spoils[i].call(these)
				check_result(await task.finished, expected, kind, "changed by %d, %s" % [i, how]),
			TO_BYTES
		)


func _everything() -> Array:
	var made := _arrays() + range(1000)
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for size: int in SIZES:
			made.append(Packed.make(type, size / 4 + 1))
	for i: int in 150:
		var last: Dictionary[String, PackedByteArray] = {"inner": _noise.slice(0, i)}
		var inner: Array = [i, str(i), last]
		var text := "日本語 %d " % i
		made.append_array([{"i": i, "list": inner, "bytes": _noise}, text.repeat(i)])
		made.append(PackedStringArray([text, text.repeat(i)]))
	var packed: Array[PackedByteArray] = [_noise.duplicate(), PackedByteArray([1, 2, 3])]
	return made + [packed, _noise.to_int32_array()] + range(1000)


func test_objects() -> void:
	for whole: bool in [false, true]:
		await each_kind(
			func(kind: String, what: String) -> void:
				var gradient := Gradient.new()
				var scripted: RefCounted = Scripted.new()
				use([1, gradient, {"scripted": scripted}, _noise.duplicate()], whole)
				var expected: Variant = plain(kind)
				var task := start(kind)
				gradient.set_color(0, Color.RED)
				scripted.set(&"number", 99)
				(values[2] as Dictionary).clear()
				values.clear()
				gradient = null
				scripted = null
				check_result(await task.finished, expected, kind, "objects, " + what),
			TO_BYTES if whole else TO_BYTES.slice(0, 2)
		)


func test_buffers_and_frames() -> void:
	use(_arrays() + Values.mixed(200))
	await each_kind(
		func(kind: String, what: String) -> void:
			var expected: Variant = plain(kind)
			for is_written: bool in [true, false]:
				var buffers: Array[PackedByteArray] = _buffers.duplicate(true)
				var frames := _frames.duplicate()
				var task := VarBatch.frames_to_vars_async(frames)
				if kind == "from bytes":
					task = VarBatch.bytes_to_vars_async(buffers)
				if is_written:
					frames.fill(0xff)
					for buffer: PackedByteArray in buffers:
						buffer.fill(0xff)
				frames.resize(3)
				buffers.clear()
				check_result(await task.finished, expected, kind, "changed, " + what),
		["from bytes", "from frames"]
	)


func test_results_are_changed() -> void:
	use(_arrays())
	for kind: String in FROM:
		for bytes: PackedByteArray in start(kind).wait():
			bytes.fill(7)
		check_result(start(kind).wait(), plain(kind), kind, "after a result was changed")


func _arrays() -> Array:
	return Array(SIZES).map(func(size: int) -> PackedByteArray: return _noise.slice(0, size))


## Unless another thread waits for the task: it takes over the work.
func test_made_on_the_main_thread() -> void:
	var these: Array = []
	for i: int in 500:
		var object := Meddler.new()
		object.number = i
		these.append([object, _noise.slice(0, i * 10)])
	use(these, true)
	Meddler.on_init = _note_thread
	for end: String in ["await", "wait", "signals"]:
		await each_kind(
			func(kind: String, what: String) -> void:
				_threads.clear()
				var result: Array = await result_of(start(kind), end)
				check_int(_threads.size(), 500, "objects made, %s, %s" % [kind, what])
				check_int(_threads.count(OS.get_main_thread_id()), 500, "objects made on the main thread, %s" % kind)
				for i: int in mini(500, result.size()):
					check_int((result[i][0] as Meddler).number, i, "number of an object"),
			FROM
		)


func test_without_permission() -> void:
	use([Meddler.new(), 2], true)
	Meddler.on_init = _note_thread
	var text := "expected no object with properties, as objects are not allowed (allow_objects: true, or a list of classes), found one"
	for kind: String in FROM:
		check_forms(METHODS[kind], _arguments(kind).slice(0, 1), [null, 2], ERR_INVALID_DATA, [text])
	check_int(_threads.size(), 0, "objects made without permission")


## A load of one value drops its default, or what else was in the file. Scripts of these ask the task.
func test_dropped_objects_that_ask_the_task() -> void:
	for count: int in by_threads():
		_check_asked([5], 0, 1, [true, OK, TYPE_INT])
		# The other values are never made, nor is the first of a damaged file.
		_check_asked([5, Meddler.new(), Meddler.new()], 0, 1, [true, OK, TYPE_INT])
		_check_asked([Meddler.new(), 5], 7, 0, [true, ERR_FILE_CORRUPT, TYPE_OBJECT])


func _check_asked(these: Array, cut: int, dropped: int, answer: Array) -> void:
	use(these, true)
	write(_loaded_path, _frames.slice(0, _frames.size() - cut))
	var warnings := int(these.size() > 1 and cut == 0)
	these.clear()
	values = []
	var tasks: Array[VarBatchTask] = []
	var answers: Array = []
	Meddler.on_free = func() -> void:
		if tasks:
			var task := tasks[0]
			answers.append([task.is_finished(), task.get_error(), typeof(task.get_result())])
	var load_one := func() -> void:
		tasks.append(VarBatch.load_var_async(_loaded_path, Meddler.new(), true))
		tasks[0].wait()
	expect_logged(load_one, int(cut > 0), warnings, "VarBatch.load_var_async: ")
	check_same(answers, filled(dropped, answer), "answers")
	Meddler.reset()


func _note_thread() -> void:
	_threads.append(OS.get_thread_caller_id())

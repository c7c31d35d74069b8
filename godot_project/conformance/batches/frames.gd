extends "../files/files_base.gd"
## Frames against files and streams that the engine wrote, and the engine's reading of ours. They are
## written in runs of 500, into memory whose size is guessed, as long as they are less than 1 KiB on average.

const RUN := 500
const COUNTS: PackedInt32Array = [0, 1, 2, 63, 64, 65, 499, 500, 501, 999, 1000, 1001, 1499, 1500, 1501, 5000]
## Bytes of an array whose frame is as long as the average that counts.
const AVERAGE := 1024 - 12

var _too_deep: Array = Engines.nested(1026)


func test_against_a_file() -> void:
	var large := range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX).map(Packed.make.bind(40_001))
	var packed: Array[PackedByteArray] = [PackedByteArray([1]), PackedByteArray([1, 2, 3, 4, 5])]
	packed.make_read_only()
	for values: Array in [[], Values.all(), Values.mixed(1000), large, [1, -2, 1 << 35] as Array[int], packed]:
		_check_against_file(values)


## The engine writes those with objects, and the runs begin again.
func test_full_objects() -> void:
	var objects := Engines.storable_objects()
	_check_against_file(objects, true)
	var denied := call_method.bind(&"frames_to_vars", [VarBatch.vars_to_frames(objects, true)])
	var nulls: Array = expect_errors(denied, objects.size(), "VarBatch.frames_to_vars: value ")
	check_value(nulls, filled(objects.size()), "values without permission for objects")
	for places: PackedInt32Array in [[0], [499], [500], [3, 700, 1101]]:
		var values := sized(1102, func(i: int) -> int: return i % 2000)
		for at: int in places:
			values[at] = [objects[at % objects.size()], {"at": at}]
		var expected := stored(values, true)
		for count: int in Threads.new([1, 2]):
			check_bytes(VarBatch.vars_to_frames(values, true), expected, "objects at %s, %d threads" % [places, count])


## Any number of values; such as grow and shrink, and change from small to large and back around each end
## of a run; and the average that counts, one byte less and one more, of the first run and later ones.
func test_sizes() -> void:
	for count: int in COUNTS:
		_check(range(count), "%d ints" % count)
		_check(range(count).map(str), "%d texts" % count)
		var entry := func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i, null]}
		_check(range(count).map(entry), "%d dictionaries" % count)
	var sizes: Dictionary[String, Callable] = {
		"alike": func(_i: int) -> int: return 100,
		"long": func(_i: int) -> int: return 3000,
		"growing": func(i: int) -> int: return i,
		"shrinking": func(i: int) -> int: return 1600 - i,
		"growing fast": func(i: int) -> int: return 5 * i,
		"shrinking fast": func(i: int) -> int: return 5 * (1600 - i),
		"now and then": func(i: int) -> int: return i % 7 * 900 if i / RUN % 2 else 3,
	}
	for step: int in [-4, 0, 4]:
		sizes["average %+d" % step] = func(_i: int) -> int: return AVERAGE + step
		sizes["late %+d" % step] = func(i: int) -> int: return AVERAGE + (step if i == 499 else 0)
		sizes["of two runs %+d" % step] = func(i: int) -> int: return 0 if i < RUN else 2 * AVERAGE + 12 + step
	for what: String in sizes:
		for count: int in COUNTS.slice(3, -1) + PackedInt32Array([1600]):
			_check(sized(count, sizes[what]), "%s, %d" % [what, count])
	for border: int in [1, 63, 64, 65, 499, 500, 501, 999, 1000, 1001]:
		for change: Vector2i in [Vector2i(0, 3000), Vector2i(3000, 0), Vector2i(40, 60_000)]:
			var size := func(i: int) -> int: return change.x if i < border else change.y
			_check(sized(border + 1, size), "%s at the end, %d" % [change, border])
			if change.y < 60_000:
				_check(sized(1502, size), "%s at %d" % [change, border])


## What cannot be encoded leaves nothing, as with store_var(), wherever in a run it is, also where a
## run is nothing but those.
func test_values_that_fail() -> void:
	for places: PackedInt32Array in [
		[0], [499], [500], [501], [0, 1, 498, 499, 500, 999, 1000], range(500), range(500, 1000)
	]:
		for size: int in [20, 3000]:
			_check_failing(sized(1001, func(_i: int) -> int: return size), places, "%d bytes" % size)
	for count: int in [1, 500, 501]:
		_check_failing(range(count), PackedInt32Array(range(count)), "all")
	var buffers: Array[PackedByteArray] = [var_to_bytes(1), PackedByteArray(), var_to_bytes("two")]
	var texts: PackedStringArray = ["value 1: expected at most 1024 levels"]
	check_forms("vars_to_bytes", [[1, _too_deep, "two"]], buffers, ERR_INVALID_DATA, texts)
	check_forms("vars_to_frames", [[1, _too_deep, "two"]], VarBatch.vars_to_frames([1, "two"]), ERR_INVALID_DATA, texts)


func test_over_threads() -> void:
	for count: int in [1000, 2000, 5001, 50_001]:
		for is_container: bool in [true, false]:
			var values := sized(count, func(i: int) -> int: return i % 50)
			if is_container:
				values = values.map(func(value: PackedByteArray) -> Array: return [value, "text"])
			_check(values, "%d arrays" % count)
			_check_failing(values, [0, count / 2, count - 1], "%d arrays" % count)
	var small := range(70_000).map(func(i: int) -> Variant: return i if i % 3 else PackedInt32Array([i, -i]))
	_check(small, "70,000 small values")
	_check_failing(small, [69_000], "70,000 small values")


func _check_against_file(values: Array, objects := false) -> void:
	var bytes := stored(values, objects, -1, path)
	check_bytes(VarBatch.vars_to_frames(values, objects), bytes, "frames and a file")
	var expected := read_loop(path, objects)
	check_int(expected.size(), values.size(), "values that the engine reads")
	check_same(VarBatch.frames_to_vars(bytes, objects), expected, "values of the file")


func _check_failing(values: Array, places: PackedInt32Array, what: String) -> void:
	for at: int in places:
		values[at] = _too_deep
	_check(values, "%d fail among %s" % [places.size(), what], places)


func _check(values: Array, what: String, failing := PackedInt32Array()) -> void:
	var good := values.filter(func(value: Variant) -> bool: return not is_same(value, _too_deep))
	var expected := stored(good)
	var encode := func() -> PackedByteArray: return VarBatch.vars_to_frames(values)
	for count: int in Threads.new(THREAD_COUNTS):
		var shown := "%s, %d threads" % [what, count]
		var found: PackedByteArray = expect_errors(encode, failing.size(), ": expected at most")
		check_bytes(found, expected, shown)
		# The array is as long as it says.
		found.append(7)
		check_int(found.size(), expected.size() + 1, "one byte more, " + shown)
		check(VarBatch.frames_to_vars(expected) == good, "back again, " + shown)
	var lines := logged(encode)
	for i: int in mini(failing.size(), MAX_LINES) if errors.is_open() else 0:
		var start := "VarBatch.vars_to_frames: value %d: " % failing[i]
		check(lines[i].begins_with(start), "expected '%s', found '%s'" % [start, lines[i]])

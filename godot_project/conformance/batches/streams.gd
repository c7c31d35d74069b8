extends "../support/round_trip.gd"
## Frames of many values against a loop of StreamPeerBuffer.put_var(): they are written in runs of
## 500, into memory whose size is guessed, as long as they are less than 1 KiB on average.

const RUN := 500
const COUNTS: PackedInt32Array = [
	0, 1, 2, 63, 64, 65, 499, 500, 501, 999, 1000, 1001, 1499, 1500, 1501, 5000
]
## Bytes of an array whose frame is as long as the average that counts.
const AVERAGE := 1024 - 12

var _noise: PackedByteArray = Values.Packed.make(TYPE_PACKED_BYTE_ARRAY, 200_000)
var _too_deep: Array = Values.Engines.nested(1026)


func test_counts() -> void:
	for count: int in COUNTS:
		_check(range(count), "%d ints" % count)
		_check(range(count).map(str), "%d texts" % count)
		_check(_sized(count, func(_i: int) -> int: return 100), "%d arrays" % count)
		_check(_sized(count, func(_i: int) -> int: return 3000), "%d long arrays" % count)
		var entry := func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i, null]}
		_check(range(count).map(entry), "%d dictionaries" % count)


func test_values_that_grow_and_shrink() -> void:
	for count: int in [600, 1000, 1600]:
		_check(_sized(count, func(i: int) -> int: return i), "growing, %d" % count)
		_check(_sized(count, func(i: int) -> int: return count - i), "shrinking, %d" % count)
		_check(_sized(count, func(i: int) -> int: return 5 * i), "growing fast, %d" % count)
		_check(
			_sized(count, func(i: int) -> int: return 5 * (count - i)), "shrinking fast, %d" % count
		)
		var zigzag := func(i: int) -> int: return i % 7 * 900 if i / RUN % 2 else 3
		_check(_sized(count, zigzag), "now and then, %d" % count)


## From small to large and back, around each end of a run.
func test_jumps() -> void:
	for border: int in [1, 63, 64, 65, 499, 500, 501, 999, 1000, 1001]:
		for sizes: Vector2i in [Vector2i(0, 3000), Vector2i(3000, 0), Vector2i(40, 60_000)]:
			var size := func(i: int) -> int: return sizes.x if i < border else sizes.y
			_check(_sized(border + 1, size), "%s at the end, %d" % [sizes, border])
			if sizes.y < 60_000:
				_check(_sized(1502, size), "%s at %d" % [sizes, border])


## The average that counts, one byte less and one more, of the first run and of those after it.
func test_averages_around_the_limit() -> void:
	for step: int in [-4, 0, 4]:
		_check(_sized(1501, func(_i: int) -> int: return AVERAGE + step), "average %+d" % step)
		var late := func(i: int) -> int: return AVERAGE + (step if i == 499 else 0)
		_check(_sized(1001, late), "one of another length, %+d" % step)
		var later := func(i: int) -> int: return 0 if i < RUN else 2 * AVERAGE + 12 + step
		_check(_sized(1502, later), "average of two runs %+d" % step)


## What cannot be encoded leaves nothing, wherever in a run it is.
func test_values_that_fail() -> void:
	for places: PackedInt32Array in [[0], [499], [500], [501], [0, 1, 498, 499, 500, 999, 1000]]:
		for size: int in [20, 3000]:
			var values := _sized(1001, func(_i: int) -> int: return size)
			for at: int in places:
				values[at] = _too_deep
			_check(values, "%s fail among %d bytes" % [places, size], places)
	for count: int in [1, 500, 501]:
		var values: Array = []
		values.resize(count)
		values.fill(_too_deep)
		_check(values, "all of %d fail" % count, PackedInt32Array(range(count)))


## A run that is nothing but values that fail, between others.
func test_runs_that_fail() -> void:
	for run: int in 3:
		var values := _sized(3 * RUN, func(i: int) -> int: return i % 90)
		for i: int in RUN:
			values[run * RUN + i] = _too_deep
		_check(values, "run %d fails" % run, PackedInt32Array(range(run * RUN, run * RUN + RUN)))


## The engine writes those with objects, and the runs begin again.
func test_full_objects() -> void:
	var objects := Values.Engines.storable_objects()
	for places: PackedInt32Array in [[0], [499], [500], [3, 700, 1101]]:
		var values := _sized(1102, func(i: int) -> int: return i % 2000)
		for at: int in places:
			values[at] = [objects[at % objects.size()], {"at": at}]
		var stream := StreamPeerBuffer.new()
		for value: Variant in values:
			stream.put_var(value, true)
		for count: int in [1, 2]:
			VarBatch.set_thread_count(count)
			var found := VarBatch.vars_to_frames(values, true)
			check_bytes(found, stream.data_array, "objects at %s, %d threads" % [places, count])


## So many that threads take part of them each.
func test_over_threads() -> void:
	for count: int in [1000, 2000, 5001, 50_001]:
		for is_container: bool in [true, false]:
			var values := _sized(count, func(i: int) -> int: return i % 50)
			if is_container:
				values = values.map(func(value: PackedByteArray) -> Array: return [value, "text"])
			_check(values, "%d arrays" % count)
			for at: int in [0, count / 2, count - 1]:
				values[at] = _too_deep
			var places := PackedInt32Array([0, count / 2, count - 1])
			_check(values, "%d arrays, three of which fail" % count, places)


## As put_var() in a loop, and back, by some numbers of threads. [param failing] are the indices of
## values that cannot be encoded.
func _check(values: Array, what: String, failing := PackedInt32Array()) -> void:
	var expected := _streamed(values, failing)
	var encode := func() -> PackedByteArray: return VarBatch.vars_to_frames(values)
	var good := values
	if not failing.is_empty():
		good = []
		for i: int in values.size():
			if not i in failing:
				good.append(values[i])
	for count: int in [1, 2, 3]:
		VarBatch.set_thread_count(count)
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


func _streamed(values: Array, failing := PackedInt32Array()) -> PackedByteArray:
	var stream := StreamPeerBuffer.new()
	for i: int in values.size():
		# put_var() itself writes beyond its buffer where it fails; store_var() writes nothing.
		if not i in failing:
			stream.put_var(values[i])
	return stream.data_array


## Byte arrays of these sizes.
func _sized(count: int, size: Callable) -> Array:
	var values: Array = []
	for i: int in count:
		var from := i % 61
		values.append(_noise.slice(from, from + int(size.call(i))))
	return values

extends "../support/round_trip.gd"
## Room is made for what is to come by what came before. Batches whose first values are much larger
## than all others must not ask for memory by those: it may not be there, and that ends the game.
##
## Looked at is how much memory a process ever had in its address space, used or not: VmPeak of
## /proc/self/status, on Linux. Elsewhere only the results are. What asked for more before hides it,
## so this suite is one of the first.

const MAX_GROWTH := 512 << 20
const Probe := preload("../hostile/memory_probe.gd")

## The bytes of 40,000 ints are many small parts, all of them copied into a plan.
var _large: Array = range(40_000)


func test_frames_of_large_values_then_small_ones() -> void:
	var large := PackedByteArray()
	large.resize(100_000)
	_check_frames(_batch(500, large, 50_000, 7))


func test_frames_of_large_containers_then_small_ones() -> void:
	_check_frames(_batch(64, _large, 20_000, [7]))


func test_bytes_of_large_containers_then_small_ones() -> void:
	var values := _batch(64, _large, 20_000, [7])
	var expected := [var_to_bytes(_large), var_to_bytes([7])]
	var encode := func() -> Array[PackedByteArray]: return VarBatch.vars_to_bytes(values)
	for count: int in [1, 2]:
		var found: Array[PackedByteArray] = _in_bounds(encode, count)
		check_int(found.size(), values.size(), "buffers")
		for i: int in [0, 63, 64, 65, values.size() - 1]:
			check_bytes(found[i], expected[0 if i < 64 else 1], "buffer %d" % i)


func test_an_array_of_large_containers_then_small_ones() -> void:
	_check_value(_batch(64, _large, 40_000, [7]))


func test_large_texts_then_small_ones() -> void:
	var texts := PackedStringArray()
	texts.resize(120_000)
	texts.fill("a")
	var large := "é".repeat(500_000)
	for i: int in 64:
		texts[i] = large
	_check_value(texts)


func _check_frames(values: Array) -> void:
	var stream := StreamPeerBuffer.new()
	for value: Variant in values:
		stream.put_var(value)
	var encode := func() -> PackedByteArray: return VarBatch.vars_to_frames(values)
	for count: int in [1, 2]:
		check_bytes(_in_bounds(encode, count), stream.data_array, "frames, %d threads" % count)


func _check_value(value: Variant) -> void:
	var expected := var_to_bytes(value)
	var encode := func() -> PackedByteArray: return VarBatch.var_to_bytes(value)
	for count: int in [1, 2]:
		check_bytes(_in_bounds(encode, count), expected, "bytes, %d threads" % count)


## What [param action] gives, with so many threads. It must not ask for much more than it needs.
func _in_bounds(action: Callable, count: int) -> Variant:
	VarBatch.set_thread_count(count)
	var before := Probe.status("VmPeak:")
	var found: Variant = action.call()
	var growth := Probe.status("VmPeak:") - before
	check(growth <= MAX_GROWTH, "asked for %d MB more, %d threads" % [growth / 1e6, count])
	return found


static func _batch(large_count: int, large: Variant, small_count: int, small: Variant) -> Array:
	var values: Array = []
	values.resize(large_count + small_count)
	values.fill(small)
	for i: int in large_count:
		values[i] = large
	return values

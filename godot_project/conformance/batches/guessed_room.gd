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


## Frames and buffers; and one value of large containers then small ones, or of texts.
func test_rooms() -> void:
	var large := filled_bytes(100_000)
	for values: Array in [_batch(500, large, 50_000, 7), _batch(64, _large, 20_000, [7])]:
		var buffers := Values.engine_bytes(values)
		var frames := PackedByteArray()
		for buffer: PackedByteArray in buffers:
			frames.append_array(frame(buffer))
		for found: PackedByteArray in _in_bounds(call_method.bind(&"vars_to_frames", [values])):
			check_bytes(found, frames, "frames")
		for found: Array in _in_bounds(call_method.bind(&"vars_to_bytes", [values])):
			check_same(found, buffers, "buffers")
	var texts := PackedStringArray(_batch(64, "é".repeat(500_000), 119_936, "a"))
	for value: Variant in [_batch(64, _large, 40_000, [7]), texts]:
		var expected := var_to_bytes(value)
		for found: PackedByteArray in _in_bounds(call_method.bind(&"var_to_bytes", [value])):
			check_bytes(found, expected, "bytes")


## What [param action] gives, with one thread and with two. It must not ask for much more than it
## needs.
func _in_bounds(action: Callable) -> Array:
	var results: Array = []
	for count: int in Threads.new([1, 2]):
		var before := Probe.status("VmPeak:")
		results.append(action.call())
		var growth := Probe.status("VmPeak:") - before
		check(growth <= MAX_GROWTH, "asked for %d MB more, %d threads" % [growth / 1e6, count])
	return results


static func _batch(large_count: int, large: Variant, small_count: int, small: Variant) -> Array:
	var values := filled(large_count + small_count, small)
	for i: int in large_count:
		values[i] = large
	return values

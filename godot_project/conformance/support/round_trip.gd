extends "suite.gd"
## Checks that take a value through VarBatch and through the engine, both ways, by every method.

const Meddler := preload("../hostile/meddler.gd")

const GODOT_4 := VarBatch.DIALECT_GODOT_4
const GODOT_3 := VarBatch.DIALECT_GODOT_3


func finish() -> void:
	Meddler.reset()
	super()


## [param value] alone: to bytes, and from the engine's bytes.
func check_both_ways(value: Variant, what: String, objects := false) -> void:
	var bytes := var_to_bytes_with_objects(value) if objects else var_to_bytes(value)
	check_to_bytes(value, bytes, what, objects)
	check_from_bytes(bytes, what, objects)


func check_to_bytes(value: Variant, expected: PackedByteArray, what: String, objects := false) -> void:
	check(not expected.is_empty(), "%s: the engine does not encode it" % what)
	check_bytes(VarBatch.var_to_bytes(value, objects), expected, "var_to_bytes(%s)" % what)
	check_bytes(VarBatch.vars_to_frames([value], objects), frame(expected), "vars_to_frames([%s])" % what)
	check_same(VarBatch.vars_to_bytes([value], objects), [expected], "vars_to_bytes(%s)" % what)
	if not objects:
		check_bytes(VarBatch.var_to_bytes(value), expected, "var_to_bytes(%s), one argument" % what)


## [param bytes] must be such that the engine decodes them.
func check_from_bytes(bytes: PackedByteArray, what: String, objects := false) -> void:
	var expected: Variant = bytes_to_var_with_objects(bytes) if objects else bytes_to_var(bytes)
	check_value(VarBatch.bytes_to_var(bytes, objects), expected, "bytes_to_var(%s)" % what)
	check_same(VarBatch.bytes_to_vars([bytes], objects), [expected], "bytes_to_vars(%s)" % what)
	check_same(VarBatch.frames_to_vars(frame(bytes), objects), [expected], "frames_to_vars(%s)" % what)
	if not objects:
		check_value(VarBatch.bytes_to_var(bytes), expected, "bytes_to_var(%s), one argument" % what)


## What FileAccess.store_var() writes for a value of these bytes.
static func frame(bytes: PackedByteArray) -> PackedByteArray:
	return Values.u32(bytes.size()) + bytes


static func frames_of(buffers: Array) -> PackedByteArray:
	var frames := PackedByteArray()
	for buffer: PackedByteArray in buffers:
		frames.append_array(frame(buffer))
	return frames


## How many objects there are some frames from now, or once there are at most this many. What a function that is
## awaited keeps is an object, and another one from its second `await` on: so who counts has awaited something before.
func count_objects(most := 1 << 40, patience := 0) -> int:
	var limit := Time.get_ticks_msec() + patience * slowness
	var frames := 0
	while frames < 3 or object_count() > most and Time.get_ticks_msec() < limit:
		await get_tree().process_frame
		frames += 1
	return object_count()


static func object_count() -> int:
	return roundi(Performance.get_monitor(Performance.OBJECT_COUNT))

extends RefCounted
## Probes of whole batches, against the plain loop that a script would write.
##
## The body of each loop is a method that returns nothing, so that all it made is freed when it
## returns, the same on every side: GDScript keeps the last result of a call until the next call.
## Next to a batch, one more call is nothing.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Probe = preload("res://bench/probe.gd")


## A batch and its bytes, and the loops around the methods that subclasses fill.
class Batch:
	extends Probe
	var values: Array
	var buffers: Array[PackedByteArray]
	## Whether to time the floor too. It says nothing of containers, which are many small blocks.
	var floored := true

	func _init(batch_values: Array) -> void:
		values = batch_values
		for value: Variant in values:
			buffers.append(var_to_bytes(value))

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			engine_once()
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			varbatch_once()
		return Time.get_ticks_usec() - started

	func copy(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			copy_once()
		return Time.get_ticks_usec() - started

	func has_floor() -> bool:
		return floored

	func engine_once() -> void:
		pass

	func varbatch_once() -> void:
		pass

	func copy_once() -> void:
		pass

	## What a loop of `put_var` writes, and of `store_var` too.
	func put_all() -> PackedByteArray:
		var stream := StreamPeerBuffer.new()
		for value: Variant in values:
			stream.put_var(value)
		return stream.data_array

	func encoded_len() -> int:
		var total := 0
		for buffer: PackedByteArray in buffers:
			total += buffer.size()
		return total

	func check_buffers(found: Array) -> String:
		if found.size() != buffers.size():
			return "%d buffers, expected %d" % [found.size(), buffers.size()]
		for index in found.size():
			var problem := difference(buffers[index], found[index])
			if not problem.is_empty():
				return "buffer %d: %s" % [index, problem]
		return ""

	func check_values(found: Array) -> String:
		if found.size() != values.size():
			return "%d values, expected %d" % [found.size(), values.size()]
		for index in found.size():
			var problem := value_difference(values[index], found[index])
			if not problem.is_empty():
				return "value %d: %s" % [index, problem]
		return ""


class VarsToBytes:
	extends Batch
	var _payloads: Array[PackedByteArray]

	func _init(batch_values: Array) -> void:
		super(batch_values)
		for buffer: PackedByteArray in buffers:
			_payloads.append(buffer.slice(8))

	func engine_once() -> void:
		var out: Array = []
		for value: Variant in values:
			out.append(var_to_bytes(value))

	func varbatch_once() -> void:
		var _out: Array[PackedByteArray] = VarBatch.vars_to_bytes(values)

	func copy_once() -> void:
		var out: Array = []
		for payload: Variant in _payloads:
			out.append(var_to_bytes(payload))

	func check() -> String:
		return check_buffers(VarBatch.vars_to_bytes(values))


class BytesToVars:
	extends Batch

	func engine_once() -> void:
		var out: Array = []
		for buffer: PackedByteArray in buffers:
			out.append(bytes_to_var(buffer))

	func varbatch_once() -> void:
		var _out: Array = VarBatch.bytes_to_vars(buffers)

	func copy_once() -> void:
		var out: Array = []
		for buffer: PackedByteArray in buffers:
			out.append(buffer.slice(8))

	func check() -> String:
		return check_values(VarBatch.bytes_to_vars(buffers))


## Frames against the same loop as above: the bytes of the batch, whatever they are kept in.
class VarsToFrames:
	extends Batch
	var frames: PackedByteArray

	func _init(batch_values: Array) -> void:
		super(batch_values)
		frames = put_all()

	func engine_once() -> void:
		var out: Array = []
		for value: Variant in values:
			out.append(var_to_bytes(value))

	func varbatch_once() -> void:
		var _out: PackedByteArray = VarBatch.vars_to_frames(values)

	func copy_once() -> void:
		var _out: PackedByteArray = frames.slice(4)

	func check() -> String:
		return difference(frames, VarBatch.vars_to_frames(values))


## Frames against the engine's own way to write them.
class VarsToFramesPutVar:
	extends VarsToFrames

	func engine_once() -> void:
		var _out: PackedByteArray = put_all()


class FramesToVars:
	extends Batch
	var frames: PackedByteArray

	func _init(batch_values: Array) -> void:
		super(batch_values)
		frames = put_all()

	func engine_once() -> void:
		var out: Array = []
		for buffer: PackedByteArray in buffers:
			out.append(bytes_to_var(buffer))

	func varbatch_once() -> void:
		var _out: Array = VarBatch.frames_to_vars(frames)

	func copy_once() -> void:
		var out: Array = []
		for buffer: PackedByteArray in buffers:
			out.append(buffer.slice(8))

	func check() -> String:
		return check_values(VarBatch.frames_to_vars(frames))


class FramesToVarsGetVar:
	extends FramesToVars

	func engine_once() -> void:
		var out: Array = []
		var stream := StreamPeerBuffer.new()
		stream.data_array = frames
		for _index in values.size():
			out.append(stream.get_var())

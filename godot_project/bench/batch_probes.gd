extends RefCounted
## Probes of whole batches, against the plain loop that a script would write.
##
## The result of a call is kept in a member until it is freed, the same on every side. GDScript
## itself keeps the last result of a call until the next call or until the method returns: so each
## call is made in its own method. Compared to a batch, one more call costs nothing.

const Probe = preload("res://bench/probe.gd")


## A batch and its bytes, and the loops around the methods that subclasses fill.
class Batch:
	extends Probe
	var values: Array
	var buffers: Array[PackedByteArray]
	## True to time the floor too. It means nothing for containers, which are many small blocks.
	var floored := true
	## True if the timing excludes freeing the result, on every side. By default it is included: a
	## caller that makes buffers to send them pays for it at once, and memory allocated on many
	## threads may be more expensive to free. A caller that keeps the result does not pay then, and
	## sees this time. The engine's loop keeps its results in an Array until it ends, as VarBatch
	## must: a loop that drops each result at once would get the same block of memory every time,
	## and be no batch. In both modes a call uses memory that the calls before have freed.
	var freeing_apart := false
	## The result of the last call.
	var kept: Variant

	func _init(batch_values: Array) -> void:
		values = batch_values
		for value: Variant in values:
			buffers.append(var_to_bytes(value))

	func run(contender: Contender, calls: int) -> int:
		var usec := 0
		var started := Time.get_ticks_usec()
		for _call in calls:
			match contender:
				Contender.ENGINE:
					engine_once()
				Contender.VARBATCH:
					varbatch_once()
				Contender.FLOOR:
					copy_once()
			if freeing_apart:
				usec += Time.get_ticks_usec() - started
				kept = null
				started = Time.get_ticks_usec()
			else:
				kept = null
		return usec if freeing_apart else Time.get_ticks_usec() - started

	func has_floor() -> bool:
		return floored and not freeing_apart

	func engine_once() -> void:
		pass

	func varbatch_once() -> void:
		pass

	func copy_once() -> void:
		pass

	## The bytes that a loop of `put_var` writes, and of `store_var` too.
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
			if found[index] != buffers[index]:
				return "buffer %d: %s" % [index, difference(buffers[index], found[index])]
		return ""

	func check_values(found: Array) -> String:
		if found.size() != values.size():
			return "%d values, expected %d" % [found.size(), values.size()]
		# Comparing all at once is quick; if they differ, finds the one that does.
		if found.size() > 1 and var_to_bytes(found) == var_to_bytes(values):
			return ""
		for index in found.size():
			var problem := value_difference(values[index], found[index])
			if not problem.is_empty():
				return "value %d: %s" % [index, problem]
		return ""


class VarsToBytes:
	extends Batch
	var _payloads: Array[PackedByteArray]

	func engine_once() -> void:
		var out: Array = []
		for value: Variant in values:
			out.append(var_to_bytes(value))
		kept = out

	func varbatch_once() -> void:
		kept = VarBatch.vars_to_bytes(values)

	func copy_once() -> void:
		if _payloads.is_empty():  # In the first call, which is not timed.
			for buffer: PackedByteArray in buffers:
				_payloads.append(buffer.slice(8))
		var out: Array = []
		for payload: Variant in _payloads:
			out.append(var_to_bytes(payload))
		kept = out

	func check() -> String:
		return check_buffers(VarBatch.vars_to_bytes(values))


class BytesToVars:
	extends Batch

	func engine_once() -> void:
		var out: Array = []
		for buffer: PackedByteArray in buffers:
			out.append(bytes_to_var(buffer))
		kept = out

	func varbatch_once() -> void:
		kept = VarBatch.bytes_to_vars(buffers)

	func copy_once() -> void:
		var out: Array = []
		for buffer: PackedByteArray in buffers:
			out.append(buffer.slice(8))
		kept = out

	func check() -> String:
		return check_values(VarBatch.bytes_to_vars(buffers))


## Frames against the same loop as above: the bytes of the batch, whatever container holds them.
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
		kept = out

	func varbatch_once() -> void:
		kept = VarBatch.vars_to_frames(values)

	func copy_once() -> void:
		kept = frames.slice(4)

	func check() -> String:
		return difference(frames, VarBatch.vars_to_frames(values))


## Frames against the engine's own way to write them.
class VarsToFramesPutVar:
	extends VarsToFrames

	func engine_once() -> void:
		kept = put_all()


class FramesToVars:
	extends BytesToVars
	var frames: PackedByteArray

	func _init(batch_values: Array) -> void:
		super(batch_values)
		frames = put_all()

	func varbatch_once() -> void:
		kept = VarBatch.frames_to_vars(frames)

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
		kept = out


## Returns the probe of a call on many values, by the name of the call.
static func of(call_name: String, values: Array) -> Batch:
	match call_name:
		"vars_to_bytes":
			return VarsToBytes.new(values)
		"vars_to_frames":
			return VarsToFrames.new(values)
		"vars_to_frames, put_var":
			return VarsToFramesPutVar.new(values)
		"bytes_to_vars":
			return BytesToVars.new(values)
		"frames_to_vars":
			return FramesToVars.new(values)
	return FramesToVarsGetVar.new(values)

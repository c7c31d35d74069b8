extends "res://bench/probe.gd"
## Probe of one of VarBatch's calls, by its name, against the plain loop that a script would write.
##
## The result of a call is kept in a member until it is freed, the same on every side. GDScript
## itself keeps the last result of a call until the next call or until the method returns: so each
## call is made in its own method. Compared to a batch, one more call costs nothing.

## One of `var_to_bytes`, `bytes_to_var`, `vars_to_bytes`, `bytes_to_vars`, `vars_to_frames`, `frames_to_vars` or
## `validate`. After a comma, what the engine does instead of its functions for one value.
var call_name: String
var values: Array
var buffers: Array[PackedByteArray] = []
var frames: PackedByteArray = []
## True to time the floor too. It means nothing for containers, which are many small blocks.
var floored := false
## True if the timing excludes freeing the result, on every side. By default it is included: a
## caller that makes buffers to send them pays for it at once, and memory allocated on many
## threads may be more expensive to free. A caller that keeps the result does not pay then, and
## sees this time. The engine's loop keeps its results in an Array until it ends, as VarBatch
## must: a loop that drops each result at once would get the same block of memory every time,
## and be no batch. In both modes a call uses memory that the calls before have freed.
var freeing_apart := false
## The result of the last call.
var kept: Variant

var _encodes := false
var _payloads: Array = []


func _init(probed_call: String, batch_values: Array) -> void:
	call_name = probed_call
	values = batch_values
	_encodes = call_name.begins_with("var")


## Makes what the calls need beside the values, and returns how long it is.
func encode() -> int:
	if buffers.is_empty():
		for value: Variant in values:
			buffers.append(var_to_bytes(value))
		if call_name.contains("frames"):
			frames = _put_all()
	var total := 0
	for buffer: PackedByteArray in buffers:
		total += buffer.size()
	return total


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
				_copy_once()
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
	var out: Array = []
	match call_name:
		"vars_to_bytes", "vars_to_frames":
			for value: Variant in values:
				out.append(var_to_bytes(value))
			kept = out
		"bytes_to_vars", "frames_to_vars", "validate":  # The engine can only check by decoding.
			for buffer: PackedByteArray in buffers:
				out.append(bytes_to_var(buffer))
			kept = out
		"var_to_bytes":
			kept = var_to_bytes(values[0])
		"bytes_to_var":
			kept = bytes_to_var(buffers[0])
		"vars_to_frames, put_var":
			kept = _put_all()
		"frames_to_vars, get_var":
			var stream := StreamPeerBuffer.new()
			stream.data_array = frames
			for _index in values.size():
				out.append(stream.get_var())
			kept = out


func varbatch_once() -> void:
	match call_name:
		"vars_to_bytes":
			kept = VarBatch.vars_to_bytes(values)
		"bytes_to_vars":
			kept = VarBatch.bytes_to_vars(buffers)
		"vars_to_frames", "vars_to_frames, put_var":
			kept = VarBatch.vars_to_frames(values)
		"frames_to_vars", "frames_to_vars, get_var":
			kept = VarBatch.frames_to_vars(frames)
		"var_to_bytes":
			kept = VarBatch.var_to_bytes(values[0])
		"bytes_to_var":
			kept = VarBatch.bytes_to_var(buffers[0])
		"validate":
			kept = VarBatch.validate(buffers)


## As many new blocks with plain copies of as many bytes; of frames, one.
func _copy_once() -> void:
	if call_name.begins_with("vars_to_frames"):
		kept = frames.slice(4)
		return
	if _payloads.is_empty():  # In the first call, which is not timed.
		for buffer: PackedByteArray in buffers:
			_payloads.append(buffer.slice(8))
	var out: Array = []
	if _encodes:
		for payload: Variant in _payloads:
			out.append(var_to_bytes(payload))
	else:
		for buffer: PackedByteArray in buffers:
			out.append(buffer.slice(8))
	kept = out


## The bytes that a loop of `put_var` writes, and of `store_var` too.
func _put_all() -> PackedByteArray:
	var stream := StreamPeerBuffer.new()
	for value: Variant in values:
		stream.put_var(value)
	return stream.data_array


func problem() -> String:
	encode()
	varbatch_once()
	var found: Variant = kept
	kept = null
	match call_name:
		"var_to_bytes":
			return difference(buffers[0], found)
		"bytes_to_var":
			return value_difference(values[0], found)
		"vars_to_bytes":
			return "" if found == buffers else values_difference(buffers, found)
		"vars_to_frames", "vars_to_frames, put_var":
			return difference(frames, found)
		"validate":
			return _verdict_difference(found)
	return values_difference(values, found)


func _verdict_difference(verdicts: PackedStringArray) -> String:
	if verdicts.size() != buffers.size():
		return "%d reasons, expected %d" % [verdicts.size(), buffers.size()]
	for index in verdicts.size():
		if not verdicts[index].is_empty():
			return "buffer %d: %s" % [index, verdicts[index]]
	# A check that finds nothing wrong may have checked nothing.
	var broken: Array = buffers.duplicate()
	broken[-1] = buffers[-1].slice(0, -1)
	return "a missing byte was not found" if VarBatch.validate(broken)[-1].is_empty() else ""

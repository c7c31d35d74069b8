extends RefCounted
## Probes of one large value of many parts, and of `validate`, in the style of the batches.

const BatchProbes = preload("res://bench/batch_probes.gd")


## A batch of one value, in the call for one value.
class VarToBytes:
	extends BatchProbes.Batch

	func engine_once() -> void:
		kept = var_to_bytes(values[0])

	func varbatch_once() -> void:
		kept = VarBatch.var_to_bytes(values[0])

	func check() -> String:
		return check_buffers([VarBatch.var_to_bytes(values[0])])


class BytesToVar:
	extends BatchProbes.Batch

	func engine_once() -> void:
		kept = bytes_to_var(buffers[0])

	func varbatch_once() -> void:
		kept = VarBatch.bytes_to_var(buffers[0])

	func check() -> String:
		return check_values([VarBatch.bytes_to_var(buffers[0])])


## The engine can only check by decoding.
class Validate:
	extends BatchProbes.BytesToVars

	func varbatch_once() -> void:
		kept = VarBatch.validate(buffers)

	func check() -> String:
		var reasons: PackedStringArray = VarBatch.validate(buffers)
		if reasons.size() != buffers.size():
			return "%d reasons, expected %d" % [reasons.size(), buffers.size()]
		for index in reasons.size():
			if not reasons[index].is_empty():
				return "buffer %d: %s" % [index, reasons[index]]
		# A check that finds nothing wrong may have checked nothing.
		var broken: Array = buffers.duplicate()
		broken[-1] = buffers[-1].slice(0, -1)
		reasons = VarBatch.validate(broken)
		return "a missing byte was not found" if reasons[-1].is_empty() else ""


## Returns the probe of a call, by its name; floors mean nothing for values of many parts.
static func of(call_name: String, values: Array) -> BatchProbes.Batch:
	var probe: BatchProbes.Batch
	match call_name:
		"var_to_bytes":
			probe = VarToBytes.new(values)
		"bytes_to_var":
			probe = BytesToVar.new(values)
		"validate":
			probe = Validate.new(values)
		_:
			probe = BatchProbes.of(call_name, values)
	probe.floored = false
	return probe

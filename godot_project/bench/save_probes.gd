extends RefCounted
## Probes of a saved game that is one value, and of `validate`, in the way of the batches: what a
## call made is freed inside its time.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const BatchProbes = preload("res://bench/batch_probes.gd")


## A batch of one value, in the call for one value.
class VarToBytes:
	extends BatchProbes.Batch

	func engine_once() -> void:
		var _bytes: PackedByteArray = var_to_bytes(values[0])

	func varbatch_once() -> void:
		var _bytes: PackedByteArray = VarBatch.var_to_bytes(values[0])

	func check() -> String:
		return check_buffers([VarBatch.var_to_bytes(values[0])])


class BytesToVar:
	extends BatchProbes.Batch

	func engine_once() -> void:
		var _value: Variant = bytes_to_var(buffers[0])

	func varbatch_once() -> void:
		var _value: Variant = VarBatch.bytes_to_var(buffers[0])

	func check() -> String:
		return check_values([VarBatch.bytes_to_var(buffers[0])])


## The engine has no way to check but to decode.
class Validate:
	extends BatchProbes.BytesToVars

	func varbatch_once() -> void:
		var _reasons: PackedStringArray = VarBatch.validate(buffers)

	func check() -> String:
		var reasons: PackedStringArray = VarBatch.validate(buffers)
		if reasons.size() != buffers.size():
			return "%d reasons, expected %d" % [reasons.size(), buffers.size()]
		for index in reasons.size():
			if not reasons[index].is_empty():
				return "buffer %d: %s" % [index, reasons[index]]
		# One that finds nothing wrong may have looked at nothing.
		var broken: Array = buffers.duplicate()
		broken[-1] = buffers[-1].slice(0, -1)
		reasons = VarBatch.validate(broken)
		return "a missing byte was not found" if reasons[-1].is_empty() else ""

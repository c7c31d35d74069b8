extends RefCounted
## Probes of one value: to bytes and from bytes.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Probe = preload("res://bench/probe.gd")


class ToBytes:
	extends Probe
	var _value: Variant
	var _payload: PackedByteArray

	## The floor is the engine's own copy of [param payload_len] bytes: the cost of `var_to_bytes`
	## for a PackedByteArray.
	func _init(value: Variant, payload_len: int) -> void:
		_value = value
		_payload.resize(payload_len)
		_payload.fill(0x5a)

	func engine(calls: int) -> int:
		var value: Variant = _value
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _bytes: PackedByteArray = var_to_bytes(value)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var value: Variant = _value
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _bytes: PackedByteArray = VarBatch.var_to_bytes(value)
		return Time.get_ticks_usec() - started

	func copy(calls: int) -> int:
		var value: Variant = _payload
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _bytes: PackedByteArray = var_to_bytes(value)
		return Time.get_ticks_usec() - started

	func check() -> String:
		return difference(var_to_bytes(_value), VarBatch.var_to_bytes(_value))


class FromBytes:
	extends Probe
	var _bytes: PackedByteArray

	func _init(bytes: PackedByteArray) -> void:
		_bytes = bytes

	func engine(calls: int) -> int:
		var bytes := _bytes
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _value: Variant = bytes_to_var(bytes)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var bytes := _bytes
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _value: Variant = VarBatch.bytes_to_var(bytes)
		return Time.get_ticks_usec() - started

	## An allocation and a memcpy. [code]bytes[/code] is untyped so that the result is dropped as in
	## the two methods above: GDScript keeps the last result of a call typed as a PackedByteArray
	## until the next one is made, and two alternating buffers are slower than one.
	func copy(calls: int) -> int:
		var bytes: Variant = _bytes
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _value: Variant = bytes.slice(8)
		return Time.get_ticks_usec() - started

	func check() -> String:
		return value_difference(bytes_to_var(_bytes), VarBatch.bytes_to_var(_bytes))

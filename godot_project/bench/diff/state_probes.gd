extends RefCounted
## Probes of the differences between two states, and of deltas.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Probe = preload("res://bench/probe.gd")


## Two states that differ in a few values. The engine compares equal bytes in two buffers, so that
## it has to compare all of them.
class Diff:
	extends Probe
	var _before: PackedByteArray
	var _same: PackedByteArray
	var _after: PackedByteArray
	var _change_count: int

	func _init(before: PackedByteArray, after: PackedByteArray, change_count: int) -> void:
		_before = before
		_after = after
		_change_count = change_count
		_same = before.duplicate()
		_same[0] = before[0]  # A write, so that it is a copy of its own.

	func engine(calls: int) -> int:
		var before := _before
		var same := _same
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _is_same: bool = before == same
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var before := _before
		var after := _after
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _changes: Array[Dictionary] = VarBatch.diff(before, after)
		return Time.get_ticks_usec() - started

	func has_floor() -> bool:
		return false

	func check() -> String:
		var last := _same.size() - 1
		_same[last] ^= 1
		var is_seen := _before != _same
		_same[last] ^= 1
		if not is_seen or _before != _same:
			return "the engine does not compare all bytes"
		var changes := VarBatch.diff(_before, _after)
		if changes.size() != _change_count:
			return "%d changes, expected %d" % [changes.size(), _change_count]
		return difference(_after, VarBatch.patch(_before, changes))


## The engine compresses the whole new state instead, with Zstandard.
class MakeDelta:
	extends Probe
	var before: PackedByteArray
	var after: PackedByteArray

	func _init(old: PackedByteArray, new: PackedByteArray) -> void:
		before = old
		after = new

	func engine(calls: int) -> int:
		var new := after
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _compressed: PackedByteArray = new.compress(FileAccess.COMPRESSION_ZSTD)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var old := before
		var new := after
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _delta: PackedByteArray = VarBatch.make_delta(old, new)
		return Time.get_ticks_usec() - started

	func copy(calls: int) -> int:
		var new: Variant = after
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _copied: Variant = new.slice(0)
		return Time.get_ticks_usec() - started

	func check() -> String:
		var delta := VarBatch.make_delta(before, after)
		return difference(after, VarBatch.apply_delta(before, delta))


class ApplyDelta:
	extends MakeDelta

	func engine(calls: int) -> int:
		var compressed := after.compress(FileAccess.COMPRESSION_ZSTD)
		var size := after.size()
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _new: PackedByteArray = compressed.decompress(size, FileAccess.COMPRESSION_ZSTD)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var old := before
		var delta := VarBatch.make_delta(before, after)
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _new: PackedByteArray = VarBatch.apply_delta(old, delta)
		return Time.get_ticks_usec() - started

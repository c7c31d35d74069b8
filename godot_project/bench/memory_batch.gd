extends RefCounted
## One batch of the memory section: its values, and the results of the calls with them, all kept.
## The decoding calls get the results of the encoding calls.

## In this order, VarBatch before the engine.
enum Call {
	VARS_TO_BYTES,
	ENGINE_TO_BYTES,
	VARS_TO_FRAMES,
	VALIDATE,
	# From here on, calls that decode.
	BYTES_TO_VARS,
	ENGINE_FROM_BYTES,
	FRAMES_TO_VARS,
}

const Probe = preload("res://bench/probe.gd")
const Resident = preload("res://bench/resident.gd")
const Table = preload("res://bench/table.gd")
const Values = preload("res://bench/values.gd")

const TYPE := TYPE_PACKED_INT32_ARRAY
const SAVE_GAME := "save game"

var type: String
var count: int
## Payload bytes of a packed array; 0 in a saved game, whose values differ.
var bytes: int
var values: Array = []
var results: Array = []

## Copies of a saved game, see [method fill_holes].
var _fillers: Array = []


## [param batch_count] packed arrays of [param batch_bytes] each. If that is 0, a saved game: one
## value per entity, or one for all.
func _init(batch_count: int, batch_bytes: int) -> void:
	count = batch_count
	bytes = batch_bytes
	type = type_string(TYPE) if bytes > 0 else SAVE_GAME
	results.resize(Call.size())


func size_text() -> String:
	return Table.batch_text(count, bytes)


func make_values() -> void:
	if bytes > 0:
		values = Values.batch(TYPE, bytes, count)
	else:
		var entities := Values.save_game()
		values = [entities] if count == 1 else entities


## Fills the holes that earlier work left in memory with kept values, before a call is measured. A
## saved game needs many small holes filled, so its own values fill them.
func fill_holes(what: Call) -> void:
	_fillers.append(Resident.fill_holes(bytes))
	if bytes == 0 and (what == Call.VARS_TO_BYTES or what == Call.BYTES_TO_VARS):
		var buffer := var_to_bytes(values)
		_fillers.append([buffer, bytes_to_var(buffer)])


## The calls for one value if there is one, except those that are the same for any number.
func run(what: Call) -> void:
	var encoded: Variant = results[Call.ENGINE_TO_BYTES]
	var result: Variant = []
	match what:
		Call.VARS_TO_BYTES when count == 1:
			result = [VarBatch.var_to_bytes(values[0])]
		Call.VARS_TO_BYTES:
			result = VarBatch.vars_to_bytes(values)
		Call.ENGINE_TO_BYTES:
			for value: Variant in values:
				result.append(var_to_bytes(value))
		Call.VARS_TO_FRAMES:
			result = VarBatch.vars_to_frames(values)
		Call.VALIDATE:
			result = VarBatch.validate(encoded)
		Call.BYTES_TO_VARS when count == 1:
			result = [VarBatch.bytes_to_var(encoded[0])]
		Call.BYTES_TO_VARS:
			result = VarBatch.bytes_to_vars(encoded)
		Call.ENGINE_FROM_BYTES:
			for buffer: PackedByteArray in encoded:
				result.append(bytes_to_var(buffer))
		Call.FRAMES_TO_VARS:
			result = VarBatch.frames_to_vars(results[Call.VARS_TO_FRAMES])
	results[what] = result


## Payload bytes of a result: in buffers, in frames, or in decoded packed arrays. For a decoded
## saved game, the bytes that it was decoded from, as an approximation. A verdict has none.
func payload_len(what: Call) -> int:
	if what == Call.VALIDATE:
		return 0
	if results[what] is PackedByteArray:
		return results[what].size()
	var sized := what
	if bytes == 0 and what > Call.VALIDATE:
		sized = Call.ENGINE_TO_BYTES
	var total := 0
	for value: Variant in results[sized]:
		total += value.size() * Values.ELEMENT_LEN[typeof(value)]
	return total


## Returns the error in the results, or "" if they are the engine's results.
func check() -> String:
	var frames: PackedByteArray = results[Call.VARS_TO_FRAMES]
	var place := 0
	for index in values.size():
		var buffer := var_to_bytes(values[index])
		var problems: Dictionary[String, String] = {
			"vars_to_bytes": Probe.difference(buffer, results[Call.VARS_TO_BYTES][index]),
			"vars_to_frames":
			Probe.difference(buffer, frames.slice(place + 4, place + 4 + buffer.size())),
			"validate": results[Call.VALIDATE][index],
			"bytes_to_vars":
			Probe.value_difference(values[index], results[Call.BYTES_TO_VARS][index]),
			"frames_to_vars":
			Probe.value_difference(values[index], results[Call.FRAMES_TO_VARS][index]),
		}
		place += 4 + buffer.size()
		for call_name: String in problems:
			if not problems[call_name].is_empty():
				return "%s, value %d: %s" % [call_name, index, problems[call_name]]
	return "" if place == frames.size() else "vars_to_frames: bytes behind the last frame"

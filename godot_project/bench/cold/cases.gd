extends RefCounted
## The cases of the cold bench, and their values.

const Data = preload("res://bench/files/data.gd")
const Result = preload("res://bench/result.gd")
const Values = preload("res://bench/values.gd")

## The ways to make a call.
const ENGINE := "engine"
const VARBATCH := "varbatch"
## States of the memory: the game still holds all that it made, or it has just freed a result of the
## same shape.
const FRESH := "fresh"
const REUSE := "reuse"

const FILE_MIB := 256
const SAVE_GAME := "save game"
const WORLD := "packed arrays"
const ASCII := "100,000 texts, ASCII 20"
const MIXED := "100,000 texts, mixed 20"
const ENTITIES := 40_000

const _FRESH: Array[String] = [FRESH]
const _BOTH: Array[String] = [FRESH, REUSE]
## Type, number of values, payload bytes of each, call, and states.
const _ROWS: Array[Array] = [
	["PackedInt32Array", 64, 1 << 20, "vars_to_frames", _BOTH],
	["PackedInt32Array", 1, 1 << 26, "var_to_bytes", _BOTH],
	["PackedInt32Array", 64, 1 << 20, "vars_to_bytes", _BOTH],
	["PackedInt32Array", 1, 1 << 26, "bytes_to_var", _BOTH],
	["PackedInt32Array", 64, 1 << 20, "bytes_to_vars", _BOTH],
	[SAVE_GAME, 1, 0, "var_to_bytes", _BOTH],
	[SAVE_GAME, 1, 0, "bytes_to_var", _BOTH],
	["PackedInt32Array", 20_000, 64, "vars_to_bytes", _FRESH],
	["PackedInt32Array", 20_000, 64, "vars_to_frames", _FRESH],
	["PackedInt32Array", 20_000, 64, "bytes_to_vars", _BOTH],
	["PackedInt32Array", 20_000, 64, "frames_to_vars", _FRESH],
	[ASCII, 1, 2_000_000, "var_to_bytes", _FRESH],
	[ASCII, 1, 2_000_000, "bytes_to_var", _BOTH],
	[MIXED, 1, 4_600_000, "var_to_bytes", _FRESH],
	[MIXED, 1, 4_600_000, "bytes_to_var", _BOTH],
	[WORLD, 64, 1 << 22, "load_vars", _BOTH],
	[SAVE_GAME, ENTITIES, 0, "load_vars", _BOTH],
	[WORLD, 64, 1 << 22, "save_vars", _FRESH],
	[SAVE_GAME, ENTITIES, 0, "save_vars", _FRESH],
	[WORLD, 64, 1 << 22, "save_vars_async", _FRESH],
	["PackedInt32Array", 1_000_000, 64, "save_vars_async", _FRESH],
]


## The cases, with a state each.
static func rows() -> Array[Array]:
	var all: Array[Array] = []
	for row: Array in _ROWS:
		for state: String in row[4]:
			all.append(row.slice(0, 4) + [state])
	return all


## The case of a row, without times.
static func result(row: Array) -> Result:
	return Result.new("cold", row[0], row[1], row[2], "%s, %s" % [row[3], row[4]])


static func values(row: Array) -> Array:
	match row[0]:
		SAVE_GAME:
			var entities := Values.save_game(ENTITIES)
			return entities if row[1] == ENTITIES else [entities]
		WORLD:
			return Data.make(Data.PACKED, FILE_MIB)
		ASCII:
			return [Values.words(Values.Words.ASCII_20, row[2])]
		MIXED:
			return [Values.words(Values.Words.MIXED_20, row[2])]
	return Values.batch(TYPE_PACKED_INT32_ARRAY, row[2], row[1])

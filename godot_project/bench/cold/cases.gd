extends RefCounted
## The cases of the cold bench, and their values.

const Data = preload("res://bench/files/data.gd")
const Result = preload("res://bench/result.gd")
const Values = preload("res://bench/values.gd")

## Starts a process that makes one call. The index of the row, the way and the folder for files
## follow.
const CALL := "--call"
## The ways to make it. [constant OTHER] is [constant VARBATCH] of another library.
const ENGINE := "engine"
const VARBATCH := "varbatch"
const OTHER := "other"
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

## Type, number of values, payload bytes of each, call, state, and the targets in the editor build
## and in the release template (0: none). The targets are for fresh memory, of decoding for both.
const ROWS: Array[Array] = [
	["PackedInt32Array", 64, 1 << 20, "vars_to_frames", FRESH, 4.0, 2.7],
	["PackedInt32Array", 64, 1 << 20, "vars_to_frames", REUSE, 0.0, 0.0],
	["PackedInt32Array", 1, 1 << 26, "var_to_bytes", FRESH, 4.0, 3.0],
	["PackedInt32Array", 1, 1 << 26, "var_to_bytes", REUSE, 0.0, 0.0],
	["PackedInt32Array", 64, 1 << 20, "vars_to_bytes", FRESH, 4.0, 2.3],
	["PackedInt32Array", 64, 1 << 20, "vars_to_bytes", REUSE, 0.0, 0.0],
	["PackedInt32Array", 1, 1 << 26, "bytes_to_var", FRESH, 5.5, 2.8],
	["PackedInt32Array", 1, 1 << 26, "bytes_to_var", REUSE, 5.5, 2.8],
	["PackedInt32Array", 64, 1 << 20, "bytes_to_vars", FRESH, 3.0, 1.0],
	["PackedInt32Array", 64, 1 << 20, "bytes_to_vars", REUSE, 3.0, 1.0],
	[SAVE_GAME, 1, 0, "var_to_bytes", FRESH, 4.0, 3.3],
	[SAVE_GAME, 1, 0, "var_to_bytes", REUSE, 0.0, 0.0],
	[SAVE_GAME, 1, 0, "bytes_to_var", FRESH, 0.0, 0.0],
	[SAVE_GAME, 1, 0, "bytes_to_var", REUSE, 0.0, 0.0],
	["PackedInt32Array", 20_000, 64, "vars_to_bytes", FRESH, 0.0, 0.0],
	["PackedInt32Array", 20_000, 64, "vars_to_frames", FRESH, 0.0, 0.0],
	["PackedInt32Array", 20_000, 64, "bytes_to_vars", FRESH, 0.0, 0.0],
	["PackedInt32Array", 20_000, 64, "bytes_to_vars", REUSE, 0.0, 0.0],
	["PackedInt32Array", 20_000, 64, "frames_to_vars", FRESH, 0.0, 0.0],
	[ASCII, 1, 2_000_000, "var_to_bytes", FRESH, 0.0, 0.0],
	[ASCII, 1, 2_000_000, "bytes_to_var", FRESH, 0.0, 0.0],
	[ASCII, 1, 2_000_000, "bytes_to_var", REUSE, 0.0, 0.0],
	[MIXED, 1, 4_600_000, "var_to_bytes", FRESH, 0.0, 0.0],
	[MIXED, 1, 4_600_000, "bytes_to_var", FRESH, 0.0, 0.0],
	[MIXED, 1, 4_600_000, "bytes_to_var", REUSE, 0.0, 0.0],
	[WORLD, 64, 1 << 22, "load_vars", FRESH, 0.0, 0.0],
	[WORLD, 64, 1 << 22, "load_vars", REUSE, 0.0, 0.0],
	[SAVE_GAME, ENTITIES, 0, "load_vars", FRESH, 0.0, 0.0],
	[SAVE_GAME, ENTITIES, 0, "load_vars", REUSE, 0.0, 0.0],
	[WORLD, 64, 1 << 22, "save_vars", FRESH, 0.0, 0.0],
	[SAVE_GAME, ENTITIES, 0, "save_vars", FRESH, 0.0, 0.0],
]


## The case of a row, without times.
static func result(row: Array) -> Result:
	var case := Result.new("cold", row[0], row[1], row[2], "%s, %s" % [row[3], row[4]])
	var target: float = row[5] if OS.is_debug_build() else row[6]
	case.target = target if target > 0.0 else NAN
	return case


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

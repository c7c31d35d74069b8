extends RefCounted
## Section: one packed array to bytes and from bytes, every type, from 16 bytes to megabytes.

const Result = preload("res://bench/result.gd")
const SaveProbes = preload("res://bench/save_probes.gd")
const Session = preload("res://bench/session.gd")
const ValueProbes = preload("res://bench/value_probes.gd")
const Values = preload("res://bench/values.gd")

const KIB := 1024
const MIB := 1024 * KIB
const INT32_SIZES: Array[int] = [
	16, 64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 8 * MIB, 32 * MIB
]
const SIZES: Array[int] = [16, KIB, 4 * KIB, 64 * KIB, MIB, 8 * MIB]
const OTHER_TYPES: Array[Variant.Type] = [
	TYPE_PACKED_BYTE_ARRAY,
	TYPE_PACKED_INT64_ARRAY,
	TYPE_PACKED_FLOAT32_ARRAY,
	TYPE_PACKED_FLOAT64_ARRAY,
	TYPE_PACKED_VECTOR2_ARRAY,
	TYPE_PACKED_VECTOR3_ARRAY,
	TYPE_PACKED_VECTOR4_ARRAY,
	TYPE_PACKED_COLOR_ARRAY,
]

## The min size and the target ratio from there on, largest size first; for arrays of numbers other
## than bytes, which the engine itself copies with memcpy.
const TARGETS_TO_BYTES: Array[Array] = [
	[32 * MIB, Result.NEVER_BELOW],
	[8 * MIB, 8.0],
	[64 * KIB, 14.0],
	[4 * KIB, 5.0],
	[0, Result.NEVER_BELOW]
]
const TARGETS_FROM_BYTES: Array[Array] = [
	[32 * MIB, Result.NEVER_BELOW],
	[8 * MIB, 1.15],
	[64 * KIB, 10.0],
	[4 * KIB, 5.0],
	[0, Result.NEVER_BELOW]
]
## From this size on the floor has a target too.
const FLOOR_FROM := 64 * KIB
const FLOOR_TO_BYTES := 1.15
const FLOOR_FROM_BYTES := 1.3
## The target for text, in both directions, from this size on.
const TEXT_FROM := KIB
const TEXT_TARGETS: Dictionary[Values.Words, Array] = {
	Values.Words.ASCII_20: [8.0, 2.5],
	Values.Words.ASCII_4: [6.0, 2.5],
	Values.Words.MIXED_20: [8.0, 2.5],
	Values.Words.TAGS: [Result.NEVER_BELOW, Result.NEVER_BELOW],
}
## From this size on, freeing the text is also timed separately: it is many allocations then.
const APART_FROM := 64 * KIB
const TAGS_SIZES: Array[int] = [64 * KIB]


func run(session: Session) -> void:
	session.report.start_table("One packed array (floor: a plain copy of as many bytes)")
	for size: int in INT32_SIZES:
		_time_numbers(session, TYPE_PACKED_INT32_ARRAY, size)
	for type: Variant.Type in OTHER_TYPES:
		for size: int in SIZES:
			_time_numbers(session, type, size)
	for kind: Values.Words in Values.Words.values():
		for size: int in TAGS_SIZES if kind == Values.Words.TAGS else SIZES:
			_time_words(session, kind, size)


func _time_numbers(session: Session, type: Variant.Type, size: int) -> void:
	var cases := _cases(type_string(type), size)
	if not session.wants_any([cases[0].name, cases[1].name]):
		return
	if type != TYPE_PACKED_BYTE_ARRAY:
		cases[0].target = _target(TARGETS_TO_BYTES, size)
		cases[1].target = _target(TARGETS_FROM_BYTES, size)
		if size >= FLOOR_FROM:
			cases[0].floor_target = FLOOR_TO_BYTES
			cases[1].floor_target = FLOOR_FROM_BYTES
	_time(session, cases, Values.numbers(type, size))


func _time_words(session: Session, kind: Values.Words, size: int) -> void:
	var cases := _cases("PackedStringArray " + Values.WORD_NAMES[kind], size)
	if not session.wants_any([cases[0].name, cases[1].name]):
		return
	var words := Values.words(kind, size)
	if size >= TEXT_FROM:
		cases[0].target = TEXT_TARGETS[kind][0]
		cases[1].target = TEXT_TARGETS[kind][1]
	if size < APART_FROM:
		_time(session, cases, words)
		return
	session.time_twice(cases[0], SaveProbes.of("var_to_bytes", [words]))
	session.time_twice(cases[1], SaveProbes.of("bytes_to_var", [words]))


## The two cases of a size: to bytes and from bytes.
func _cases(type: String, size: int) -> Array[Result]:
	return [
		Result.new("packed", type, 1, size, "to bytes"),
		Result.new("packed", type, 1, size, "from bytes"),
	]


func _time(session: Session, cases: Array[Result], value: Variant) -> void:
	var bytes := var_to_bytes(value)
	session.time(cases[0], ValueProbes.ToBytes.new(value, bytes.size() - 8))
	session.time(cases[1], ValueProbes.FromBytes.new(bytes))


func _target(targets: Array[Array], size: int) -> float:
	for row: Array in targets:
		if size >= row[0]:
			return row[1]
	return NAN

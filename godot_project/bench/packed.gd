extends RefCounted
## Section: one packed array to bytes and from bytes, every type, from 16 bytes to megabytes.

const Batch = preload("res://bench/batch.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const KIB := 1024
const MIB := 1024 * KIB
const INT32_SIZES: Array[int] = [
	16, 64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 8 * MIB, 32 * MIB
]
const SIZES: Array[int] = [16, KIB, 4 * KIB, 64 * KIB, MIB, 8 * MIB]
## From this size on, freeing the text is also timed separately: it is many allocations then.
const APART_FROM := 64 * KIB
const TAGS_SIZES: Array[int] = [64 * KIB]


func run(session: Session) -> void:
	session.report.start_table("One packed array (floor: a plain copy of as many bytes)")
	for type: Variant.Type in Values.ELEMENT_LEN:
		for size: int in INT32_SIZES if type == TYPE_PACKED_INT32_ARRAY else SIZES:
			_time(session, type_string(type), size, Values.numbers.bind(type, size))
	for kind: Values.Words in Values.Words.values():
		for size: int in TAGS_SIZES if kind == Values.Words.TAGS else SIZES:
			var type := "PackedStringArray " + Values.WORD_NAMES[kind]
			_time(session, type, size, Values.words.bind(kind, size))


func _time(session: Session, type: String, size: int, make: Callable) -> void:
	var to := Result.new("packed", type, 1, size, "to bytes")
	var from := Result.new("packed", type, 1, size, "from bytes")
	if not session.wants(to.name) and not session.wants(from.name):
		return
	var value: Variant = make.call()
	if value is PackedStringArray and size >= APART_FROM:
		session.time_twice(to, Batch.new("var_to_bytes", [value]))
		session.time_twice(from, Batch.new("bytes_to_var", [value]))
		return
	var bytes := var_to_bytes(value)
	session.time(to, Probe.to_bytes(value, bytes.size() - 8))
	session.time(from, Probe.from_bytes(bytes))

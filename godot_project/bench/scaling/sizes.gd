extends RefCounted
## Section of the scaling bench: how the cost of one value grows with its size, from 16 bytes to 256
## MiB, with as many threads as there are cores. From some size on, the results are in fresh memory
## of the system, as in a game that allocates that much just once.

const GrowthTable = preload("res://bench/scaling/growth_table.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const ValueProbes = preload("res://bench/value_probes.gd")
const Values = preload("res://bench/values.gd")

const SECTION := "scaling/size"
const MIB := 1048576
const FIRST := 16
const STEP := 4
## The largest size of each type, bytes first, see the table. Sizes of text are those of its UTF-8.
const LARGEST: Dictionary[Variant.Type, int] = {
	TYPE_PACKED_BYTE_ARRAY: 256 * MIB,
	TYPE_PACKED_INT32_ARRAY: 256 * MIB,
	TYPE_PACKED_VECTOR3_ARRAY: 256 * MIB,
	TYPE_PACKED_STRING_ARRAY: 64 * MIB,
	TYPE_STRING: 256 * MIB,
}
## Max memory per byte of a value while it is checked and timed: the value, its bytes, and the
## results. Letters take four bytes in memory, and words have a block each.
const MEMORY_NUMBERS := 4
const MEMORY_TEXT := 12


func run(session: Session) -> void:
	var table := GrowthTable.new(
		session, "How the cost grows with size. step = of a byte, against the size before", false
	)
	session.warm_memory = false
	var skipped: PackedStringArray = []
	for type: Variant.Type in LARGEST:
		for direction: String in ["to bytes", "from bytes"]:
			var size := FIRST
			while size <= LARGEST[type]:
				var case := Result.new(SECTION, _name(type), 1, size, direction)
				if session.wants(case.name):
					if _has_memory(size, type):
						table.add(case, _probe(type, size, direction))
					else:
						skipped.append(case.name)
				size *= STEP
	table.finish()
	if not skipped.is_empty():
		print("not measured, for want of memory: ", ", ".join(skipped))


## Only one value exists at a time, or its bytes.
func _probe(type: Variant.Type, size: int, direction: String) -> Probe:
	if direction == "to bytes":
		return ValueProbes.ToBytes.new(_value(type, size), 0)
	return ValueProbes.FromBytes.new(var_to_bytes(_value(type, size)))


func _name(type: Variant.Type) -> String:
	return type_string(type) + ("" if type in Values.ELEMENT_LEN else " ASCII")


func _value(type: Variant.Type, size: int) -> Variant:
	match type:
		TYPE_STRING:
			var part := mini(size, MIB)
			var text := "".join(Values.words(Values.Words.ASCII_20, part + 20)).left(part)
			return text.repeat(size / part)
		TYPE_PACKED_STRING_ARRAY:
			return Values.words(Values.Words.ASCII_20, size)
	return Values.numbers(type, size)


## True if the system has enough free memory, or does not report it.
func _has_memory(size: int, type: Variant.Type) -> bool:
	var needed := size * (MEMORY_NUMBERS if type in Values.ELEMENT_LEN else MEMORY_TEXT)
	var available: int = OS.get_memory_info()["available"]
	return available <= 0 or needed <= available

extends RefCounted
## Section of the scaling bench: how the cost of a batch grows with the number of its values, from 1
## to 1,000,000, with as many threads as there are cores, against a loop of the engine's function.

const BatchProbes = preload("res://bench/batch_probes.gd")
const GrowthTable = preload("res://bench/scaling/growth_table.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const SECTION := "scaling/count"
const STEP := 10
const CALLS: Array[String] = ["vars_to_bytes", "vars_to_frames", "bytes_to_vars", "frames_to_vars"]
## The type of the values, and the largest number of them.
const KINDS: Dictionary[String, int] = {
	"PackedInt32Array, 64 B": 1_000_000,
	"int": 1_000_000,
	"Dictionary, 3 keys": 100_000,
	"String, 20 letters": 1_000_000,
}


func run(session: Session) -> void:
	session.warm_memory = false
	var table := GrowthTable.new(
		session, "How the cost grows with count. step = of a value, against the count before", true
	)
	for kind: String in KINDS:
		for call_name: String in CALLS:
			var count := 1
			while count <= KINDS[kind]:
				_run(session, table, kind, call_name, count)
				count *= STEP
	table.finish()


func _run(
	session: Session, table: GrowthTable, kind: String, call_name: String, count: int
) -> void:
	var case := Result.new(SECTION, kind, count, 0, call_name)
	case.name = "/".join([SECTION, kind, count, call_name]).replace(",", "").replace(" ", "_")
	if not session.wants(case.name):
		return
	var probe := BatchProbes.of(call_name, _values(kind, count))
	probe.floored = false
	case.bytes = probe.encoded_len() / count
	table.add(case, probe)


func _values(kind: String, count: int) -> Array:
	match kind:
		"int":
			return range(1_000_000_000, 1_000_000_000 + count)
		"Dictionary, 3 keys":
			var dictionaries: Array = []
			for index in count:
				dictionaries.append({"name": "torch", "count": index, "position": Vector2i(4, 5)})
			return dictionaries
		"String, 20 letters":
			return Array(Values.words(Values.Words.ASCII_20, count * 20))
	return Values.batch(TYPE_PACKED_INT32_ARRAY, 64, count)

extends RefCounted
## Section of the scaling bench: the size from which threads are faster.
##
## Each call is timed with one thread and with more: back to back, when the other threads are still
## awake, and rested, when they sleep and must be woken, as in a game that saves now and then.
## VarBatch itself decides what it shares between threads: if it does not share, helpers sleep and
## the gain is 1. The first row in which they do not sleep is its current choice: a gain below 1
## there means that it chooses threads too early, one far above 1 too late.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Cores = preload("res://bench/scaling/cores.gd")
const CrossingTable = preload("res://bench/scaling/crossing_table.gd")
const Result = preload("res://bench/result.gd")
const SaveProbes = preload("res://bench/save_probes.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const SECTION := "scaling/crossing"
const KIB := 1024
const MIB := 1024 * KIB
## The first and the last size, in bytes; each is twice the one before.
const PACKED: Array[int] = [256 * KIB, 64 * MIB]
const BATCHES: Array[int] = [64 * KIB, 16 * MIB]
const BATCH_VALUE := 4 * KIB
const WORDS: Array[int] = [16 * KIB, 8 * MIB]
const ENTITIES: Array[int] = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]
const ONE_CALLS: Array[String] = ["var_to_bytes", "bytes_to_var"]
const BATCH_CALLS: Array[String] = [
	"vars_to_bytes", "vars_to_frames", "bytes_to_vars", "frames_to_vars"
]

var _table: CrossingTable


func run(session: Session) -> void:
	if Cores.thread_counts().size() == 1:
		print("\nFrom which size on threads pay: not measured. ", Cores.explanation())
		return
	session.warm_memory = true
	_table = CrossingTable.new(session)
	var type := TYPE_PACKED_INT32_ARRAY
	for call_name: String in ONE_CALLS:
		for size: int in _doubles(PACKED):
			_time(
				Result.new(SECTION, type_string(type), 1, size, call_name),
				func() -> Array: return [Values.numbers(type, size)]
			)
	for call_name: String in BATCH_CALLS:
		for size: int in _doubles(BATCHES):
			_time(
				Result.new(SECTION, type_string(type), size / BATCH_VALUE, BATCH_VALUE, call_name),
				Values.batch.bind(type, BATCH_VALUE, size / BATCH_VALUE)
			)
	var entities := Values.save_game()
	for call_name: String in ONE_CALLS + BATCH_CALLS:
		for count: int in ENTITIES:
			var part := entities.slice(0, count)
			var one := call_name in ONE_CALLS
			var title := "Array of dictionaries" if one else "dictionaries"
			var case := Result.new(SECTION, title, count, 0, call_name)
			_time(case, func() -> Array: return [part] if one else part)
	for call_name: String in ONE_CALLS:
		for size: int in _doubles(WORDS):
			_time(
				Result.new(SECTION, "PackedStringArray ASCII 20", 1, size, call_name),
				func() -> Array: return [Values.words(Values.Words.ASCII_20, size)]
			)
	_table.finish()


func _time(case: Result, make_values: Callable) -> void:
	if _table.session.wants(case.name):
		_table.add(case, SaveProbes.of(case.direction, make_values.call()))


func _doubles(ends: Array[int]) -> Array[int]:
	var sizes: Array[int] = []
	var size := ends[0]
	while size <= ends[1]:
		sizes.append(size)
		size *= 2
	return sizes

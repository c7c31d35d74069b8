extends RefCounted
## Section of the scaling bench: the same call with 1, 2, 4 ... threads, up to the machine's cores.
## The engine, which has only one, takes its turn in each round.

const BatchProbes = preload("res://bench/batch_probes.gd")
const Batches = preload("res://bench/batches.gd")
const Cores = preload("res://bench/scaling/cores.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const SaveProbes = preload("res://bench/save_probes.gd")
const Session = preload("res://bench/session.gd")
const Table = preload("res://bench/table.gd")
const Timing = preload("res://bench/timing.gd")
const Values = preload("res://bench/values.gd")

const COLUMNS: Array[Array] = [
	["value", -28],
	["size", -12],
	["call", -18],
	["threads", 7],
	["engine", 11],
	["VarBatch", 11],
	["speed-up", 11],
	["ratio", 9],
]
const SECTION := "scaling/threads"
const MIB := 1048576
const WORDS: Array[Values.Words] = [
	Values.Words.ASCII_20, Values.Words.ASCII_4, Values.Words.MIXED_20
]
const WORDS_SIZES: Array[int] = [MIB, 8 * MIB]
const PACKED_SIZES: Array[int] = [MIB, 8 * MIB, 32 * MIB]
const ONE_CALLS: Array[String] = ["var_to_bytes", "bytes_to_var"]
const BATCH_CALLS: Array[String] = [
	"vars_to_bytes", "vars_to_frames", "bytes_to_vars", "frames_to_vars"
]

var _session: Session
var _table := Table.new(COLUMNS)
var _titled := false


func run(session: Session) -> void:
	_session = session
	_session.warm_memory = true
	for batch: Array in Batches.BATCHES:
		_group(
			BATCH_CALLS,
			type_string(batch[0]),
			batch[2],
			batch[1],
			Values.batch.bind(batch[0], batch[1], batch[2])
		)
	_group(ONE_CALLS, "save game", 1, 0, func() -> Array: return [Values.save_game()])
	_group(BATCH_CALLS, "save game", Values.ENTITIES, 0, Values.save_game)
	for kind: Values.Words in WORDS:
		for size: int in WORDS_SIZES:
			var type := "PackedStringArray " + Values.WORD_NAMES[kind]
			_group(ONE_CALLS, type, 1, size, func() -> Array: return [Values.words(kind, size)])
	for size: int in PACKED_SIZES:
		var type := TYPE_PACKED_INT32_ARRAY
		_group(
			ONE_CALLS,
			type_string(type),
			1,
			size,
			func() -> Array: return [Values.numbers(type, size)]
		)


## Calls with the same values, which are made for the first requested call.
func _group(
	calls: Array[String], type: String, count: int, bytes: int, make_values: Callable
) -> void:
	var values: Array = []
	for call_name: String in calls:
		var case := Result.new(SECTION, type, count, bytes, call_name)
		if not _session.wants(case.name):
			continue
		if values.is_empty():
			values = make_values.call()
		_time(case, SaveProbes.of(call_name, values))


func _time(case: Result, probe: BatchProbes.Batch) -> void:
	var counts := Cores.thread_counts()
	var entrants: Array[Timing.Entrant] = [Timing.Entrant.new(Probe.Contender.ENGINE)]
	for count: int in counts:
		VarBatch.set_thread_count(count)
		if not _session.may_time(case.name, probe):
			VarBatch.set_thread_count(0)
			return
		entrants.append(Timing.Entrant.new(Probe.Contender.VARBATCH, count))
	if not _titled:
		print("\nHow each call gains from threads. Microseconds a call, medians of paired rounds,")
		print("speed-up = against one thread, ratio = engine / VarBatch, ~ = noisy.")
		print(Cores.explanation())
		_table.print_titles()
		_titled = true
	var times := Timing.paired(probe, entrants, Timing.Effort.new())
	VarBatch.set_thread_count(0)
	for index in counts.size():
		_report(case, counts[index], times[0], times[1], times[index + 1])


func _report(
	case: Result,
	threads: int,
	engine: PackedFloat64Array,
	alone: PackedFloat64Array,
	varbatch: PackedFloat64Array
) -> void:
	var speed_ups := Timing.ratios(alone, varbatch)
	var speed_up := Timing.quantile(speed_ups, 0.5)
	var ratios := Timing.ratios(engine, varbatch)
	var ratio := Timing.quantile(ratios, 0.5)
	var engine_usec := Timing.quantile(engine, 0.5)
	var usec := Timing.quantile(varbatch, 0.5)
	(
		_table
		. print_row(
			[
				case.type,
				Table.batch_text(case.count, case.bytes),
				case.direction,
				str(threads),
				Table.usec_text(engine_usec),
				Table.usec_text(usec),
				"" if threads == 1 else Table.ratio_text(speed_up, Timing.noisy(speed_ups)),
				Table.ratio_text(ratio, Timing.noisy(ratios)),
			]
		)
	)
	(
		_session
		. report
		. add_json(
			case.name,
			{
				"type": case.type,
				"bytes": case.bytes,
				"count": case.count,
				"direction": case.direction,
				"threads": threads,
				"engine_us": Table.number(engine_usec),
				"varbatch_us": Table.number(usec),
				"speed_up": Table.number(speed_up),
				"ratio": Table.number(ratio),
				"rounds": varbatch.size(),
				"noisy": Timing.noisy(ratios),
			}
		)
	)

extends RefCounted
## Times a probe in paired rounds: in each round all who take part, as the engine, VarBatch and the
## floor, take one sample each, so that whatever slows the machine down slows all. What is compared
## is the ratio within a round.

const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")

## A case is noisy where the middle half of its ratios is wider than this part of their median.
const NOISY := 0.15

## Just under 32 MiB, the largest block that the C library of Linux can learn to keep.
const BLOCK_BYTES := 31 * 1048576
## Blocks of that size that [method warm_memory] takes, one of them for good.
const WARM_BLOCKS := 17
## How long VarBatch's threads have had nothing to do before a rested call: they sleep by then.
const REST_USEC := 1_000
const RESTED_CALLS := 3


## Who takes samples.
class Entrant:
	var contender: Probe.Contender
	## What to give to `set_thread_count`; negative: leave it as it is.
	var threads := -1
	## Whether calls are far apart, as those of a game are, and not back to back.
	var rested := false

	func _init(who: Probe.Contender, thread_count := -1, between_rests := false) -> void:
		contender = who
		threads = thread_count
		rested = between_rests

	## Makes the calls of one sample; returns the microseconds that they took.
	func run(probe: Probe, calls: int) -> int:
		if threads >= 0:
			VarBatch.set_thread_count(threads)
			probe.run(contender, 1)  # The first large call starts the threads.
		if not rested:
			return probe.run(contender, calls)
		var usec := 0
		for _call in calls:
			OS.delay_usec(REST_USEC)
			usec += probe.run(contender, 1)
		return usec


## How much time a case is given.
class Effort:
	## A sample makes so many calls that it lasts about this long.
	var sample_usec := 1_000
	## A quick case goes on for this long, between these numbers of rounds.
	var budget_usec := 500_000
	var rounds_min := 15
	var rounds_max := 101
	## A case whose least rounds would take longer than this has fewer, but not below the second.
	var slow_usec := 2_000_000
	var rounds_slow := 7

	## For a section of very many cases.
	static func short() -> Effort:
		var effort := Effort.new()
		effort.budget_usec = 150_000
		effort.rounds_min = 9
		effort.slow_usec = 1_000_000
		effort.rounds_slow = 5
		return effort

	func round_count(round_usec: int) -> int:
		if round_usec * rounds_min > slow_usec:
			return clampi(floori(float(slow_usec) / round_usec), rounds_slow, rounds_min)
		return clampi(floori(float(budget_usec) / round_usec), rounds_min, rounds_max)


## Frees a large block once, as a game has that has ever loaded anything. The C library of Linux
## learns from it to keep freed blocks of up to 32 MiB. Before, it gives each block of megabytes
## back, and the page faults of taking it again are all that would be measured.
static func settle_allocator() -> void:
	var block: PackedByteArray = []
	block.resize(BLOCK_BYTES)


## Makes the process own half a gigabyte of memory that is free, as a game that has left a level.
## Otherwise what is freed at the end of the heap goes back to the system whenever it is 62 MiB and
## more, and it is chance, from what earlier cases left there, whether a batch of 64 MiB is measured
## or the page faults of its memory: ten times as much. Returns the block that must be kept at the
## end of it.
static func warm_memory() -> PackedByteArray:
	var blocks: Array[PackedByteArray] = []
	for _block in WARM_BLOCKS:
		var block: PackedByteArray = []
		block.resize(BLOCK_BYTES)
		blocks.append(block)
	return blocks[-1]


## Fills the times of [param result].
static func measure(probe: Probe, result: Result, effort := Effort.new()) -> void:
	var entrants: Array[Entrant] = [
		Entrant.new(Probe.Contender.ENGINE), Entrant.new(Probe.Contender.VARBATCH)
	]
	if probe.has_floor():
		entrants.append(Entrant.new(Probe.Contender.FLOOR))
	var times := paired(probe, entrants, effort)
	result.rounds = times[0].size()
	result.engine_min = quantile(times[0], 0.0)
	result.engine_median = quantile(times[0], 0.5)
	result.varbatch_min = quantile(times[1], 0.0)
	result.varbatch_median = quantile(times[1], 0.5)
	var ratio := ratios(times[0], times[1])
	result.ratio = quantile(ratio, 0.5)
	result.noisy = noisy(ratio)
	if probe.has_floor():
		result.floor_median = quantile(times[2], 0.5)
		result.floor_ratio = quantile(ratios(times[1], times[2]), 0.5)


## The times of each entrant, in microseconds a call, round by round.
static func paired(
	probe: Probe, entrants: Array[Entrant], effort: Effort
) -> Array[PackedFloat64Array]:
	var times: Array[PackedFloat64Array] = []
	var calls: PackedInt64Array = []
	var round_usec := 0
	for entrant: Entrant in entrants:
		var plan := _calibrate(probe, entrant, effort)
		calls.append(plan.x)
		round_usec += plan.y
		times.append(PackedFloat64Array())
	for turn in effort.round_count(round_usec):
		for step in entrants.size():
			# Every other round runs backwards: none always comes after the same other.
			var index := step if turn % 2 == 0 else entrants.size() - 1 - step
			var usec := maxi(entrants[index].run(probe, calls[index]), 1)
			times[index].append(float(usec) / calls[index])
	return times


## How many times as long the first took as the second, round by round.
static func ratios(times: PackedFloat64Array, others: PackedFloat64Array) -> PackedFloat64Array:
	var all: PackedFloat64Array = []
	for turn in times.size():
		all.append(times[turn] / others[turn])
	return all


static func noisy(ratio: PackedFloat64Array) -> bool:
	return quantile(ratio, 0.75) - quantile(ratio, 0.25) > NOISY * quantile(ratio, 0.5)


## The value below which [param part] of the numbers lie.
static func quantile(numbers: PackedFloat64Array, part: float) -> float:
	var sorted := numbers.duplicate()
	sorted.sort()
	var place := part * (sorted.size() - 1)
	var below := floori(place)
	var above := mini(below + 1, sorted.size() - 1)
	return lerpf(sorted[below], sorted[above], place - below)


## The number of calls in a sample, and the microseconds that the sample then takes.
static func _calibrate(probe: Probe, entrant: Entrant, effort: Effort) -> Vector2i:
	entrant.run(probe, 1)  # The first call warms up.
	if entrant.rested:
		var rested_usec := entrant.run(probe, RESTED_CALLS)
		return Vector2i(RESTED_CALLS, rested_usec + RESTED_CALLS * REST_USEC)
	var calls := 1
	var usec := maxi(entrant.run(probe, calls), 1)
	while usec < effort.sample_usec:
		# A little over, and never much at a time: the first guesses are coarse.
		calls = mini(calls * 20, ceili(calls * 1.1 * effort.sample_usec / usec))
		usec = maxi(entrant.run(probe, calls), 1)
	return Vector2i(calls, usec)

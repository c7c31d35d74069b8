extends RefCounted
## Times a probe in paired rounds: in each round the engine, VarBatch and the floor take one sample
## each, so that whatever slows the machine down slows all of them. The ratios are computed within a
## round.

const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")

## A case is noisy if the middle half of its ratios is wider than this part of their median.
const NOISY := 0.15

## Just under 32 MiB, the largest block that the C library of Linux can learn to keep.
const BLOCK_BYTES := 31 * 1048576
## Blocks of that size that [method warm_memory] allocates, one of them for good.
const WARM_BLOCKS := 17

## A sample makes enough calls to last about this long.
const SAMPLE_USEC := 1_000
## A quick case continues for this long, between these numbers of rounds.
const BUDGET_USEC := 500_000
const ROUNDS_MIN := 15
const ROUNDS_MAX := 101
## A case whose min rounds would take longer than this has fewer, but not below the second number.
const SLOW_USEC := 2_000_000
const ROUNDS_SLOW := 7
## A case in one of several processes is given this part of the time.
const ALONE_PART := 0.3


## Frees a large block once, like any game that has loaded something. The C library of Linux learns
## from it to keep freed blocks of up to 32 MiB. Before that, it returns each block of megabytes to
## the system, and the page faults of allocating it again would dominate the measurement.
static func settle_allocator() -> void:
	var block: PackedByteArray = []
	block.resize(BLOCK_BYTES)


## Makes the process own half a gigabyte of free memory, like a game that has left a level.
## Otherwise memory freed at the end of the heap returns to the system whenever it is 62 MiB or
## more. Then it depends on what earlier cases left there whether a batch of 64 MiB is measured or
## the page faults of its memory, which take ten times as long. Returns the block at its end, which
## the caller must keep.
static func warm_memory() -> PackedByteArray:
	var blocks: Array[PackedByteArray] = []
	for _block in WARM_BLOCKS:
		var block: PackedByteArray = []
		block.resize(BLOCK_BYTES)
		blocks.append(block)
	return blocks[-1]


## Fills the times of [param result]. If [param alone], only those of VarBatch.
static func measure(probe: Probe, result: Result, alone: bool) -> void:
	var contenders: Array[Probe.Contender] = [Probe.Contender.VARBATCH]
	if not alone:
		contenders.append(Probe.Contender.ENGINE)
		if probe.has_floor():
			contenders.append(Probe.Contender.FLOOR)
	var times := _paired(probe, contenders, ALONE_PART if alone else 1.0)
	result.rounds = times[0].size()
	result.varbatch_min = quantile(times[0], 0.0)
	result.varbatch_median = quantile(times[0], 0.5)
	if times.size() > 1:
		result.engine_min = quantile(times[1], 0.0)
		result.engine_median = quantile(times[1], 0.5)
		var ratio := ratios(times[1], times[0])
		result.ratio = quantile(ratio, 0.5)
		result.noisy = noisy(ratio)
	if times.size() > 2:
		result.floor_median = quantile(times[2], 0.5)
		result.floor_ratio = quantile(ratios(times[0], times[2]), 0.5)


## The times of each contender, in microseconds per call, round by round.
static func _paired(
	probe: Probe, contenders: Array[Probe.Contender], part: float
) -> Array[PackedFloat64Array]:
	var times: Array[PackedFloat64Array] = []
	var calls: PackedInt64Array = []
	var round_usec := 0
	for contender: Probe.Contender in contenders:
		var plan := _calibrate(probe, contender)
		calls.append(plan.x)
		round_usec += plan.y
		times.append(PackedFloat64Array())
	for turn in _round_count(round_usec / part):
		for step in contenders.size():
			# Every other round runs backwards, so that none always follows the same other one.
			var index := step if turn % 2 == 0 else contenders.size() - 1 - step
			var usec := maxi(probe.run(contenders[index], calls[index]), 1)
			times[index].append(float(usec) / calls[index])
	return times


static func _round_count(round_usec: float) -> int:
	if round_usec * ROUNDS_MIN > SLOW_USEC:
		return clampi(floori(SLOW_USEC / round_usec), ROUNDS_SLOW, ROUNDS_MIN)
	return clampi(floori(BUDGET_USEC / round_usec), ROUNDS_MIN, ROUNDS_MAX)


## The ratios of the first time to the second, round by round.
static func ratios(times: PackedFloat64Array, others: PackedFloat64Array) -> PackedFloat64Array:
	var all: PackedFloat64Array = []
	for turn in times.size():
		all.append(times[turn] / others[turn])
	return all


static func noisy(ratio: PackedFloat64Array) -> bool:
	return quantile(ratio, 0.75) - quantile(ratio, 0.25) > NOISY * quantile(ratio, 0.5)


## The value below which [param part] of the numbers are.
static func quantile(numbers: PackedFloat64Array, part: float) -> float:
	var sorted := numbers.duplicate()
	sorted.sort()
	var place := part * (sorted.size() - 1)
	var below := floori(place)
	var above := mini(below + 1, sorted.size() - 1)
	return lerpf(sorted[below], sorted[above], place - below)


## Returns the number of calls in a sample, and the microseconds that the sample then takes.
static func _calibrate(probe: Probe, contender: Probe.Contender) -> Vector2i:
	probe.run(contender, 1)  # The first call warms up.
	var calls := 1
	var usec := maxi(probe.run(contender, calls), 1)
	while usec < SAMPLE_USEC:
		# A little more than needed, and never much at a time: the first estimates are coarse.
		calls = mini(calls * 20, ceili(calls * 1.1 * SAMPLE_USEC / usec))
		usec = maxi(probe.run(contender, calls), 1)
	return Vector2i(calls, usec)

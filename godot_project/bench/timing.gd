extends RefCounted
## Times a probe in paired rounds: in each round the engine, VarBatch and the floor take one sample
## each, so that whatever slows the machine down slows all three. What is compared is the ratio
## within a round.

const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")

## A sample makes so many calls that it lasts about this long.
const SAMPLE_USEC := 1_000
## A quick case goes on for this long, between these numbers of rounds.
const BUDGET_USEC := 500_000
const ROUNDS_MIN := 15
const ROUNDS_MAX := 101
## A case whose 15 rounds would take longer than this has fewer, but not below the second number.
const SLOW_USEC := 2_000_000
const ROUNDS_SLOW := 7
## A case is noisy where the middle half of its ratios is wider than this part of their median.
const NOISY := 0.15

## A block of just under 32 MiB, which [method settle_allocator] allocates and frees.
const SETTLE_BYTES := 31 * 1048576


## Frees a large block once, as a game has that has ever loaded anything. The C library of Linux
## learns from it to keep freed blocks of up to 32 MiB. Before, it gives each block of megabytes
## back, and the page faults of taking it again are all that would be measured, by pure chance of
## what the cases before had freed.
static func settle_allocator() -> void:
	var block: PackedByteArray = []
	block.resize(SETTLE_BYTES)


## Fills the times of [param result].
static func measure(probe: Probe, result: Result) -> void:
	var contenders: Array[Probe.Contender] = [Probe.Contender.ENGINE, Probe.Contender.VARBATCH]
	if probe.has_floor():
		contenders.append(Probe.Contender.FLOOR)
	var calls: PackedInt64Array = []
	var round_usec := 0
	for contender: Probe.Contender in contenders:
		var plan := _calibrate(probe, contender)
		calls.append(plan.x)
		round_usec += plan.y
	var rounds := _round_count(round_usec)

	var times: Array[PackedFloat64Array] = [[], [], []]
	var ratios: PackedFloat64Array = []
	var floor_ratios: PackedFloat64Array = []
	for turn in rounds:
		for step in contenders.size():
			# Every other round runs backwards: none always comes after the same other.
			var index := step if turn % 2 == 0 else contenders.size() - 1 - step
			var usec := maxi(probe.run(contenders[index], calls[index]), 1)
			times[index].append(float(usec) / calls[index])
		ratios.append(times[Probe.Contender.ENGINE][turn] / times[Probe.Contender.VARBATCH][turn])
		if probe.has_floor():
			floor_ratios.append(
				times[Probe.Contender.VARBATCH][turn] / times[Probe.Contender.FLOOR][turn]
			)

	ratios.sort()
	floor_ratios.sort()
	for contender: Probe.Contender in contenders:
		times[contender].sort()
	result.rounds = rounds
	result.engine_min = times[Probe.Contender.ENGINE][0]
	result.engine_median = quantile(times[Probe.Contender.ENGINE], 0.5)
	result.varbatch_min = times[Probe.Contender.VARBATCH][0]
	result.varbatch_median = quantile(times[Probe.Contender.VARBATCH], 0.5)
	result.ratio = quantile(ratios, 0.5)
	result.noisy = quantile(ratios, 0.75) - quantile(ratios, 0.25) > NOISY * result.ratio
	if probe.has_floor():
		result.floor_median = quantile(times[Probe.Contender.FLOOR], 0.5)
		result.floor_ratio = quantile(floor_ratios, 0.5)


## The value below which [param part] of the sorted numbers lie.
static func quantile(sorted: PackedFloat64Array, part: float) -> float:
	var place := part * (sorted.size() - 1)
	var below := floori(place)
	var above := mini(below + 1, sorted.size() - 1)
	return lerpf(sorted[below], sorted[above], place - below)


## The number of calls in a sample, and the microseconds that the sample then takes.
static func _calibrate(probe: Probe, contender: Probe.Contender) -> Vector2i:
	probe.run(contender, 1)  # The first call warms up.
	var calls := 1
	var usec := maxi(probe.run(contender, calls), 1)
	while usec < SAMPLE_USEC:
		# A little over, and never much at a time: the first guesses are coarse.
		calls = mini(calls * 20, ceili(calls * 1.1 * SAMPLE_USEC / usec))
		usec = maxi(probe.run(contender, calls), 1)
	return Vector2i(calls, usec)


static func _round_count(round_usec: int) -> int:
	if round_usec * ROUNDS_MIN > SLOW_USEC:
		return clampi(floori(float(SLOW_USEC) / round_usec), ROUNDS_SLOW, ROUNDS_MIN)
	return clampi(floori(float(BUDGET_USEC) / round_usec), ROUNDS_MIN, ROUNDS_MAX)

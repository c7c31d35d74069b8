extends RefCounted
## Times several ways to do the same thing in turns, so that whatever slows the machine down slows
## all.

const Timing = preload("res://bench/timing.gd")

## Milliseconds of each way, round by round.
var times: Dictionary[String, PackedFloat64Array] = {}


## A way is a Callable that returns its milliseconds; the first round only warms up. [param before]
## is called before each way.
func _init(ways: Dictionary[String, Callable], rounds: int, before: Callable) -> void:
	var names: Array[String] = ways.keys()
	for name: String in names:
		times[name] = PackedFloat64Array()
	for turn in rounds + 1:
		# Every other round runs backwards, so that none always follows the same other one.
		for name: String in names:
			before.call()
			var msec: float = ways[name].call()
			if turn > 0:
				times[name].append(msec)
		names.reverse()


func median(name: String) -> float:
	return Timing.quantile(times[name], 0.5)


## The lowest time, the median and the highest.
func cells(name: String) -> PackedStringArray:
	return spread(times[name], "%.1f")


## The ratio of the first time to the second: the median of the rounds and their range.
func ratio(name: String, other: String) -> String:
	return ratio_text(times[name], times[other])


static func ratio_text(some: PackedFloat64Array, others: PackedFloat64Array) -> String:
	var parts := spread(Timing.ratios(some, others), "%.2f")
	return "%sx (%s to %s)" % [parts[1], parts[0], parts[2]]


static func spread(numbers: PackedFloat64Array, format: String) -> PackedStringArray:
	var texts: PackedStringArray = []
	for part: float in [0.0, 0.5, 1.0]:
		texts.append(format % Timing.quantile(numbers, part))
	return texts


static func msec_since(started_usec: int) -> float:
	return (Time.get_ticks_usec() - started_usec) / 1000.0

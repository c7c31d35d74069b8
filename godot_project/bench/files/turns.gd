extends RefCounted
## Times several ways to do the same thing in turns, so that whatever slows the machine down slows
## all.

const Timing = preload("res://bench/timing.gd")

## Milliseconds of each way, round by round.
var times: Dictionary[String, PackedFloat64Array] = {}


## A way is a Callable that returns its milliseconds; the first round only warms up. [param before]
## is called before each way.
func _init(ways: Dictionary[String, Callable], rounds: int, before := Callable()) -> void:
	var names: Array[String] = ways.keys()
	for name: String in names:
		times[name] = PackedFloat64Array()
	for turn in rounds + 1:
		# Every other round runs backwards, so that none always follows the same other one.
		for name: String in names:
			if before.is_valid():
				before.call()
			var msec: float = ways[name].call()
			if turn > 0:
				times[name].append(msec)
		names.reverse()


func median(name: String) -> float:
	return Timing.quantile(times[name], 0.5)


## The ratios of the first time to the second: the median of the rounds and their range.
func ratio(name: String, other: String) -> String:
	return spread(Timing.ratios(times[name], times[other]), "%.2fx")


## The times as a line for machines.
func row() -> Dictionary:
	var line := {}
	for name: String in times:
		line[name.replace("`", "") + "_ms"] = times[name]
	return line


## The median of numbers, the lowest and the highest.
static func spread(numbers: PackedFloat64Array, format: String) -> String:
	var texts: PackedStringArray = []
	for part: float in [0.5, 0.0, 1.0]:
		texts.append(format % Timing.quantile(numbers, part))
	return "%s (%s to %s)" % Array(texts)


static func msec_since(started_usec: int) -> float:
	return (Time.get_ticks_usec() - started_usec) / 1000.0


## Begins a table that is readable both as plain text and in a README.
static func print_title(title: String, columns: PackedStringArray) -> void:
	print("\n", title, "\n")
	print_row(columns)
	print("|", "---|".repeat(columns.size()))


static func print_row(cells: PackedStringArray) -> void:
	print("| ", " | ".join(cells), " |")

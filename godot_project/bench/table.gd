extends RefCounted
## Formats lines of a table for people, and the sizes and times in it.

const KIB := 1024
const MIB := 1024 * KIB

## Title and width of each column. Cells are aligned left if the width is negative, else right.
var _columns: Array[Array]


func _init(columns: Array[Array]) -> void:
	_columns = columns


func print_titles() -> void:
	var titles: PackedStringArray = []
	for column: Array in _columns:
		titles.append(column[0])
	print_row(titles)


func print_row(cells: PackedStringArray) -> void:
	var line := ""
	for index in cells.size():
		var width: int = _columns[index][1]
		line += cells[index].lpad(width) if width > 0 else cells[index].rpad(-width)
	print(line.rstrip(" "))


## Formats `64 KiB` and so on; sizes of the bench that are not whole are in megabytes.
static func size_text(bytes: int) -> String:
	if bytes >= MIB:
		return String.num(bytes / float(MIB), 1).trim_suffix(".0") + " MiB"
	if bytes >= KIB:
		return "%d KiB" % (bytes / KIB)
	return "%d B" % bytes


## The number and the size of values, or the size of one. Values of different sizes show no size.
static func batch_text(count: int, bytes: int) -> String:
	if bytes == 0:
		return "one" if count == 1 else str(count)
	return size_text(bytes) if count == 1 else "%dx%s" % [count, size_text(bytes)]


## Formats microseconds with three significant digits or more; empty if there is no time.
static func usec_text(usec: float) -> String:
	if is_nan(usec):
		return ""
	if usec < 10.0:
		return "%.3f" % usec
	return "%.2f" % usec if usec < 1000.0 else "%.0f" % usec


## Formats a ratio, marked if it is unreliable.
static func ratio_text(ratio: float, noisy: bool) -> String:
	return "" if is_nan(ratio) else "%.2fx%s" % [ratio, "~" if noisy else " "]


## For JSON, which has no NAN.
static func number(value: float) -> Variant:
	return null if is_nan(value) else snappedf(value, 0.0001)

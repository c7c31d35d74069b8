extends RefCounted
## Plain text: aligned columns, and numbers that are easy to read.


## Formats lines of cells in columns; the first columns are texts, the others numbers.
static func aligned(lines: Array[PackedStringArray], text_columns: int) -> PackedStringArray:
	var widths: PackedInt32Array = []
	widths.resize(lines[0].size())
	for line: PackedStringArray in lines:
		for column in line.size():
			widths[column] = maxi(widths[column], line[column].length())
	var out: PackedStringArray = []
	for line: PackedStringArray in lines:
		var padded: PackedStringArray = []
		for column in line.size():
			var is_text := column < text_columns
			var cell := line[column]
			padded.append(cell.rpad(widths[column]) if is_text else cell.lpad(widths[column] + 2))
		out.append("  ".join(padded).rstrip(" "))
	return out


## Formats 1234567 as 1,234,567.
static func grouped(number: int) -> String:
	var digits := str(number)
	for at in range(digits.length() - 3, 0, -3):
		digits = digits.insert(at, ",")
	return digits

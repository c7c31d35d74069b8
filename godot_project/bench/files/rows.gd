extends RefCounted
## A table that is readable both as plain text and in a README.


static func start(title: String, columns: PackedStringArray) -> void:
	print("\n", title, "\n")
	add(columns)
	var line: PackedStringArray = []
	for _column in columns:
		line.append("---")
	add(line)


static func add(cells: PackedStringArray) -> void:
	print("| ", " | ".join(cells), " |")

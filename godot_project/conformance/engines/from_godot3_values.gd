extends "from_godot3_base.gd"
## Each value that a real Godot 3 has written: translated on the bytes alone it is a value to the
## real Godot 4, it is read here as that one, and what is written back is what Godot 3 wrote.

const FILE := "godot3_encoded.txt"
## What stands in a vector: its name, an expression, the bytes.
const BYTES_PART := 2
## What stands behind bytes for Godot 3 that it has to read as another value than its own.
const OTHER := "other"
## And where there are none.
const NONE := "none"


func test_all_types_are_there() -> void:
	var seen := {}
	for vector: Vectors in _written():
		seen[vector.bytes(BYTES_PART)[0]] = true
	check(_written().size() >= 150, "only %d values" % _written().size())
	check_int(seen.size(), 27, "types")


func test_they_are_values_of_godot_4() -> void:
	var ids := VarBatch.get_type_table().map(func(row: Dictionary) -> int: return row.godot_3)
	for vector: Vectors in _written():
		var bytes := vector.bytes(BYTES_PART)
		var here := _translated(vector)
		var value: Variant = engine_value_of_all(here, vector.objects, vector.name)
		check_int(typeof(value), ids.find(bytes[0]), "type of " + vector.name)
		var warning := Reasons.warning(vector.name)
		var read := call_method.bind(&"bytes_to_var_in", [bytes, GODOT_3, vector.objects])
		var found: Variant = good(read, warning, vector.name)
		check_value(found, value, vector.name)
		if not vector.objects:
			var again := var_to_bytes(value)
			check_bytes_or(_reason(vector, Reasons.AGAIN), again, here, "again, " + vector.name)
		Values.discard([value, found])


func test_what_is_too_deep() -> void:
	var all := vectors_in(FILE)
	for vector: Vectors in all:
		if _is_refused(vector):
			var bytes := vector.bytes(BYTES_PART)
			var line := "expected at most 1024 levels of nesting..."
			check_call(&"transcode", [bytes, GODOT_3, GODOT_4], PackedByteArray(), [line])
			check_call(&"bytes_to_var_in", [bytes, GODOT_3], null, [line])
	check(_written().size() < all.size(), "nothing is as deep")


## And the file of them, which Godot 3 reads next.
func test_they_come_back() -> void:
	var file := _begin("back.txt")
	for vector: Vectors in _written():
		var what := "back, " + vector.name
		var back := translated(_translated(vector), GODOT_4, GODOT_3, "", what)
		check_bytes_or(_reason(vector, Reasons.BACK), back, vector.bytes(BYTES_PART), what)
		_store(file, vector, back, Reasons.BACK_READ)


## The same from the values, for objects with what Godot 4 has made of them.
func test_they_are_written() -> void:
	var file := _begin("written.txt")
	for vector: Vectors in _written():
		var value: Variant = engine_value(_translated(vector), vector.objects)
		var what := "written, " + vector.name
		var write := call_method.bind(&"var_to_bytes_in", [value, GODOT_3, vector.objects])
		var written: PackedByteArray = good(write, "", what)
		check_bytes_or(_reason(vector, Reasons.WRITTEN), written, vector.bytes(BYTES_PART), what)
		_store(file, vector, written, Reasons.WRITTEN_READ)
		Values.discard(value)


func test_reasons_name_vectors() -> void:
	var names: Array = []
	for line: String in FileAccess.get_file_as_string(path_of(FILE)).split("\n"):
		names.append(line.get_slice(" |", 0))
	for row: Array in Reasons.ROWS:
		for pattern: String in row[3]:
			check(names.any(func(name: String) -> bool: return name.match(pattern)), "no vector %s" % pattern)


## What this version writes, and no engine refuses.
func _written() -> Array[RefCounted]:
	var has_bytes := func(vector: Vectors) -> bool: return vector.parts[BYTES_PART] != Vectors.NONE
	return vectors_in(FILE).filter(has_bytes).filter(func(vector: Vectors) -> bool: return not _is_refused(vector))


func _translated(vector: Vectors) -> PackedByteArray:
	return translated(vector.bytes(BYTES_PART), GODOT_3, GODOT_4, Reasons.warning(vector.name), vector.name)


func _is_refused(vector: Vectors) -> bool:
	return not _reason(vector, Reasons.REFUSED).is_empty()


func _reason(vector: Vectors, where: int) -> String:
	return Reasons.of(vector.name, where)


## A file of bytes for Godot 3, with what was refused.
func _begin(file_name: String) -> FileAccess:
	var file := FileAccess.open(path_of(file_name), FileAccess.WRITE)
	for vector: Vectors in vectors_in(FILE):
		if _is_refused(vector):
			file.store_line("%s\t\t%s" % [vector.name, NONE])
	return file


func _store(file: FileAccess, vector: Vectors, bytes: PackedByteArray, read: int) -> void:
	var other := "" if _reason(vector, read).is_empty() else "\t" + OTHER
	file.store_line("%s\t%s%s" % [vector.name, bytes.hex_encode(), other])

extends "from_godot3_base.gd"
## Each value that a real Godot 3 has written: translated on the bytes alone it is a value to the real Godot 4, it is read
## here as that one, and what is written back is what Godot 3 wrote. Save files that it has written with store_var():
## converted, the real Godot 4 reads them with get_var(), and converted back, Godot 3 loads them. They are NAME.save, and
## what the values are is in NAME.txt: a line of JSON for each, of what var2str() says, or null for objects.

const FILE := "godot3_encoded.txt"
## What stands in a vector: its name, an expression, the bytes.
const BYTES_PART := 2
## What stands behind bytes for Godot 3 that it has to read as another value than its own.
const OTHER := "other"
## And where there are none.
const NONE := "none"
const PLAIN := "plain"
const IDS := "ids"
const OBJECTS := "objects"
## Of the encrypted one: see scripts/godot3-test.sh.
const PASSWORD := "seCret"
## One of them has metadata, which Godot 4 keeps in another way.
const METADATA := '1 object has metadata that are ignored, at byte 2044 inside ["marked"][0]'
## Of the same values as the plain one.
const COMPRESSED: Dictionary[String, FileAccess.CompressionMode] = {
	# The one that Godot 3 takes if none is given. It becomes Zstandard, as the file says.
	"fastlz": FileAccess.COMPRESSION_FASTLZ,
	"deflate": FileAccess.COMPRESSION_DEFLATE,
	"zstd": FileAccess.COMPRESSION_ZSTD,
	"gzip": FileAccess.COMPRESSION_GZIP,
}


func test_all_types_are_there() -> void:
	var seen := Values.keyed(_written().map(func(vector: Vectors) -> int: return vector.bytes(BYTES_PART)[0]), str)
	check(_written().size() >= 150, "only %d values" % _written().size())
	check_int(seen.size(), 27, "types")


func test_they_are_values_of_godot_4() -> void:
	var ids := VarBatch.get_type_table().map(func(row: Dictionary) -> int: return row.godot_3)
	for vector: Vectors in _written():
		var bytes := vector.bytes(BYTES_PART)
		var here := _translated(vector)
		var value: Variant = engine_value_of_all(here, vector.objects, vector.name)
		check_int(typeof(value), ids.find(bytes[0]), "type of " + vector.name)
		var read := call_method.bind(&"bytes_to_var_in", [bytes, GODOT_3, vector.objects])
		var found: Variant = good(read, Reasons.warning(vector.name), vector.name)
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
	var lines := FileAccess.get_file_as_string(path_of(FILE)).split("\n")
	var names := Array(lines).map(func(line: String) -> String: return line.get_slice(" |", 0))
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


func _begin(file_name: String) -> FileAccess:
	var file := FileAccess.open(path_of(file_name), FileAccess.WRITE)
	for vector: Vectors in vectors_in(FILE):
		if _is_refused(vector):
			file.store_line("%s\t\t%s" % [vector.name, NONE])
	return file


func _store(file: FileAccess, vector: Vectors, bytes: PackedByteArray, read: int) -> void:
	var other := "" if _reason(vector, read).is_empty() else "\t" + OTHER
	file.store_line("%s\t%s%s" % [vector.name, bytes.hex_encode(), other])


func test_plain() -> void:
	_check_texts_of(_converted(PLAIN), PLAIN)


func test_compressed() -> void:
	var plain := FileAccess.get_file_as_bytes(_converted(PLAIN))
	for mode: String in COMPRESSED:
		var magic := FileAccess.get_file_as_bytes(path_of(mode + ".save")).slice(0, 4)
		check_bytes(magic, "GCPF".to_ascii_buffer(), "magic of " + mode)
		var file := FileAccess.open_compressed(_converted(mode), FileAccess.READ, COMPRESSED[mode])
		check_bytes(file.get_buffer(file.get_length()), plain, "converted " + mode)


## Of the same values as the plain one. It stays encrypted, as Godot 4 does it.
func test_encrypted() -> void:
	var source := path_of("encrypted.save")
	var target := path_of("encrypted.godot4")
	check_int(VarBatch.transcode_file(source, target, GODOT_3, GODOT_4, PASSWORD), OK, "conversion")
	var file := FileAccess.open_encrypted_with_pass(target, FileAccess.READ, PASSWORD)
	check_bytes(file.get_buffer(file.get_length()), FileAccess.get_file_as_bytes(_converted(PLAIN)), "converted")


func test_ids() -> void:
	var values := _check_texts_of(_converted(IDS), IDS)
	check_int(values.size(), 2, "values with ids")
	var ids: Array = [values[0], values[1].target, values[1].targets[1]]
	check(ids.all(func(id: Variant) -> bool: return id is EncodedObjectAsID), "ids: %s" % [ids])
	check(values[1].targets[0] == null, "no id: %s" % [values[1].targets])


func test_objects() -> void:
	var values := _check_texts_of(_converted(OBJECTS), OBJECTS)
	check_int(values.size(), 3, "values with objects")
	check_value(values[0].get_class(), "RefCounted", "an object")
	check_value((values[1] as Resource).resource_name, "Schlüssel", "a resource")
	var marked: Array = values[2].marked
	var classes: Array = [values[2].curve.get_class(), marked[0].get_class(), marked[1]]
	check_value(classes, ["Curve", "RefCounted", null], "objects in a value")


## The converted file's path. It is converted back as well: to NAME.back, which Godot 3 loads next.
## That is what Godot 3 wrote, but for the padding in node paths: there is what was in memory.
func _converted(save: String) -> String:
	var target := path_of(save + ".godot4")
	var source := path_of(save + ".save")
	var back := path_of(save + ".back")
	var clean := path_of(save + ".clean")
	var convert := func() -> Variant: return VarBatch.transcode_file(source, target, GODOT_3, GODOT_4)
	var lines := PackedStringArray()
	if save == OBJECTS:
		lines.append(WARNING + 'VarBatch.transcode_file: "%s": %s' % [source, METADATA])
	check_value(expect_lines(convert, lines), OK, "conversion of " + save)
	check_int(VarBatch.transcode_file(target, back, GODOT_4, GODOT_3), OK, "and back, " + save)
	check_int(VarBatch.transcode_file(source, clean, GODOT_3, GODOT_3), OK, "as it is, " + save)
	check_bytes(FileAccess.get_file_as_bytes(back), FileAccess.get_file_as_bytes(clean), "what came back, " + save)
	return target


## Compares the values that the engine reads with their texts. Returns those that have none.
func _check_texts_of(path: String, save: String) -> Array:
	var without: Array = []
	var count := 0
	var file := FileAccess.open(path, FileAccess.READ)
	for line: String in FileAccess.get_file_as_string(path_of(save + ".txt")).split("\n", false):
		var value: Variant = file.get_var(save == OBJECTS)
		var text: Variant = JSON.parse_string(line)
		if text == null:
			without.append(value)
		else:
			check_value(_sorted(value), _sorted(str_to_var(text as String)), "%s, value %d" % [save, count])
		count += 1
	check(count > 100, "%s: only %d values" % [save, count])
	check_int(file.get_position(), file.get_length(), "end of " + save)
	return without


## The same with each Dictionary in one order: Godot 3 sorts the keys in texts. The order in the
## bytes is compared when Godot 3 loads what came back.
static func _sorted(value: Variant) -> Variant:
	if value is Array:
		return (value as Array).map(_sorted)
	if not value is Dictionary:
		return value
	var dictionary: Dictionary = value
	var keys := dictionary.keys()
	keys.sort_custom(func(a: Variant, b: Variant) -> bool: return var_to_str(a) < var_to_str(b))
	return Values.keyed(keys, func(key: Variant) -> Variant: return _sorted(dictionary[key]))

extends "from_godot3_base.gd"
## Save files that a real Godot 3 has written with store_var(): converted, the real Godot 4 reads
## them with get_var(), and converted back, Godot 3 loads them. They are NAME.save, and what the
## values are is in NAME.txt: a line of JSON for each, of what var2str() says, or null for objects.

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
	var expected := FileAccess.get_file_as_bytes(clean)
	check_bytes(FileAccess.get_file_as_bytes(back), expected, "what came back, " + save)
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
	var sorted := {}
	for key: Variant in keys:
		sorted[key] = _sorted(dictionary[key])
	return sorted

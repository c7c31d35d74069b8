extends SceneTree
## Fills in the vectors beside it with what this engine writes and reads:
## [codeblock]
## cd rust/codec/tests/vectors && godot --headless --script make.gd
## [/codeblock]
## An engine with double precision fills in double_encoded.txt alone, any other the rest.
## Names, expressions, inputs and comments stay as they are; the same engine gives the same files.

const SEPARATOR := " | "
const ENGINE_COMMENT := "# engine: "
## Behind the name of a vector that is encoded or decoded with full objects.
const OBJECTS := " (objects)"
## Stands for the id of the first object of a value; the next one has the next number.
const FIRST_ID := 0x123456700
const REF_COUNTED_ID := 1 << 63
## As many equal groups of bytes, one after the other, become one with a number.
const MANY := 32


func _init() -> void:
	# Half of the inputs are refused on purpose, with several lines each.
	Engine.print_error_messages = false
	var good := false
	if OS.has_feature("double"):
		good = _fill("double_encoded.txt", _encode)
	else:
		good = _fill("encoded.txt", _encode) and _fill("decoded.txt", _decode)
	Engine.print_error_messages = true
	quit(0 if good else 1)


## Rewrites a file, line by line; [param answer] gives the parts behind the second one of a line.
func _fill(file_name: String, answer: Callable) -> bool:
	var path := "res://".path_join(file_name)
	var text := FileAccess.get_file_as_string(path)
	var lines: PackedStringArray = []
	var count := 0
	for line in text.split("\n"):
		if line.begins_with(ENGINE_COMMENT):
			line = ENGINE_COMMENT + _engine()
		elif not line.is_empty() and not line.begins_with("#"):
			var parts := line.split("|")
			var name := parts[0].strip_edges()
			var asked := parts[1].strip_edges()
			var answered: PackedStringArray = answer.call(asked, name.ends_with(OBJECTS))
			if answered.is_empty():
				printerr("%s: %s: the engine cannot say" % [file_name, name])
				return false
			line = SEPARATOR.join(PackedStringArray([name, asked]) + answered)
			count += 1
		lines.append(line)
	var file := FileAccess.open(path, FileAccess.WRITE)
	if count == 0 or file == null or not file.store_string("\n".join(lines)):
		printerr("%s: cannot be read or written" % file_name)
		return false
	print("%s: %d vectors" % [file_name, count])
	return true


## Each expression has a script of its own: within one function GDScript makes one constant of
## 0.0 and -0.0, and one of all NaNs.
func _encode(expression: String, with_objects: bool) -> PackedStringArray:
	var script := GDScript.new()
	script.source_code = "static func value() -> Variant:\n\treturn %s\n" % expression
	if script.reload() != OK:
		return []
	var bytes := _bytes_of(script.call("value"), with_objects)
	return [_grouped(bytes) if bytes else "-"]


func _decode(hex: String, with_objects: bool) -> PackedStringArray:
	var bytes := _expanded(hex).hex_decode()
	if not bytes.has_encoded_var(0, with_objects):
		return ["0", "-"]
	var value: Variant = bytes_to_var_with_objects(bytes) if with_objects else bytes_to_var(bytes)
	var again := _bytes_of(value, with_objects)
	return [str(bytes.decode_var_size(0, with_objects)), _grouped(again)]


func _bytes_of(value: Variant, with_objects: bool) -> PackedByteArray:
	if with_objects:
		return var_to_bytes_with_objects(value)
	var bytes := var_to_bytes(value)
	var ids := _ids_in(value)
	for at in range(4, bytes.size() - 7, 4):
		var id := bytes.decode_s64(at)
		if ids.has(id):
			bytes.encode_s64(at, ids[id])
	return bytes


## The id of each object in [param value], with the one to be written in its place.
func _ids_in(value: Variant) -> Dictionary[int, int]:
	var ids: Dictionary[int, int] = {}
	var left: Array = [value]
	while not left.is_empty():
		var next: Variant = left.pop_back()
		match typeof(next):
			TYPE_ARRAY:
				left.append_array(next)
			TYPE_DICTIONARY:
				left.append_array(next.keys())
				left.append_array(next.values())
			TYPE_SIGNAL:
				left.append(next.get_object())
			TYPE_OBJECT when is_instance_valid(next):
				var id: int = next.get_instance_id()
				if next is EncodedObjectAsID:
					ids[id] = next.object_id
				elif not ids.has(id):
					ids[id] = FIRST_ID + ids.size() | (REF_COUNTED_ID if next is RefCounted else 0)
	return ids


func _grouped(bytes: PackedByteArray) -> String:
	var words: PackedStringArray = []
	for at in range(0, bytes.size(), 4):
		words.append(bytes.slice(at, at + 4).hex_encode())
	var groups: PackedStringArray = []
	var at := 0
	while at < words.size():
		var run := _run_at(words, at)
		var group := " ".join(words.slice(at, at + run.x))
		groups.append(group if run.y == 1 else "(%s)x%d" % [group, run.y])
		at += run.x * run.y
	return " ".join(groups)


## How many words repeat themselves from [param at] on, and how many times.
func _run_at(words: PackedStringArray, at: int) -> Vector2i:
	for size in range(1, 9):
		var group := words.slice(at, at + size)
		var times := 1
		while words.slice(at + size * times, at + size * (times + 1)) == group:
			times += 1
		if times >= MANY:
			return Vector2i(size, times)
	return Vector2i(1, 1)


func _expanded(hex: String) -> String:
	var text := ""
	for part in hex.split("("):
		var group := part.get_slice(")x", 0)
		var behind := part.get_slice(")x", 1)
		var times := behind.get_slice(" ", 0)
		text += (
			group if group == part else group.repeat(times.to_int()) + behind.substr(times.length())
		)
	return text.replace(" ", "")


func _engine() -> String:
	return "Godot %s, %s" % [Engine.get_version_info().string, Engine.get_architecture_name()]

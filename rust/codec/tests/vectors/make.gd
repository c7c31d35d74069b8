extends SceneTree
## Fills in the vectors beside it with what this engine writes and reads:
## [codeblock]
## cd rust/codec/tests/vectors && godot --headless --script make.gd
## [/codeblock]
## Names, expressions, inputs and comments stay as they are; the same engine gives the same files.

const SEPARATOR := " | "
const ENGINE_COMMENT := "# engine: "


func _init() -> void:
	# Half of the inputs are refused on purpose, with several lines each.
	Engine.print_error_messages = false
	var good := _fill("encoded.txt", _encode) and _fill("decoded.txt", _decode)
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
			var asked := parts[1].strip_edges()
			var answered: PackedStringArray = answer.call(asked)
			if answered.is_empty():
				printerr("%s: %s: the engine cannot say" % [file_name, parts[0]])
				return false
			line = SEPARATOR.join(PackedStringArray([parts[0].strip_edges(), asked]) + answered)
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
func _encode(expression: String) -> PackedStringArray:
	var script := GDScript.new()
	script.source_code = "static func value() -> Variant:\n\treturn %s\n" % expression
	if script.reload() != OK:
		return []
	return [_grouped(var_to_bytes(script.call("value")))]


func _decode(hex: String) -> PackedStringArray:
	var bytes := hex.replace(" ", "").hex_decode()
	var size := bytes.decode_var_size(0) if bytes.has_encoded_var(0) else 0
	return [str(size), _grouped(var_to_bytes(bytes_to_var(bytes))) if size > 0 else "-"]


func _grouped(bytes: PackedByteArray) -> String:
	var groups: PackedStringArray = []
	for at in range(0, bytes.size(), 4):
		groups.append(bytes.slice(at, at + 4).hex_encode())
	return " ".join(groups)


func _engine() -> String:
	return "Godot %s, %s" % [Engine.get_version_info().string, Engine.get_architecture_name()]

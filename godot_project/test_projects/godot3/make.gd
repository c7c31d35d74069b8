extends SceneTree
# Fills in the Godot 3 vectors with what this engine writes and reads:
#   godot3 --path PATH_OF_THIS_FOLDER -s make.gd --vectors=FOLDER
# The path is absolute.
# Names, expressions, inputs and comments stay as they are. Lines of another engine's version stay
# as well, so that each version in turn fills in its own; where the versions agree, the file is the
# same after each of them. The leaks that the engine reports at the end are its own: objects of
# inputs that it begins to read and then refuses.

const Vectors := preload("res://vectors.gd")
const Arguments := preload("res://arguments.gd")

var _bytes = load("res://bytes.gd")


func _init() -> void:
	var folder: String = Arguments.value_of("vectors")
	if not Vectors.VERSIONS.has(Vectors.version()):
		printerr("no vectors of this engine's version are kept: %s" % Vectors.version())
		quit(2)
		return
	# Half of the inputs are refused on purpose, with several lines each. This silences them, and
	# printerr() as well; 3.2 has no such switch.
	Engine.set("print_error_messages", false)
	var good := _fill(folder.plus_file("godot3_encoded.txt"), "_encode")
	good = _fill(folder.plus_file("godot3_decoded.txt"), "_decode") and good
	Engine.set("print_error_messages", true)
	quit(0 if good else 1)


# Rewrites a file, line by line; answer gives the parts behind the second one of a line.
func _fill(path: String, answer: String) -> bool:
	var vectors := Vectors.new()
	if vectors.read(path) != OK:
		print("%s: cannot be read" % path)
		return false
	var count := 0
	var good := true
	var comment := Vectors.ENGINE_COMMENT % Vectors.version()
	for i in vectors.lines.size():
		var line := vectors.lines[i]
		var vector := vectors.vector_in(line)
		if line.begins_with(comment):
			vectors.lines[i] = comment + Engine.get_version_info().string
		elif vector != null and not vector.foreign:
			var parts: Array = call(answer, vector)
			if parts.empty():
				print("%s: %s: the engine cannot say" % [path, vector.name])
				good = false
				continue
			parts = [vector.name, vector.asked] + parts
			vectors.lines[i] = PoolStringArray(parts).join(Vectors.SEPARATOR)
			count += 1
	if not good or count == 0 or vectors.write() != OK:
		print("%s: has wrong vectors or none, or cannot be written" % path)
		return false
	print("%s: %d vectors" % [path.get_file(), count])
	return true


func _encode(vector: Vectors.Vector) -> Array:
	var value: Array = _bytes.made(vector.asked)
	return [] if value.empty() else [_answer(value[0], vector)]


func _decode(vector: Vectors.Vector) -> Array:
	var bytes: PoolByteArray = _bytes.from_hex(vector.asked)
	var value: Array = _bytes.decoded(bytes, vector.objects)
	if value.empty():
		return ["0", "-"]
	return [str(_bytes.consumed(bytes, vector.objects)), _answer(value[0], vector)]


func _answer(value, vector: Vectors.Vector) -> String:
	var bytes: PoolByteArray = _bytes.bytes_of(value, vector.objects)
	_bytes.discard(value)
	return "-" if bytes.size() == 0 else _bytes.to_hex(bytes)

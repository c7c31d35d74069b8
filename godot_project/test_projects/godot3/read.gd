extends SceneTree
# Has this engine read what VarBatch has written in Godot 3's format, and says at the end
# "N passed, N failed":
#   godot3 --path PATH_OF_THIS_FOLDER -s read.gd --vectors=FILE --bytes=FILE
# Paths are absolute.
# FILE of the vectors is godot3_encoded.txt: which values there are. FILE of the bytes has a line
# for each of them that this engine can write, "name<TAB>bytes in hexadecimal". A value passes if
# this engine makes of those bytes what it makes of its own. If "<TAB>other" follows, it passes if
# this engine takes the bytes, but for another value. "<TAB>none": there are no bytes of this value.

const Vectors := preload("res://vectors.gd")
const Arguments := preload("res://arguments.gd")

# Of each version, what it cannot be asked to read: 3.6.2 crashes when it reads any Reference that
# has a script, also from its own bytes.
const DEADLY := {"3.6": ["object_with_script (objects)"]}

var _bytes = load("res://bytes.gd")


func _init() -> void:
	var vectors := Vectors.new()
	var written := _written(Arguments.value_of("bytes"))
	if vectors.read(Arguments.value_of("vectors")) != OK or written.empty():
		printerr("no vectors or no bytes to read")
		quit(2)
		return
	var passed := 0
	var failed := 0
	for line in vectors.lines:
		var vector := vectors.vector_in(line)
		if vector == null or vector.foreign or vector.answer == ["-"]:
			continue
		if vector.name in DEADLY.get(Vectors.version(), []):
			print("%s: left out, as it ends this engine" % vector.name)
			continue
		var given: PoolStringArray = written.get(vector.name, PoolStringArray())
		if given.size() == 3 and given[2] == "none":
			print("%s: left out, as there are no bytes of it" % vector.name)
			continue
		var reason := "no bytes are given"
		if given.size() > 1:
			reason = _reason(vector, _bytes.from_hex(given[1]), given.size() == 3)
		if reason.empty():
			passed += 1
		else:
			failed += 1
			print("%s: %s" % [vector.name, reason])
	print("%d passed, %d failed" % [passed, failed])
	quit(0 if failed == 0 and passed > 0 else 1)


# The parts of each line, by the name.
func _written(path: String) -> Dictionary:
	var written := {}
	var file := File.new()
	if file.open(path, File.READ) == OK:
		for line in file.get_as_text().split("\n", false):
			var parts: PoolStringArray = line.split("\t")
			written[parts[0]] = parts
	return written


# Why the bytes are not as good as the engine's own, or nothing.
func _reason(vector: Vectors.Vector, bytes: PoolByteArray, other: bool) -> String:
	var made: Array = _bytes.made(vector.asked)
	if made.empty():
		return "the expression is wrong"
	var own: PoolByteArray = _bytes.bytes_of(made[0], vector.objects)
	_bytes.discard(made[0])
	var expected := _again(own, vector.objects)
	var found := _again(bytes, vector.objects)
	if expected.empty():
		return "the engine does not read its own bytes"
	if found.empty():
		return "the engine refuses the bytes"
	if other:
		return "is read as the same value" if found == expected else ""
	if found != expected:
		return "is read as %s, not as %s" % [found, expected]
	return ""


# What the engine writes after it has read the bytes; nothing if it refuses them.
func _again(bytes: PoolByteArray, objects: bool) -> String:
	var decoded: Array = _bytes.decoded(bytes, objects)
	if decoded.empty():
		return ""
	var text: String = _bytes.to_hex(_bytes.bytes_of(decoded[0], objects))
	_bytes.discard(decoded[0])
	return text

extends Reference
# A file of vectors: lines of parts, of which the first two are written by hand and the others by
# the engine.

const SEPARATOR := " | "
# Behind the name of a vector that is encoded or decoded with full objects.
const OBJECTS := " (objects)"
# Behind the name of a vector that only this engine's answer stands in.
const ONLY := " (%s)"
const VERSIONS := ["3.2", "3.6"]
const ENGINE_COMMENT := "# engine %s: "

var path: String
var lines: PoolStringArray


# One vector: what stands in its line.
class Vector:
	var name: String
	var asked: String
	var answer: Array
	var objects: bool
	# Whether another engine's answer stands in the line.
	var foreign: bool


func read(file_path: String) -> int:
	path = file_path
	var file := File.new()
	var error := file.open(path, File.READ)
	if error == OK:
		lines = file.get_as_text().split("\n")
	return error


func write() -> int:
	var file := File.new()
	var error := file.open(path, File.WRITE)
	if error == OK:
		file.store_string(lines.join("\n"))
	return error


# The vector in a line, or null if it has none.
func vector_in(line: String) -> Vector:
	if line.empty() or line.begins_with("#"):
		return null
	var parts := []
	for part in line.split("|"):
		parts.append(part.strip_edges())
	var vector := Vector.new()
	vector.name = parts[0]
	vector.asked = parts[1]
	vector.answer = parts.slice(2, parts.size() - 1) if parts.size() > 2 else []
	vector.objects = vector.name.ends_with(OBJECTS)
	for other in VERSIONS:
		if other != version() and ONLY % other in vector.name:
			vector.foreign = true
	return vector


static func version() -> String:
	var info := Engine.get_version_info()
	return "%d.%d" % [info.major, info.minor]

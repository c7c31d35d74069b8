extends RefCounted
## One line of a file of vectors that a real Godot 3 filled in: see rust/codec/tests/vectors/.

## Behind the name of a vector that is about objects with their properties.
const OBJECTS := " (objects)"
## Behind the name of one that holds for that version alone.
const VERSION := " (%s)"
const VERSIONS: PackedStringArray = ["3.2", "3.6"]
## What stands for no bytes.
const NONE := "-"

var name: String
## What stands in the line, the name first.
var parts: PackedStringArray
var objects: bool


## The vectors of a file that hold for a version, in their order.
static func read(path: String, version: String) -> Array[RefCounted]:
	var vectors: Array[RefCounted] = []
	for line: String in FileAccess.get_file_as_string(path).split("\n", false):
		var vector := new()
		for part: String in line.split("|"):
			vector.parts.append(part.strip_edges())
		vector.name = vector.parts[0]
		vector.objects = vector.name.ends_with(OBJECTS)
		var is_of_another := func(other: String) -> bool: return other != version and VERSION % other in vector.name
		if not line.begins_with("#") and not Array(VERSIONS).any(is_of_another):
			vectors.append(vector)
	return vectors


## The bytes in a part, none if there are none.
func bytes(part: int) -> PackedByteArray:
	return PackedByteArray() if parts[part] == NONE else _expanded(parts[part]).hex_decode()


## Without spaces, and "(...)xN" N times.
static func _expanded(hex: String) -> String:
	var text := ""
	for part: String in hex.split("("):
		var halves := part.split(")x")
		if halves.size() == 2:
			var times := halves[1].get_slice(" ", 0)
			part = halves[0].repeat(times.to_int()) + halves[1].substr(times.length())
		text += part
	return text.replace(" ", "")

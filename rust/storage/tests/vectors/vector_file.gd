extends RefCounted
## Writes a file of vectors that an engine has made. The comments in it stay, and one names the engine.

const ENGINE_COMMENT := "# engine: "


static func write(path: String, vectors: PackedStringArray) -> void:
	var lines: PackedStringArray = []
	for line: String in FileAccess.get_file_as_string(path).split("\n"):
		if line.begins_with(ENGINE_COMMENT):
			var engine := [Engine.get_version_info().string, Engine.get_architecture_name()]
			line = ENGINE_COMMENT + "Godot %s, %s" % engine
		if line.begins_with("#"):
			lines.append(line)
	lines.append_array(vectors)
	FileAccess.open(path, FileAccess.WRITE).store_string("\n".join(lines) + "\n")

extends Object
# What the command line says of a save file, the same for save.gd and load.gd.

const Arguments := preload("res://arguments.gd")
const Values := preload("res://save_values.gd")

const COMPRESSIONS := ["fastlz", "deflate", "zstd", "gzip"]


static func values() -> Values:
	var entities := int(Arguments.value_of("entities", "100"))
	return Values.new(entities, Arguments.has("ids"), Arguments.has("objects"))


static func open(file: File, path: String, mode: int) -> int:
	var compression: String = Arguments.value_of("compression")
	if compression.empty():
		return file.open(path, mode)
	return file.open_compressed(path, mode, COMPRESSIONS.find(compression))

extends SceneTree
# Writes a save file as Godot 3 games do, with a store_var() for each value:
#   godot3 --path PATH_OF_THIS_FOLDER -s save.gd --to=FILE [--entities=N] [--ids] [--objects]
#       [--compression=fastlz|deflate|zstd|gzip] [--text=FILE]
# Paths are absolute.
# --ids adds objects by id, --objects adds them by class and properties: store_var(value, true) for
# all values. --text writes what the values are as well: a line of JSON for each, a text by
# var2str(), which str_to_var() of Godot 4 reads, or null for a value with objects.

const Arguments := preload("res://arguments.gd")
const Options := preload("res://save_options.gd")


func _init() -> void:
	var values := Options.values()
	var file := File.new()
	var text := File.new()
	var text_path: String = Arguments.value_of("text")
	var error: int = Options.open(file, Arguments.value_of("to"), File.WRITE)
	if error == OK and text_path:
		error = text.open(text_path, File.WRITE)
	if error != OK:
		printerr("cannot write --to=FILE or --text=FILE")
		quit(2)
		return
	for value in values:
		file.store_var(value, Arguments.has("objects"))
		if text_path:
			text.store_line(_text(value))
	error = file.get_error()
	if text_path and error == OK:
		error = text.get_error()
	file.close()
	text.close()
	print("%d values written" % values.size())
	quit(0 if error == OK else 1)


func _text(value) -> String:
	if value is RID:
		return to_json("RID()")
	var text := var2str(value)
	return to_json(null if "Object(" in text else text)

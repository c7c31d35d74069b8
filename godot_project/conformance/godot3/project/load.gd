extends SceneTree
# Reads a save file that came back from a conversion, compares it with what save.gd writes, and
# closes with "N passed, N failed":
#   godot3 --path PATH_OF_THIS_FOLDER -s load.gd --from=FILE [the options that save.gd was given]
# The path is absolute.

const Arguments := preload("res://arguments.gd")
const Options := preload("res://save_options.gd")

var _decoder = load("res://decoder.gd")
var _encoder = load("res://encoder.gd")
var _hex = load("res://hex.gd")


func _init() -> void:
	var file := File.new()
	if Options.open(file, Arguments.value_of("from"), File.READ) != OK:
		printerr("cannot read --from=FILE")
		quit(2)
		return
	var objects: bool = Arguments.has("objects")
	var passed := 0
	var failed := 0
	for value in Options.values():
		# As the engine reads what it writes itself. Ids have no meaning in another run.
		var own: Array = _decoder.decoded(var2bytes(value, objects), objects)
		var expected: PoolByteArray = _encoder.bytes_of(own[0], objects, false)
		var found := PoolByteArray()
		if not _at_end(file):
			found = _encoder.bytes_of(file.get_var(objects), objects, false)
		if found == expected:
			passed += 1
		else:
			failed += 1
			var at := passed + failed - 1
			print("value %d is %s, not %s" % [at, _hex.encoded(found), _hex.encoded(expected)])
	if not _at_end(file):
		failed += 1
		print("more follows behind the last value")
	print("%d passed, %d failed" % [passed, failed])
	quit(0 if failed == 0 and passed > 0 else 1)


func _at_end(file: File) -> bool:
	return file.get_position() >= file.get_len()

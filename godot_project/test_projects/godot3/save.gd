extends SceneTree
# Writes a save file as Godot 3 games do, with a store_var() for each value:
#   godot3 --path PATH_OF_THIS_FOLDER -s save.gd --to=FILE [--entities=N] [--ids] [--objects]
#       [--compression=fastlz|deflate|zstd|gzip] [--password=TEXT] [--text=FILE]
# Reads one that came back from a conversion, with --from=FILE in the place of --to=FILE, compares it
# with what would be written, and closes with "N passed, N failed".
# Paths are absolute.
# --ids adds objects by id, --objects adds them by class and properties: store_var(value, true) for
# all values. --text writes what the values are as well: a line of JSON for each, a text by
# var2str(), which str_to_var() of Godot 4 reads, or null for a value with objects.

const Arguments := preload("res://arguments.gd")
const Values := preload("res://save_values.gd")

const COMPRESSIONS := ["fastlz", "deflate", "zstd", "gzip"]

var _bytes = load("res://bytes.gd")
var _objects := Arguments.has("objects")
var _values := Values.new(int(Arguments.value_of("entities", "100")), Arguments.has("ids"), _objects)


func _init() -> void:
	var to: String = Arguments.value_of("to")
	var file := File.new()
	var error := _open(file, to, File.WRITE)
	if to.empty():
		error = _open(file, Arguments.value_of("from"), File.READ)
	if error != OK:
		printerr("cannot open --to=FILE or --from=FILE")
		quit(2)
	elif to.empty():
		_compare(file)
	else:
		_write(file, Arguments.value_of("text"))


func _open(file: File, path: String, mode: int) -> int:
	var compression: String = Arguments.value_of("compression")
	var password: String = Arguments.value_of("password")
	if path and password:
		return file.open_encrypted_with_pass(path, mode, password)
	if path.empty() or compression.empty():
		return file.open(path, mode)
	return file.open_compressed(path, mode, COMPRESSIONS.find(compression))


func _write(file: File, text_path: String) -> void:
	var text := File.new()
	var error := text.open(text_path, File.WRITE) if text_path else OK
	for at in _values.size():
		var value = _values.at(at)
		file.store_var(value, _objects)
		if text.is_open():
			text.store_line(_text(value))
	for written in [file, text] if text_path else [file]:
		error = written.get_error() if error == OK else error
		written.close()
	print("%d values written" % _values.size())
	quit(0 if error == OK else 1)


func _text(value) -> String:
	if value is RID:
		return to_json("RID()")
	var text := var2str(value)
	return to_json(null if "Object(" in text else text)


func _compare(file: File) -> void:
	var failed := 0
	for at in _values.size():
		# As the engine reads what it writes itself. Ids have no meaning in another run.
		var own: Array = _bytes.decoded(var2bytes(_values.at(at), _objects), _objects)
		var expected: PoolByteArray = _bytes.bytes_of(own[0], _objects, false)
		var found := PoolByteArray()
		if file.get_position() < file.get_len():
			found = _bytes.bytes_of(file.get_var(_objects), _objects, false)
		if found != expected:
			failed += 1
			print("value %d is %s, not %s" % [at, _bytes.to_hex(found), _bytes.to_hex(expected)])
	if file.get_position() < file.get_len():
		failed += 1
		print("more follows behind the last value")
	print("%d passed, %d failed" % [max(0, _values.size() - failed), failed])
	quit(0 if failed == 0 else 1)

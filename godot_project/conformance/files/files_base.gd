extends "../support/round_trip.gd"
## Base of the suites on files and tasks: a folder of its own for each test, and the engine's loops
## over store_var() and get_var(), which say what a file has to hold.

const THREAD_COUNTS: PackedInt32Array = [1, 2, 3]

## Not empty, and removed with all that is in it when the test is over. One for each process, as
## several may run at once.
var folder := "user://conformance_%d" % OS.get_process_id()
## The file that most tests use.
var path := folder + "/saved.bin"

var _noise: PackedByteArray = Values.Packed.make(TYPE_PACKED_BYTE_ARRAY, 100_000)


func _enter_tree() -> void:
	check_int(DirAccess.make_dir_recursive_absolute(folder), OK, "a folder for the test")


func _exit_tree() -> void:
	remove_folder(folder)


## True where anybody can make links and pipes, and files have Unix permissions. Says so if not.
func is_unix() -> bool:
	if OS.get_name() != "Windows":
		return true
	print("  no links, pipes and permissions as on Unix here")
	checks += 1
	return false


## What a loop of store_var() writes, by the engine itself.
func stored(values: Array, objects := false) -> PackedByteArray:
	var beside := folder + ".engine"
	var file := FileAccess.open(beside, FileAccess.WRITE)
	for value: Variant in values:
		file.store_var(value, objects)
	file.close()
	var bytes := FileAccess.get_file_as_bytes(beside)
	DirAccess.remove_absolute(beside)
	return bytes


## What a loop of get_var() reads from a file, compressed or not, the engine's complaints off.
func read_loop(from: String, objects := false, mode := -1) -> Array:
	var file: FileAccess
	if mode < 0:
		file = FileAccess.open(from, FileAccess.READ)
	else:
		file = FileAccess.open_compressed(from, FileAccess.READ, mode as FileAccess.CompressionMode)
	var values: Array = []
	if file == null:
		check(false, "the engine cannot open %s: %d" % [from, FileAccess.get_open_error()])
		return values
	var length := file.get_length()
	Engine.print_error_messages = false
	while file.get_position() < length:
		values.append(file.get_var(objects))
	Engine.print_error_messages = true
	file.close()
	return values


func write(to: String, bytes: PackedByteArray) -> void:
	var file := FileAccess.open(to, FileAccess.WRITE)
	check(file != null, "%s cannot be written" % to)
	if file != null:
		file.store_buffer(bytes)
		file.close()


## Many values, which are told apart quickly.
func check_same(found: Array, expected: Array, what: String) -> void:
	var at := Equal.first_unequal(found, expected)
	if found.size() != expected.size():
		check_int(found.size(), expected.size(), "size of %s" % what)
	elif at >= 0:
		check_value(found[at], expected[at], "%s[%d]" % [what, at])
	checks += 1


## Saved by each number of threads as the engine stores it, read by the engine, and loaded as the
## engine reads it.
func check_file(values: Array, what: String, objects := false) -> void:
	var expected := stored(values, objects)
	var read: Array = []
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		var shown := "%s, %d threads" % [what, count]
		var save := func() -> Error: return VarBatch.save_vars(path, values, objects)
		check_int(save_as_told(save, values, objects), OK, "saving " + shown)
		check_bytes(FileAccess.get_file_as_bytes(path), expected, "file of " + shown)
		if count == THREAD_COUNTS[0]:
			read = read_loop(path, objects)
			check_int(read.size(), values.size(), "values that the engine reads of " + shown)
		write(path, expected)
		check_same(VarBatch.load_vars(path, objects), read, "loaded " + shown)
	check_names([path.get_file()], what)


## That the folder holds nothing but these, hidden ones too.
func check_names(expected: PackedStringArray, what: String, within := folder) -> void:
	var found := names(within)
	check(found == expected, "files of %s: expected %s, found %s" % [what, expected, found])


## Byte arrays of these sizes.
func sized(count: int, size: Callable) -> Array:
	var values: Array = []
	for i: int in count:
		var from := i % 61
		values.append(_noise.slice(from, from + int(size.call(i))))
	return values


## Calls [param save], which may print one warning of what a save does not keep of the values.
func save_as_told(save: Callable, values: Variant, objects := false) -> int:
	var results: Array[int] = []
	var lines := logged(func() -> void: results.append(save.call() as int))
	if not lines.is_empty():
		check_int(lines.size(), 1, "lines of a save")
		check(lines[0].begins_with(WARNING) and ": saved " in lines[0], "a save: " + lines[0])
		check(not is_kept(values) or objects, "a save that keeps all: " + lines[0])
	return results[0]


## Whether a save keeps all of a value, and so warns of nothing.
static func is_kept(value: Variant) -> bool:
	match typeof(value):
		TYPE_ARRAY:
			return (value as Array).all(is_kept)
		TYPE_DICTIONARY:
			var entries := value as Dictionary
			return is_kept(entries.keys()) and is_kept(entries.values())
	return not typeof(value) in [TYPE_OBJECT, TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID]


## Everything in a folder, hidden or not, in order.
static func names(of: String) -> PackedStringArray:
	var dir := DirAccess.open(of)
	if dir == null:
		return ["(no folder)"]
	dir.include_hidden = true
	var found := dir.get_files() + dir.get_directories()
	found.sort()
	return found


static func remove_folder(of: String) -> void:
	var dir := DirAccess.open(of)
	if dir == null:
		return
	dir.include_hidden = true
	for inner: String in dir.get_directories():
		if not dir.is_link(inner):
			remove_folder(of.path_join(inner))
	for inner: String in dir.get_files() + dir.get_directories():
		dir.remove(inner)
	DirAccess.remove_absolute(of)


## The path that the system knows.
static func absolute(of: String) -> String:
	return ProjectSettings.globalize_path(of)

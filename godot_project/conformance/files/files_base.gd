extends "../support/round_trip.gd"
## Base of the suites on files and tasks: a folder of its own for each test, and the engine's loops
## over store_var() and get_var(), which say what a file has to hold.

const COMPRESSIONS: PackedInt32Array = [
	FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_DEFLATE, FileAccess.COMPRESSION_GZIP
]
const ALL_MODES: PackedInt32Array = [
	-1, FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_DEFLATE, FileAccess.COMPRESSION_GZIP
]

const INSTEAD := WARNING + 'loaded the backup "%s.bak" instead: '

## How many there were.
static var _folders := 0

## Not empty, and removed with all that is in it when the test is over. One for each process, as
## several may run at once, and for each test, as a save remembers where a load has failed.
var folder := "user://conformance_%d_%d" % [OS.get_process_id(), _next_folder()]
## The file that most tests use.
var path := folder + "/saved.bin"
var _bak := path + ".bak"

var _noise: PackedByteArray = Packed.make(TYPE_PACKED_BYTE_ARRAY, 100_000)


func _enter_tree() -> void:
	check_int(DirAccess.make_dir_recursive_absolute(folder), OK, "a folder for the test")


func _exit_tree() -> void:
	remove_folder(folder)


## True where anybody can make links and pipes, and files have Unix permissions. Says so if not.
func is_unix() -> bool:
	if not OS.get_name() in ["Windows", "Web"]:
		return true
	print("  no links, pipes and permissions as on Unix here")
	checks += 1
	return false


## What a loop of store_var() writes, by the engine itself: to this file, or to one that is removed.
func stored(values: Array, objects := false, mode := -1, to := "") -> PackedByteArray:
	var at := to if to else folder + ".engine"
	var file := _open(at, FileAccess.WRITE, mode)
	for value: Variant in values:
		file.store_var(value, objects)
	file.close()
	var bytes := FileAccess.get_file_as_bytes(at)
	if to.is_empty():
		DirAccess.remove_absolute(at)
	return bytes


## What a loop of get_var() reads from a file, compressed or not, the engine's complaints off.
func read_loop(from: String, objects := false, mode := -1) -> Array:
	var file := _open(from, FileAccess.READ, mode)
	var values: Array = []
	if file == null:
		check(false, "the engine cannot open %s: %d" % [from, FileAccess.get_open_error()])
		return values
	Engine.print_error_messages = false
	while file.get_position() < file.get_length():
		values.append(file.get_var(objects))
	Engine.print_error_messages = true
	return values


## Compressed or encrypted, as _open() has it.
func write(to: String, bytes: PackedByteArray, mode := -1, key: Variant = null) -> void:
	var file := _open(to, FileAccess.WRITE, mode, key)
	check(file != null, "%s cannot be written" % to)
	if file != null:
		file.store_buffer(bytes)


## Saved in these modes by each number of threads, at once and as a task, and read by the engine;
## stored by the engine and loaded, with FastLZ as well. Plain, the bytes are those of the engine.
func check_file(values: Array, what: String, objects := false, modes: PackedInt32Array = [-1]) -> void:
	var bytes := stored(values, objects, -1, path)
	var expected := read_loop(path, objects)
	check_int(expected.size(), values.size(), "values that the engine reads of " + what)
	const FASTLZ := FileAccess.COMPRESSION_FASTLZ
	for mode: int in modes + PackedInt32Array([FASTLZ]):
		for count: int in by_threads():
			for form: String in ["", "_async"]:
				var shown := "%s, mode %d, %d threads%s" % [what, mode, count, form]
				var save := func() -> int: return call_and_wait("save_vars" + form, [path, values, objects, mode])
				if mode != FASTLZ:
					check_int(save_as_told(save, values, objects), OK, "saving " + shown)
				if mode < 0:
					check_bytes(FileAccess.get_file_as_bytes(path), bytes, "file of " + shown)
				elif mode != FASTLZ:
					check_same(read_loop(path, objects, mode), expected, "by the engine, " + shown)
					check_same(VarBatch.load_vars(path, objects), expected, "loaded, " + shown)
				if mode >= 0:
					stored(values, objects, mode, path)
				check_same(call_and_wait("load_vars" + form, [path, objects]), expected, "the engine's, " + shown)
	check_names([path.get_file()], what)


## Calls [param action] with a file at [param to] and without one: it must leave that as it is, and no other.
func check_keeps_old(action: Callable, to := path) -> void:
	for is_there: bool in [true, false]:
		DirAccess.remove_absolute(to)
		if is_there:
			write(to, "the old file".to_utf8_buffer())
		var before := names(folder)
		action.call()
		check_names(before, "a call that failed")
		check(not is_there or FileAccess.get_file_as_string(to) == "the old file", "the old file has changed")


## That the folder holds nothing but these, hidden ones too.
func check_names(expected: PackedStringArray, what: String, within := folder) -> void:
	var found := names(within)
	check(found == expected, "files of %s: expected %s, found %s" % [what, expected, found])


func sized(count: int, size: Callable) -> Array:
	return range(count).map(func(i: int) -> PackedByteArray: return _noise.slice(i % 61, i % 61 + int(size.call(i))))


## check_call() of a method, and of its task: the lines hold [param texts], or are these.
func check_forms(
	method: String, arguments: Array, result: Variant, code: int, texts: PackedStringArray, is_exact := false
) -> void:
	var part := func(text: String) -> String:
		return "%s...%s..." % [WARNING if text.begins_with(WARNING) else "", text.trim_prefix(WARNING)]
	var lines := texts if is_exact else PackedStringArray(Array(texts).map(part))
	for form: String in [method, method + "_async"]:
		check_call(form, arguments, result, lines, code as Error)


static func call_and_wait(method: String, arguments: Array) -> Variant:
	return waited(call_method(method, arguments))


static func waited(found: Variant) -> Variant:
	return (found as VarBatchTask).wait() if found is VarBatchTask else found


func end_saves(tasks: Array) -> void:
	for task: VarBatchTask in tasks:
		check_int(task.wait() as int, OK, "a save")


func link(leads_to: String, at: String) -> void:
	check_int(DirAccess.open(folder).create_link(leads_to, absolute(at)), OK, "a link")


## Calls [param save], which may print one warning of what a save does not keep of the values.
func save_as_told(save: Callable, values: Variant, objects := false) -> int:
	var lines := logged(save)
	if not lines.is_empty():
		check_int(lines.size(), 1, "lines of a save")
		check(lines[0].begins_with(WARNING) and ": saved " in lines[0], "a save: " + lines[0])
		check(not is_kept(values) or objects, "a save that keeps all: " + lines[0])
	return returned


static func is_kept(value: Variant) -> bool:
	match typeof(value):
		TYPE_ARRAY:
			return (value as Array).all(is_kept)
		TYPE_DICTIONARY:
			var entries := value as Dictionary
			return is_kept(entries.keys()) and is_kept(entries.values())
	return not typeof(value) in [TYPE_OBJECT, TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID]


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


static func absolute(of: String) -> String:
	return ProjectSettings.globalize_path(of)


## Encrypted with a key, a password or 32 bytes, or compressed in a mode that is not negative.
func _open(at: String, flags: FileAccess.ModeFlags, mode := -1, key: Variant = null) -> FileAccess:
	if key is String:
		return FileAccess.open_encrypted_with_pass(at, flags, key as String)
	if key != null:
		return FileAccess.open_encrypted(at, flags, key as PackedByteArray)
	if mode < 0:
		return FileAccess.open(at, flags)
	return FileAccess.open_compressed(at, flags, mode as FileAccess.CompressionMode)


static func _next_folder() -> int:
	_folders += 1
	return _folders

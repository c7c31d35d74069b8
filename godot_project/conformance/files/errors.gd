extends "files_base.gd"
## Saves and loads that cannot be: the engine's own code, one line with the path, the old file as it was,
## and no other file. Those that need a process without rights or without space run in one of their own, in
## which all calls must fail with one code: its arguments are what to do, the code, and the paths.

const OLD: Array = ["the old file", 1, 2.5]
const VALUES: Array = [1, "two", [3.0, &"four"]]
## Of a process that may not read and write just anything, though its user may.
const WITHOUT_RIGHTS := 'exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"'
## Files of at most 32 KiB; where dash and bash count differently, 64.
const WITHOUT_SPACE := "trap '' XFSZ; ulimit -f 64; exec \"$@\""
## Of empty files.
const WITHOUT_ANY := "trap '' XFSZ; ulimit -f 0; exec \"$@\""

var _code := 0


## Folders that are not there, folders, files in the place of folders, names that are too long, links
## that lead nowhere, and pipes: those are neither written to nor replaced, though that could be done.
func test_paths_that_are_no_files() -> void:
	var inner := folder + "/inner"
	DirAccess.make_dir_recursive_absolute(inner)
	write(path, stored(OLD))
	var paths: PackedStringArray = ["", "user://", "/", folder, folder + "/", absolute(folder), inner]
	paths.append_array([path + "/x.bin", folder + "/missing/x.bin"])
	paths.append_array(["user://no folder/a/b.bin", "/no folder/x.bin", "res://no folder/x.bin"])
	paths.append(folder + "/" + "n/".repeat(3000))
	if is_unix():
		# Windows opens the file; what it says of a long name depends on its version.
		paths.append_array([path + "/", folder.path_join("n".repeat(256))])
		var pipe := folder + "/pipe"
		check_int(OS.execute("mkfifo", [absolute(pipe)]), 0, "making a pipe")
		var links := {"a": "inner", "b": "c", "c": "b", "d": "missing/file", "e": "pipe"}
		for at: String in links:
			link(links[at] as String, folder.path_join(at))
			paths.append(folder.path_join(at))
		paths.append(pipe)
	var before := names(folder)
	for to: String in paths:
		check(FileAccess.open(to, FileAccess.WRITE) == null, "the engine opens %s" % to)
		_check_fails(to, VALUES, FileAccess.get_open_error(), "")
		_check_load_fails(to)
	check_bytes(FileAccess.get_file_as_bytes(path), stored(OLD), "the file in the way")
	check_names(before, "paths that are no files")
	if is_unix():
		check_int(OS.execute("test", ["-p", absolute(folder + "/pipe")]), 0, "still a pipe")


func test_files_that_are_missing() -> void:
	for from: String in [path, "res://no such file", "/no such file"]:
		_check_load_fails(from)


func test_values_that_cannot_be_encoded() -> void:
	var too_deep := Engines.nested(1026)
	for count: int in [1, 5, 1200, 20_000]:
		for places: PackedInt32Array in [[0], [count / 2], [count - 1], [count / 3, count - 1]]:
			var values := sized(count, func(i: int) -> int: return 3000 if count == 5 else i % 40)
			for at: int in places:
				values[at] = too_deep
			for threads: int in Threads.new(THREAD_COUNTS):
				var text := "value %d: expected at most" % places[0]
				check_keeps_old(_check_fails.bind(path, values, ERR_INVALID_DATA, text))
	var to := folder + "/missing/x.bin"
	check(expect_errors(call_method.bind(&"save_vars", [to, [too_deep]]), 1, 'cannot save "%s": ' % to) != OK, "it was saved")


func test_modes_that_are_none() -> void:
	for mode: int in [-2, 0, 4, 5, 100, 1 << 40]:
		check_keeps_old(_check_fails.bind(path, VALUES, ERR_INVALID_PARAMETER, "", mode))
	check_int(VarBatch.COMPRESSION_NONE, -1, "COMPRESSION_NONE")
	var text := "...found 0 (COMPRESSION_FASTLZ, which can only be loaded: use COMPRESSION_ZSTD)..."
	check_call(&"save_vars", [path, VALUES, false, 0], ERR_INVALID_PARAMETER, [text], ERR_INVALID_PARAMETER)


## A file that could be written to, in a folder in which nothing can be made, and one without rights.
func test_without_rights() -> void:
	if not is_unix() or Child.sh(WITHOUT_RIGHTS, ["true"])[0] != 0:
		print("  files/errors: no setpriv here, so nothing is known of folders without rights")
		checks += 1
		return
	_check_probe("save", ["new.bin", "old.bin"], folder, 0x16d, WITHOUT_RIGHTS, ERR_FILE_CANT_OPEN)
	_check_probe("load", ["old.bin"], folder + "/old.bin", 0, WITHOUT_RIGHTS, ERR_FILE_CANT_OPEN)


func test_without_space() -> void:
	_check_probe("fill", ["new.bin", "old.bin"], folder, 0x1ff, WITHOUT_SPACE, ERR_FILE_CANT_WRITE)
	_check_probe("full", ["new.bin", "old.bin"], folder, 0x1ff, WITHOUT_ANY, ERR_FILE_CANT_WRITE)


## The process finds a file or a folder with these permissions. The old file is as it was, and alone.
func _check_probe(what: String, files: PackedStringArray, of: String, rights: int, shell: String, code: int) -> void:
	var old := absolute(folder) + "/old.bin"
	write(old, stored(OLD))
	var paths := Array(files).map(func(file: String) -> String: return absolute(folder).path_join(file))
	FileAccess.set_unix_permissions(of, rights)
	Child.probe(self, "files/errors", PackedStringArray([what, str(code)] + paths), shell)
	FileAccess.set_unix_permissions(of, 0x1ff)
	check_names(["old.bin"], what)
	check_bytes(FileAccess.get_file_as_bytes(old), stored(OLD), "the old file")


func _check_fails(to: String, values: Array, code: int, reason: String, mode := -1) -> void:
	check(code != OK, "no error to expect for %s" % to)
	check_forms("save_vars", [to, values, false, mode], code, code, ['cannot save "%s": %s' % [_shown(to), reason]])


func _shown(long: String) -> String:
	return long if long.length() <= 180 else long.left(180) + "..."


func _check_load_fails(from: String) -> void:
	check(FileAccess.open(from, FileAccess.READ) == null, "the engine opens %s" % from)
	var code := FileAccess.get_open_error()
	check(code != OK, "no error to expect for %s" % from)
	var text := 'cannot load "%s": ' % _shown(from)
	check_forms("load_vars", [from], [], code, [text])
	if code != ERR_FILE_NOT_FOUND:
		check_forms("load_var", [from, "default"], "default", code, [text])
		var target := folder.path_join("target")
		check_call(&"transcode_file", [from, target, GODOT_4, GODOT_4], code, ["...%s..." % text], code)
		write(target, VarBatch.vars_to_frames([1]))
		text = '...cannot save "%s": ...' % _shown(from)
		check_call(&"transcode_file", [target, from, GODOT_4, GODOT_4], code, [text], code)
		DirAccess.remove_absolute(target)


func run_alone() -> void:
	_code = Child.own_arguments()[1].to_int()
	errors = ErrorLog.new()
	errors.open()
	for to: String in Child.own_arguments().slice(2):
		match Child.own_arguments()[0]:
			"load":
				_check_engine(to, FileAccess.READ)
				check_forms("load_vars", [to], [], _code, ['cannot load "%s": ' % to])
				for method: StringName in [&"open", &"remove"]:
					var call := ClassDB.callv.bind(&"class_call_static", [&"VarBatchStore", method, to])
					expect_errors(call, 1, '"%s": access is denied' % to)
					check_int(VarBatch.get_last_error(), _code, "a store")
			"save":
				# It can write to the old file itself.
				if not FileAccess.file_exists(to):
					_check_engine(to, FileAccess.WRITE)
				_check_save(to, [1, 2], [-1, FileAccess.COMPRESSION_ZSTD])
			"fill":
				_fill(to)
			"full":
				_check_save(to, [1, 2], ALL_MODES.slice(0, 3))
				check_forms("save_vars", [to, [1], false, -1, "pass"], _code, _code, ['cannot save "%s": ' % to])
			"append":
				_append(to)
	finish()
	errors.close()


func _check_engine(to: String, flags: FileAccess.ModeFlags) -> void:
	check(FileAccess.open(to, flags) == null, "the engine opens %s" % to)
	check_int(FileAccess.get_open_error(), _code, "the engine's code")


## More than fits: in one piece, in many, and such as no compression makes fit.
func _fill(to: String) -> void:
	var noise := Crypto.new().generate_random_bytes(1 << 20)
	var piece := func(i: int) -> PackedByteArray: return noise.slice(1024 * i, 1024 * i + 1024)
	var pieces := range(1024).map(piece)
	var texts := pieces.map(func(of: PackedByteArray) -> String: return of.hex_encode())
	for values: Array in [[noise], pieces, texts, [pieces, texts]]:
		_check_save(to, values, ALL_MODES.slice(0, 3))


func _append(to: String) -> void:
	var values := range(100).map(func(i: int) -> Array: return [i, _noise.slice(0, 1000)])
	var tasks := values.map(func(value: Array) -> VarBatchTask: return VarBatch.append_vars_async(to, [value]))
	var added: Array = []
	var count_added := func() -> void:
		for i: int in tasks.size():
			var error: int = (tasks[i] as VarBatchTask).wait()
			check(error in [OK, _code], "append %d gives %d" % [i, error])
			added.append_array([values[i]] if error == OK else [])
	quietly(count_added)
	check(added.size() > 10 and added.size() < 70, "%d values fit" % added.size())
	check_same(VarBatch.load_vars(to), added, "the values that were added")


func _check_save(to: String, values: Array, modes: PackedInt32Array) -> void:
	for mode: int in modes:
		check_forms("save_vars", [to, values, false, mode], _code, _code, ['cannot save "%s": ' % to])

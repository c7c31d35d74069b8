extends "files_base.gd"
## Saves and loads that cannot be: the engine's own code, one line with the path, the old file as it
## was, and no other file. Those that need a process without rights or without space run in one of
## their own: see errors_probe.gd.

const Child := preload("../support/child.gd")
const Probe := preload("errors_probe.gd")

const OLD: Array = ["the old file", 1, 2.5]
const VALUES: Array = [1, "two", [3.0, &"four"]]

## Of a process that may not read and write just anything, though its user may.
const WITHOUT_RIGHTS := 'exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"'
## Files of at most 32 KiB; where dash and bash count differently, 64.
const WITHOUT_SPACE := "trap '' XFSZ; ulimit -f 64; exec \"$@\""
## A file system of 256 KiB, which goes with the process.
const SMALL_DISK := 'mount -t tmpfs -o size=256k tmpfs "%s" && exec "$@"'


func test_missing_folder() -> void:
	_check_both_fail(folder + "/missing/x.bin")
	_check_both_fail("user://no such folder/a/b/c.bin")
	_check_both_fail("/no such folder/x.bin")
	_check_both_fail("res://no such folder/x.bin")


func test_path_is_a_folder() -> void:
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	for to: String in [folder, folder + "/", folder + "/inner", absolute(folder), "user://", "/"]:
		_check_both_fail(to)
	var names: PackedStringArray = ["inner"]
	if is_unix():
		names.append("link")
		_link("inner", folder + "/link")
		_check_both_fail(folder + "/link")
	check_names(names, "a folder as path")


func test_empty_path() -> void:
	_check_both_fail("")


func test_a_file_where_a_folder_should_be() -> void:
	write(path, stored(OLD))
	_check_both_fail(path + "/x.bin")
	_check_both_fail(path + "/")
	check_bytes(FileAccess.get_file_as_bytes(path), stored(OLD), "the file in the way")


func test_a_name_that_is_too_long() -> void:
	_check_both_fail(folder.path_join("n".repeat(256)))
	_check_both_fail(folder + "/" + "n/".repeat(3000))


func test_links_that_lead_nowhere() -> void:
	if not is_unix():
		return
	_link("second", folder + "/first")
	_link("first", folder + "/second")
	_check_both_fail(folder + "/first")
	_link("missing/file", folder + "/third")
	_check_both_fail(folder + "/third")
	check_names(["first", "second", "third"], "links that lead nowhere")


## Neither written to nor replaced, though that could be done.
func test_no_file_at_all() -> void:
	if not is_unix():
		return
	check_int(OS.execute("mkfifo", [absolute(path)]), 0, "making a pipe")
	_check_both_fail(path)
	_link(path.get_file(), folder + "/link")
	_check_both_fail(folder + "/link")
	check_int(OS.execute("test", ["-p", absolute(path)]), 0, "still a pipe")
	check_names(["link", path.get_file()], "a pipe as path")


## Nothing is saved, and the line names the first of them.
func test_values_that_cannot_be_encoded() -> void:
	var too_deep := Values.Engines.nested(1026)
	for count: int in [1, 5, 1200, 20_000]:
		for places: PackedInt32Array in [[0], [count / 2], [count - 1], [count / 3, count - 1]]:
			for is_large: bool in [false, true]:
				if is_large and count > 1200:
					continue
				var values := sized(count, func(i: int) -> int: return 3000 if is_large else i % 40)
				for at: int in places:
					values[at] = too_deep
				for threads: int in THREAD_COUNTS:
					VarBatch.set_thread_count(threads)
					var start := "value %d: expected at most" % places[0]
					_check_save_fails(path, values, ERR_INVALID_DATA, start)
	check_names([path.get_file()], "values that cannot be encoded")


func test_modes_that_are_none() -> void:
	for mode: int in [-2, 0, 4, 5, 100, 1 << 40]:
		_check_save_fails(path, VALUES, ERR_INVALID_PARAMETER, "", mode)
	check_int(VarBatch.COMPRESSION_NONE, -1, "COMPRESSION_NONE")


## Of several things that are wrong, one is told.
func test_all_at_once() -> void:
	var to := folder + "/missing/x.bin"
	var save := func() -> int: return VarBatch.save_vars(to, [Values.Engines.nested(1026)])
	check(expect_errors(save, 1, 'cannot save "%s": ' % to) != OK, "it was saved")


func test_files_that_cannot_be_loaded() -> void:
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	write(path, stored(OLD))
	if is_unix():
		_link("first", folder + "/first")
	for from: String in [
		folder + "/missing.bin",
		folder + "/missing/x.bin",
		folder,
		folder + "/inner",
		"",
		"user://",
		path + "/x",
		folder + "/first",
		folder.path_join("n".repeat(256)),
		"res://no such file",
		"/no such file",
	]:
		var file := FileAccess.open(from, FileAccess.READ)
		check(file == null, "the engine opens %s" % from)
		_check_load_fails(from, FileAccess.get_open_error())


func test_without_rights() -> void:
	if Child.sh(WITHOUT_RIGHTS, ["true"])[0] != 0:
		print("  files/errors: no setpriv here, so nothing is known of folders without rights")
		checks += 1
		return
	_check_probe("read-only", WITHOUT_RIGHTS, ERR_FILE_CANT_OPEN)
	_check_probe("unreadable", WITHOUT_RIGHTS, ERR_FILE_CANT_OPEN)


func test_without_space() -> void:
	_check_probe("full", WITHOUT_SPACE, ERR_FILE_CANT_WRITE)


func test_full_disk() -> void:
	var disk := absolute(folder) + "/disk"
	DirAccess.make_dir_recursive_absolute(disk)
	var mounted := "exec unshare -m sh -c '%s' sh \"$@\"" % (SMALL_DISK % disk)
	if Child.sh(mounted, ["true"])[0] != 0:
		print("  files/errors: nothing can be mounted here, so no disk is really full")
		checks += 1
		return
	_check_probe("full", mounted, ERR_FILE_CANT_WRITE, disk)


## Runs errors_probe.gd. Each of its lines is "what;expected;found", and so are checked here.
func _check_probe(kind: String, shell: String, code: int, within := absolute(folder)) -> void:
	for line: String in Child.probe(self, "files/errors_probe", [kind, str(code), within], shell):
		if line.begins_with(Probe.CHECK):
			var parts := line.split(Probe.SEPARATOR)
			var text := "%s, %s: expected %s, found %s" % [kind, parts[1], parts[2], parts[3]]
			check(parts[2] == parts[3], text)


## With the engine's own code, which must be one.
func _check_both_fail(to: String) -> void:
	var file := FileAccess.open(to, FileAccess.WRITE)
	check(file == null, "the engine opens %s" % to)
	_check_fails(to, VALUES, FileAccess.get_open_error(), "", -1)


## The same where the path is good, and a file there that has to stay.
func _check_save_fails(to: String, values: Array, code: int, reason: String, mode := -1) -> void:
	for is_there: bool in [true, false]:
		DirAccess.remove_absolute(to)
		if is_there:
			write(to, stored(OLD))
		_check_fails(to, values, code, reason, mode)
		check(FileAccess.file_exists(to) == is_there, "%s came or went" % to)
		if is_there:
			check_bytes(FileAccess.get_file_as_bytes(to), stored(OLD), "the old file")
		check_names([to.get_file()] if is_there else [], "a save that failed")
	write(to, stored(OLD))


func _check_fails(to: String, values: Array, code: int, reason: String, mode: int) -> void:
	check(code != OK, "no error to expect for %s" % to)
	var text := 'cannot save "%s": %s' % [to, reason]
	var save := func() -> int: return VarBatch.save_vars(to, values, false, mode)
	var found: int = expect_errors(save, 1, "VarBatch.save_vars: " + text)
	check_int(found, code, "saving %s" % text)
	var tasks: Array[VarBatchTask] = []
	var save_async := func() -> Variant:
		tasks.append(VarBatch.save_vars_async(to, values, false, mode))
		return tasks[0].wait()
	var result: Variant = expect_errors(save_async, 1, "VarBatch.save_vars_async: " + text)
	check_value(result, code, "result of %s" % text)
	check_int(tasks[0].get_error(), code, "get_error of %s" % text)
	var message := tasks[0].get_error_message()
	check(message.begins_with(text), "message: expected '%s', found '%s'" % [text, message])
	check(not message.ends_with("\n"), "a message with an end of line")


func _check_load_fails(from: String, code: int) -> void:
	check(code != OK, "no error to expect for %s" % from)
	var text := 'cannot load "%s": ' % from
	var load_it := func() -> Array: return VarBatch.load_vars(from)
	check_value(expect_errors(load_it, 1, "VarBatch.load_vars: " + text), [], "loading " + text)
	var tasks: Array[VarBatchTask] = []
	var load_async := func() -> Variant:
		tasks.append(VarBatch.load_vars_async(from))
		return tasks[0].wait()
	var result: Variant = expect_errors(load_async, 1, "VarBatch.load_vars_async: " + text)
	check_value(result, [], "result of %s" % text)
	check_int(tasks[0].get_error(), code, "get_error of %s" % text)
	check(tasks[0].get_error_message().begins_with(text), tasks[0].get_error_message())


func _link(leads_to: String, at: String) -> void:
	check_int(DirAccess.open(folder).create_link(leads_to, absolute(at)), OK, "a link")

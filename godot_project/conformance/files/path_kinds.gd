extends "files_base.gd"
## Paths as FileAccess takes them, and what becomes of permissions and links.

const VALUES: Array = [1, "two", [3.0, &"four"]]


## Saved and loaded under [param to], and found by the engine there, sync and async.
func test_user_path() -> void:
	_check_path(path)
	_check_path(folder.replace("user://", "user:///") + "/more slashes.bin")


func test_absolute_path() -> void:
	_check_path(absolute(path))


func test_project_path() -> void:
	_check_path("res://conformance_%d.tmp" % OS.get_process_id())


## From where FileAccess begins as well: the folder in which the engine is.
func test_relative_path() -> void:
	var relative := "conformance_%d.tmp" % OS.get_process_id()
	_check_path(relative)
	_check_path("./" + relative)


func test_names() -> void:
	for named: String in [
		"with space.bin",
		" .bin",
		"Straße 日本語 😀.save",
		"no_extension",
		".hidden",
		"two..dots",
		"percent %s %d %%.bin",
		"quote \" and ' and `.bin",
		"-rf",
		"*?.bin",
		"line\nbreak",
	]:
		_check_path(folder.path_join(named))
	var deep := folder + "/Ordner mit Ümlaut/日本"
	DirAccess.make_dir_recursive_absolute(deep)
	_check_path(deep + "/x.bin")


## As long as the system takes them: a name beside it may need to be shorter than "name" and more.
func test_long_names() -> void:
	for length: int in [200, 240, 249, 250, 251, 254, 255]:
		_check_path(folder.path_join("n".repeat(length)))
	_check_path(folder.path_join("é".repeat(127)))
	_check_path(folder.path_join("😀".repeat(63)))


func test_dots_in_a_path() -> void:
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	_check_path(folder + "/inner/../up.bin")
	_check_path(folder + "/./here.bin")
	_check_path(absolute(folder) + "/inner/../../%s/round.bin" % folder.get_file())
	_check_path(folder + "//inner//slashes.bin")


## FileAccess takes them for slashes.
func test_backslashes() -> void:
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	_check_path(folder + "\\inner\\back.bin")
	check_names([], "the folder of the path", folder + "/inner")


func test_permissions_stay() -> void:
	if not is_unix():
		return
	for mode: int in [0x1a0, 0x180, 0x1b6, 0x1ff, 0x1c0]:  # 0640, 0600, 0666, 0777, 0700
		for is_async: bool in [false, true]:
			write(path, PackedByteArray([1]))
			check_int(FileAccess.set_unix_permissions(path, mode), OK, "setting permissions")
			_save(path, is_async)
			var what := "permissions %o" % mode + (", async" if is_async else "")
			check_int(FileAccess.get_unix_permissions(path), mode, what)
			DirAccess.remove_absolute(path)


## As those of any new file.
func test_permissions_of_a_new_file() -> void:
	if not is_unix():
		return
	write(path, PackedByteArray([1]))
	var usual := FileAccess.get_unix_permissions(path)
	for is_async: bool in [false, true]:
		DirAccess.remove_absolute(path)
		_save(path, is_async)
		check_int(FileAccess.get_unix_permissions(path), usual, "permissions of a new file")


## The link stays, and what it leads to is replaced.
func test_link() -> void:
	if not is_unix():
		return
	var target := folder + "/other/target.bin"
	DirAccess.make_dir_recursive_absolute(target.get_base_dir())
	for leads_to: String in ["other/target.bin", absolute(target)]:
		for is_new: bool in [false, true]:
			for is_async: bool in [false, true]:
				var what := "link to %s, %s" % [leads_to, "new" if is_new else "there"]
				if is_new:
					DirAccess.remove_absolute(target)
				else:
					write(target, PackedByteArray([1, 2, 3]))
				_link(leads_to, path)
				_save(path, is_async)
				var dir := DirAccess.open(folder)
				check(dir.is_link(path.get_file()), "%s: no link any more" % what)
				check_value(dir.read_link(path.get_file()), leads_to, what)
				check_bytes(FileAccess.get_file_as_bytes(target), stored(VALUES), what)
				check_values(VarBatch.load_vars(path), VALUES, what)
				check_names(["target.bin"], what, target.get_base_dir())
				check_names(["other", path.get_file()], what)
				DirAccess.remove_absolute(path)


func test_link_to_a_link() -> void:
	if not is_unix():
		return
	var target := folder + "/target.bin"
	write(target, PackedByteArray([1, 2, 3]))
	_link("target.bin", folder + "/first")
	_link(absolute(folder + "/first"), folder + "/second")
	_save(folder + "/second", false)
	check_bytes(FileAccess.get_file_as_bytes(target), stored(VALUES), "link to a link")
	var dir := DirAccess.open(folder)
	check(dir.is_link("first") and dir.is_link("second"), "a link is gone")
	check_names(["first", "second", "target.bin"], "link to a link")


func test_link_to_a_folder() -> void:
	if not is_unix():
		return
	DirAccess.make_dir_recursive_absolute(folder + "/inner")
	_link("inner", folder + "/link")
	_check_path(folder + "/link/x.bin")


## Nothing that a new file could be written to first is taken from anybody.
func test_files_with_like_names() -> void:
	var others: PackedStringArray = ["a.bin", "saved", "saved.bin.tmp", "saved.bin~", ".saved.bin"]
	for named: String in others:
		write(folder.path_join(named), named.to_utf8_buffer())
	_save(path, false)
	_save(path, true)
	for named: String in others:
		var bytes := FileAccess.get_file_as_bytes(folder.path_join(named))
		check_bytes(bytes, named.to_utf8_buffer(), named)
	var all := others + PackedStringArray([path.get_file()])
	all.sort()
	check_names(all, "files with like names")


func _check_path(to: String) -> void:
	var expected := stored(VALUES)
	for is_async: bool in [false, true]:
		check(not FileAccess.file_exists(to), "%s is there already" % to)
		_save(to, is_async)
		check_bytes(FileAccess.get_file_as_bytes(to), expected, "file %s" % to)
		check_values(VarBatch.load_vars(to), VALUES, "loaded from %s" % to)
		check_values(VarBatch.load_vars_async(to).wait() as Array, VALUES, "loaded async, %s" % to)
		check_int(DirAccess.remove_absolute(to.replace("\\", "/")), OK, "removing %s" % to)


func _save(to: String, is_async: bool) -> void:
	if not is_async:
		check_int(VarBatch.save_vars(to, VALUES), OK, "saving %s" % to)
		return
	var task := VarBatch.save_vars_async(to, VALUES)
	check_value(task.wait(), OK as int, "saving async %s" % to)


func _link(leads_to: String, at: String) -> void:
	check_int(DirAccess.open(folder).create_link(leads_to, absolute(at)), OK, "a link")

extends "files_base.gd"
## Paths as FileAccess takes them, and what becomes of permissions and links. How files are replaced
## is tested in rust/storage/tests, file_unix.rs and file_save.rs.

const VALUES: Array = [1, "two", [3.0, &"four"]]


## From where FileAccess begins as well: the project, or the folder in which the engine is. It takes
## backslashes for slashes.
func test_paths() -> void:
	var inner := folder + "/inner"
	DirAccess.make_dir_recursive_absolute(inner)
	var relative := "conformance_%d.tmp" % OS.get_process_id()
	for to: String in [
		path,
		absolute(path),
		folder.replace("user://", "user:///") + "/more slashes.bin",
		"res://" + relative,
		relative,
		"./" + relative,
		inner + "/../up.bin",
		folder + "/./here.bin",
		absolute(folder) + "/inner/../../%s/round.bin" % folder.get_file(),
		folder + "//inner//slashes.bin",
		folder + "\\inner\\back.bin",
	]:
		_check_path(to)
	check_names([], "the folder of the paths", inner)


## Also as long as the system takes them: a name beside it may need to be shorter than "name" and
## more.
func test_names() -> void:
	var all: PackedStringArray = ["with space.bin", " .bin", "Straße 日本語 😀.save", "no_extension"]
	all.append_array([".hidden", "two..dots", "percent %s %d %%.bin", "quote \" and ' and `.bin"])
	all.append_array(["-rf", "*?.bin", "line\nbreak", "é".repeat(127), "😀".repeat(63)])
	for length: int in [200, 240, 249, 250, 251, 254, 255]:
		all.append("n".repeat(length))
	for named: String in all:
		_check_path(folder.path_join(named))
	var deep := folder + "/Ordner mit Ümlaut/日本"
	DirAccess.make_dir_recursive_absolute(deep)
	_check_path(deep + "/x.bin")


## They stay, and those of a new file are as those of any.
func test_permissions() -> void:
	if not is_unix():
		return
	for is_async: bool in [false, true]:
		for mode: int in [0x1a0, 0x180, 0x1b6, 0x1ff, 0x1c0]:  # 0640, 0600, 0666, 0777, 0700
			write(path, PackedByteArray([1]))
			check_int(FileAccess.set_unix_permissions(path, mode), OK, "setting permissions")
			_save(path, is_async)
			check_int(FileAccess.get_unix_permissions(path), mode, "permissions %o" % mode)
			DirAccess.remove_absolute(path)
		write(path, PackedByteArray([1]))
		var usual := FileAccess.get_unix_permissions(path)
		DirAccess.remove_absolute(path)
		_save(path, is_async)
		check_int(FileAccess.get_unix_permissions(path), usual, "permissions of a new file")


## The link stays, and what it leads to is replaced.
func test_links() -> void:
	if not is_unix():
		return
	var inner := folder + "/inner"
	var target := inner + "/target.bin"
	var dir := DirAccess.open(folder)
	DirAccess.make_dir_recursive_absolute(inner)
	link("saved.bin", folder + "/to a link")
	for leads_to: String in ["inner/target.bin", absolute(target)]:
		link(leads_to, path)
		for at: String in [path, folder + "/to a link"]:
			for is_new: bool in [false, true]:
				for is_async: bool in [false, true]:
					var what := "%s to %s, new: %s" % [at.get_file(), leads_to, is_new]
					if is_new:
						DirAccess.remove_absolute(target)
					else:
						write(target, PackedByteArray([1, 2, 3]))
					_save(at, is_async)
					check_value(dir.read_link(path.get_file()), leads_to, what)
					check_bytes(FileAccess.get_file_as_bytes(target), stored(VALUES), what)
					check_values(VarBatch.load_vars(at), VALUES, what)
					check_names(["target.bin"], what, inner)
					check_names(["inner", path.get_file(), "to a link"], what)
		DirAccess.remove_absolute(path)
	link("inner", folder + "/to a folder")
	_check_path(folder + "/to a folder/x.bin")


## Saved and loaded under [param to], and found by the engine there, at once and by tasks.
func _check_path(to: String) -> void:
	for is_async: bool in [false, true]:
		check(not FileAccess.file_exists(to), "%s is there already" % to)
		_save(to, is_async)
		check_bytes(FileAccess.get_file_as_bytes(to), stored(VALUES), "file %s" % to)
		check_values(VarBatch.load_vars(to), VALUES, "loaded from %s" % to)
		check_values(VarBatch.load_vars_async(to).wait() as Array, VALUES, "loaded async, %s" % to)
		check_int(DirAccess.remove_absolute(to.replace("\\", "/")), OK, "removing %s" % to)


func _save(to: String, is_async: bool) -> void:
	var saved: Variant = call_and_wait("save_vars_async" if is_async else "save_vars", [to, VALUES])
	check_value(saved, OK as int, "saving %s" % to)

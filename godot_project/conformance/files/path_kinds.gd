extends "files_base.gd"
## Paths as FileAccess takes them. How files are replaced, with their permissions and links, is tested
## in rust/storage/tests, file_unix.rs and file_save.rs.

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


## Also long ones, beside which the name of another file has to be found.
func test_names() -> void:
	var all: PackedStringArray = ["with space.bin", " .bin", "Straße 日本語 😀.save", "no_extension"]
	all.append_array([".hidden", "two..dots", "percent %s %d %%.bin", "quote \" and ' and `.bin"])
	all.append_array(["-rf", "*?.bin", "line\nbreak", "é".repeat(127), "😀".repeat(63)])
	for named: String in all:
		_check_path(folder.path_join(named))
	var deep := folder + "/Ordner mit Ümlaut/日本"
	DirAccess.make_dir_recursive_absolute(deep)
	_check_path(deep + "/x.bin")


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

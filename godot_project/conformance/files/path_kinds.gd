extends "files_base.gd"
## Paths as FileAccess takes them. How files are replaced, with their permissions and links, is tested
## in rust/storage/tests, file_unix.rs and file_save.rs.

const VALUES: Array = [1, "two", [3.0, &"four"]]


## From where FileAccess begins as well: the project, or the folder in which the engine is. It takes
## backslashes for slashes. Beside long names the name of another file has to be found.
func test_paths() -> void:
	var inner := folder + "/Ordner mit Ümlaut 日本"
	DirAccess.make_dir_recursive_absolute(inner)
	var relative := "conformance_%d.tmp" % OS.get_process_id()
	var all: PackedStringArray = [path, absolute(path)]
	# In a browser, nothing can be removed from the project.
	if not OS.has_feature("web"):
		all.append_array(["res://" + relative, relative, "./" + relative])
	all.append_array([folder.replace("user://", "user:///") + "/more slashes.bin", inner + "/../up.bin"])
	all.append_array([absolute(inner) + "/../../%s/round.bin" % folder.get_file(), inner + "/x.bin"])
	for named: String in [
		"./here.bin",
		"/%s//slashes.bin" % inner.get_file(),
		"\\%s\\back.bin" % inner.get_file(),
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
		"é".repeat(127),
		"😀".repeat(63)
	]:
		# Of these characters Windows permits none.
		if is_unix() or not ("*" in named or '"' in named or "\n" in named):
			all.append(folder + "/" + named)
	for to: String in all:
		for form: String in ["", "_async"]:
			check(not FileAccess.file_exists(to), "%s is there already" % to)
			check_value(call_and_wait("save_vars" + form, [to, VALUES]), OK as int, "saving %s" % to)
			check_bytes(FileAccess.get_file_as_bytes(to), stored(VALUES), "file %s" % to)
			check_value(call_and_wait("load_vars" + form, [to]), VALUES, "loaded from %s" % to)
			check_int(DirAccess.remove_absolute(to.replace("\\", "/")), OK, "removing %s" % to)
	check_names([], "the folder of the paths", inner)

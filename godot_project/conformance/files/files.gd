extends "files_base.gd"
## What save_vars() writes and load_vars() reads, against loops of store_var() and get_var(), plain and
## compressed as by FileAccess.open_compressed(); files of one value; and paths as FileAccess takes them.
## Sizes at which files are cut into pieces and blocks, and how files are replaced: rust/storage/tests.

const VALUES: Array = [1, "two", [3.0, &"four"]]


func test_few_values() -> void:
	check_file([], "no values", false, ALL_MODES)
	check_int(VarBatch.save_vars(path, []), OK, "saving no values")
	check_int(FileAccess.get_file_as_bytes(path).size(), 0, "size of no values")
	for value: Variant in [null, 0, "", [], {}, PackedByteArray(), Vector3.ONE, NodePath("a/b")]:
		check_file([value], "one %s" % type_string(typeof(value)))
	var ints: Array[int] = [1, -2, 1 << 35]
	var packed: Array[PackedByteArray] = [PackedByteArray([1]), _noise]
	packed.make_read_only()
	for values: Array in [ints, packed, [Vector3.ONE, Vector3(-0.0, 1, INF)] as Array[Vector3]]:
		check_file(values, "an array of %s" % type_string(values.get_typed_builtin()))


func test_every_value() -> void:
	check_file(Values.all(), "every value", false, ALL_MODES)
	check_file(Values.mixed(1000), "mixed values", false, ALL_MODES)
	var generator := Generator.new(50_005)
	check_file(range(part_of(3000)).map(generator.value.unbind(1)), "random values")


func test_small_values() -> void:
	for count: int in [499, 500, 501, 10_000, 20_001]:
		var modes := ALL_MODES if count == 10_000 else PackedInt32Array([-1])
		var arrays := sized(count, func(i: int) -> int: return i % 90)
		check_file(range(count), "%d ints" % count, false, modes)
		check_file(arrays, "%d small arrays" % count, false, modes)
	var entry := func(i: int) -> Dictionary: return {"i": i, "name": str(i), "list": [i, null]}
	check_file(range(10_000).map(entry), "10,000 dictionaries")
	check_file(range(10_000).map(str), "10,000 texts")


func test_large_values() -> void:
	var values: Array = range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX).map(Packed.make.bind(200_003))
	check_file(values, "large arrays")
	check_file(["日本語😀".repeat(100_000), "long ".repeat(400_000)], "long texts")
	check_file([values, {"values": values}], "large arrays in one value")
	values = values.map(func(value: Variant) -> Variant: return value.slice(0, sized_part_of(30_000)))
	check_file(values, "large arrays", false, COMPRESSIONS)
	check_file([values, "日本語😀".repeat(20_000)], "large arrays in one value", false, COMPRESSIONS)
	values = range(640).map(func(i: int) -> PackedByteArray: return _noise.slice(i))
	check_file(values, "64 MiB", false, [FileAccess.COMPRESSION_ZSTD])


## Such as only grow by compression, and such as all but vanish. A file is padded to a 256th, as
## nobody unpacks more from one.
func test_noise_and_nothing() -> void:
	var zeros := filled_bytes(3 << 20)
	check_file([Crypto.new().generate_random_bytes(1 << 20), zeros, "end"], "noise and zeros", false, COMPRESSIONS)
	zeros.resize(80 << 20)
	for mode: int in COMPRESSIONS:
		check_int(VarBatch.save_vars(path, [zeros], false, mode), OK, "saving zeros")
		check_int(FileAccess.get_size(path), ((80 << 20) + 12 + 255) / 256, "bytes of the file")
		check_same(read_loop(path, false, mode), [zeros], "zeros, read by the engine")
		check_same(VarBatch.load_vars(path), [zeros], "zeros, loaded")


func test_full_objects() -> void:
	var objects := Engines.storable_objects()
	check_file(objects, "objects", true, ALL_MODES)
	var any := func(i: int) -> Variant: return [objects[i % 7], _noise.slice(0, i)] if i % 100 == 0 else i
	check_file(range(1200).map(any), "objects among others", true)


## A browser stores files after the engine has closed one that it had opened to write, and that sets
## the error of the last opening. A save also does so there, once its file is in place.
func test_files_in_a_browser() -> void:
	var copy := path + ".copy"
	var saves: Array[Callable] = [
		func() -> Error: return VarBatch.save_vars(path, [1, 2]),
		func() -> Error: return VarBatch.save_vars(path, [1], false, FileAccess.COMPRESSION_ZSTD),
		func() -> Error: return VarBatch.save_var(path, [1, 2, 3]),
		func() -> Error: return VarBatch.transcode_file(path, copy, 0, 0),
	]
	for i: int in saves.size():
		check(FileAccess.open(path + ".none", FileAccess.READ) == null, "a file that nobody made")
		check_int(saves[i].call(), OK, "code of save %d" % i)
		var expected := OK if tells_of_files else ERR_FILE_NOT_FOUND
		check_int(FileAccess.get_open_error(), expected, "the last opening, after save %d" % i)
	check_same(VarBatch.load_vars(copy), [[1, 2, 3]], "the file")


func test_one_value() -> void:
	var point := Curve2D.new()
	point.add_point(Vector2(1, 2))
	var values: Array = [_noise, [[]], [{}], {"noise": [_noise]}, [], [1, 2, 3], [null]]
	values += Values.mixed(80) + [sized(3000, func(i: int) -> int: return i), [point]]
	for i: int in values.size():
		var value: Variant = values[i]
		var whole := i == values.size() - 1
		var mode := ALL_MODES[i / 2 % ALL_MODES.size()]
		VarBatch.set_thread_count(1 + i % 3)
		for form: String in ["", "_async"]:
			var what := "%s, mode %d%s" % [type_string(typeof(value)), mode, form]
			var save := func() -> int: return call_and_wait("save_var" + form, [path, value, whole, mode])
			check_int(save_as_told(save, value, whole), OK, "saving " + what)
			var expected: Variant = read_loop(path, whole, mode)[0]
			if mode < 0:
				check_bytes(FileAccess.get_file_as_bytes(path), stored([value], whole), "file of " + what)
			check_value(call_and_wait("load_var" + form, [path, 5, whole]), expected, "loaded " + what)
			check_value(VarBatch.load_var(path, null, whole), expected, "loaded again " + what)
			DirAccess.remove_absolute(path)
	check_int(VarBatch.save_var(path, [point], true), OK, "saving an object")
	_check_default('"%s": value 0: expected no object' % path, ERR_INVALID_DATA)
	# As get_var(true) is called.
	var ported := func() -> Variant: return VarBatch.load_var(path, true)
	check_value(expect_errors(ported, 1, "load_var(path, null, true)"), true, "objects")
	DirAccess.remove_absolute(path)
	check_value(expect_logged(ported, 0, int(OS.is_debug_build()), "(path, null, true)"), true, "no file")


func test_a_file_that_is_missing() -> void:
	# Without a drive, Windows has no such path.
	var root: Array = ["/no such file"] if is_unix() else []
	for missing: String in [path, folder + "/none/x.bin", "res://no such file"] + root:
		check_value(VarBatch.load_var(missing), null, "no default for " + missing)
		check_int(VarBatch.get_last_error(), ERR_FILE_NOT_FOUND, "error of " + missing)
		var default := {"level": 1}
		check(is_same(VarBatch.load_var(missing, default), default), "not the same default")
		var task := VarBatch.load_var_async(missing, default)
		VarBatch.load_var(missing)
		check(is_same(task.wait(), default), "not the same default of a task")
		check_int(task.get_error(), ERR_FILE_NOT_FOUND, "error of a task for " + missing)
		for message: String in [task.get_error_message(), VarBatch.get_last_error_message()]:
			check(message == error_string(ERR_FILE_NOT_FOUND), "message: '%s'" % message)


func test_a_damaged_file() -> void:
	for mode: int in ALL_MODES:
		check_int(VarBatch.save_vars(path, [], false, mode), OK, "saving nothing")
		_check_default('"%s": expected a value, found an empty file' % path, ERR_FILE_EOF)
	var good := stored([{"a": [1, 2, 3]}])
	for length: int in range(1, good.size()):
		write(path, good.slice(0, length))
		_check_default('"%s": value 0: the file is cut off' % path, ERR_FILE_CORRUPT)
	var bad := frame(PackedByteArray([255, 0, 0, 0]))
	write(path, bad + bad + bad)
	_check_default('"%s": value 0: expected a type from 0 to ' % path, ERR_FILE_CORRUPT)
	write(path, good + bad)
	_check_default('"%s": value 1: expected a type from 0 to ' % path, ERR_FILE_CORRUPT)


func test_several_values() -> void:
	check_int(VarBatch.save_vars(path, ["first", 2, 3]), OK, "saving three values")
	var text := '"%s": expected one value, found 3: this is the first, load_vars() returns all' % path
	check_forms("load_var", [path, "default"], "first", OK, [WARNING + text], true)


func test_what_cannot_be_saved() -> void:
	check_int(VarBatch.save_var(path, "old"), OK, "saving")
	var too_deep := Engines.nested(1026)
	var rows: Array = Array(ALL_MODES).map(func(mode: int) -> Array: return [ERR_INVALID_DATA, path, too_deep, false, mode])
	rows += [[ERR_INVALID_PARAMETER, path, 1, false, 77], [ERR_FILE_NOT_FOUND, folder + "/missing/x.bin", 1]]
	for row: Array in rows:
		check_forms("save_var", row.slice(1), row[0], row[0] as int, ['cannot save "%s": ' % row[1]])
	check_value(VarBatch.load_var(path), "old", "the old file")


func _check_default(text: String, code: int) -> void:
	check_forms("load_var", [path, "default"], "default", code, [text])


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
		"./here.bin", "/%s//slashes.bin" % inner.get_file(), "\\%s\\back.bin" % inner.get_file(), "with space.bin",
		" .bin", "Straße 日本語 😀.save", "no_extension", ".hidden", "two..dots", "percent %s %d %%.bin",
		"quote \" and ' and `.bin", "-rf", "*?.bin", "line\nbreak", "é".repeat(127), "😀".repeat(63)
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

extends "../files/files_base.gd"
## A compression mode in the place of a flag, where it would mean true, is refused in every call.

const ZSTD := FileAccess.COMPRESSION_ZSTD
const VALUES: Array = [1, "two"]


## Constants, which GDScript knows when it compiles the call.
func test_constants() -> void:
	var saves: Array[Callable] = [
		func() -> Variant: return VarBatch.save_vars(path, VALUES, 2),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, FileAccess.COMPRESSION_ZSTD),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, ZSTD, -1),
		func() -> Variant: return VarBatch.save_var(path, 1, FileAccess.COMPRESSION_ZSTD),
		func() -> Variant: return VarBatch.save_vars_async(path, VALUES, ZSTD).wait(),
		func() -> Variant: return VarBatch.save_vars_async(path, VALUES, 2, -1).wait(),
		func() -> Variant: return VarBatch.save_var_async(path, 1, 2).wait(),
	]
	for save: Callable in saves:
		_check_refused(save, "save", "full_objects, found 2; the compression mode is the fourth")
	var loads: Array[Callable] = [
		func() -> Variant: return VarBatch.load_vars(path, FileAccess.COMPRESSION_ZSTD),
		func() -> Variant: return VarBatch.load_var(path, null, 2),
		func() -> Variant: return VarBatch.load_vars_async(path, ZSTD).wait(),
		func() -> Variant: return VarBatch.load_var_async(path, null, ZSTD).wait(),
	]
	for load_it: Callable in loads:
		_check_refused(load_it, "load", "allow_objects, found 2; compression is detected")


## Variables, with a type and without.
func test_variables() -> void:
	var number: int = 2
	var mode: FileAccess.CompressionMode = FileAccess.COMPRESSION_ZSTD
	var untyped = FileAccess.COMPRESSION_ZSTD
	var saves: Array[Callable] = [
		func() -> Variant: return VarBatch.save_vars(path, VALUES, number),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, number, number),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, mode),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, mode, -1),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, untyped),
		func() -> Variant: return VarBatch.save_vars(path, VALUES, untyped, untyped),
		func() -> Variant: return VarBatch.save_var(path, 1, number),
		func() -> Variant: return VarBatch.save_var(path, 1, mode),
		func() -> Variant: return VarBatch.save_var(path, 1, untyped),
		func() -> Variant: return VarBatch.save_vars_async(path, VALUES, mode).wait(),
		func() -> Variant: return VarBatch.save_var_async(path, 1, untyped).wait(),
	]
	for save: Callable in saves:
		_check_refused(save, "save", "full_objects, found 2; ")
	var loads: Array[Callable] = [
		func() -> Variant: return VarBatch.load_vars(path, number),
		func() -> Variant: return VarBatch.load_vars(path, mode),
		func() -> Variant: return VarBatch.load_vars(path, untyped),
		func() -> Variant: return VarBatch.load_var(path, null, untyped),
		func() -> Variant: return VarBatch.load_var_async(path, null, number).wait(),
	]
	for load_it: Callable in loads:
		_check_refused(load_it, "load", "allow_objects, found 2; ")


## By name, and through Callables.
func test_calls_by_name() -> void:
	var save := func(flag: Variant) -> Variant: return VarBatch.save_vars(path, VALUES, flag)
	var named := func(method: StringName, arguments: Array) -> Variant:
		return ClassDB.callv(&"class_call_static", [&"VarBatch", method] + arguments)
	var direct := func() -> Variant:
		return ClassDB.class_call_static(&"VarBatch", &"save_vars", path, VALUES, 2)
	var calls: Array[Callable] = [
		save.bind(2),
		save.bind(ZSTD),
		named.bind(&"save_vars", [path, VALUES, 2]),
		named.bind(&"save_vars", [path, VALUES, 2, false]),
		named.bind(&"save_var", [path, 1, ZSTD]),
		direct,
	]
	for callable: Callable in calls:
		_check_refused(callable, "save", "full_objects, found 2; ")
	_check_refused(named.bind(&"load_vars", [path, 2]), "load", "allow_objects, found 2; ")


## In scripts that are compiled now, by whatever rules this engine has.
func test_scripts() -> void:
	for line: String in [
		"VarBatch.save_vars(path, [1], FileAccess.COMPRESSION_ZSTD)",
		"VarBatch.save_vars(path, [1], 2, 2)",
		"VarBatch.save_var(path, 1, FileAccess.CompressionMode.COMPRESSION_ZSTD)",
	]:
		for head: String in ["static func save(path: String) -> int:", "static func save(path):"]:
			var script := GDScript.new()
			script.source_code = "%s\n\treturn %s\n" % [head, line]
			check_int(script.reload(), OK, "compiling %s" % line)
			_check_refused(script.call.bind(&"save", path), "save", "full_objects, found 2; ")


## What else is neither true nor false.
func test_other_values() -> void:
	for other: Array in [
		[0, "0"],
		[1, "1"],
		[-1, "-1"],
		[1.0, "float"],
		["true", "String"],
		[null, "Nil"],
		[[], "Array"]
	]:
		var save := func() -> Variant: return VarBatch.save_vars(path, VALUES, other[0])
		_check_refused(save, "save", "full_objects, found %s; " % other[1])


## A bool is a bool, however the method is called.
func test_flags() -> void:
	var curve := Curve2D.new()
	var flag: bool = true
	var untyped = true
	var typed := func(full_objects: bool) -> int:
		return VarBatch.save_vars(path, [curve], full_objects)
	var saves: Array[Callable] = [
		func() -> int: return VarBatch.save_vars(path, [curve], true),
		func() -> int: return VarBatch.save_vars(path, [curve], true, -1),
		func() -> int: return VarBatch.save_vars(path, [curve], flag, 2),
		func() -> int: return VarBatch.save_vars(path, [curve], untyped),
		func() -> int: return VarBatch.save_vars(path, [curve], bool(2)),
		func() -> int: return VarBatch.save_vars(path, [curve], 2 as bool),
		func() -> int: return VarBatch.save_vars(path, [curve], 1 < 2),
		func() -> int: return VarBatch.save_var(path, curve, true),
		func() -> int: return VarBatch.save_var(path, curve, flag, 2),
		func() -> int: return VarBatch.save_vars_async(path, [curve], true).wait(),
		func() -> int: return VarBatch.save_var_async(path, curve, flag).wait(),
		func() -> int:
			return ClassDB.class_call_static(&"VarBatch", &"save_vars", path, [curve], true),
			# Whoever takes a bool is given one.
		typed.bind(2),
		typed.bind(true),
	]
	for save: Callable in saves:
		DirAccess.remove_absolute(path)
		check_int(save.call() as int, OK, "saving")
		for loaded: Variant in [
			VarBatch.load_vars(path, true)[0],
			VarBatch.load_vars(path, flag)[0],
			VarBatch.load_var(path, null, untyped),
			VarBatch.load_var_async(path, null, true).wait(),
		]:
			check(loaded is Curve2D, "no object was loaded: %s" % loaded)
	for no_flag: bool in [false, not flag, bool(0)]:
		check_int(VarBatch.save_vars(path, VALUES, no_flag), OK, "saving values")
		check_value(VarBatch.load_vars(path, no_flag), VALUES, "values")


## One line, the old file, if any, and what the method gives where it fails.
func _check_refused(action: Callable, verb: String, text: String) -> void:
	for is_there: bool in [true, false]:
		DirAccess.remove_absolute(path)
		if is_there:
			write(path, stored(["old"]))
		var start := 'cannot %s "%s": expected true or false as ' % [verb, path]
		var result: Variant = expect_errors(action, 1, start + text)
		var expected: Array = [ERR_INVALID_PARAMETER] if verb == "save" else [[], null]
		check(result in expected, "result of %s: %s" % [text, result])
		check(FileAccess.file_exists(path) == is_there, "the file came or went")
		if is_there:
			check_bytes(FileAccess.get_file_as_bytes(path), stored(["old"]), "the old file")

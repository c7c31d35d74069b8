extends "../files/files_base.gd"
## A compression mode in the place of a flag, where it would mean true, is refused in every call.

## Each call is compiled, by whatever rules this engine has: with arguments that have types, and
## without.
const TYPED := "path: String, two: int, mode: FileAccess.CompressionMode, flag: bool, curve: Curve2D"
const UNTYPED := "path, two, mode, flag, curve"
const SOURCE := """
const ZSTD := FileAccess.COMPRESSION_ZSTD
static func as_flag(given: bool) -> bool:
	return given
static func run(%s):
	return %s
"""
const SAVES: PackedStringArray = [
	"VarBatch.save_vars(path, [1], 2)",
	"VarBatch.save_vars(path, [1], 2, 2)",
	"VarBatch.save_vars(path, [1], FileAccess.COMPRESSION_ZSTD)",
	"VarBatch.save_vars(path, [1], ZSTD, -1)",
	"VarBatch.save_vars(path, [1], two)",
	"VarBatch.save_vars(path, [1], two, two)",
	"VarBatch.save_vars(path, [1], mode)",
	"VarBatch.save_vars(path, [1], mode, -1)",
	"VarBatch.save_var(path, 1, 2)",
	"VarBatch.save_var(path, 1, FileAccess.CompressionMode.COMPRESSION_ZSTD)",
	"VarBatch.save_var(path, 1, two)",
	"VarBatch.save_var(path, 1, mode)",
	"VarBatch.save_vars_async(path, [1], ZSTD).wait()",
	"VarBatch.save_vars_async(path, [1], 2, -1).wait()",
	"VarBatch.save_vars_async(path, [1], mode).wait()",
	"VarBatch.save_var_async(path, 1, 2).wait()",
	"VarBatch.save_var_async(path, 1, mode).wait()",
	'ClassDB.class_call_static(&"VarBatch", &"save_vars", path, [1], 2)',
	'ClassDB.class_call_static(&"VarBatch", &"save_vars", path, [1], 2, false)',
	'ClassDB.class_call_static(&"VarBatch", &"save_var", path, 1, ZSTD)',
]
const LOADS: PackedStringArray = [
	"VarBatch.load_vars(path, FileAccess.COMPRESSION_ZSTD)",
	"VarBatch.load_vars(path, two)",
	"VarBatch.load_vars(path, mode)",
	"VarBatch.load_var(path, null, 2)",
	"VarBatch.load_var(path, null, mode)",
	"VarBatch.load_vars_async(path, ZSTD).wait()",
	"VarBatch.load_var_async(path, null, ZSTD).wait()",
	"VarBatch.load_var_async(path, null, two).wait()",
	'ClassDB.class_call_static(&"VarBatch", &"load_vars", path, 2)',
]
## A bool is a bool, however the method is called.
const GOOD_SAVES: PackedStringArray = [
	"VarBatch.save_vars(path, [curve], true)",
	"VarBatch.save_vars(path, [curve], true, -1)",
	"VarBatch.save_vars(path, [curve], flag)",
	"VarBatch.save_vars(path, [curve], flag, 2)",
	"VarBatch.save_vars(path, [curve], bool(2))",
	"VarBatch.save_vars(path, [curve], 2 as bool)",
	"VarBatch.save_vars(path, [curve], 1 < 2)",
	"VarBatch.save_vars(path, [curve], as_flag(2))",
	"VarBatch.save_var(path, curve, true)",
	"VarBatch.save_var(path, curve, flag, 2)",
	"VarBatch.save_vars_async(path, [curve], true).wait()",
	"VarBatch.save_var_async(path, curve, flag).wait()",
	'ClassDB.class_call_static(&"VarBatch", &"save_vars", path, [curve], true)',
]
const GOOD_LOADS: PackedStringArray = [
	"VarBatch.load_vars(path, true)[0]",
	"VarBatch.load_vars(path, flag)[0]",
	"VarBatch.load_var(path, null, flag)",
	"VarBatch.load_var_async(path, null, true).wait()",
]


func test_compression_modes_are_no_flags() -> void:
	for arguments: String in [TYPED, UNTYPED]:
		for line: String in SAVES:
			var text := "full_objects, found 2; the compression mode is the fourth"
			_check_refused(_compiled(line, arguments), "save", text)
		for line: String in LOADS:
			var text := "allow_objects, found 2; compression is detected"
			_check_refused(_compiled(line, arguments), "load", text)


## What else is neither true nor false.
func test_other_values() -> void:
	var others: Dictionary = {0: "0", 1: "1", -1: "-1", 1.0: "float", "true": "String", null: "Nil"}
	others[[]] = "Array"
	for other: Variant in others:
		var save := func() -> Variant: return VarBatch.save_vars(path, [1], other)
		_check_refused(save, "save", "full_objects, found %s; " % others[other])


func test_flags() -> void:
	for arguments: String in [TYPED, UNTYPED]:
		for save: String in GOOD_SAVES:
			DirAccess.remove_absolute(path)
			check_int(_compiled(save, arguments).call() as int, OK, save)
			for load_it: String in GOOD_LOADS:
				var loaded: Variant = _compiled(load_it, arguments).call()
				check(loaded is Curve2D, "%s gives no object: %s" % [load_it, loaded])
	for no_flag: bool in [false, not true, bool(0)]:
		check_int(VarBatch.save_vars(path, [1, "two"], no_flag), OK, "saving values")
		check_value(VarBatch.load_vars(path, no_flag), [1, "two"], "values")


func _compiled(line: String, arguments: String) -> Callable:
	var script := GDScript.new()
	script.source_code = SOURCE % [arguments, line]
	check_int(script.reload(), OK, "compiling %s" % line)
	var mode := FileAccess.COMPRESSION_ZSTD
	return func() -> Variant: return script.call(&"run", path, 2, mode, true, Curve2D.new())


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

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
## Calls with the flag, and what may follow it.
const SAVES: PackedStringArray = [
	"VarBatch.save_vars(path, [curve], %s)",
	"VarBatch.save_vars(path, [curve], %s, -1)",
	"VarBatch.save_vars(path, [curve], %s, two)",
	"VarBatch.save_var(path, curve, %s)",
	"VarBatch.save_vars_async(path, [curve], %s).wait()",
	"VarBatch.save_vars_async(path, [curve], %s, -1).wait()",
	"VarBatch.save_var_async(path, curve, %s).wait()",
	'ClassDB.class_call_static(&"VarBatch", &"save_vars", path, [curve], %s)',
	'ClassDB.class_call_static(&"VarBatch", &"save_var", path, curve, %s)',
]
const LOADS: PackedStringArray = [
	"VarBatch.load_vars(path, %s)",
	"VarBatch.load_var(path, null, %s)",
	"VarBatch.load_vars_async(path, %s).wait()",
	"VarBatch.load_var_async(path, null, %s).wait()",
	'ClassDB.class_call_static(&"VarBatch", &"load_vars", path, %s)',
]
const MODES: PackedStringArray = [
	"2", "two", "mode", "ZSTD", "FileAccess.COMPRESSION_ZSTD", "FileAccess.CompressionMode.COMPRESSION_ZSTD"
]
## A bool is a bool, however the method is called.
const BOOLS: PackedStringArray = ["true", "flag", "bool(2)", "2 as bool", "1 < 2", "as_flag(2)"]


func test_compression_modes_are_no_flags() -> void:
	for arguments: String in [TYPED, UNTYPED]:
		for mode: String in MODES:
			for call_of: String in SAVES + LOADS:
				var text := "allow_objects, found 2; compression is detected"
				if call_of in SAVES:
					text = "full_objects, found 2; the compression mode is the fourth"
				_check_refused(_compiled(call_of % mode, arguments), text)


## What else is neither true nor false.
func test_other_values() -> void:
	var others: Dictionary = {0: "0", 1: "1", -1: "-1", 1.0: "float", "true": "String", null: "Nil", []: "Array"}
	for other: Variant in others:
		_check_refused(call_method.bind(&"save_vars", [path, [1], other]), "full_objects, found %s; " % others[other])


func test_flags() -> void:
	for arguments: String in [TYPED, UNTYPED]:
		for flag: String in BOOLS:
			for save: String in SAVES:
				DirAccess.remove_absolute(path)
				check_int(_compiled(save % flag, arguments).call() as int, OK, save % flag)
				check(VarBatch.load_var(path, null, true) is Curve2D, "no object, " + save % flag)
			for load_it: String in LOADS:
				var loaded: Variant = _compiled(load_it % flag, arguments).call()
				var object: Variant = loaded[0] if loaded is Array else loaded
				check(object is Curve2D, "%s gives no object: %s" % [load_it % flag, loaded])
	for no_flag: bool in [false, not true, bool(0)]:
		check_int(VarBatch.save_vars(path, [1, "two"], no_flag), OK, "saving values")
		check_value(VarBatch.load_vars(path, no_flag), [1, "two"], "values")


func _compiled(line: String, arguments: String) -> Callable:
	var script := script_of(SOURCE % [arguments, line])
	var mode := FileAccess.COMPRESSION_ZSTD
	return func() -> Variant: return script.call(&"run", path, 2, mode, true, Curve2D.new())


## One line, the old file, if any, and what the method gives where it fails.
func _check_refused(action: Callable, text: String) -> void:
	var is_save := "full" in text
	var expects: Array = [["load", path, "true, false or classes"], ["save", path, "true or false"]]
	var start := 'cannot %s "%s": expected %s as ' % expects[int(is_save)]
	var expected: Array = [ERR_INVALID_PARAMETER] if is_save else [[], null]
	var refuse := func() -> void:
		var result: Variant = expect_errors(action, 1, start + text)
		check(result in expected, "result of %s: %s" % [text, result])
	check_keeps_old(refuse)

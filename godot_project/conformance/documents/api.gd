extends "../files/files_base.gd"
## The classes as scripts and the editor see them: exactly the methods, signals and constants that the help promises, with
## their arguments, defaults and types. Arguments of each type, in each place of each method: two lines at most and no value
## in them. A wrong type is refused in one of ours and the engine's own. A compression mode in the place of a flag, where it
## would mean true, is refused in every call.

const Documents := preload("documents.gd")

## In microseconds. It takes some 50.
const MAX_FIRST_CALL := 500
const STATE := &"VarBatchState"
const STORE := &"VarBatchStore"
const TASK := &"VarBatchTask"
const RECORDER := &"VarBatchUndoRecorder"
const QUALIFIERS: Dictionary[String, int] = {"static": METHOD_FLAG_STATIC, "const": METHOD_FLAG_CONST}
const CLASSES: PackedStringArray = ["VarBatch", "VarBatchState", "VarBatchStore", "VarBatchUndoRecorder", "VarBatchTask"]
## What the engine's own methods convert, besides the type itself.
const CONVERTED: Dictionary[int, Array] = {
	TYPE_BOOL: [TYPE_INT, TYPE_FLOAT],
	TYPE_INT: [TYPE_BOOL, TYPE_FLOAT],
	TYPE_STRING: [TYPE_STRING_NAME, TYPE_NODE_PATH],
	TYPE_ARRAY: [TYPE_PACKED_BYTE_ARRAY, TYPE_PACKED_STRING_ARRAY, TYPE_PACKED_VECTOR3_ARRAY],
	TYPE_PACKED_BYTE_ARRAY: [TYPE_ARRAY],
	TYPE_PACKED_STRING_ARRAY: [TYPE_ARRAY],
	TYPE_DICTIONARY: [],
	TYPE_OBJECT: [TYPE_NIL],
}
const MARK := "what nobody wants in a log"
## Each call is compiled, by whatever rules this engine has: with arguments that have types, and without.
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


func test_the_help_has_what_there_is() -> void:
	for named: StringName in [&"VarBatch", STATE, STORE, TASK, RECORDER]:
		var promised := _in_help(named)
		var found: Array[Dictionary] = ClassDB.class_get_method_list(named, true)
		for entry: Dictionary in found + ClassDB.class_get_signal_list(named, true):
			if named == RECORDER and entry.name.begins_with("_"):
				continue  # What the history calls.
			var text := _shown(entry, not entry in found)
			check(text in promised, "%s has what the help has not: %s" % [named, text])
			promised.erase(text)
		for constant: String in ClassDB.class_get_integer_constant_list(named, true):
			var number := ClassDB.class_get_integer_constant(named, constant)
			var text := '<constant name="%s" value="%d"' % [constant, number]
			var enum_name := ClassDB.class_get_integer_constant_enum(named, constant, true)
			text += ' enum="%s">' % enum_name if enum_name else ">"
			check(text in promised, "%s has what the help has not: %s" % [named, text])
			promised.erase(text)
		check(promised.is_empty(), "%s has not what the help has: %s" % [named, promised])


func test_classes() -> void:
	check(ClassDB.is_parent_class(&"VarBatch", &"Object"), "VarBatch is no Object")
	for named: StringName in [STATE, TASK, RECORDER]:
		check(ClassDB.is_parent_class(named, &"RefCounted"), "%s is no RefCounted" % named)
		check(ClassDB.can_instantiate(named) == (named != TASK), "who can make a %s" % named)
	for method: Dictionary in ClassDB.class_get_method_list(&"VarBatch", true):
		check(method.flags & METHOD_FLAG_STATIC != 0, "%s is not static" % method.name)
	for method: Dictionary in ClassDB.class_get_method_list(RECORDER, true):
		for default: Variant in method.default_args:
			# All calls share it, and this one who asks for it.
			check(not default is Dictionary or default.is_read_only(), "a default can be changed")


## A real enum, that a variable can have as its type.
func test_enum() -> void:
	var enums := ClassDB.class_get_enum_list(&"VarBatch", true)
	check(enums == PackedStringArray(["Dialect"]), "enums: %s" % enums)
	check_int(ClassDB.class_get_enum_constants(&"VarBatch", &"Dialect", true).size(), 5, "constants of Dialect")
	var dialect: VarBatch.Dialect = VarBatch.Dialect.DIALECT_GODOT_3
	check_int(dialect, VarBatch.DIALECT_GODOT_3, "a variable of the enum")


## The engine is looked at when the library is loaded, for a millisecond, and not in the first call.
func test_first_call() -> void:
	var times: Array[int] = []
	for i: int in 5:
		var told := Array(Child.probe(self, "documents/api", [])).filter(func(line: String) -> bool: return "took " in line)
		times.append(told[0].to_int() if told else 0)
	check(times.min() < MAX_FIRST_CALL * slowness, "first calls of processes, in microseconds: %s" % [times])


func run_alone() -> void:
	var start := Time.get_ticks_usec()
	VarBatch.var_to_bytes(1)
	print("took ", Time.get_ticks_usec() - start)


func test_icons() -> void:
	var manifest := ConfigFile.new()
	check_int(manifest.load("res://addons/varbatch/varbatch.gdextension"), OK, "the manifest")
	var paths := PackedStringArray()
	for named: String in ["VarBatch", STATE, STORE, TASK, RECORDER]:
		var path: String = manifest.get_value("icons", named, "")
		check(not path in paths, "the icon of %s is that of another class" % named)
		paths.append(path)
		var svg := FileAccess.get_file_as_string("res://addons/varbatch/".path_join(path))
		check(not svg.is_empty(), "the icon of %s is missing" % named)
		if ClassDB.class_has_method(&"Image", &"load_svg_from_string") and not svg.is_empty():
			check_int(Image.new().load_svg_from_string(svg), OK, "the icon of %s" % named)


## Methods, signals and constants, each as one text.
func _in_help(named: StringName) -> Array:
	var entries: Array = []
	var help := Documents.project_folder().path_join("../rust/plugin/docs/%s.xml" % named)
	for line: String in FileAccess.get_file_as_string(help).split("\n"):
		var tag := line.strip_edges()
		match tag.get_slice(" ", 0):
			"<method", "<signal", "<constant":
				entries.append(tag)
			"<return", "<param":
				entries[-1] += tag
	return entries


func _shown(entry: Dictionary, is_signal: bool) -> String:
	var text := '<%s name="%s"' % ["signal" if is_signal else "method", entry.name]
	for qualifier: String in QUALIFIERS if not is_signal else {}:
		if entry.flags & QUALIFIERS[qualifier]:
			text += ' qualifiers="%s"' % qualifier
	text += ">" if is_signal else "><return%s />" % _type_of(entry["return"] as Dictionary)
	var arguments: Array = entry.args
	var defaults: Array = entry.default_args
	for i: int in arguments.size():
		text += '<param index="%d" name="%s"%s' % [i, arguments[i].name, _type_of(arguments[i])]
		var at := i + defaults.size() - arguments.size()
		text += " />" if at < 0 else ' default="%s" />' % var_to_str(defaults[at])
	return text


func _type_of(found: Dictionary) -> String:
	var type: int = found.type
	var of_class := str(found["class_name"])
	var shown := type_string(type)
	match type:
		TYPE_NIL:
			shown = "Variant" if found.usage & PROPERTY_USAGE_NIL_IS_VARIANT else "void"
		TYPE_INT when of_class:
			shown += '" enum="' + of_class
		TYPE_OBJECT when of_class:
			shown = of_class
		TYPE_ARRAY when not found.hint_string in ["", "Variant"]:
			shown = "%s[]" % found.hint_string if found.hint == PROPERTY_HINT_ARRAY_TYPE else "?"
	return ' type="%s"' % shown


func test_wrong_types() -> void:
	var refused := 0
	for type: String in CLASSES:
		for method: Dictionary in ClassDB.class_get_method_list(type, true):
			for index: int in (method.args as Array).size():
				for given: Variant in _values():
					refused += int(_check_call(type, method, index, given))
	check(refused > 700, "only %d calls were refused" % refused)


func _values() -> Array:
	var text := MARK.repeat(1000)
	var texts: Array = [text, StringName(text), NodePath(path), {text: text}, [text], PackedStringArray([text])]
	var others: Array = [null, true, 1, 1.0, Vector2(), Color(), RID(), Callable(), RefCounted.new()]
	return texts + others + [PackedByteArray([1]), PackedVector3Array()]


## Returns true if the call has to be refused.
func _check_call(type: String, method: Dictionary, index: int, given: Variant) -> bool:
	var arguments: Array = method.args
	var expected: int = arguments[index].type
	var is_refused: bool = not expected in [TYPE_NIL, typeof(given)] and not typeof(given) in CONVERTED[expected]
	var defaults: Array = method.default_args
	var call_arguments := arguments.slice(0, arguments.size() - defaults.size()).map(
		func(argument: Dictionary) -> Variant:
			return path if argument.type == TYPE_STRING else type_convert(null, argument.type as int)
	)
	call_arguments.append_array(defaults)
	call_arguments[index] = given
	var what := "%s.%s" % [type, method.name]
	var lines := logged(
		func() -> void:
			if method.flags & METHOD_FLAG_STATIC:
				waited(ClassDB.callv(&"class_call_static", [type, method.name] + call_arguments))
			else:
				var object: Object = VarBatchStore.open(path + ".store") if type == STORE else ClassDB.instantiate(type)
				waited(object.callv(method.name as StringName, call_arguments))
	)
	var shown := "%s, argument %d, %s: %s" % [what, index, type_string(typeof(given)), lines]
	check(lines.size() <= 2 and not "godot-rust" in "".join(lines), shown.left(1000))
	check(Array(lines).all(func(line: String) -> bool: return line.length() <= 300), shown.left(1000))
	if is_refused and errors.is_open():
		check(not MARK in "".join(lines), shown.left(1000))
		lines.resize(2)
		var start := "%s: expected a" % what
		var end := " as %s, found %s; " % [arguments[index].name, type_string(typeof(given))]
		check(lines[0].begins_with(start) and end in lines[0], shown.left(1000))
		check("Cannot convert argument %d from " % (index + 1) in lines[1], shown.left(1000))
		check_int(VarBatch.get_last_error(), ERR_INVALID_PARAMETER, what)
	return is_refused


func test_compression_modes_are_no_flags() -> void:
	for arguments: String in [TYPED, UNTYPED]:
		for mode: String in MODES:
			for call_of: String in SAVES + LOADS:
				var text := "allow_objects, found 2; compression is detected"
				if call_of in SAVES:
					text = "full_objects, found 2; the compression mode is the fourth"
				_check_refused(_compiled(call_of % mode, arguments), text)


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
	return func() -> Variant: return script.call(&"run", path, 2, FileAccess.COMPRESSION_ZSTD, true, Curve2D.new())


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

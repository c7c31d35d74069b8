extends "../support/suite.gd"
## The classes as scripts and the editor see them: exactly the methods that are promised, with their
## arguments, defaults and types.

const Child := preload("../support/child.gd")

## In microseconds. It takes some 50.
const MAX_FIRST_CALL := 500

## Stands for "any type", which the engine writes as Nil with a usage flag.
const ANY := -1
const NOTHING := TYPE_NIL

const VALUE: Array = ["value", ANY]
const VALUES: Array = ["values", TYPE_ARRAY]
const BYTES: Array = ["bytes", TYPE_PACKED_BYTE_ARRAY]
const BUFFERS: Array = ["buffers", TYPE_ARRAY]
const FRAMES: Array = ["frames", TYPE_PACKED_BYTE_ARRAY]
const PATH: Array = ["path", TYPE_STRING]
## A path inside of a value.
const STEPS: Array = ["path", TYPE_ARRAY]
const COUNT: Array = ["count", TYPE_INT]
const FIRST: Array = ["from", TYPE_INT]
const MODE: Array = ["compression_mode", TYPE_INT, "FileAccess.CompressionMode"]
const DEFAULT: Array = ["default", ANY]
const FULL_OBJECTS: Array = ["full_objects", TYPE_BOOL]
## Flags that no number is taken for: Variants for the engine, see the suite "flags".
const FULL_FLAG: Array = ["full_objects", ANY]
const ALLOW_FLAG: Array = ["allow_objects", ANY]
const ALLOW_OBJECTS: Array = ["allow_objects", TYPE_BOOL]
const SOURCE: Array = ["source", TYPE_STRING]
const TARGET: Array = ["target", TYPE_STRING]
const FROM: Array = ["from", TYPE_INT, DIALECTS]
const TO: Array = ["to", TYPE_INT, DIALECTS]
const DIALECT: Array = ["dialect", TYPE_INT, DIALECTS]

const BEFORE: Array = ["before", TYPE_PACKED_BYTE_ARRAY]
const AFTER: Array = ["after", TYPE_PACKED_BYTE_ARRAY]
const DELTA: Array = ["delta", TYPE_PACKED_BYTE_ARRAY]
const CHANGES: Array = ["changes", TYPE_ARRAY]
const PAIRS: Array = ["pairs", TYPE_ARRAY]
const MAX_NODES: Array = ["max_nodes", TYPE_INT]

const DIALECTS := "VarBatch.Dialect"
const CONSTANTS: Dictionary[String, int] = {
	"COMPRESSION_NONE": -1,
	"DIALECT_GODOT_4": 0,
	"DIALECT_GODOT_3": 1,
	"DIALECT_PANDEMONIUM": 2,
	"DIALECT_PANDEMONIUM_3_8": 3,
	"DIALECT_PANDEMONIUM_3_5": 4,
}

const TASK := "VarBatchTask"
## Method of a task: its result. None has arguments.
const TASK_METHODS: Dictionary[String, int] = {
	"is_finished": TYPE_BOOL,
	"get_progress": TYPE_FLOAT,
	"get_result": ANY,
	"get_error": TYPE_INT,
	"get_error_message": TYPE_STRING,
	"wait": ANY,
	"cancel": NOTHING,
}

const RECORDER := "VarBatchUndoRecorder"
const OBJECT: Array = ["object", TYPE_OBJECT]
const PROPERTIES: Array = ["properties", TYPE_PACKED_STRING_ARRAY]
const EXCEPT: Array = ["except", TYPE_PACKED_STRING_ARRAY]
const REFERENCES: Array = ["references", TYPE_DICTIONARY]
const BEFORE_OBJECT: Array = ["before", TYPE_OBJECT]
const AFTER_OBJECT: Array = ["after", TYPE_OBJECT]
## Method of a recorder: its arguments, how many of the last ones have defaults, and its result.
const RECORDER_METHODS: Dictionary[String, Array] = {
	"record": [[OBJECT, PROPERTIES, EXCEPT], 2, NOTHING],
	"record_all":
	[[["objects", TYPE_ARRAY], PROPERTIES, EXCEPT, ["complete", TYPE_BOOL]], 3, NOTHING],
	"record_complete": [[OBJECT, EXCEPT], 1, NOTHING],
	"compare": [[BEFORE_OBJECT, AFTER_OBJECT, PROPERTIES, REFERENCES], 2, TYPE_ARRAY],
	"compare_all": [[["pairs", ANY], PROPERTIES, REFERENCES], 2, TYPE_ARRAY],
	"map_references": [[BEFORE_OBJECT, AFTER_OBJECT], 0, TYPE_DICTIONARY],
	"flush": [[["deep", TYPE_BOOL]], 1, TYPE_ARRAY],
	"commit": [[["undo_redo", TYPE_OBJECT], ["action_name", TYPE_STRING]], 0, TYPE_INT],
}

## Method: arguments with type and enum, defaults of the last ones, result, and the elements of a
## typed result or its class or enum.
const METHODS: Dictionary = {
	"var_to_bytes": [[VALUE, FULL_OBJECTS], [false], TYPE_PACKED_BYTE_ARRAY, ""],
	"bytes_to_var": [[BYTES, ALLOW_OBJECTS], [false], ANY, ""],
	"vars_to_bytes": [[VALUES, FULL_OBJECTS], [false], TYPE_ARRAY, "PackedByteArray"],
	"bytes_to_vars": [[BUFFERS, ALLOW_OBJECTS], [false], TYPE_ARRAY, ""],
	"vars_to_frames": [[VALUES, FULL_OBJECTS], [false], TYPE_PACKED_BYTE_ARRAY, ""],
	"frames_to_vars": [[FRAMES, ALLOW_OBJECTS], [false], TYPE_ARRAY, ""],
	"save_var": [[PATH, VALUE, FULL_FLAG, MODE], [false, -1], TYPE_INT, "Error"],
	"load_var": [[PATH, DEFAULT, ALLOW_FLAG], [null, false], ANY, ""],
	"save_vars": [[PATH, VALUES, FULL_FLAG, MODE], [false, -1], TYPE_INT, "Error"],
	"load_vars": [[PATH, ALLOW_FLAG, FIRST, COUNT], [false, 0, -1], TYPE_ARRAY, ""],
	"append_vars": [[PATH, VALUES, FULL_FLAG], [false], TYPE_INT, "Error"],
	"vars_to_bytes_async": [[VALUES, FULL_OBJECTS], [false], TYPE_OBJECT, TASK],
	"bytes_to_vars_async": [[BUFFERS, ALLOW_OBJECTS], [false], TYPE_OBJECT, TASK],
	"vars_to_frames_async": [[VALUES, FULL_OBJECTS], [false], TYPE_OBJECT, TASK],
	"frames_to_vars_async": [[FRAMES, ALLOW_OBJECTS], [false], TYPE_OBJECT, TASK],
	"save_var_async": [[PATH, VALUE, FULL_FLAG, MODE], [false, -1], TYPE_OBJECT, TASK],
	"load_var_async": [[PATH, DEFAULT, ALLOW_FLAG], [null, false], TYPE_OBJECT, TASK],
	"save_vars_async": [[PATH, VALUES, FULL_FLAG, MODE], [false, -1], TYPE_OBJECT, TASK],
	"load_vars_async": [[PATH, ALLOW_FLAG, FIRST, COUNT], [false, 0, -1], TYPE_OBJECT, TASK],
	"append_vars_async": [[PATH, VALUES, FULL_FLAG], [false], TYPE_OBJECT, TASK],
	"validate": [[BUFFERS, ALLOW_OBJECTS], [false], TYPE_PACKED_STRING_ARRAY, ""],
	"describe": [[BYTES, DIALECT, MAX_NODES], [0, 100_000], TYPE_DICTIONARY, ""],
	"transcode": [[BYTES, FROM, TO], [], TYPE_PACKED_BYTE_ARRAY, ""],
	"transcode_file": [[SOURCE, TARGET, FROM, TO], [], TYPE_INT, "Error"],
	"bytes_to_var_in": [[BYTES, DIALECT, ALLOW_OBJECTS], [false], ANY, ""],
	"var_to_bytes_in": [[VALUE, DIALECT, FULL_OBJECTS], [false], TYPE_PACKED_BYTE_ARRAY, ""],
	"get_in": [[BYTES, STEPS, DEFAULT], [null], ANY, ""],
	"get_in_each": [[BUFFERS, STEPS, DEFAULT], [null], TYPE_ARRAY, ""],
	"diff": [[BEFORE, AFTER, ALLOW_OBJECTS], [false], TYPE_ARRAY, "Dictionary"],
	"diff_batch": [[PAIRS, ALLOW_OBJECTS], [false], TYPE_ARRAY, ""],
	"patch": [[BEFORE, CHANGES, FULL_OBJECTS], [false], TYPE_PACKED_BYTE_ARRAY, ""],
	"make_delta": [[BEFORE, AFTER], [], TYPE_PACKED_BYTE_ARRAY, ""],
	"make_deltas": [[PAIRS], [], TYPE_ARRAY, "PackedByteArray"],
	"apply_delta": [[BEFORE, DELTA], [], TYPE_PACKED_BYTE_ARRAY, ""],
	"apply_deltas": [[PAIRS], [], TYPE_ARRAY, "PackedByteArray"],
	"set_thread_count": [[COUNT], [], NOTHING, ""],
	"get_thread_count": [[], [], TYPE_INT, ""],
	"get_last_error": [[], [], TYPE_INT, "Error"],
	"get_last_error_message": [[], [], TYPE_STRING, ""],
	"get_version": [[], [], TYPE_STRING, ""],
	"get_type_table": [[], [], TYPE_ARRAY, "Dictionary"],
}


func test_class_exists() -> void:
	check(ClassDB.class_exists(&"VarBatch"), "class VarBatch is missing")
	check(ClassDB.is_parent_class(&"VarBatch", &"Object"), "VarBatch is no Object")


func test_exactly_these_methods() -> void:
	var found := PackedStringArray()
	for method: Dictionary in _methods():
		found.append(method.name as String)
	_check_names(found, METHODS.keys())


func test_static() -> void:
	for method: Dictionary in _methods():
		var flags: int = method.flags
		check(flags & METHOD_FLAG_STATIC != 0, "%s is not static" % method.name)


func test_arguments() -> void:
	for method: Dictionary in _methods():
		var expected: Array = METHODS.get(method.name, [[], [], NOTHING, ""])[0]
		_check_arguments(method, expected)


func test_defaults() -> void:
	for method: Dictionary in _methods():
		var expected: Array = METHODS.get(method.name, [[], [], NOTHING, ""])[1]
		check_value(method.default_args, expected.duplicate(), "defaults of %s" % method.name)


func test_results() -> void:
	for method: Dictionary in _methods():
		var expected: Array = METHODS.get(method.name, [[], [], NOTHING, ""])
		var result: Dictionary = method["return"]
		_check_type(result, expected[2], expected[3], "result of %s" % method.name)


func test_constants() -> void:
	var found := ClassDB.class_get_integer_constant_list(&"VarBatch", true)
	check(found == PackedStringArray(CONSTANTS.keys()), "constants: %s" % found)
	for constant: String in CONSTANTS:
		var number := ClassDB.class_get_integer_constant(&"VarBatch", constant)
		check_int(number, CONSTANTS[constant], constant)


## A real enum, that a variable can have as its type.
func test_enum() -> void:
	var enums := ClassDB.class_get_enum_list(&"VarBatch", true)
	check(enums == PackedStringArray(["Dialect"]), "enums: %s" % enums)
	var found := ClassDB.class_get_enum_constants(&"VarBatch", &"Dialect", true)
	check(found == PackedStringArray(CONSTANTS.keys().slice(1)), "constants of Dialect: %s" % found)
	var dialect: VarBatch.Dialect = VarBatch.Dialect.DIALECT_GODOT_3
	check_int(dialect, VarBatch.DIALECT_GODOT_3, "a variable of the enum")


## The engine is looked at when the library is loaded, for a millisecond, and not in the first call.
func test_first_call() -> void:
	var times: Array[int] = []
	for i: int in 5:
		for line: String in Child.probe(self, "documents/first_call", []):
			if line.begins_with("took "):
				times.append(line.to_int())
	var is_short: bool = times.is_empty() or times.min() < MAX_FIRST_CALL * slowness
	check(is_short, "first calls of processes, in microseconds: %s" % [times])


## Nobody but VarBatch makes one.
func test_class_of_tasks() -> void:
	check(ClassDB.is_parent_class(TASK, &"RefCounted"), "a task is no RefCounted")
	check(not ClassDB.can_instantiate(TASK), "a task can be made by anybody")
	var found := PackedStringArray()
	for method: Dictionary in ClassDB.class_get_method_list(TASK, true):
		found.append(method.name as String)
		check(method.flags & METHOD_FLAG_STATIC == 0, "%s is static" % method.name)
		check((method.args as Array).is_empty(), "%s has arguments" % method.name)
		var type: int = TASK_METHODS.get(method.name, NOTHING)
		var enum_name := "Error" if type == TYPE_INT else ""
		_check_type(method["return"] as Dictionary, type, enum_name, "result of %s" % method.name)
	_check_names(found, TASK_METHODS.keys())


func test_signals_of_tasks() -> void:
	var found := {}
	for entry: Dictionary in ClassDB.class_get_signal_list(TASK, true):
		found[entry.name] = entry.args
	check_value(found.keys(), ["progressed", "finished"], "signals")
	if found.size() == 2:
		check_value(found.progressed[0].name, "fraction", "argument of progressed")
		_check_type(found.progressed[0] as Dictionary, TYPE_FLOAT, "", "argument of progressed")
		check_value(found.finished[0].name, "result", "argument of finished")
		_check_type(found.finished[0] as Dictionary, ANY, "", "argument of finished")


func test_class_of_recorders() -> void:
	check(ClassDB.is_parent_class(RECORDER, &"RefCounted"), "a recorder is no RefCounted")
	check(ClassDB.can_instantiate(RECORDER), "nobody can make a recorder")
	var found := PackedStringArray()
	for method: Dictionary in ClassDB.class_get_method_list(RECORDER, true):
		if (method.name as String).begins_with("_"):
			continue  # What the history calls.
		found.append(method.name as String)
		var row: Array = RECORDER_METHODS.get(method.name, [[], 0, NOTHING])
		var arguments: Array = row[0]
		_check_arguments(method, arguments)
		# Each is what is nothing of its type.
		var defaults := arguments.slice(arguments.size() - (row[1] as int)).map(
			func(argument: Array) -> Variant: return type_convert(null, argument[1] as int)
		)
		check_value(method.default_args, defaults, "defaults of %s" % method.name)
		for default: Variant in method.default_args:
			# All calls share it, and this one who asks for it.
			check(not default is Dictionary or default.is_read_only(), "a default can be changed")
		var type: int = row[2]
		var elements := "Dictionary" if type == TYPE_ARRAY else ""
		_check_type(method["return"] as Dictionary, type, elements, "result of %s" % method.name)
	_check_names(found, RECORDER_METHODS.keys())


## Each class that a script can name has an icon of its own.
func test_icons() -> void:
	var manifest := ConfigFile.new()
	check_int(manifest.load("res://addons/varbatch/varbatch.gdextension"), OK, "the manifest")
	var paths := PackedStringArray()
	for named: String in ["VarBatch", TASK, RECORDER]:
		var path: String = manifest.get_value("icons", named, "")
		check(not path in paths, "the icon of %s is that of another class" % named)
		paths.append(path)
		var image := Image.new()
		var svg := FileAccess.get_file_as_string("res://addons/varbatch/".path_join(path))
		check(not svg.is_empty(), "the icon of %s is missing" % named)
		if image.has_method(&"load_svg_from_string") and not svg.is_empty():
			check_int(image.load_svg_from_string(svg), OK, "the icon of %s" % named)


## As a Callable, and by name, for scripts that do not know the class at compile time.
func test_callable_by_name() -> void:
	var bytes: Variant = ClassDB.class_call_static(&"VarBatch", &"var_to_bytes", [1, "a"], false)
	check_value(bytes, var_to_bytes([1, "a"]), "var_to_bytes by name")
	var default: Variant = ClassDB.class_call_static(&"VarBatch", &"var_to_bytes", 5)
	check_value(default, var_to_bytes(5), "var_to_bytes by name, one argument")


func _check_names(found: PackedStringArray, names: Array) -> void:
	var expected := PackedStringArray(names)
	expected.sort()
	found.sort()
	check(found == expected, "methods: expected %s, found %s" % [expected, found])


func _methods() -> Array[Dictionary]:
	var methods := ClassDB.class_get_method_list(&"VarBatch", true)
	check(not methods.is_empty(), "VarBatch has no methods")
	return methods


func _check_arguments(method: Dictionary, expected: Array) -> void:
	var found: Array = method.args
	check_int(found.size(), expected.size(), "arguments of %s" % method.name)
	for i: int in mini(found.size(), expected.size()):
		var what := "argument %d of %s" % [i, method.name]
		check_value(found[i].name, expected[i][0], "name of %s" % what)
		var enum_name: String = expected[i][2] if (expected[i] as Array).size() > 2 else ""
		_check_type(found[i], expected[i][1], enum_name, what)


func _check_type(found: Dictionary, type: int, elements: String, what: String) -> void:
	var is_any: bool = found.usage & PROPERTY_USAGE_NIL_IS_VARIANT != 0
	if type == ANY:
		check(found.type == TYPE_NIL and is_any, "%s is not a Variant: %s" % [what, found])
		return
	check_int(found.type as int, type, "type of %s" % what)
	check(type != NOTHING or not is_any, "%s is a Variant: %s" % [what, found])
	if type == TYPE_INT or type == TYPE_OBJECT:
		check_value(str(found["class_name"]), elements, "class of %s" % what)
	if type != TYPE_ARRAY:
		return
	if elements.is_empty():
		check(found.hint_string in ["", "Variant"], "elements of %s are typed: %s" % [what, found])
	else:
		check_int(found.hint as int, PROPERTY_HINT_ARRAY_TYPE, "hint of %s" % what)
		check_value(found.hint_string, elements, "elements of %s" % what)

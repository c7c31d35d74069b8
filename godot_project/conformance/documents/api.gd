extends "../support/suite.gd"
## The classes as scripts and the editor see them: exactly the methods, signals and constants that the
## help promises, with their arguments, defaults and types.

const Child := preload("../support/child.gd")
const Extract := preload("extract.gd")

## In microseconds. It takes some 50.
const MAX_FIRST_CALL := 500

const STATE := &"VarBatchState"
const STORE := &"VarBatchStore"
const TASK := &"VarBatchTask"
const RECORDER := &"VarBatchUndoRecorder"
const QUALIFIERS: Dictionary[String, int] = {"static": METHOD_FLAG_STATIC, "const": METHOD_FLAG_CONST}


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
		for line: String in Child.probe(self, "documents/api", []):
			if line.begins_with("took "):
				times.append(line.to_int())
	var is_short: bool = times.is_empty() or times.min() < MAX_FIRST_CALL * slowness
	check(is_short, "first calls of processes, in microseconds: %s" % [times])


func run_alone() -> void:
	var start := Time.get_ticks_usec()
	VarBatch.var_to_bytes(1)
	print("took ", Time.get_ticks_usec() - start)


## Each class that a script can name has an icon of its own.
func test_icons() -> void:
	var manifest := ConfigFile.new()
	check_int(manifest.load("res://addons/varbatch/varbatch.gdextension"), OK, "the manifest")
	var paths := PackedStringArray()
	for named: String in ["VarBatch", STATE, STORE, TASK, RECORDER]:
		var path: String = manifest.get_value("icons", named, "")
		check(not path in paths, "the icon of %s is that of another class" % named)
		paths.append(path)
		var image := Image.new()
		var svg := FileAccess.get_file_as_string("res://addons/varbatch/".path_join(path))
		check(not svg.is_empty(), "the icon of %s is missing" % named)
		if image.has_method(&"load_svg_from_string") and not svg.is_empty():
			check_int(image.load_svg_from_string(svg), OK, "the icon of %s" % named)


## Methods, signals and constants, each as one text.
func _in_help(named: StringName) -> Array:
	var entries: Array = []
	var help := Extract.project_folder().path_join("../rust/plugin/docs/%s.xml" % named)
	for line: String in FileAccess.get_file_as_string(help).split("\n"):
		var tag := line.strip_edges()
		match tag.get_slice(" ", 0):
			"<method", "<signal", "<constant":
				entries.append(tag)
			"<return", "<param":
				entries[-1] += tag
	return entries


## A method or a signal, as the help has it.
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

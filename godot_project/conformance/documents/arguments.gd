extends "../files/files_base.gd"
## Arguments of each type, in each place of each method: two lines at most and no value in them. A wrong
## type is refused in one of ours and the engine's own.

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


func test_wrong_types() -> void:
	var refused := 0
	for type: String in CLASSES:
		for method: Dictionary in ClassDB.class_get_method_list(type, true):
			for index: int in (method.args as Array).size():
				for given: Variant in _values():
					refused += int(_check_call(type, method, index, given))
	check(refused > 700, "only %d calls were refused" % refused)
	VarBatch.set_thread_count(0)


func _values() -> Array:
	var text := MARK.repeat(1000)
	var values: Array = [null, true, 1, 1.0, text, StringName(text), NodePath(path), {text: text}, [text]]
	values.append_array([Vector2(), Color(), RID(), Callable(), RefCounted.new()])
	return values + [PackedByteArray([1]), PackedStringArray([text]), PackedVector3Array()]


## Returns true if the call has to be refused.
func _check_call(type: String, method: Dictionary, index: int, given: Variant) -> bool:
	var arguments: Array = method.args
	var expected: int = arguments[index].type
	var is_any := expected in [TYPE_NIL, typeof(given)]
	var is_refused: bool = not is_any and not typeof(given) in CONVERTED[expected]
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
			var result: Variant
			if method.flags & METHOD_FLAG_STATIC:
				var names: Array = [type, method.name]
				result = ClassDB.callv(&"class_call_static", names + call_arguments)
			else:
				var is_store := type == "VarBatchStore"
				var object: Object = VarBatchStore.open(path + ".store") if is_store else ClassDB.instantiate(type)
				result = object.callv(method.name as StringName, call_arguments)
			if result is VarBatchTask:
				(result as VarBatchTask).wait()
	)
	var shown := "%s, argument %d, %s: %s" % [what, index, type_string(typeof(given)), lines]
	check(lines.size() <= 2 and not "godot-rust" in "".join(lines), shown.left(1000))
	for line: String in lines:
		check(line.length() <= 300, shown.left(1000))
	if is_refused and errors.is_open():
		check(not MARK in "".join(lines), shown.left(1000))
		lines.resize(2)
		var start := "%s: expected a" % what
		var end := " as %s, found %s; " % [arguments[index].name, type_string(typeof(given))]
		check(lines[0].begins_with(start) and end in lines[0], shown.left(1000))
		check("Cannot convert argument %d from " % (index + 1) in lines[1], shown.left(1000))
		check_int(VarBatch.get_last_error(), ERR_INVALID_PARAMETER, what)
	return is_refused

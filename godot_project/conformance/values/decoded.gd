extends "../support/round_trip.gd"
## What was decoded is an ordinary value of the engine: it grows, is shared and copied, and has the engine's hash.

## Sizes of packed arrays, around those where their memory is made in another way.
const COUNTS: PackedInt32Array = [1, 2, 3, 5, 100, 2047, 2048, 2049, 4096, 16384, 300_000]

## What is done with a value of these types. The engine's own gives the same.
const OPERATIONS: Dictionary[int, String] = {
	TYPE_STRING: "v.length(); v.hash(); v + '!' + v; v.insert(0, '日').replace('x', 'yy'); v.to_utf8_buffer()",
	TYPE_STRING_NAME: "v.length(); v.hash(); str(v); v + '!'",
	TYPE_NODE_PATH:
	(
		"str(v); v.is_absolute(); v.get_name_count(); v.get_concatenated_names(); v.slice(1);"
		+ " v.get_subname_count(); v.get_concatenated_subnames()"
	),
}

var _expressions: Dictionary[String, Expression] = {}


## Copies share their memory until one of them is written to.
func test_packed_arrays_change_as_the_engines_own() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for count: int in COUNTS:
			var bytes := var_to_bytes(Packed.make(type, count))
			for found: Variant in _decoded(bytes).slice(0, 1 if count > 20_000 else 3):
				_check_changes(found, bytes_to_var(bytes), bytes_to_var(bytes), "%d of %s" % [count, type_string(type)])


## Takes the arrays by reference; [param own] is the engine's, to be changed in the same way.
func _check_changes(found: Variant, own: Variant, expected: Variant, what: String) -> void:
	var copy: Variant = found.duplicate()
	var second: Variant = copy.duplicate()
	copy[-1] = found[0]
	copy.append(found[0])
	check_value(found, expected, what + ", when a copy was written to")
	for array: Variant in [found, own]:
		array.append(array[0])
		array.resize(array.size() + 1000)
		array.insert(1, array[2])
		array.remove_at(0)
	check_value(found, own, "grown " + what)
	for array: Variant in [found, own]:
		array.resize(3)
		array.append_array(second)
		array.reverse()
	check_value(found, own, "shrunk " + what)
	check_value(found.slice(1), own.slice(1), "part of " + what)
	found.clear()
	found.append(second[0])
	check_int(found.size(), 1, what + ", cleared")
	check_int(copy.size(), second.size() + 1, what + ", the copy")
	check_value(second, expected, what + ", a copy of a copy, when the others have changed")
	second.sort()
	expected.sort()
	check_value(second, expected, what + ", sorted")


## Decoded arrays lie side by side in memory: one that grows beyond its own must not write into the
## next, as it would with a wrong idea of how much it has.
func test_growing_leaves_neighbours_alone() -> void:
	for type: int in Packed.STRIDES.keys():
		for count: int in [100, 5000, 20_000]:
			var expected: Variant = Packed.make(type, count)
			var found := VarBatch.bytes_to_vars(filled(6, var_to_bytes(expected)))
			var what := "%d of %s" % [count, type_string(type)]
			for i: int in found.size():
				found[i].append_array(expected)
				for other: int in found.size():
					var wanted: Variant = expected + expected if other <= i else expected
					check_value(found[other], wanted, "%s, %d grown, %d" % [what, i, other])


func test_texts() -> void:
	for length: int in range(0, 70) + [300, 5000]:
		for letter: String in ["a", "é", "日", "😀"]:
			_check_text("x".repeat(length / 2) + letter.repeat(length - length / 2))
	var paths: PackedStringArray = [".", "/", "/root/a/b", "a/b:c:d", ":c", "/:c", "../..", "%U/x"]
	paths.append_array(["日本/é:😀", "\u007f", "\u0080", "\u00ff", "a b/c:d"])
	paths.append("a".repeat(100) + "/" + "b".repeat(64) + ":" + "c".repeat(63))
	for text: String in paths:
		_check_text(text)
	var bytes := var_to_bytes("first_seen_by_the_extension_%d" % Time.get_ticks_usec())
	bytes[0] = TYPE_STRING_NAME
	check(is_same(VarBatch.bytes_to_var(bytes), bytes_to_var(bytes)), "a new name is another")


## As a String, and as the others that are made of it, alone and in a container.
func _check_text(text: String) -> void:
	for value: Variant in [text, StringName(text), StringName("new " + text), NodePath(text)]:
		var wanted: Variant = bytes_to_var(var_to_bytes(value))
		var inside := _decoded(var_to_bytes({1: value})).map(func(entries: Dictionary) -> Variant: return entries[1])
		for each: Variant in _decoded(var_to_bytes(value)) + inside:
			var what := "%s '%s'" % [type_string(typeof(value)), text.left(70)]
			check_int(typeof(each), typeof(value), "type of " + what)
			check(each == wanted and hash(each) == hash(wanted), what + " is another")
			check({wanted: 1}.has(each) and {each: 1}.has(wanted), what + " is another key")
			# Names are the engine's own: there is one of each.
			check(not value is StringName or is_same(each, value), what + " is another name")
			# The engine complains of some that are asked of an empty path.
			for operation: String in OPERATIONS[typeof(value)].split("; ") if text else []:
				check_value(_evaluated(operation, each), _evaluated(operation, wanted), "%s of %s" % [operation, what])
			check(each == wanted, what + " was changed")


func _evaluated(operation: String, value: Variant) -> Variant:
	if not _expressions.has(operation):
		_expressions[operation] = Expression.new()
		check_int(_expressions[operation].parse(operation, ["v"]), OK, operation)
	return _expressions[operation].execute([value])


func test_arrays() -> void:
	for count: int in [0, 1, 2, 3, 4, 5, 100, 5000]:
		for found: Array in _decoded(var_to_bytes(range(count))):
			var expected := range(count)
			var shared := found
			var copy := found.duplicate()
			for array: Array in [found, expected]:
				array.append("text")
				array.push_front(&"name")
				array.resize(array.size() + 3)
				array.insert(1, [array.size()])
				array.append_array(array.slice(0, 4))
			check_value(found, expected, "grown Array of %d" % count)
			check(is_same(shared, found), "an Array is no reference")
			check_value(copy, range(count), "copy of an Array of %d" % count)
			copy.sort_custom(func(a: int, b: int) -> bool: return a > b)
			copy.reverse()
			check_value(copy, range(count), "sorted Array of %d" % count)
	for type: int in range(1, TYPE_OBJECT) + range(TYPE_OBJECT + 1, TYPE_MAX):
		var array := Array([], type, &"", null)
		array.resize(3)
		for found: Array in _decoded(var_to_bytes(array)):
			var what := "Array[%s]" % type_string(type)
			var wrong: Variant = 1 if type == TYPE_CALLABLE else Callable()
			_check_refused(func() -> void: found.append(wrong), what)
			check_value(found, array, "refused for " + what)
			found.append(array[0])
			var grown := array.duplicate()
			grown.append(array[0])
			check_value(found, grown, "grown " + what)


func test_dictionaries() -> void:
	for count: int in [0, 1, 2, 5, 100, 3000]:
		var expected := {}
		for i: int in count:
			expected["key %d" % i if i % 2 else i] = [i]
		for found: Dictionary in _decoded(var_to_bytes(expected)):
			var wanted := expected.duplicate(true)
			var copy := found.duplicate()
			for entries: Dictionary in [found, wanted]:
				entries["new"] = 1
				entries.erase(0)
				entries[&"key 1"] = "a name is its text"
				entries.merge({"new": 2, 7.5: 3}, true)
			check_value(found, wanted, "changed Dictionary of %d" % count)
			check_value(copy, expected, "copy of a Dictionary of %d" % count)
	var typed: Dictionary[String, int] = {"a": 1}
	var found: Dictionary = VarBatch.bytes_to_var(var_to_bytes(typed))
	_check_refused(func() -> void: found.set("b", "x"), "Dictionary")
	check_value(found, typed, "Dictionary[String, int]")


func test_lists_of_buffers() -> void:
	for count: int in [0, 1, 2, 3, 1000, 6000]:
		var found := VarBatch.vars_to_bytes(range(count))
		var expected: Array[PackedByteArray] = Values.engine_bytes(range(count))
		_check_refused(func() -> void: found.append_array([5]), "list of %d" % count)
		for buffers: Array[PackedByteArray] in [found, expected]:
			buffers.append(PackedByteArray([1, 2]))
			buffers.resize(count + 3)
			buffers[0].append(9)
			buffers[count].append_array(buffers[0])
			buffers.insert(0, buffers[count].duplicate())
			buffers.reverse()
		check_same(found, expected, "grown list of %d" % count)
		check_value(found, expected, "type of a list of %d" % count)


func _check_refused(action: Callable, what: String) -> void:
	var lines := logged(action)
	check(not errors.is_open() or "Attempted to " in lines[0], "refused nothing: " + what)


func _decoded(bytes: PackedByteArray) -> Array:
	return [VarBatch.bytes_to_var(bytes), VarBatch.bytes_to_vars([bytes])[0], VarBatch.frames_to_vars(frame(bytes))[0]]

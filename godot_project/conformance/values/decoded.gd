extends "../support/round_trip.gd"
## What was decoded is made in the engine's memory, word by word. It is an ordinary value of the
## engine all the same: it grows, is shared and copied, and has the engine's hash.

const Packed := preload("../support/packed_values.gd")
const COUNTS: PackedInt32Array = [1, 2, 3, 5, 100, 5000]


## A copy shares its memory until one of the two is written to.
func test_packed_arrays_are_copied_on_write() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for count: int in COUNTS:
			var expected: Variant = Packed.make(type, count)
			var bytes := var_to_bytes(expected)
			expected = bytes_to_var(bytes)
			for found: Variant in _decoded(bytes):
				var what := "%d of %s" % [count, type_string(type)]
				var copy: Variant = found.duplicate()
				var second: Variant = copy.duplicate()
				copy[count - 1] = found[0]
				copy.append(found[0])
				check_value(found, expected, what + ", when a copy was written to")
				check_value(second, expected, what + ", a copy of a copy")
				found.clear()
				found.append(second[0])
				check_int(found.size(), 1, what + ", cleared")
				check_value(second, expected, what + ", when the first was cleared")
				second.sort()
				expected.sort()
				check_value(second, expected, what + ", sorted")
				expected = bytes_to_var(bytes)
				check_int(copy.size(), count + 1, what + ", the copy")


## What shares a result still has it when the others are gone.
func test_results_outlive_each_other() -> void:
	var buffers := Values.engine_bytes(Values.mixed(200))
	var expected: Array = buffers.map(
		func(bytes: PackedByteArray) -> Variant: return bytes_to_var(bytes)
	)
	var found := VarBatch.bytes_to_vars(buffers)
	var copies := found.duplicate(true)
	var kept := found.slice(100)
	found.clear()
	found.resize(50)
	check_values(kept, expected.slice(100), "kept values")
	kept = []
	check_values(copies, expected, "deep copies")


func test_strings() -> void:
	for length: int in range(0, 70) + [300, 5000]:
		for letter: String in ["a", "é", "日", "😀"]:
			var text := "x".repeat(length / 2) + letter.repeat(length - length / 2)
			for found: Variant in (
				_decoded(var_to_bytes(text)) + _decoded(var_to_bytes([text]), true)
			):
				var what := "%d times %s" % [length, letter]
				var shared: String = found
				check_int(shared.length(), length, "length of " + what)
				check_int(shared.hash(), text.hash(), "hash of " + what)
				check(shared == text and hash(found) == hash(text), "not equal: " + what)
				check(shared + "!" + shared == text + "!" + text, "concatenated: " + what)
				var grown := shared
				grown += letter
				grown = grown.insert(0, "日").replace("x", "yy")
				var wanted := ("日" + text + letter).replace("x", "yy")
				check(grown == wanted, "grown: " + what)
				check(shared == text, "the other one: " + what)
				check({text: 1}.has(found), "not found as a key: " + what)
				check(StringName(shared) == StringName(text), "as a name: " + what)
				check(shared.to_utf8_buffer() == text.to_utf8_buffer(), "as bytes: " + what)


## Names are the engine's own: there is one of each.
func test_string_names() -> void:
	var texts: Array = range(0, 70).map(func(length: int) -> String: return "n".repeat(length))
	texts += range(60, 68).map(func(length: int) -> String: return "né" + "n".repeat(length))
	texts += ["é", "日本", "😀", "\u007f", "\u0080", "\u00ff", "a b/c:d", "z".repeat(3000)]
	for text: String in texts:
		for name: StringName in [StringName(text), StringName("new " + text)]:
			for found: Variant in (
				_decoded(var_to_bytes(name)) + _decoded(var_to_bytes([name]), true)
			):
				var what := "name '%s'" % name.left(70)
				check_int(typeof(found), TYPE_STRING_NAME, "type of " + what)
				check(is_same(found, name) and found == name, what + " is another")
				check_int(hash(found), hash(name), "hash of " + what)
				check({name: 1}.has(found) and {found: 1}.has(name), what + " is another key")
				check(str(found) == str(name), "text of " + what)
	# Made by VarBatch before the engine has it.
	var bytes := var_to_bytes("first_seen_by_the_extension_%d" % Time.get_ticks_usec())
	bytes[0] = TYPE_STRING_NAME
	var first: StringName = VarBatch.bytes_to_var(bytes)
	check(is_same(first, bytes_to_var(bytes)), "a new name is another")


func test_node_paths() -> void:
	for text: String in [
		"",
		".",
		"/",
		"a",
		"/root/a/b",
		"a/b:c:d",
		":c",
		"/:c",
		"../..",
		"%Unique/x",
		"日本/é:😀",
		"a".repeat(100) + "/" + "b".repeat(64) + ":" + "c".repeat(63),
	]:
		var path := NodePath(text)
		for found: NodePath in (
			_decoded(var_to_bytes(path)) + _decoded(var_to_bytes({1: path}), true)
		):
			check(found == path and str(found) == str(path), "path '%s'" % text)
			check_int(hash(found), hash(path), "hash of path '%s'" % text)
			check(found.is_absolute() == path.is_absolute(), "absolute, path '%s'" % text)
			check_int(found.get_name_count(), path.get_name_count(), "names of '%s'" % text)
			check_int(
				found.get_subname_count(), path.get_subname_count(), "subnames of '%s'" % text
			)
			for i: int in path.get_subname_count():
				check(found.get_subname(i) == path.get_subname(i), "subname of '%s'" % text)
			check(found.slice(1) == path.slice(1), "part of path '%s'" % text)


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
			found.clear()
			found.append(1)
			check_int(shared.size(), 1, "cleared Array of %d" % count)


func test_typed_arrays() -> void:
	for type: int in range(1, TYPE_MAX):
		if type == TYPE_OBJECT:
			continue
		var array := Array([], type, &"", null)
		array.resize(3)
		for found: Array in _decoded(var_to_bytes(array)):
			var what := "Array[%s]" % type_string(type)
			var wrong: Variant = 1 if type == TYPE_CALLABLE else Callable()
			_check_refused(func() -> void: found.append(wrong), what)
			check_int(found.size(), 3, "size of " + what)
			found.append(array[0])
			found.resize(6)
			array.resize(6)
			check_value(found, array, "grown " + what)
			array.resize(3)


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
	var found: Variant = VarBatch.bytes_to_var(var_to_bytes(typed))
	_check_refused(func() -> void: (found as Dictionary).set("b", "x"), "Dictionary")
	check_value(found, typed, "Dictionary[String, int]")


## Every value is as the engine's own wherever that can be seen.
func test_every_value() -> void:
	for value: Variant in Values.all():
		# Numbers that are not themselves, and objects, which are new ones.
		if var_to_bytes(value) == var_to_bytes(RID()) or not value == value:
			continue
		if typeof(value) in [TYPE_OBJECT, TYPE_CALLABLE, TYPE_SIGNAL]:
			continue
		var bytes := var_to_bytes(value)
		var expected: Variant = bytes_to_var(bytes)
		for found: Variant in _decoded(bytes):
			var what := "%s %s" % [type_string(typeof(value)), str(value).left(40)]
			if expected == bytes_to_var(bytes):
				check(found == expected, what + " is another")
				check_int(hash(found), hash(expected), "hash of " + what)
			if not "<" in str(expected):
				check(var_to_str(found) == var_to_str(expected), "text of " + what)


## The list of buffers is of the engine's type, and grows as one.
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
		check_buffers(found, expected, "grown list of %d" % count)
		check_value(found, expected, "type of a list of %d" % count)


## What the engine refuses for the type of a container: it says so, and does nothing.
func _check_refused(action: Callable, what: String) -> void:
	var lines := logged(action)
	check(not errors.is_open() or "Attempted to " in lines[0], "refused nothing: " + what)


## The value of these bytes by each method. Of a container only what is in it, if so wanted.
func _decoded(bytes: PackedByteArray, inner := false) -> Array:
	var found: Array = [
		VarBatch.bytes_to_var(bytes),
		VarBatch.bytes_to_vars([bytes])[0],
		VarBatch.frames_to_vars(frame(bytes))[0],
	]
	if inner:
		found = found.map(
			func(value: Variant) -> Variant:
				return value.values()[0] if value is Dictionary else value[0]
		)
	return found

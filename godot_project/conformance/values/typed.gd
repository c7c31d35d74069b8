extends "../hostile/broken_base.gd"
## Typed arrays and dictionaries, both ways, and on decoding every type as an element of every
## other: what the engine converts, what it drops, and one warning a value that lost something.

const KIND_BUILTIN := 1
const KIND_CLASS := 2
const KIND_SCRIPT := 3
const KEY_SHIFT := 16
const VALUE_SHIFT := 18
const CLASSES: PackedStringArray = ["EncodedObjectAsID", "RefCounted", "Object", "Resource", "Node", "NoSuchClass", ""]
const SCRIPT_PATH := "res://conformance/support/scripted.gd"


func test_containers_of_every_type() -> void:
	for key: int in TYPE_MAX:
		for values: Array in [[], Values.of(key)] if key else []:
			var array := Array([], key, &"Object" if key == TYPE_OBJECT else &"", null)
			for value: Variant in values:
				if typeof(value) != TYPE_OBJECT or is_instance_valid(value):
					array.append(value)
			check_both_ways(array, "Array[%s]" % type_string(key))
			check_both_ways([array, {"k": array}], "nested Array[%s]" % type_string(key))
			var found: Array = VarBatch.bytes_to_var(var_to_bytes(array))
			check(found.is_same_typed(array) or key == TYPE_OBJECT, "Array[%d] lost its type" % key)
		for type: int in [TYPE_NIL, key, (key * 7 + 5) % TYPE_MAX]:
			var dictionary := Dictionary({}, key, _class(key), null, type, _class(type), null)
			check_both_ways(dictionary, "empty Dictionary[%d, %d]" % [key, type])
			dictionary[Values.plain(key)] = Values.plain(type)
			check_both_ways(dictionary, "Dictionary[%d, %d]" % [key, type])
			var found: Dictionary = VarBatch.bytes_to_var(var_to_bytes(dictionary))
			check(found.get_typed_key_builtin() == key, "key type %d is lost" % key)
			check(found.get_typed_value_builtin() == type, "value type %d is lost" % type)


## Every value as an element of an array of every type, alone and between two that fit; and as a key:
## keys are converted or their entries dropped, values are neither checked nor converted.
func test_every_element_in_every_container() -> void:
	var both := KIND_BUILTIN << KEY_SHIFT | KIND_BUILTIN << VALUE_SHIFT
	for type: int in TYPE_MAX:
		var fitting := var_to_bytes(Values.plain(type))
		var array := Values.u32(TYPE_ARRAY | KIND_BUILTIN << KEY_SHIFT) + Values.u32(type)
		var table := Values.u32(TYPE_DICTIONARY | both) + Values.u32(type) + Values.u32(TYPE_INT)
		var all := PackedByteArray()
		var entries := PackedByteArray()
		var elements := _elements()
		for i: int in elements.size():
			var element := var_to_bytes(elements[i])
			var what := "%s in a container of %s" % [type_string(typeof(elements[i])), type_string(type)]
			check_verdict(array + Values.u32(1) + element, what)
			check_verdict(array + Values.u32(3) + fitting + element + fitting, what)
			check_verdict(table + Values.u32(1) + element + element, what)
			all += element
			entries += element + var_to_bytes(i)
		var count := Values.u32(elements.size())
		check_verdict(array + count + all, "all in Array[%s]" % type_string(type))
		check_verdict(table + count + entries, "all in Dictionary[%s]" % type_string(type))


func test_keys_that_become_one() -> void:
	var front := Values.u32(TYPE_DICTIONARY | KIND_BUILTIN << KEY_SHIFT)
	for keys: Array in [[1, 1.5, true, 2, "x"], ["k", &"k", ^"k", 5], [[1], PackedByteArray([1])]]:
		for type: int in [TYPE_INT, TYPE_FLOAT, TYPE_BOOL, TYPE_STRING, TYPE_STRING_NAME, TYPE_ARRAY]:
			var bytes := front + Values.u32(type) + Values.u32(keys.size())
			for i: int in keys.size():
				bytes += var_to_bytes(keys[i]) + var_to_bytes(i)
			check_verdict(bytes, "keys %s in Dictionary[%s]" % [keys, type_string(type)])


## Type fields that are none, and the kinds that name classes and scripts, objects not allowed: ids
## are read into containers of EncodedObjectAsID, whatever class was written.
func test_type_fields() -> void:
	var buffers: Array[PackedByteArray] = []
	var mixed := PackedByteArray()
	for value: Variant in [null, 1, "x", [], null, {}]:
		mixed += var_to_bytes(value)
	for type: int in [TYPE_ARRAY, TYPE_DICTIONARY]:
		for shift: int in [KEY_SHIFT, VALUE_SHIFT]:
			for number: int in [0, 24, 38, 39, 40, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff]:
				var front := Values.u32(type | KIND_BUILTIN << shift) + Values.u32(number)
				buffers.append(front + Values.u32(0))
				buffers.append(front + Values.u32(1) + var_to_bytes(null) + var_to_bytes(null))
			for name: String in CLASSES + PackedStringArray([SCRIPT_PATH]):
				for kind: int in [KIND_CLASS, KIND_SCRIPT]:
					var front := Values.u32(type | kind << shift) + var_to_bytes(name).slice(4)
					buffers.append(front + Values.u32(0))
					buffers.append(front + Values.u32(1) + Values.id_bytes(9) + var_to_bytes(1))
					buffers.append(front + Values.u32(1) + var_to_bytes(2.5) + Values.id_bytes(9))
					buffers.append(front + Values.u32(4) + Values.id_bytes(77) + Values.id_bytes(0) + mixed)
	check_verdicts(buffers, "type field")


func test_all_kinds_of_dictionaries() -> void:
	var buffers: Array[PackedByteArray] = []
	for flags: int in 16:
		var bytes := Values.u32(TYPE_DICTIONARY | flags << KEY_SHIFT)
		for kind: int in [flags & 3, flags >> 2]:
			if kind == KIND_BUILTIN:
				bytes += Values.u32(TYPE_OBJECT)
			elif kind != 0:
				bytes += var_to_bytes(SCRIPT_PATH).slice(4)
		buffers.append(bytes + Values.u32(0))
		buffers.append(bytes + Values.u32(1) + Values.id_bytes(5) + Values.id_bytes(6))
		buffers.append(bytes + Values.u32(1) + var_to_bytes(null) + var_to_bytes("x"))
		buffers.append_array(truncations(bytes + Values.u32(1) + Values.id_bytes(5) + Values.id_bytes(6)))
	check_verdicts(buffers, "kinds of dictionaries")


## With whole objects, class and script of a container come back, also where the engine loses a
## script of values and spreads a script of keys.
func test_classes_and_scripts() -> void:
	var made := Scripted.new()
	for type: Array in [[&"RefCounted", Scripted], [&"RefCounted", null], [&"Object", null]]:
		var array := Array([made, null], TYPE_OBJECT, type[0] as StringName, type[1])
		check_both_ways(array, "array of %s" % [type], true)
		check_both_ways(array, "array of %s, ids" % [type])
		var found: Array = VarBatch.bytes_to_var(VarBatch.var_to_bytes(array, true), true)
		check_value(found.get_typed_class_name(), type[0], "class of an array")
		check(found.get_typed_script() == type[1], "script of an array")
		for other: Array in [[&"RefCounted", Scripted], [&"RefCounted", null], [&"", null]]:
			_check_dictionary(made, type, other)
			_check_dictionary(made, other, type)


func test_a_script_without_a_path() -> void:
	var array := Array([], TYPE_OBJECT, &"RefCounted", script_of("extends RefCounted"))
	for value: Variant in [array, [array], {"k": array}, {1: {array: 2}}]:
		check_both_ways(value, "ids of an array of a script without path")
		var bytes: PackedByteArray = quietly(var_to_bytes_with_objects.bind(value))
		check(bytes.is_empty(), "the engine writes it")
		check_call(&"var_to_bytes", [value, true], bytes, ["expected ..."])


## With whole objects, elements and keys of another class are dropped, ids among them.
func test_objects_of_other_classes() -> void:
	var objects: Array = [null, Engines.encoded_id(), RefCounted.new(), Resource.new(), Gradient.new(), Scripted.new()]
	for name: String in CLASSES + PackedStringArray([SCRIPT_PATH]):
		var kind := KIND_SCRIPT if name == SCRIPT_PATH else KIND_CLASS
		for object: Variant in objects:
			var element := var_to_bytes_with_objects(object)
			for elements: Array in [[element], [Values.id_bytes(5), element, var_to_bytes(1), element]]:
				var type := var_to_bytes(name).slice(4) + Values.u32(elements.size())
				var bytes := Values.u32(TYPE_ARRAY | kind << KEY_SHIFT) + type
				var entries := Values.u32(TYPE_DICTIONARY | kind << KEY_SHIFT) + type
				for part: PackedByteArray in elements:
					bytes += part
					entries += part + var_to_bytes("value")
				check_verdict(bytes, "%s in an array of %s" % [object, name], true)
				if kind == KIND_SCRIPT and Engines.has_value_script_bug():
					_check_script_keys(entries, elements.count(element), object)
				else:
					check_verdict(entries, "%s as a key of %s" % [object, name], true)


func test_objects_in_dropped_entries() -> void:
	for name: String in ["RefCounted", "NoSuchClass", "RenderingServer", ""]:
		for count: int in [0, 1]:
			var object := Values.header(TYPE_OBJECT) + var_to_bytes(name).slice(4) + Values.u32(count)
			for value: PackedByteArray in [object, "1c00000001000000".hex_decode() + object]:
				var front := Values.u32(TYPE_DICTIONARY | KIND_BUILTIN << KEY_SHIFT)
				front += Values.u32(TYPE_INT) + Values.u32(2)
				var fitting := var_to_bytes(5) + var_to_bytes(6)
				var what := "object of %s in a dropped entry" % name
				check_verdict(front + var_to_bytes("x") + value + fitting, what, true)
				check_verdict(front + fitting + value + var_to_bytes(7), what + ", as key", true)
				front = Values.u32(TYPE_ARRAY | KIND_BUILTIN << KEY_SHIFT) + Values.u32(TYPE_INT)
				check_verdict(front + Values.u32(2) + value + var_to_bytes(7), what + ", element", true)


## The engine makes another type of such a dictionary ("value script"), so what is left is plain.
func _check_script_keys(bytes: PackedByteArray, count: int, object: Variant) -> void:
	var found: Variant = quietly(func() -> Variant: return VarBatch.bytes_to_var(bytes, true))
	check(found is Dictionary, "%s as a key of a script gives %s" % [object, found])
	if found is Dictionary:
		var expected := count if object is Scripted else 1 if object == null else 0
		var keys := (found as Dictionary).keys()
		check_int(keys.size(), expected, "keys of a script, from %s" % object)
		check((found as Dictionary).get_typed_key_script() == Scripted, "the script is lost")


func _check_dictionary(made: Scripted, key: Array, value: Array) -> void:
	var what := "dictionary of %s by %s" % [value, key]
	var of := TYPE_OBJECT if key[0] else TYPE_NIL
	var to := TYPE_OBJECT if value[0] else TYPE_NIL
	var dictionary := Dictionary({made: made}, of, key[0], key[1], to, value[0], value[1])
	check_to_bytes(dictionary, var_to_bytes_with_objects(dictionary), what, true)
	check_both_ways(dictionary, what + ", ids")
	var found: Dictionary = VarBatch.bytes_to_var(VarBatch.var_to_bytes(dictionary, true), true)
	check_bytes(var_to_bytes_with_objects(found), var_to_bytes_with_objects(dictionary), what)
	check(found.is_same_typed(dictionary), "%s has another type" % what)
	if not Engines.has_value_script_bug():
		var read: Dictionary = bytes_to_var_with_objects(var_to_bytes_with_objects(dictionary))
		check(read.is_same_typed(found), "the engine reads another type of " + what)


func _elements() -> Array:
	var plain := func(type: int) -> Variant: return Values.plain(type) if type != TYPE_OBJECT else Engines.encoded_id()
	return range(TYPE_MAX).map(plain) + [1, 2.75, "7", "text", &"name", ^"a/b", [1, "x"], [1.5], Color.RED, "#ff0000"]


func _class(type: int) -> StringName:
	return &"RefCounted" if type == TYPE_OBJECT else &""

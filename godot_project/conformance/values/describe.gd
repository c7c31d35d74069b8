extends "../hostile/broken_base.gd"
## describe(): the tree of types, each node where the engine finds that very value. Damaged bytes: hostile/mutations.gd.

const MAX_LEN := 600
const MAX_MSEC := 10_000


func test_by_hand() -> void:
	var scores: Dictionary[String, Variant] = {"a": 1.5}
	var of_list := [_node(TYPE_INT, "int", 32, 8, {"index": 0}), _node(TYPE_INT, "int", 40, 12, {"index": 1})]
	var of_table := [_node(TYPE_FLOAT, "float", 84, 8, {"key": "a"})]
	var parts: Array = [
		_node(TYPE_ARRAY, "Array[int]", 20, 32, {"key": "list", "children": of_list}),
		_node(TYPE_DICTIONARY, "Dictionary[String, Variant]", 60, 32, {"key": 5, "children": of_table}),
		_node(TYPE_NIL, "Nil", 104, 4, {"key": &"n"}),
	]
	var root := _node(TYPE_DICTIONARY, "Dictionary", 0, 108, {"children": parts})
	_check_same(_describe(var_to_bytes({"list": [7, 1 << 40] as Array[int], 5: scores, &"n": null})), root, "tree")


func test_every_type_and_random_values() -> void:
	for value: Variant in Values.all():
		_check_tree(var_to_bytes(value), type_string(typeof(value)))
	var generator := Generator.new(161803)
	for i: int in part_of(5000):
		var bytes := var_to_bytes(generator.value())
		if bytes.size() <= MAX_LEN * 4:
			_check_tree(bytes, "random value %d" % i)


func test_objects() -> void:
	var scripted := Scripted.new()
	scripted.content = [1, {"k": Resource.new()}]
	var bytes := var_to_bytes_with_objects(scripted)
	var tree := _describe(bytes)
	check_value(tree.get("class"), "RefCounted", "class of an object")
	for child: Dictionary in tree.children:
		_check_node(bytes, child, quietly(bytes.decode_var.bind(child.offset as int, true)), "")
	var names: Array = tree.children.map(func(child: Dictionary) -> String: return child.key)
	check_value(names, ["script", "number", "words", "content"], "properties")
	check_int(tree.size as int, bytes.size(), "size of an object")
	var inner: Dictionary = tree.children[3].children[1].children[0]
	check_value([inner.get("class"), inner.get("key")], ["Resource", "k"], "an object inside")
	var typed: Array[Scripted] = [scripted]
	var resources: Dictionary[String, Resource] = {"r": Resource.new()}
	var unknown := "180000000b0000004e6f53756368436c6173730000000000".hex_decode()
	check_value(_describe(unknown).get("class"), "NoSuchClass", "a class that is not there")
	for row: Array in [
		[var_to_bytes_with_objects(typed), "Array[res://conformance/support/scripted.gd]"],
		[var_to_bytes(typed), "Array[EncodedObjectAsID]"],
		[var_to_bytes_with_objects(resources), "Dictionary[String, Resource]"],
		[unknown, "Object"],
		["1c0002000b0000004e6f53756368436c6173730000000000".hex_decode(), "Array[NoSuchClass]"],
		["1c0003000a0000007265733a2f2f6e6f6e65000000000000".hex_decode(), "Array[res://none]"],
	]:
		tree = _describe(row[0] as PackedByteArray)
		check(not tree.has("error") and tree.size == row[0].size(), "%s: %s" % [row[1], tree])
		check_value(tree.get("type_name"), row[1], "name of a type")


func test_trailing_and_missing_bytes() -> void:
	for value: Variant in [5, "text", {"k": PackedByteArray([1, 2, 3])}]:
		var bytes := var_to_bytes(value)
		_check_same(_describe(bytes + PackedByteArray([9, 9, 9])), _describe(bytes), "with a tail")
	for hex: String in ["", "02", "020000", "27000000", "ffffffff00000000"]:
		var bytes := hex.hex_decode()
		_check_same(_describe(bytes), {"error": VarBatch.validate([bytes])[0]}, "unreadable bytes '%s'" % hex)


## What is left out is counted, and in a part of the bytes. Keys that hold as much as a tree are not
## made. Which nodes are left out: describe.rs of the codec's tests.
func test_a_cut_tree() -> void:
	var bytes := var_to_bytes({"list": range(1000), range(1000): [[1]]})
	for max_nodes: int in [1, 2, 3, 100, 1000, 2000, 0x7fffffffffffffff]:
		var tree := _cut(bytes, max_nodes)
		var shown := _children(tree)
		check_int(tree.size as int, bytes.size(), "size")
		check(max_nodes > 1 or not tree.has("children"), "children of a root alone")
		check_int(shown.size() + int(tree.get("omitted", 0)), 2, "entries, %d nodes" % max_nodes)
		if shown:
			var elements := _children(shown[0] as Dictionary)
			var omitted: int = shown[0].get("omitted", 0)
			check_int(elements.size() + omitted, 1000, "elements, %d nodes" % max_nodes)
			check((omitted > 0) == (max_nodes < 2000), "%d omitted, %d nodes" % [omitted, max_nodes])
			for element: Dictionary in elements:
				check_value(bytes.decode_var(element.offset as int), element.index, "an element")
			var key: Variant = "Array" if max_nodes <= 2000 else range(1000)
			check_value(shown[-1].key, key if shown.size() == 2 else "list", "a large key")
	for max_nodes: int in [0, -1, -0x7fffffffffffffff]:
		var line := "expected a max_nodes of at least 1, found %d" % max_nodes
		check_call(&"describe", [bytes, 0, max_nodes], {}, [line], ERR_INVALID_PARAMETER)
	# An error is found where no node is made any more.
	var cut := bytes.slice(0, bytes.size() - 4)
	check_value(_cut(cut, 10).get("error"), VarBatch.validate([cut])[0], "an error behind the cut")


## Wide; and 8 MiB of nulls: 3.8 GB and 10 s without a bound.
func test_memory_and_time() -> void:
	var started := Time.get_ticks_msec()
	var tree := _cut(var_to_bytes(range(100_000)), 100_001)
	check_int(tree.children.size(), 100_000, "children")
	check_int(tree.children[-1].offset as int, 8 + 99_999 * 8, "offset of the last child")
	var bytes := Values.u32(TYPE_ARRAY) + Values.u32((8 << 20) / 4 - 2)
	bytes.resize(8 << 20)
	var before := OS.get_static_memory_usage()
	tree = VarBatch.describe(bytes)
	check_time(started, MAX_MSEC, "large values")
	var grown := OS.get_static_memory_usage() - before
	check_int(_children(tree).size() + int(tree.omitted), (bytes.size() - 8) / 4, "children")
	check(grown < 64 << 20, "grew by %d bytes" % grown)


func _cut(bytes: PackedByteArray, max_nodes: int) -> Dictionary:
	var tree := VarBatch.describe(bytes, GODOT_4, max_nodes)
	check(_count(tree) <= max_nodes, "%d nodes of %d" % [_count(tree), max_nodes])
	return tree


func _children(node: Dictionary) -> Array:
	return node.get("children", [])


func _count(node: Dictionary) -> int:
	return _children(node).reduce(func(count: int, child: Dictionary) -> int: return count + _count(child), 1)


func _describe(bytes: PackedByteArray) -> Dictionary:
	return expect_errors(call_method.bind(&"describe", [bytes]), 0, "")


func _node(type: int, name: String, offset: int, size: int, more: Dictionary) -> Dictionary:
	return {"type": type, "type_name": name, "offset": offset, "size": size}.merged(more)


## The order of fields does not matter.
func _check_same(found: Dictionary, expected: Dictionary, what: String) -> void:
	check(found == expected, "%s: expected %s, found %s" % [what, expected, found])


func _check_tree(bytes: PackedByteArray, what: String) -> void:
	var tree := _describe(bytes)
	check(not tree.has("error"), "%s: %s" % [what, tree.get("error")])
	check(not tree.has("key") and not tree.has("index"), "the root has a place: %s" % tree)
	_check_node(bytes, tree, bytes_to_var(bytes), what)


## Whether the engine reads just [param value] at the node, and so on below.
func _check_node(bytes: PackedByteArray, node: Dictionary, value: Variant, what: String) -> void:
	var offset: int = node.offset
	check_int(node.type as int, bytes[offset], "type, " + what)
	check_int(node.size as int, quietly(bytes.decode_var_size.bind(offset, true)), "size, " + what)
	var found: Variant = quietly(bytes.decode_var.bind(offset, true))
	if value is Array or value is Dictionary or what.is_empty():
		check_int(typeof(found), typeof(value), "type, " + what)
	else:
		check_value(found, value, what)
	check_value(node.type_name, _type_name(value), "type's name, " + what)
	var children := _children(node)
	if value is Array:
		check_int(children.size(), (value as Array).size(), "children, " + what)
		for i: int in children.size():
			check_value(children[i].get("index"), i, "index, " + what)
			_check_node(bytes, children[i] as Dictionary, value[i], what)
	elif value is Dictionary:
		var keys := (value as Dictionary).keys()
		if children.size() > keys.size():
			return  # keys such as a null and a freed object become one
		check_int(children.size(), keys.size(), "children, " + what)
		for i: int in children.size():
			if typeof(keys[i]) != TYPE_OBJECT:
				check_value(children[i].get("key"), keys[i], "key, " + what)
			_check_node(bytes, children[i] as Dictionary, value[keys[i]], what)
	elif typeof(value) != TYPE_OBJECT:
		check_int(children.size(), 0, "children, " + what)


func _type_name(value: Variant) -> String:
	if value is Array and value.is_typed():
		return "Array[%s]" % _part_name(value.get_typed_builtin(), value.get_typed_class_name())
	if value is Dictionary and value.is_typed():
		var key := _part_name(value.get_typed_key_builtin(), value.get_typed_key_class_name())
		var part := _part_name(value.get_typed_value_builtin(), value.get_typed_value_class_name())
		return "Dictionary[%s, %s]" % [key, part]
	return type_string(typeof(value))


func _part_name(type: int, name: StringName) -> String:
	if type == TYPE_NIL:
		return "Variant"
	return type_string(type) if name.is_empty() else str(name)

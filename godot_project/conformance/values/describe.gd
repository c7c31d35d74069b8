extends "../hostile/broken_base.gd"
## describe(): the tree of types, each node where the engine finds that very value.

const Generator := preload("../support/generator.gd")
const Scripted := preload("../support/scripted.gd")
const FIELDS: PackedStringArray = ["type", "type_name", "offset", "size"]
## Types of which there is something to tell once their counts can be read.
const CONTAINERS: PackedInt32Array = [TYPE_ARRAY, TYPE_DICTIONARY]
const MAX_LEN := 600
const MAX_MSEC := 10_000


func test_by_hand() -> void:
	var ints: Array[int] = [7, 1 << 40]
	var scores: Dictionary[String, Variant] = {"a": 1.5}
	var value := {"list": ints, 5: scores, &"n": null, Vector2(1, 2): [[]]}
	var list := _node(TYPE_ARRAY, "Array[int]", 20, 32, {"key": "list"})
	list["children"] = [
		_node(TYPE_INT, "int", 32, 8, {"index": 0}), _node(TYPE_INT, "int", 40, 12, {"index": 1})
	]
	var table := _node(TYPE_DICTIONARY, "Dictionary[String, Variant]", 60, 32, {"key": 5})
	table["children"] = [_node(TYPE_FLOAT, "float", 84, 8, {"key": "a"})]
	# Behind the key, which is longer with double precision.
	var at := 108 + var_to_bytes(Vector2(1, 2)).size()
	var pair := _node(TYPE_ARRAY, "Array", at, 16, {"key": Vector2(1, 2)})
	pair["children"] = [_node(TYPE_ARRAY, "Array", at + 8, 8, {"index": 0})]
	var root := _node(TYPE_DICTIONARY, "Dictionary", 0, at + 16, {})
	root["children"] = [list, table, _node(TYPE_NIL, "Nil", 104, 4, {"key": &"n"}), pair]
	_check_same(_describe(var_to_bytes(value)), root, "tree")


func test_every_type() -> void:
	for value: Variant in Values.all():
		var bytes := var_to_bytes(value)
		_check_tree(bytes, bytes_to_var(bytes), type_string(typeof(value)))


func test_random_values() -> void:
	var generator := Generator.new(161803)
	for i: int in part_of(5000):
		var bytes := var_to_bytes(generator.value())
		if bytes.size() <= MAX_LEN * 4:
			_check_tree(bytes, bytes_to_var(bytes), "random value %d" % i)


func test_objects() -> void:
	var scripted := Scripted.new()
	scripted.content = [1, {"k": Resource.new()}]
	var bytes := var_to_bytes_with_objects(scripted)
	var tree := _describe(bytes)
	check_value(tree.get("class"), "RefCounted", "class of an object")
	var names := PackedStringArray()
	for child: Dictionary in tree.children:
		check_value(typeof(child.get("key")), TYPE_STRING, "type of a property's name")
		names.append(str(child.get("key")))
		_check_node(bytes, child, quietly(bytes.decode_var.bind(child.offset as int, true)), "")
	check_value(names, PackedStringArray(["script", "number", "words", "content"]), "properties")
	check_int(tree.size as int, bytes.size(), "size of an object")
	var inner: Dictionary = tree.children[3].children[1].children[0]
	check_value(inner.get("class"), "Resource", "class of an object inside")
	check_value(inner.get("key"), "k", "key of an object inside")
	var typed: Array[Scripted] = [scripted]
	var whole := VarBatch.describe(var_to_bytes_with_objects(typed))
	check_value(whole.type_name, "Array[res://conformance/support/scripted.gd]", "a script's array")
	whole = VarBatch.describe(var_to_bytes(typed))
	check_value(whole.type_name, "Array[EncodedObjectAsID]", "a script's array, ids")
	var resources: Dictionary[String, Resource] = {"r": Resource.new()}
	whole = VarBatch.describe(var_to_bytes_with_objects(resources))
	check_value(whole.type_name, "Dictionary[String, Resource]", "a class's dictionary")


## Objects, known or not, are only looked at.
func test_nothing_is_made() -> void:
	for hex: String in [
		"18000000 0b000000 4e6f53756368436c617373 00 00000000",
		"1c000200 0b000000 4e6f53756368436c617373 00 00000000",
		"1c000300 0a000000 7265733a2f2f6e6f6e65 0000 00000000",
		"18000000 00000000",
	]:
		var bytes := hex.replace(" ", "").hex_decode()
		var tree := _describe(bytes)
		check_int(tree.get("size", -1) as int, bytes.size(), "size of %s" % hex)
		check(not tree.has("error"), "error in %s" % tree)
	var tree := _describe("180000000b0000004e6f53756368436c6173730000000000".hex_decode())
	check_value(tree.get("class"), "NoSuchClass", "a class that is not there")


func test_trailing_and_missing_bytes() -> void:
	for value: Variant in [5, "text", [1, 2], {"k": PackedByteArray([1, 2, 3])}]:
		var bytes := var_to_bytes(value)
		var expected := _describe(bytes)
		_check_same(_describe(bytes + PackedByteArray([9, 9, 9])), expected, "with a tail")
	var phantom := "1d00000001000000ff".hex_decode()
	check_int(_describe(phantom).size as int, phantom.decode_var_size(0), "size without padding")
	var inside := "1c00000001000000".hex_decode() + phantom
	check_int(_describe(inside).size as int, inside.decode_var_size(0), "size around it")


func test_unreadable() -> void:
	for hex: String in ["", "02", "020000", "27000000", "ffffffff00000000"]:
		var bytes := hex.hex_decode()
		var expected := {"error": VarBatch.validate([bytes])[0]}
		_check_same(_describe(bytes), expected, "unreadable bytes '%s'" % hex)


## What could be read is there; the error is the one that validate() gives.
func test_truncations() -> void:
	var typed: Array[int] = [1, 2]
	for value: Variant in [
		5, "text", [1, 2, 3], {"k": [1, "two", typed]}, {1: {2: {3: [[4]]}}}, Resource.new()
	]:
		var bytes := var_to_bytes_with_objects(value)
		var whole := _describe(bytes)
		for part: PackedByteArray in truncations(bytes):
			var tree := _describe(part)
			var what := "part of %d bytes of %s" % [part.size(), whole.type_name]
			check_value(tree.get("error"), VarBatch.validate([part], true)[0], what)
			if tree.size() > 1 or (part.size() >= 8 and bytes[0] in CONTAINERS):
				_check_partial(tree, whole, part.size(), what)


func test_random_damage() -> void:
	var generator := Generator.new(141421)
	for i: int in part_of(20_000):
		var bytes := var_to_bytes(generator.value()).slice(0, MAX_LEN)
		for change: int in 3:
			bytes[generator.random.randi() % bytes.size()] = generator.random.randi()
		var tree := _describe(bytes)
		# Objects that are refused are described all the same.
		var reason := VarBatch.validate([bytes])[0]
		if not reason.begins_with("expected no object"):
			check_value(tree.get("error", ""), reason, "damaged: %s" % bytes.hex_encode())
		if reason.is_empty():
			var size: int = quietly(bytes.decode_var_size.bind(0))
			check_int(tree.get("size", -1) as int, size, "size of damaged bytes")


func test_deep_and_wide() -> void:
	var started := Time.get_ticks_msec()
	var deep := var_to_bytes(Values.Engines.nested(1025))
	var tree := _describe(deep)
	for i: int in 1025:
		check_int(tree.size as int, deep.size() - 8 * i, "size at depth %d" % i)
		check_int(_children(tree).size(), 1 if i < 1024 else 0, "children at depth %d" % i)
		tree = tree.children[0] if i < 1024 else {}
	var too_deep := "1c00000001000000".repeat(1026).hex_decode() + var_to_bytes(1)
	check("1024 levels" in str(_describe(too_deep).get("error")), "too deep")
	var wide := range(100_000)
	tree = _cut(var_to_bytes(wide), 100_001)
	check_int(tree.children.size(), 100_000, "children")
	check_int(tree.children[-1].offset as int, 8 + 99_999 * 8, "offset of the last child")
	check_time(started, MAX_MSEC, "deep and wide")


## A list shows half of the nodes at most, and says how many of its elements are left out.
func test_a_long_list() -> void:
	var bytes := var_to_bytes(range(1000))
	for max_nodes: int in [1, 2, 3, 100, 999, 1000]:
		var tree := _cut(bytes, max_nodes)
		check_int(tree.size as int, bytes.size(), "size")
		check_int(_children(tree).size(), max_nodes / 2, "children of %d nodes" % max_nodes)
		check_int(tree.get("omitted", 0) as int, 1000 - max_nodes / 2, "omitted")
		check(max_nodes > 1 or not tree.has("children"), "children of a root alone")
	for max_nodes: int in [1001, 100_000, 0x7fffffff, 0x7fffffffffffffff]:
		var whole := _cut(bytes, max_nodes)
		check_int(_children(whole).size(), 1000, "children of all")
		check(not whole.has("omitted"), "nothing is left out")


## The upper levels first, then as many children of each node.
func test_a_cut_tree() -> void:
	var entity := {"name": "x", "pos": Vector3.ONE, "tags": ["a", "b"]}
	var entities: Array = []
	entities.resize(10_000)
	entities.fill(entity)
	var save := {"world": {"entities": entities}, "player": {"hp": 7, "at": [1, 2]}, "list": [[1]]}
	var bytes := var_to_bytes(save)
	var tree := _cut(bytes, 500)
	check_int(tree.size as int, bytes.size(), "size")
	check_int(_children(tree).size(), 3, "keys at the top")
	var world: Dictionary = tree.children[0].children[0]
	check_value(world.key, "entities", "the long list")
	check_int(_children(world).size() + (world.omitted as int), 10_000, "entities")
	check(_children(world).size() > 50, "%d entities" % _children(world).size())
	for shown: Dictionary in _children(world):
		check_value(bytes.decode_var(shown.offset as int), entity, "a shown entity")
		check_int(_children(shown).size(), 3, "fields of an entity")
		check_int(_children(shown.children[2] as Dictionary).size(), 2, "tags")
	check_int(_children(tree.children[1].children[1] as Dictionary).size(), 2, "what is beside")
	check_int(_children(tree.children[2].children[0] as Dictionary).size(), 1, "and behind")
	# What was left out is in a part of the bytes.
	var from: int = world.offset
	var part := _cut(bytes.slice(from, from + int(world.size)), 200_000)
	check_int(_children(part).size(), 10_000, "entities on their own")


func test_the_number_of_nodes() -> void:
	var generator := Generator.new(271828)
	for i: int in part_of(500):
		var bytes := var_to_bytes([generator.value(), generator.value(), generator.value()])
		var all := _count(_cut(bytes, 1_000_000))
		for max_nodes: int in [1, 2, 5, 10, all - 1, all, all + 1]:
			var shown := _count(_cut(bytes, max_nodes))
			check(shown <= max_nodes, "%d nodes of %d" % [shown, max_nodes])
			check(max_nodes < all or shown == all, "%d nodes of %d" % [shown, all])


## The error is found where no node is made any more.
func test_an_error_behind_the_cut() -> void:
	var bytes := var_to_bytes([range(1000), range(1000), "end"])
	for length: int in [bytes.size() - 4, bytes.size() - 8, 9000, 5000, 12]:
		var part := bytes.slice(0, length)
		for max_nodes: int in [1, 10, 500]:
			var tree := _cut(part, max_nodes)
			check_value(tree.get("error"), VarBatch.validate([part])[0], "%d bytes" % length)
			check(_count(tree) <= max_nodes, "nodes")
			check(int(tree.size) <= length, "size")


func test_bad_numbers_of_nodes() -> void:
	for max_nodes: int in [0, -1, -0x7fffffffffffffff]:
		var describe := func() -> Dictionary: return _cut(var_to_bytes(1), max_nodes)
		var line := "VarBatch.describe: expected a max_nodes of at least 1, found %d" % max_nodes
		check_value(expect_lines(describe, [line]), {}, "max_nodes %d" % max_nodes)
		check_int(VarBatch.get_last_error(), ERR_INVALID_PARAMETER, "the last error")


## Keys that hold as much as a tree are not made.
func test_large_keys() -> void:
	var key: Array = []
	key.resize(1000)
	var bytes := var_to_bytes({key: 1, [2]: 3})
	check_value(_cut(bytes, 2000).children[0].key, key, "a large key")
	var tree := _cut(bytes, 500)
	check_value(tree.children[0].key, "Array", "a large key")
	check_value(tree.children[1].key, [2], "a small key")


## 8 MiB of nulls: 3.8 GB and 10 s without a bound.
func test_memory_and_time() -> void:
	var bytes := Values.u32(TYPE_ARRAY) + Values.u32(0)
	bytes.resize(8 << 20)
	bytes.encode_u32(4, (bytes.size() - 8) / 4)
	var before := OS.get_static_memory_usage()
	var started := Time.get_ticks_msec()
	var tree := VarBatch.describe(bytes)
	check_time(started, MAX_MSEC, "8 MiB of nulls")
	var grown := OS.get_static_memory_usage() - before
	check_int(_children(tree).size() + int(tree.omitted), (bytes.size() - 8) / 4, "children")
	check(grown < 64 << 20, "grew by %d bytes" % grown)


func _cut(bytes: PackedByteArray, max_nodes: int) -> Dictionary:
	return VarBatch.describe(bytes, VarBatch.DIALECT_GODOT_4, max_nodes)


func _children(node: Dictionary) -> Array:
	return node.get("children", [])


func _count(node: Dictionary) -> int:
	var count := 1
	for child: Dictionary in _children(node):
		count += _count(child)
	return count


func _describe(bytes: PackedByteArray) -> Dictionary:
	return expect_errors(func() -> Dictionary: return VarBatch.describe(bytes), 0, "")


func _node(type: int, name: String, offset: int, size: int, more: Dictionary) -> Dictionary:
	var node := {"type": type, "type_name": name, "offset": offset, "size": size}
	node.merge(more)
	return node


## The order of fields does not matter.
func _check_same(found: Variant, expected: Variant, what: String) -> void:
	var difference := "" if str(_sorted(found)) == str(_sorted(expected)) else str(found)
	check(difference.is_empty(), "%s: expected %s, found %s" % [what, expected, difference])


func _sorted(tree: Dictionary) -> Dictionary:
	var copy := tree.duplicate()
	if copy.has("children"):
		copy.children = (copy.children as Array).map(_sorted)
	copy.sort()
	return copy


func _check_tree(bytes: PackedByteArray, value: Variant, what: String) -> void:
	var tree := _describe(bytes)
	check(not tree.has("error"), "%s: %s" % [what, tree.get("error")])
	check(not tree.has("key") and not tree.has("index"), "the root has a place: %s" % tree)
	_check_node(bytes, tree, value, what)


## That the engine reads just [param value] at the node, and so on below.
func _check_node(bytes: PackedByteArray, node: Dictionary, value: Variant, what: String) -> void:
	if not node.has_all(FIELDS):
		check(false, "%s: fields of %s" % [what, node])
		return
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
	if value is Array and (value as Array).is_typed():
		var array: Array = value
		return "Array[%s]" % _part_name(array.get_typed_builtin(), array.get_typed_class_name())
	if value is Dictionary and (value as Dictionary).is_typed():
		var table: Dictionary = value
		var key := _part_name(table.get_typed_key_builtin(), table.get_typed_key_class_name())
		var part := _part_name(table.get_typed_value_builtin(), table.get_typed_value_class_name())
		return "Dictionary[%s, %s]" % [key, part]
	return type_string(typeof(value))


func _part_name(type: int, name: StringName) -> String:
	if type == TYPE_NIL:
		return "Variant"
	return type_string(type) if name.is_empty() else str(name)


## That nothing in the tree is made up: every node is one of the whole tree, cut off at most.
func _check_partial(tree: Dictionary, whole: Dictionary, end: int, what: String) -> void:
	if not tree.has_all(FIELDS):
		check(false, "%s: fields of %s" % [what, tree])
		return
	for field: String in ["type", "type_name", "offset"]:
		check_value(tree[field], whole[field], "%s, %s" % [field, what])
	check(tree.offset + tree.size <= end, "%s: a node behind the end: %s" % [what, tree])
	var children := _children(tree)
	var all := _children(whole)
	check(children.size() <= all.size(), "%s: too many children" % what)
	for i: int in mini(children.size(), all.size()):
		_check_partial(children[i] as Dictionary, all[i] as Dictionary, end, what)

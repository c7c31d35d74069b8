extends "undo_base.gd"
## VarBatchUndoRecorder.compare() and compare_all() of two objects.

const Listed := preload("listed.gd")


func test_two_nodes() -> void:
	var before: Sprite2D = node(Sprite2D.new())
	var after: Sprite2D = node(Sprite2D.new())
	check(VarBatchUndoRecorder.compare(before, after).is_empty(), "two that are alike")
	after.position.y = 7
	after.modulate = Color(1, 0.5, 0.5)
	after.name = "Other"
	var found := VarBatchUndoRecorder.compare(before, after)
	check_shown(
		found,
		["modulate: Color(1, 1, 1, 1) > Color(1, 0.5, 0.5, 1)", "position:y: 0.0 > 7.0"],
		"two nodes"
	)
	for row: Dictionary in found:
		check(
			row.keys() == ["object", "property", "op", "old", "new"], "keys are %s" % [row.keys()]
		)
		check(is_same(row.object, after), "the object of %s" % row.property)
		check(typeof(row.op) == TYPE_STRING and row.op == "set", "the op of %s" % row.property)
		after.set_indexed(NodePath(row.property as String), row.old)
	check(VarBatchUndoRecorder.compare(before, after).is_empty(), "after all were set back")
	check(VarBatchUndoRecorder.compare(after, after).is_empty(), "a node and itself")
	before.position.x = 1
	after.offset.x = 1
	var names: PackedStringArray = ["position", "global_position"]
	check_int(VarBatchUndoRecorder.compare(before, after, names).size(), 2, "named ones")
	check_shown(
		VarBatchUndoRecorder.compare(before, after, ["offset"]), ["offset:x: 0.0 > 1.0"], "named"
	)


## Every kind of value against the next one, and against itself.
func test_values() -> void:
	var values: Array = Values.all()
	for index: int in values.size():
		var old: Variant = values[index]
		var new: Variant = values[(index + 1) % values.size()]
		var what := type_string(typeof(old))
		check(_compared(old, old).is_empty(), "%s and itself" % what)
		if var_to_bytes(old) == var_to_bytes(new):
			continue
		var found := _compared(old, new)
		check_int(found.size(), 1, "differences of a %s" % what)
		if found.size() == 1 and found[0].property == "value":
			check_exact(found[0].old, old, "old %s" % what)
			check_exact(found[0].new, new, "new %s" % what)


## What only one of the two has.
func test_other_properties() -> void:
	var before: Node = node(Node2D.new())
	var after: Node = node(Sprite2D.new())
	before.set_meta(&"mine", [1])
	after.set_meta(&"yours", 2)
	var rows := _by_property(VarBatchUndoRecorder.compare(before, after))
	_check_row(rows, "metadata/mine", "remove", [1], null)
	_check_row(rows, "metadata/yours", "insert", null, 2)
	_check_row(rows, "centered", "insert", null, true)
	check(not rows.has("position"), "a property that both have")
	var back := _by_property(VarBatchUndoRecorder.compare(after, before))
	_check_row(back, "metadata/mine", "insert", null, [1])
	_check_row(back, "centered", "remove", true, null)
	check_int(back.size(), rows.size(), "differences the other way round")
	_check_row(
		_by_property(VarBatchUndoRecorder.compare(before, after, ["centered"])),
		"centered",
		"insert",
		null,
		true
	)
	# What a script lists for itself.
	var lists: Array[Listed] = [Listed.new(), Listed.new()]
	lists[0].extra = ["a", "b"]
	lists[1].extra = ["b", "c"]
	lists[1].values["b"] = 5
	lists[1].is_hidden = true
	rows = _by_property(VarBatchUndoRecorder.compare(lists[0], lists[1]))
	_check_row(rows, "a", "remove", 0, null)
	_check_row(rows, "b", "set", 0, 5)
	_check_row(rows, "c", "insert", null, 0)
	_check_row(rows, "value", "remove", 1, null)
	check_int(rows.size(), 4, "differences of two lists: %s" % [rows.keys()])
	# A script that only one of them has.
	after = node(Node2D.new())
	after.set_script(OfNode)
	var plain: Node = node(Node2D.new())
	for row: Dictionary in VarBatchUndoRecorder.compare(plain, after):
		check(row.op == "insert" and row.property != "script", "row %s" % row)


## A class that stores a property for some of its objects only.
func test_doubtful_properties() -> void:
	var before: Node = node(Node.new())
	var after: Node = node(Node.new())
	after.process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	after.process_thread_group_order = 3
	var rows := _by_property(VarBatchUndoRecorder.compare(before, after))
	_check_row(rows, "process_thread_group", "set", 0, 2)
	check_int(_stored(before, "process_thread_group_order"), 0, "stored by the first")
	check_int(_stored(after, "process_thread_group_order"), 1, "stored by the second")
	_check_row(rows, "process_thread_group_order", "insert", null, 3)
	rows = _by_property(VarBatchUndoRecorder.compare(after, before))
	_check_row(rows, "process_thread_group_order", "remove", 3, null)


func test_references() -> void:
	var a: Node = node(Node.new())
	var b: Node = node(Node.new())
	var other: Node = node(Node.new())
	var references := {a: b}
	var old: Array = [a, {"k": [a, 1], a: 2}, a.renamed]
	var new: Array = [b, {"k": [b, 1], b: 2}, b.renamed]
	check_int(_compared(old, new).size(), 1, "differences without references")
	check(_compared(old, new, references).is_empty(), "references at any depth")
	check(_compared(a, b, references).is_empty(), "a reference")
	check(_compared(a.renamed, b.renamed, references).is_empty(), "a signal")
	var typed: Array[Node] = [a, null]
	var mapped: Array[Node] = [b, null]
	check(_compared(typed, mapped, references).is_empty(), "a typed array")
	check_int(_compared(typed, [b, null], references).size(), 1, "an array of another type")
	check_int(_compared(b, a, references).size(), 1, "the other way round")
	check_int(_compared(a, a, references).size(), 1, "the same object, where another is meant")
	var found := _compared(a, other, references)
	check_int(found.size(), 1, "another object")
	check(is_same(found[0].old, b) and is_same(found[0].new, other), "old is the mapped one")
	found = _compared([a, 1], [b, 2], references)
	check(is_same((found[0].old as Array)[0], b), "old inside of an array is the mapped one")
	# The two objects themselves belong together.
	var one := box(null)
	var two := box([2])
	one.value = [one]
	two.value = [two]
	check(VarBatchUndoRecorder.compare(one, two).is_empty(), "themselves")
	one.value = null
	two.value = null
	# What is no object, or gone, maps nothing.
	var gone := Node.new()
	var strange: Dictionary = {1: 2, a: null, gone: b, b: gone}
	gone.free()
	check_int(_compared(a, b, strange).size(), 1, "references that are none")


func test_all_pairs() -> void:
	for threads: int in [1, 2, 5]:
		VarBatch.set_thread_count(threads)
		var pairs: Dictionary = {}
		for i: int in 3000:
			pairs[box(i)] = box(i if i % 3 else [i])
		var found := VarBatchUndoRecorder.compare_all(pairs)
		check_int(found.size(), 1000, "differences with %d threads" % threads)
		var afters: Array = pairs.values()
		for index: int in found.size():
			var row := found[index]
			if not is_same(row.object, afters[index * 3]) or row.old != index * 3:
				check(false, "row %d is %s" % [index, row])
	VarBatch.set_thread_count(0)
	# Objects that belong together, as the pairs say it or the references.
	var a := box(null)
	var b := box(null)
	a.value = box(a)
	b.value = box(b)
	var pairs: Dictionary = {a: b, a.value: b.value}
	check(VarBatchUndoRecorder.compare_all(pairs).is_empty(), "pairs are references")
	check_int(VarBatchUndoRecorder.compare_all({a: b}).size(), 1, "without the second")
	check(VarBatchUndoRecorder.compare_all({a: b}, [], pairs).is_empty(), "references")
	a.value = null
	b.value = null
	# One object with many, and many with one.
	check_int(VarBatchUndoRecorder.compare_all({box(1): a, box(2): a}).size(), 2, "with one")
	check(VarBatchUndoRecorder.compare_all({}).is_empty(), "no pairs")
	var typed: Dictionary[Box, Box] = {box(1): box(2)}
	check_int(VarBatchUndoRecorder.compare_all(typed, [], typed).size(), 1, "typed pairs")
	# An array of pairs: one object with many, each of which refers to itself.
	var original := box(null)
	original.value = original
	var copies: Array = [box(null), box(1), box(null)]
	copies[0].value = copies[0]
	copies[2].value = copies[2]
	var found := VarBatchUndoRecorder.compare_all(
		copies.map(func(to: Box) -> Array: return [original, to])
	)
	check(found.size() == 1 and is_same(found[0].object, copies[1]), "one with many: %s" % [found])
	for cyclic: Box in [original, copies[0], copies[2]]:
		cyclic.value = null


## The nodes of two instances of a scene, and the resources that each has for itself.
## A duplicated branch, with other nodes in it, other names, and chains and rings of resources.
func test_wrong_arguments() -> void:
	var object := box(1)
	var gone := Node.new()
	gone.free()
	for wrong: Array in [[null, "null"], [gone, "a freed object"]]:
		var text := "expected an object, found %s" % wrong[1]
		var compare := func() -> Array: return VarBatchUndoRecorder.compare(object, wrong[0])
		check(expect_errors(compare, 1, "after: " + text).is_empty(), "with %s" % wrong[1])
		compare = func() -> Array: return VarBatchUndoRecorder.compare(wrong[0], object)
		check(expect_errors(compare, 1, "before: " + text).is_empty(), "of %s" % wrong[1])
		var map := func() -> Dictionary:
			return VarBatchUndoRecorder.map_references(wrong[0], object)
		check(expect_errors(map, 1, "before: " + text).is_empty(), "a map of %s" % wrong[1])
	var all := func() -> Array:
		return VarBatchUndoRecorder.compare_all({box(1): box(2), 5: box(3), box(4): "x"})
	var lines: PackedStringArray = [
		"VarBatchUndoRecorder.compare_all: pair 1: before: expected an object, found int",
		"VarBatchUndoRecorder.compare_all: pair 2: after: expected an object, found String",
	]
	check_int((expect_lines(all, lines) as Array).size(), 1, "differences of the others")
	for wrong: Array in [
		[5, "expected a Dictionary or an Array of pairs, found int"],
		[[[object, object], 5], "pair 1: expected an Array of two objects, found int"],
		[[[object]], "pair 0: expected an Array of two objects, found one of size 1"],
	]:
		var call_it := func() -> Array: return VarBatchUndoRecorder.compare_all(wrong[0])
		check(
			(expect_errors(call_it, 1, wrong[1] as String) as Array).is_empty(), "%s" % [wrong[1]]
		)
	var missing := func() -> Array:
		return VarBatchUndoRecorder.compare(object, box(2), ["nothing", "value"])
	check_int(
		(expect_errors(missing, 1, 'has no property "nothing"') as Array).size(), 1, "the others"
	)


## Getters that free what is compared, and compare themselves.
func test_hostile_getters() -> void:
	var nodes: Array = [node(Node2D.new()), node(Node2D.new())]
	Box.on_get = func(_object: Box) -> void:
		Box.reset()
		(nodes[1] as Node).free()
	var all := func() -> Array:
		return VarBatchUndoRecorder.compare_all({box(1): box(2), nodes[0]: nodes[1]})
	check_int(
		(expect_errors(all, 1, "expected an object, found a freed object") as Array).size(),
		1,
		"what is left"
	)
	nodes[1] = node(Node2D.new())
	Box.on_get = func(object: Box) -> void:
		if object.value == 2:
			Box.reset()
			(nodes[0] as Node).free()
	all = func() -> Array:
		return VarBatchUndoRecorder.compare_all({nodes[0]: nodes[1], box(1): box(2)})
	check_int(
		(
			(expect_logged(all, 0, 1, "pair 0: skipped: a getter freed one of the two") as Array)
			. size()
		),
		1,
		"what is left after all were read"
	)
	var depth: Array = [0]
	Box.on_get = func(object: Box) -> void:
		if depth[0] < 3:
			depth[0] += 1
			VarBatchUndoRecorder.compare(object, box(7))
			recorder.record(object)
	var one := box(1)
	check_int(VarBatchUndoRecorder.compare(one, box(2)).size(), 1, "with getters that compare")
	Box.reset()
	check(recorder.flush().is_empty(), "what the getters recorded")


func test_many_threads() -> void:
	var threads := start_threads(4, _compare_alone.unbind(1))
	check_value(end_threads(threads), [499, 499, 499, 499], "differences on threads")


## Time grows with the number of references, and not faster.
func _compare_alone() -> int:
	var pairs: Dictionary = {}
	for i: int in 1000:
		pairs[box([i])] = box([i % 2 * i])
	return VarBatchUndoRecorder.compare_all(pairs).size()


func _compared(before: Variant, after: Variant, references := {}) -> Array[Dictionary]:
	return VarBatchUndoRecorder.compare(box(before), box(after), [], references)


static func _by_property(rows: Array[Dictionary]) -> Dictionary:
	var found: Dictionary = {}
	for row: Dictionary in rows:
		found[row.property] = row
	return found


func _check_row(rows: Dictionary, path: String, op: String, old: Variant, new: Variant) -> void:
	var row: Dictionary = rows.get(path, {})
	check(not row.is_empty(), "no row of %s in %s" % [path, rows.keys()])
	if not row.is_empty():
		check(row.op == op, "%s of %s" % [row.op, path])
		check_exact([row.old, row.new], [old, new], "values of %s" % path)


static func _stored(object: Object, named: String) -> int:
	for property: Dictionary in object.get_property_list():
		if property.name == named:
			return 1 if property.usage & PROPERTY_USAGE_STORAGE else 0
	return 0


## A scene of four nodes, whose shape each instance has for itself.
class OfNode:
	extends Node2D
	@export var health := 3

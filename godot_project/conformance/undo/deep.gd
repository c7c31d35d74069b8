extends "deep_base.gd"
## What flush(true) gives: each change inside of arrays, dictionaries and packed arrays.

const SEED := 20261123
const COUNT := 20_000
const BATCH := 200
const MANY := 100_000


## Names are kept beside the bytes, and are told all the same.
func test_names() -> void:
	var before := {&"hp": 7, &"bag": [&"rope", ^"a/b:c"], ^"x": &"y", "s": &"t"}
	var after := {&"hp": 5, &"bag": [&"lamp", ^"a/b:d"], ^"x": &"z", "s": "t"}
	var expected: PackedStringArray = [
		'set [&"hp"]: 7 > 5',
		'set [&"bag", 0]: &"rope" > &"lamp"',
		'set [&"bag", 1]: NodePath("a/b:c") > NodePath("a/b:d")',
		'set [NodePath("x")]: &"y" > &"z"',
		'set ["s"]: &"t" > "t"',
	]
	check_deep(before, after, expected, "names")
	var paths: Array = [^"", ^":a", ^"/a/b", ^"../..:a:b", ^"/", NodePath("a//b"), ^".", ^"x:"]
	for at: int in paths.size():
		var line := "set [1]: %s > %s" % [var_to_str(paths[at - 1]), var_to_str(paths[at])]
		if paths[at - 1] != paths[at]:
			check_deep([1, paths[at - 1], &"x"], [1, paths[at], &"x"], [line], line)
	check_deep([&"a", &"b"] as Array[StringName], [&"a", &"c", &"b"] as Array[StringName], ['insert [1]: null > &"c"'], "typed names")


func test_order_of_objects() -> void:
	var boxes: Array = [box([1, 2]), box(1), box({"a": 1}), box([])]
	recorder.record_all(boxes)
	edit_all(boxes, {"other": {}})
	boxes[0].value = [3, 2, 4]
	boxes[2].value = {"a": 2}
	var place := func(row: Dictionary) -> String: return "%d %s %s" % [boxes.find(row.object), row.property, row.path]
	var told := "|".join(recorder.flush(true).map(place))
	var first := "0 value [0]|0 value [2]|0 other []|1 other []"
	check(told == first + '|2 value ["a"]|2 other []|3 other []', "order: %s" % told)
	check(recorder.flush(true).is_empty(), "flush(true) twice")


func test_every_kind() -> void:
	var values: Array = Values.all()
	var wholes := 0
	for index: int in values.size():
		var before: Variant = values[index]
		var after: Variant = values[(index + 1) % values.size()]
		if var_to_bytes(before) == var_to_bytes(after):
			continue
		var what := "%s to %s" % [type_string(typeof(before)), type_string(typeof(after))]
		var is_hidden := typeof(before) in HIDDEN and typeof(after) in HIDDEN
		var pairs: Array = [
			[[1, before, "x"], [1, after, "x"], 1],
			[{"k": before, "n": 1}, {"k": after, "n": 1}, "k"],
			[[0, {"deep": [before]}], [0, {"deep": [after]}], 1],
		]
		for pair: Array in pairs:
			for row: Dictionary in deep(pair[0], pair[1], what):
				var is_whole := (row.path as Array).is_empty()
				wholes += int(is_whole)
				check(not is_whole or is_hidden, "%s is told as a whole" % what)
				check(is_whole or row.path[0] == pair[2], "%s: path %s" % [what, row.path])
		var rows := deep(before, after, "alone, " + what)
		if typeof(before) != typeof(after):
			check_int(rows.size(), 1, "changes, alone, " + what)
			check(rows[0].path == [] and rows[0].op == "set", "alone, %s: %s" % [what, rows[0]])
		deep({before: 1, "n": 1}, {after: 1, "n": 2}, "as a key, " + what)
		deep({before: [1], "n": 1}, {before: [2], "n": 1}, "inside of a key, " + what)
		if failures.size() >= MAX_FAILURES:
			return
	check(wholes < values.size() / 4, "%d values are told as a whole" % wholes)


func test_typed_containers() -> void:
	var one: Node = node(Node.new())
	var two: Node = node(Node2D.new())
	var boxes: Array[Box] = [box(1), box(2)]
	check_int(deep([one, null, two] as Array[Node], [one, two, null] as Array[Node], "nodes").size(), 2, "changes of nodes")
	check_deep(boxes, [boxes[1], boxes[0], boxes[1]] as Array[Box], ["insert [0]: null > Box"], "boxes")
	var table: Dictionary[String, Box] = {"a": boxes[0]}
	var rows := deep(table, {"a": boxes[1], "b": boxes[0]} as Dictionary[String, Box], "by script")
	var expected: PackedStringArray = ['set ["a"]: Box > Box', 'insert ["b"] at 1: null > Box']
	check(told_of(rows) == expected, "by script: %s" % told_of(rows))
	check(is_same(rows[0].old, boxes[0]) and is_same(rows[1].new, boxes[0]), "the same boxes")
	var by_node: Dictionary[Node, Array] = {one: [1], two: [2]}
	rows = deep([by_node], [{one: [1], two: [3]} as Dictionary[Node, Array]], "by node")
	check_int((rows[0].path as Array).size(), 3, "path to an element of a node's array")
	check(is_same(rows[0].path[1], two), "the node in the path")
	var packed: Array[PackedInt32Array] = [PackedInt32Array([1, 2])]
	expected = ["set [0, 1]: PackedInt32Array(2) > PackedInt32Array(3)"]
	check_deep(packed, [PackedInt32Array([1, 3])] as Array[PackedInt32Array], expected, "packed in typed")


## Two scripts without files: the bytes do not tell them apart.
func test_scripts_without_files() -> void:
	var lists: Array = []
	var empty: Array = []
	for source: String in ["extends RefCounted\nvar x := 1\n", "extends RefCounted\nvar y := 1\n"]:
		var script := script_of(source)
		empty.append(Array([], TYPE_OBJECT, &"RefCounted", script))
		lists.append(Array([script.new(), null], TYPE_OBJECT, &"RefCounted", script))
	var longer: Array = (lists[0] as Array).duplicate()
	longer.append(null)
	check_deep([lists[0], &"x"], [longer, &"x"], ["insert [0, 2]: null > null"], "of one script")
	var rows := deep([empty[0], 1], [empty[1], 2], "of two scripts")
	check_value(rows[0].path, [], "path if the script changed")
	var script_of_new: Variant = (rows[0].new[0] as Array).get_typed_script()
	check(is_same(script_of_new, empty[1].get_typed_script()), "the script of the new value")
	rows = deep([1, empty[0]], [1, empty[0], empty[1]], "of another script, inserted")
	check_value(rows[0].path, [2], "path to an array of another script")
	script_of_new = (rows[0].new as Array).get_typed_script()
	check(is_same(script_of_new, empty[1].get_typed_script()), "the script of what was inserted")


func test_objects() -> void:
	var resource := Resource.new()
	var child: Node = node(Node.new())
	var other: Node = node(Node.new())
	var before: Array = [resource, {child: [1, {other: "x"}]}, other]
	var rows := deep(before, [child, {child: [1, {other: "y"}]}, other, resource], "objects")
	check_int(rows.size(), 3, "changes")
	check(is_same(rows[0].old, resource) and is_same(rows[0].new, child), "an element")
	var path: Array = rows[1].path
	check_int(path.size(), 4, "steps to what is deep inside")
	check(is_same(path[1], child) and is_same(path[3], other), "objects in a path")
	check(is_same(rows[2].new, resource), "an object that was inserted")
	rows = deep({child: 1, other: 2}, {other: 2, resource: 3}, "objects as keys")
	check_int(rows.size(), 2, "changes of keys")
	check(is_same(rows[0].path[0], child) and is_same(rows[1].path[0], resource), "the keys")
	check_value([rows[0].index, rows[1].index], [0, 1], "their places")
	rows = deep([1, [resource, [child]]], [1, [resource, [child, {"k": child}]]], "an entry")
	check(is_same(rows[0].new.k, child), "an object in a value that was inserted")
	rows = deep({[child, 1]: [1]}, {[child, 1]: [2]}, "an object in a key")
	check(is_same(rows[0].path[0][0], child), "the object in a key")


func test_freed_objects() -> void:
	var gone: Array[Node] = [Node.new(), Node.new(), Node.new(), Node.new(), Node.new()]
	var stays: Node = node(Node.new())
	var objects: Array = [
		box({"list": [1, gone[0], stays, 2]}),
		box({gone[1]: [1], "k": [stays], stays: 1}),
		box({gone[2]: [0], gone[3]: [1], gone[4]: [2]}),
	]
	recorder.record_all(objects, ["value"])
	for freed: Node in gone:
		freed.free()
	objects[0].value.list[3] = 3
	objects[1].value.k.append(1)
	var rows := recorder.flush(true)
	var told := told_of(rows)
	check('set ["list", 3]: 2 > 3' in told, "beside a freed object: %s" % told)
	check('set ["list", 1]: null > null' in told, "a freed object: %s" % told)
	# A path to a freed key would be a path to null.
	for object: Box in objects.slice(1):
		var of_box := rows.filter(func(row: Dictionary) -> bool: return row.object == object)
		check_int(of_box.size(), 1, "changes with a freed key")
		check_value(of_box[0].path, [], "path with a freed key")
	check(is_same((rows[-2].old as Dictionary).k[0], stays), "what is beside a freed key")


func test_hidden_values() -> void:
	var values := hidden_values()
	var calls: Array[Callable] = []
	calls.assign(values.filter(func(value: Variant) -> bool: return value is Callable))
	for at: int in values.size():
		var before: Variant = values[at - 1]
		var after: Variant = values[at]
		# Each: the two values, the number of changes, and the path of the first if it matters.
		var pairs: Array = [
			[[1, before, 2], [1, after, 3], 1, []],
			[[1, before, 2], [1, before, 3, after], 2, [2]],
			[[1, [before], 2, after], [1, [before, 5], 2, after], 1, [1, 1]],
			[{before: [1], "k": [after, 1]}, {before: [2], "k": [after, 2]}, 2, [before, 0]],
			[{before: 1, after: 2}, {before: 1, after: 3}, 1, null],
		]
		for pair: Array in pairs:
			var what := "hidden %d, %s" % [at, pair]
			var rows := deep(pair[0], pair[1], what)
			check_int(rows.size(), pair[2] as int, "changes, " + what)
			check(pair[3] == null or rows[0].path == pair[3], "path %s, %s" % [rows[0].path, what])
			if pair[3] == [2]:
				check(rows[1].new == after, "inserted, " + what)
		deep([before, [1, after]], [[1, after], before], "turned, hidden %d" % at)
		deep([{before: 1}, after, 7], [after, {after: 1}, 7], "among others, hidden %d" % at)
	deep(calls, calls.slice(1), "typed callables")
	deep(values, values.slice(3) + values, "all of them")


## Like VarBatch.diff() on the bytes, unless these do not show all.
func test_generated() -> void:
	var count := part_of(COUNT)
	var generator := Generator.new(SEED)
	var edits := Edits.new(generator, false)
	# Of values that were compared, and of changes.
	var counts: Array[int] = [0, 0]
	var check_some := func(size: int, seed_of_batch: int) -> void:
		var pairs: Array = []
		for i: int in size:
			# It may hold what bytes do not show.
			var is_hidden := i % 4 == 0
			var before: Variant = edits.value()
			if is_hidden:
				hide(before, generator.random)
			var after: Variant = edits.edited(before)
			if is_hidden:
				hide(after, generator.random)
			if is_hidden or (edits.is_stable(before) and edits.is_stable(after)):
				pairs.append([before, after, is_hidden])
		_check_generated(pairs, counts, "seed %d, pair" % seed_of_batch)
	in_batches(count, BATCH, SEED, generator.random, check_some)
	print("  flush(true): %d values, %d changes" % counts)
	check(counts[0] > count / 2, "only %d of %d values" % [counts[0], count])
	check(counts[1] > counts[0], "only %d changes" % counts[1])


func _check_generated(pairs: Array, counts: Array[int], what: String) -> void:
	var boxes := pairs.map(func(pair: Array) -> Box: return box(pair[0]))
	record_twice(boxes)
	for i: int in boxes.size():
		boxes[i].value = pairs[i][1]
	var wholes := _by_object(whole_recorder.flush())
	var told := _by_object(recorder.flush(true))
	check_int(told.size(), wholes.size(), "changed boxes of " + what)
	for i: int in boxes.size():
		var rows: Array[Dictionary] = told.get(boxes[i], [] as Array[Dictionary])
		if rows.is_empty() or not rows[0].property == "value":
			continue
		check_rows(rows, wholes[boxes[i]][0] as Dictionary, "%s %d" % [what, i])
		if not pairs[i][2]:
			var like := VarBatch.diff(var_to_bytes(pairs[i][0]), var_to_bytes(pairs[i][1]))
			var live: Array = Edits.resolved(like.map(_copied))
			check_bytes(var_to_bytes(rows.map(_copied)), var_to_bytes(live), "diff(), %s %d" % [what, i])
		counts[0] += 1
		counts[1] += rows.size()


func _copied(row: Dictionary) -> Dictionary:
	var change_of := row.duplicate(not row.has("object"))
	change_of.erase("object")
	change_of.erase("property")
	return change_of


func _by_object(rows: Array[Dictionary]) -> Dictionary:
	var sorted := {}
	for row: Dictionary in rows:
		(sorted.get_or_add(row.object, [] as Array[Dictionary]) as Array[Dictionary]).append(row)
	return sorted


## Ten times as many changes, with something kept for each, take about ten times as long.
func test_many_changes() -> void:
	var times: Array[int] = []
	var child: Node = node(Node.new())
	for count: int in [MANY / 10, MANY]:
		var object := box(range(count).map(func(i: int) -> Array: return [child, i, &"name"]))
		recorder.record(object, ["value"])
		for i: int in count:
			object.value[i][1] = -1
		var started := Time.get_ticks_usec()
		var rows := recorder.flush(true)
		times.append(Time.get_ticks_usec() - started)
		check_int(rows.size(), count, "changes")
		check_value(rows[-1].path, [count - 1, 1], "path of the last")
	check(times[1] < times[0] * 30 + 3_000_000 * slowness, "%d changes took %s us" % [MANY, times])
	# More than that would take far more memory than the value.
	var ints := filled(4 * MANY, 0)
	var flat := box(ints)
	recorder.record(flat, ["value"])
	flat.value = ints.map(func(_old: int) -> int: return 1)
	var told := recorder.flush(true)
	check_int(told.size(), 1, "changes of very many")
	check_value(told[0].path, [], "path of very many")
	check_int((told[0].old as Array).size(), 4 * MANY, "old elements of very many")


func test_getters() -> void:
	var gone: Array = [Node.new(), Node.new()]
	var values: Array = [[1, gone[0], {"k": [gone[1]]}], {gone[0]: [1], "a": [2]}]
	var boxes: Array = values.map(box)
	recorder.record_all(boxes, ["watched", "value"])
	boxes[0].value[0] = 2
	boxes[1].value.a = [3]
	Box.on_get = func(_object: Box) -> void:
		recorder.flush(true)
		recorder.record_all(boxes, ["value"])
		values[0].append(5)
		for freed: Variant in gone:
			if is_instance_valid(freed):
				(freed as Node).free()
				break
	var rows := recorder.flush(true)
	Box.reset()
	check(not rows.is_empty(), "no changes")
	for row: Dictionary in rows + recorder.flush(true):
		check_value(row.keys().slice(0, 6), KEYS, "keys")
	check(recorder.flush(true).is_empty(), "flush(true) twice")

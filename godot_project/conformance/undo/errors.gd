extends "undo_base.gd"
## Wrong arguments of each method: the exact lines, and what is returned.


func test_wrong_arguments() -> void:
	var good := box(1)
	var gone: Variant = Engines.freed_object()
	var history_found := "expected an UndoRedo or EditorUndoRedoManager, found "
	var no_pair := "expected an Array of two objects, found "
	var found := "expected an object, found "
	var pairs := {box(1): box(2), 5: box(3), box(4): "x"}
	var names := "expected names of recorded properties as except, found "
	var is_complete := "expected no properties, because complete is true: all of them are recorded"
	# Method, arguments, lines, and what is returned or its size.
	var rows: Array = [
		["record_all", [[box(1), null, box(2), 7]], ["object 1: " + found + "null", "object 3: " + found + "int"], 0],
		["compare_all", [pairs], ["pair 1: before: " + found + "int", "pair 2: after: " + found + "String"], 1],
		["compare_all", [5], ["expected a Dictionary or an Array of pairs, found int"], 0],
		["compare_all", [[[good, good], 5]], ["pair 1: " + no_pair + "int"], 0],
		["compare_all", [[[good]]], ["pair 0: " + no_pair + "one of size 1"], 0],
		["commit", [good, "edit"], [history_found + "RefCounted"], 0],
		["record_all", [[good], ["value"], [], true], [is_complete], 0],
		["record", [good, [], ["vlaue", "other", "passing"]], [names + '"vlaue", "passing"'], 0],
		["record_all", [[good, box(2)], ["value"], ["other"]], [names + '"other"'], 0],
		["record_complete", [good, ["nothing"]], [names + '"nothing"'], 0],
	]
	for wrong: Array in [[null, "null"], [gone, "a freed object"]]:
		var text: String = found + wrong[1]
		rows.append(["record", [wrong[0]], [text], 0])
		rows.append(["record_complete", [wrong[0]], [text], 0])
		rows.append(["compare", [good, wrong[0]], ["after: " + text], 0])
		rows.append(["compare", [wrong[0], good], ["before: " + text], 0])
		rows.append(["map_references", [wrong[0], good], ["before: " + text], 0])
		rows.append(["commit", [wrong[0], "edit"], [history_found + wrong[1]], 0])
	var missing := 'RefCounted (id %d) has no property "nothing"'
	var other := box(2)
	var line := missing % other.get_instance_id()
	rows.append(["compare", [good, other, ["nothing", "value"]], [line], 1])
	line = missing % good.get_instance_id()
	rows.append(["record", [good, ["nothing"]], [line], 0])
	for row: Array in rows:
		var lines := PackedStringArray()
		for text: String in row[2]:
			lines.append("%s%s: %s" % [CLASS, row[0], text])
		var result: Variant = expect_lines(recorder.callv.bind(row[0], row[1]), lines)
		var size: int = 0 if result == null else result if result is int else result.size()
		check_int(size, row[3] as int, "what %s(%s) returns" % [row[0], row[1]])


## What is wrong takes nothing from the others.
func test_good_ones_among_wrong_ones() -> void:
	var objects: Array = [box(1), null, box(2), 7]
	var bad := box(1)
	for wrong: Callable in [
		recorder.record.bind(null),
		recorder.commit.bind(null, "edit"),
		recorder.record.bind(bad, ["nothing"]),
		recorder.record_all.bind([bad], ["value"], [], true),
	]:
		expect_errors(wrong, 1, CLASS)
	bad.value = 2
	check_flush([], "something was recorded")
	expect_errors(recorder.record_all.bind(objects), 2, "expected an object")
	expect_errors(recorder.commit.bind(bad, "edit"), 1, "found RefCounted")
	objects[2].value = 3
	check_flush(["value: 2 > 3"], "the good ones")
	# Without names that are none.
	expect_errors(recorder.record.bind(objects[0], [], ["vlaue", "value", "passing"]), 1, "vlaue")
	edit(objects[0] as Box, {"value": 5, "other": 1})
	check_flush(["other: 0 > 1"], "with wrong names to leave out")
	# Without those that an object lacks; null is a value.
	var sprite: Node2D = node(Node2D.new())
	sprite.name = "Box"
	var names: Array = ["position", "nothing", "queue_free", "renamed", "rotation", "position:x"]
	var lines := PackedStringArray()
	for missing: String in ["nothing", "queue_free", "renamed", "position:x"]:
		var text := 'record: Node2D "Box" (id %d) has no property "%s"'
		lines.append(CLASS + text % [sprite.get_instance_id(), missing])
	expect_lines(recorder.record.bind(sprite, names), lines)
	edit(sprite, {"position:x": 5, "rotation": 1})
	check_flush(["position:x: 0.0 > 5.0", "rotation: 0.0 > 1.0"], "the properties that there are")
	check_shown(edited(box(null), {"value": 1}, ["value"]), ["value: null > 1"], "null")


## Values that have no bytes.
func test_values_that_cannot_be_recorded() -> void:
	var object := box(Engines.nested(1026))
	expect_errors(recorder.record.bind(object), 1, 'property "value": ')
	edit(object, {"value": 1, "other": 2})
	check_flush(["other: 0 > 2"], "the others")
	recorder.record(object)
	edit(object, {"value": Engines.nested(1026), "other": 3})
	var found: Array[Dictionary] = expect_errors(recorder.flush, 1, 'property "value": ')
	check_shown(found, ["other: 2 > 3"], "the others, compared")
	var deep: Variant = Engines.nested(1025)
	check_exact(change(deep, 1).old, deep, "as deep as may be")

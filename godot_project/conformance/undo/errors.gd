extends "undo_base.gd"
## Wrong arguments of each method: the exact lines, and what is returned. Objects that are skipped, and why;
## which properties are recorded.


func test_wrong_arguments() -> void:
	var good := box(1)
	var gone: Variant = Engines.freed_object()
	var history_found := "expected an UndoRedo or EditorUndoRedoManager, found "
	var no_pair := "expected an Array of two objects, found "
	var found := "expected an object, found "
	var pairs := {box(1): box(2), 5: box(3), box(4): "x"}
	var names := "expected names of recorded properties as except, found "
	var is_complete := "expected no properties, because complete is true: all of them are recorded"
	var rows: Array = [
		["record_all", [[box(1), null, box(2), 7]], ["object 1: " + found + "null", "object 3: " + found + "int"], 0],
		["compare_all", [pairs], ["pair 1: before: " + found + "int", "pair 2: after: " + found + "String"], 1],
		["compare_all", [5], ["expected a Dictionary or an Array of pairs, found int"], 0],
		["compare_all", [[[good, good], 5]], ["pair 1: " + no_pair + "int"], 0],
		["compare_all", [[[good]]], ["pair 0: " + no_pair + "one of size 1"], 0],
		["commit", [good, "edit"], [history_found + "RefCounted"], 0],
		["commit", [history, "edit", 3], ["expected a merge mode of UndoRedo, found 3"], 0],
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
	rows.append(["compare", [good, other, ["nothing", "value"]], [missing % other.get_instance_id()], 1])
	rows.append(["record", [good, ["nothing"]], [missing % good.get_instance_id()], 0])
	for row: Array in rows:
		var lines: Array = row[2].map(func(text: String) -> String: return "%s%s: %s" % [CLASS, row[0], text])
		var result: Variant = expect_lines(recorder.callv.bind(row[0], row[1]), lines)
		var size: int = 0 if result == null else result if result is int else result.size()
		check_int(size, row[3] as int, "what %s(%s) returns" % [row[0], row[1]])
		check_int(VarBatch.get_last_error(), ERR_INVALID_DATA, "last error of %s" % row[0])
		check(VarBatch.get_last_error_message().begins_with(row[2][0] as String), "last message of %s" % row[0])
		recorder.flush()
		check_int(VarBatch.get_last_error(), OK, "last error of what succeeds")


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
	expect_errors(recorder.record.bind(objects[0], [], ["vlaue", "value", "passing"]), 1, "vlaue")
	edit(objects[0] as Box, {"value": 5, "other": 1})
	check_flush(["other: 0 > 1"], "with wrong names to leave out")
	# Without those that an object lacks; null is a value.
	var sprite: Node2D = node(Node2D.new())
	sprite.name = "Box"
	var names: Array = ["position", "nothing", "queue_free", "renamed", "rotation", "position:w"]
	var line := CLASS + 'record: Node2D "Box" (id %d) has no property "%s"'
	var missing := ["nothing", "queue_free", "renamed", "position:w"]
	var lines := missing.map(func(named: String) -> String: return line % [sprite.get_instance_id(), named])
	expect_lines(recorder.record.bind(sprite, names), lines)
	edit(sprite, {"position:x": 5, "rotation": 1})
	check_flush(["position:x: 0.0 > 5.0", "rotation: 0.0 > 1.0"], "the properties that there are")
	check_shown(edited(box(null), {"value": 1}, ["value"]), ["value: null > 1"], "null")


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


func test_stored_properties() -> void:
	for type: String in ["Node2D", "Node3D", "Control", "Label", "Sprite2D", "Timer", "Camera3D"]:
		var objects := make_nodes(2, type)
		objects[1].process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
		objects[1].process_thread_group_order = 3
		var expected: PackedStringArray = ['editor_description: "" > "changed"', "process_mode: 0 > 3"]
		for object: Node in objects:
			var edits := {"process_mode": Node.PROCESS_MODE_ALWAYS, "editor_description": "changed"}
			if object == objects[1]:
				edits["process_thread_group_order"] = 4
				expected.append("process_thread_group_order: 3 > 4")
			var found := shown(edited(object, edits))
			found.sort()
			check(found == expected, "%s: %s" % [type, found])


func test_properties_of_some_objects() -> void:
	var objects := make_nodes(3)
	objects[1].process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	objects[1].set_meta(&"weight", 5)
	recorder.record_all(objects)
	edit_all(objects, {"process_thread_group_order": 7})
	objects[1].set_meta(&"weight", 6)
	for row: Dictionary in check_flush(["process_thread_group_order: 0 > 7", "metadata/weight: 5 > 6"], "three nodes"):
		check(is_same(row.object, objects[1]), "the node that stores %s" % row.property)
	# Lists that scripts make.
	var lists: Array[Listed] = [Listed.new(), Listed.new(), Listed.new()]
	lists[1].extra = ["two", "three"]
	lists[2].is_hidden = true
	recorder.record_all(lists)
	edit_all(lists, {"value": 5})
	lists[1].values["three"] = 4
	check_flush(["value: 1 > 5", "value: 1 > 5", "three: 0 > 4"], "what is stored")


func test_what_is_skipped() -> void:
	var nodes := make_nodes(5)
	var lists: Array[Listed] = [Listed.new(), Listed.new(), Listed.new()]
	lists[1].extra = ["two", "three"]
	lists[2].is_hidden = true
	var shader := Shader.new()
	shader.code = "shader_type canvas_item; uniform float x;"
	var label: Label = node(Label.new())
	var menu: PopupMenu = node(PopupMenu.new())
	var material := ShaderMaterial.new()
	var color := "theme_override_colors/font_color"
	var rows: Array = [
		[nodes[1], nodes[1].set_meta.bind(&"_hidden", 1), "its metadata changed" + COMPLETE],
		[nodes[2], nodes[2].set_script.bind(Fighter), "its script changed" + COMPLETE],
		[nodes[3], nodes[3].free, "it was freed"],
		# Lists that scripts make.
		[lists[0], lists[0].set.bind(&"extra", ["new"]), _changed("new", "new")],
		[lists[1], lists[1].set.bind(&"extra", ["two"]), _changed("three", "gone")],
		[lists[2], lists[2].set.bind(&"is_hidden", false), _changed("value", "new")],
		# Lists that tell that they change. A menu tells of items only when there are some, a
		# material of nothing that its class does not until it has a shader.
		[label, label.add_theme_color_override.bind(&"font_color", Color.RED), _changed(color, "new")],
		[menu, menu.add_item.bind("first"), _changed("item_0/text", "new")],
		[material, material.set_shader.bind(shader), _changed("shader_parameter/x", "new")],
	]
	recorder.record_all(nodes)
	recorder.record_all(rows.slice(3).map(func(row: Array) -> Object: return row[0]))
	var lines := PackedStringArray()
	for row: Array in rows:
		lines.append(skipped(row[0] as Object, row[2] as String))
		(row[1] as Callable).call()
		if is_instance_valid(row[0]) and row[0] is Node2D:
			row[0].process_priority = 7
	nodes[0].process_priority = 1
	nodes[4].process_priority = 2
	check_flush(["process_priority: 0 > 1", "process_priority: 0 > 2"], "the others", lines)
	recorder.record(label)
	label.add_theme_color_override(&"font_color", Color(0, 0, 0))
	check_flush([color + ":r: 1.0 > 0.0"], "a theme override")
	var edits := {"process_thread_group": Node.PROCESS_THREAD_GROUP_SUB_THREAD}
	check_shown(edited(node(Node.new()), edits), ["process_thread_group: 0 > 2"], "a list of the class")


func test_what_is_skipped_of_named_properties() -> void:
	var nodes := make_nodes(2)
	var lists: Array[Listed] = [Listed.new(), Listed.new()]
	lists[0].extra = ["two", "three"]
	recorder.record_all(nodes, ["process_priority"])
	recorder.record(lists[0], ["three"])
	recorder.record_all(lists, ["value"])
	var lines: PackedStringArray = [skipped(nodes[0] as Node, "it was freed")]
	lines.append(skipped(lists[0], 'its property "three" is gone'))
	nodes[0].free()
	nodes[1].set_script(Fighter)
	nodes[1].process_priority = 3
	lists[0].extra = []
	lists[1].extra = ["new"]
	edit_all(lists, {"value": 7})
	check_flush(["process_priority: 0 > 3", "value: 1 > 7", "value: 1 > 7"], "named", lines)


func test_usage() -> void:
	var object := Cached.new()
	check_shown(edited(object, {"cache": [1], "kept": 2}), ["kept: 0 > 2"], "without a cache")
	check_int(VarBatchUndoRecorder.compare(Cached.new(), object).size(), 1, "differences")
	var named := edited(object, {"cache": [2]}, ["cache"])
	check_shown(named, ["cache: [1] > [2]"], "a cache that is named")


func _changed(property: String, how: String) -> String:
	return 'its property "%s" is %s' % [property, how] + COMPLETE


class Cached:
	@export_custom(0, "", PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_NO_INSTANCE_STATE) var cache: Array = []
	@export_storage var kept := 0

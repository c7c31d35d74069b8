extends "undo_base.gd"
## Objects that are skipped, and why; which properties are recorded.


## Exactly those that the engine stores, of two objects of each class.
func test_stored_properties() -> void:
	for type: String in ["Node2D", "Node3D", "Control", "Label", "Sprite2D", "Timer", "Camera3D"]:
		var objects := make_nodes(2, type)
		# These two are stored only now.
		objects[1].process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
		objects[1].process_thread_group_order = 3
		var expected: PackedStringArray = [
			'editor_description: "" > "changed"', "process_mode: 0 > 3"
		]
		for object: Node in objects:
			var edits := {"process_mode": Node.PROCESS_MODE_ALWAYS, "editor_description": "changed"}
			if object == objects[1]:
				edits["process_thread_group_order"] = 4
				expected.append("process_thread_group_order: 3 > 4")
			var found := shown(edited(object, edits))
			found.sort()
			check(found == expected, "%s: %s" % [type, found])


## One that its class could store, and this object does not.
func test_property_that_is_not_stored_now() -> void:
	var objects := make_nodes(2)
	objects[1].process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	recorder.record_all(objects)
	for object: Node in objects:
		object.process_thread_group_order = 7
	var found := check_flush(["process_thread_group_order: 0 > 7"], "two nodes")
	check(is_same(found[0].object, objects[1]), "the node that stores it")


func test_metadata() -> void:
	var objects := make_nodes(3)
	objects[1].set_meta(&"weight", 5)
	recorder.record_all(objects)
	objects[1].set_meta(&"weight", 6)
	check_flush(["metadata/weight: 5 > 6"], "metadata")
	recorder.record_all(objects)
	objects[0].set_meta(&"_hidden", 1)
	objects[1].process_priority = 1
	objects[2].process_priority = 2
	var line := skipped(objects[0] as Node, "its metadata changed" + COMPLETE)
	check_flush(["process_priority: 0 > 1", "process_priority: 0 > 2"], "the others", [line])


func test_freed() -> void:
	var objects := make_nodes(5)
	for names: Array in [[], ["position"]]:
		recorder.record_all(objects, names)
		for object: Node2D in objects:
			object.position.x += 1
		var line := skipped(objects[2] as Node, "it was freed")
		objects[2].free()
		var flush := func() -> Array: return recorder.flush()
		check_int((expect_lines(flush, [line]) as Array).size(), 4, "modifications of the others")
		objects[2] = node(Node2D.new())


func test_lists_that_scripts_make() -> void:
	var objects: Array[Listed] = [Listed.new(), Listed.new(), Listed.new()]
	objects[1].extra = ["two", "three"]
	recorder.record_all(objects)
	for object: Listed in objects:
		object.value = 5
	objects[1].values["three"] = 4
	check_int(recorder.flush().size(), 4, "modifications")
	recorder.record_all(objects)
	objects[0].extra = ["new"]
	objects[1].extra = ["two"]
	for object: Listed in objects:
		object.value = 6
	var lines: PackedStringArray = [
		skipped(objects[0], 'its property "new" is new' + COMPLETE),
		skipped(objects[1], 'its property "three" is gone' + COMPLETE),
	]
	check_flush(["value: 5 > 6"], "the third", lines)
	# Named properties are looked at alone.
	objects[1].extra = ["two", "three"]
	recorder.record(objects[1], ["three"])
	recorder.record_all(objects, ["value"])
	objects[0].extra = []
	objects[1].extra = []
	objects[1].value = 7
	var gone := skipped(objects[1], 'its property "three" is gone')
	check_flush(["value: 6 > 7"], "named", [gone])
	# What a script lets be stored.
	objects[0].is_hidden = true
	check(edited(objects[0], {"value": 3}).is_empty(), "a property that is not stored")
	recorder.record(objects[0])
	objects[0].is_hidden = false
	objects[0].value = 4
	var line := skipped(objects[0], 'its property "value" is new' + COMPLETE)
	check_flush([], "a property that is stored now", [line])


func test_other_script() -> void:
	var objects := make_nodes(2, &"Node")
	recorder.record_all(objects)
	objects[0].set_script(OfNode)
	objects[0].process_priority = 1
	objects[1].process_priority = 2
	var line := skipped(objects[0] as Node, "its script changed" + COMPLETE)
	check_flush(["process_priority: 0 > 2"], "the other", [line])
	recorder.record(objects[0], ["process_priority"])
	objects[0].set_script(null)
	objects[0].process_priority = 3
	check_flush(["process_priority: 1 > 3"], "named")


## A list that changes and tells: the class hides a property, or the object gets one more.
func test_lists_that_tell() -> void:
	var shader := Shader.new()
	shader.code = "shader_type canvas_item; uniform float x;"
	var label: Label = node(Label.new())
	var menu: PopupMenu = node(PopupMenu.new())
	var material := ShaderMaterial.new()
	var color := "theme_override_colors/font_color"
	# A menu tells of items only when there are some, a material of nothing that its class does not
	# until it has a shader.
	var rows: Array = [
		[label, label.add_theme_color_override.bind(&"font_color", Color.RED), color],
		[menu, menu.add_item.bind("first"), "item_0/text"],
		[material, material.set_shader.bind(shader), "shader_parameter/x"],
	]
	for row: Array in rows:
		recorder.record(row[0])
		(row[1] as Callable).call()
		var line := skipped(row[0] as Object, 'its property "%s" is new' % row[2] + COMPLETE)
		check_flush([], "a list that tells", [line])
	recorder.record(label)
	label.add_theme_color_override(&"font_color", Color(0, 0, 0))
	check_flush([color + ":r: 1.0 > 0.0"], "a theme override")
	var plain: Node = node(Node.new())
	var edits := {"process_thread_group": Node.PROCESS_THREAD_GROUP_SUB_THREAD}
	check_shown(edited(plain, edits), ["process_thread_group: 0 > 2"], "a list of the class")


## Nothing stays connected.
func test_connections() -> void:
	var object: Node = node(Node.new())
	var count := func() -> int: return object.property_list_changed.get_connections().size()
	for i: int in 3:
		recorder.record(object)
		recorder.record(object)
		check_int(count.call() as int, 1, "connections")
		recorder.flush()
		check_int(count.call() as int, 0, "after flush()")
	recorder.record(object, ["name"])
	check_int(count.call() as int, 0, "of named properties")
	recorder.record(object)
	recorder = VarBatchUndoRecorder.new()
	check_int(count.call() as int, 0, "without its recorder")


## What the editor does not store of an instance, as its usage says.
func test_usage() -> void:
	var object := Cached.new()
	check_shown(edited(object, {"cache": [1], "kept": 2}), ["kept: 0 > 2"], "without a cache")
	check_int(VarBatchUndoRecorder.compare(Cached.new(), object).size(), 1, "differences")
	var named := edited(object, {"cache": [2]}, ["cache"])
	check_shown(named, ["cache: [1] > [2]"], "a cache that is named")


class OfNode:
	extends Node
	@export var number := 1


class Cached:
	extends RefCounted
	@export_custom(0, "", PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_NO_INSTANCE_STATE)
	var cache: Array = []
	@export_storage var kept := 0

extends "undo_base.gd"
## Objects that are skipped, and why; which properties are recorded.


## Exactly those that the engine stores, of two objects of each class.
func test_stored_properties() -> void:
	for type: String in ["Node2D", "Node3D", "Control", "Label", "Sprite2D", "Timer", "Camera3D"]:
		var objects := make_nodes(2, type)
		# These two are stored only now.
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


## One that its class could store, and metadata: only of the objects that store it.
func test_properties_of_some_objects() -> void:
	var objects := make_nodes(3)
	objects[1].process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	objects[1].set_meta(&"weight", 5)
	recorder.record_all(objects)
	for object: Node in objects:
		object.process_thread_group_order = 7
	objects[1].set_meta(&"weight", 6)
	var expected: PackedStringArray = ["process_thread_group_order: 0 > 7", "metadata/weight: 5 > 6"]
	for row: Dictionary in check_flush(expected, "three nodes"):
		check(is_same(row.object, objects[1]), "the node that stores %s" % row.property)
	# Lists that scripts make.
	var lists: Array[Listed] = [Listed.new(), Listed.new(), Listed.new()]
	lists[1].extra = ["two", "three"]
	lists[2].is_hidden = true
	recorder.record_all(lists)
	for object: Listed in lists:
		object.value = 5
	lists[1].values["three"] = 4
	check_flush(["value: 1 > 5", "value: 1 > 5", "three: 0 > 4"], "what is stored")


## Objects of which something else changed than values. The others are as ever.
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
	var plain: Node = node(Node.new())
	var edits := {"process_thread_group": Node.PROCESS_THREAD_GROUP_SUB_THREAD}
	check_shown(edited(plain, edits), ["process_thread_group: 0 > 2"], "a list of the class")


## Named properties are looked at alone.
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
	lists[0].value = 7
	lists[1].value = 7
	check_flush(["process_priority: 0 > 3", "value: 1 > 7", "value: 1 > 7"], "named", lines)


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


func _changed(property: String, how: String) -> String:
	return 'its property "%s" is %s' % [property, how] + COMPLETE


class Cached:
	extends RefCounted
	@export_custom(0, "", PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_NO_INSTANCE_STATE) var cache: Array = []
	@export_storage var kept := 0

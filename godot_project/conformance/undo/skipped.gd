extends "undo_base.gd"
## Objects that are skipped, and why; which properties are recorded; wrong arguments.

const SKIPPED := "VarBatchUndoRecorder.flush: skipped "
## What to do about a list that changed.
const COMPLETE := ": record it with record_complete()"
const Listed := preload("listed.gd")


## Exactly those that the engine stores, of one object of each class that can be made.
func test_stored_properties() -> void:
	for type: String in ["Node2D", "Node3D", "Control", "Label", "Sprite2D", "Timer", "Camera3D"]:
		for at: int in 2:
			var object: Node = node(ClassDB.instantiate(type) as Node)
			if at == 1:
				# These two are stored only now.
				object.process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
				object.process_thread_group_order = 3
			recorder.record(object)
			if at == 1:
				object.process_thread_group_order = 4
			object.process_mode = Node.PROCESS_MODE_ALWAYS
			object.editor_description = "changed"
			var found := shown(recorder.flush())
			found.sort()
			var expected: PackedStringArray = [
				'editor_description: "" > "changed"', "process_mode: 0 > 3"
			]
			if at == 1:
				expected.append("process_thread_group_order: 3 > 4")
			check(found == expected, "%s: %s" % [type, found])


## One that its class could store, and this object does not.
func test_property_that_is_not_stored_now() -> void:
	var nodes: Array = [node(Node.new()), node(Node.new())]
	nodes[1].process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	recorder.record_all(nodes)
	for object: Node in nodes:
		object.process_thread_group_order = 7
	var found := recorder.flush()
	check_shown(found, ["process_thread_group_order: 0 > 7"], "two nodes")
	check(is_same(found[0].object, nodes[1]), "the node that stores it")


func test_metadata() -> void:
	var nodes: Array = [node(Node.new()), node(Node.new()), node(Node.new())]
	nodes[1].set_meta(&"weight", 5)
	recorder.record_all(nodes)
	nodes[1].set_meta(&"weight", 6)
	check_shown(recorder.flush(), ["metadata/weight: 5 > 6"], "metadata")
	recorder.record_all(nodes)
	nodes[0].set_meta(&"_hidden", 1)
	nodes[1].process_priority = 1
	nodes[2].process_priority = 2
	var flush := func() -> Array: return recorder.flush()
	var found: Array = expect_logged(flush, 0, 1, SKIPPED + "Node (id ")
	check_int(found.size(), 2, "modifications of the others")


func test_freed() -> void:
	var nodes: Array = []
	for i: int in 5:
		nodes.append(node(Node2D.new()))
	var id: int = nodes[2].get_instance_id()
	for names: Array in [[], ["position"]]:
		recorder.record_all(nodes, names)
		for object: Node2D in nodes:
			object.position.x += 1
		nodes[2].free()
		var flush := func() -> Array: return recorder.flush()
		var line := WARNING + SKIPPED + "Node2D (id %d): it was freed" % id
		var found: Array = expect_lines(flush, [line])
		check_int(found.size(), 4, "modifications of the others")
		nodes[2] = node(Node2D.new())
		id = nodes[2].get_instance_id()


func test_lists_that_scripts_make() -> void:
	var objects: Array[Listed] = [Listed.new(), Listed.new(), Listed.new()]
	objects[1].extra = ["two", "three"]
	recorder.record_all(objects)
	for object: Listed in objects:
		object.value = 5
	objects[1].values["three"] = 4
	var found := recorder.flush()
	check_int(found.size(), 4, "modifications")
	recorder.record_all(objects)
	objects[0].extra = ["new"]
	objects[1].extra = ["two"]
	for object: Listed in objects:
		object.value = 6
	var expected: PackedStringArray = [
		_skipped(objects[0], 'its property "new" is new' + COMPLETE),
		_skipped(objects[1], 'its property "three" is gone' + COMPLETE),
	]
	var flush := func() -> Array: return recorder.flush()
	found.assign(expect_lines(flush, expected) as Array)
	check_shown(found, ["value: 5 > 6"], "the third")
	# Named properties are looked at alone.
	objects[1].extra = ["two", "three"]
	recorder.record_all(objects, ["value"])
	recorder.record(objects[1], ["three"])
	objects[0].extra = []
	objects[1].extra = []
	objects[1].value = 7
	found.assign(
		expect_lines(flush, [_skipped(objects[1], 'its property "three" is gone')]) as Array
	)
	check_shown(found, ["value: 6 > 7"], "named")


## What a script lets be stored.
func test_lists_that_scripts_validate() -> void:
	var object := Listed.new()
	object.is_hidden = true
	recorder.record(object)
	object.value = 3
	check(recorder.flush().is_empty(), "a property that is not stored")
	recorder.record(object)
	object.is_hidden = false
	object.value = 4
	var flush := func() -> Array: return recorder.flush()
	expect_lines(flush, [_skipped(object, 'its property "value" is new' + COMPLETE)])


func test_other_script() -> void:
	var object: Node = node(Node.new())
	var other: Node = node(Node.new())
	recorder.record_all([object, other])
	object.set_script(OfNode)
	object.process_priority = 1
	other.process_priority = 2
	var flush := func() -> Array: return recorder.flush()
	var line := WARNING + SKIPPED + "Node (id %d): its script changed" + COMPLETE
	var found: Array = expect_lines(flush, [line % object.get_instance_id()])
	check_int(found.size(), 1, "modifications of the others")
	recorder.record(object, ["process_priority"])
	object.set_script(null)
	object.process_priority = 3
	check_shown(recorder.flush(), ["process_priority: 1 > 3"], "named")


## A list that changes and tells: the class hides a property, or the object gets one more.
func test_lists_that_tell() -> void:
	var control: Control = node(Label.new())
	recorder.record(control)
	control.add_theme_color_override(&"font_color", Color.RED)
	control.rotation = 1
	var flush := func() -> Array: return recorder.flush()
	expect_logged(flush, 0, 1, 'its property "theme_override_colors/font_color" is new')
	recorder.record(control)
	control.add_theme_color_override(&"font_color", Color(0, 0, 0))
	check_shown(
		recorder.flush(), ["theme_override_colors/font_color:r: 1.0 > 0.0"], "a theme override"
	)
	# This one tells of items only when there are some.
	var menu: PopupMenu = node(PopupMenu.new())
	recorder.record(menu)
	menu.add_item("first")
	expect_logged(flush, 0, 1, " is new")
	# This one tells of nothing that its class does not, until it has a shader.
	var material := ShaderMaterial.new()
	var shader := Shader.new()
	shader.code = "shader_type canvas_item; uniform float x;"
	recorder.record(material)
	material.shader = shader
	expect_logged(flush, 0, 1, 'its property "shader_parameter/x" is new')
	var plain: Node = node(Node.new())
	recorder.record(plain)
	plain.process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	check_shown(recorder.flush(), ["process_thread_group: 0 > 2"], "a list of the class")


## Nothing stays connected.
func test_connections() -> void:
	var object: Node = node(Node.new())
	for i: int in 3:
		recorder.record(object)
		recorder.record(object)
		check_int(object.property_list_changed.get_connections().size(), 1, "connections")
		recorder.flush()
		check_int(object.property_list_changed.get_connections().size(), 0, "after flush()")
	recorder.record(object, ["name"])
	check_int(object.property_list_changed.get_connections().size(), 0, "of named properties")
	recorder.record(object)
	recorder = VarBatchUndoRecorder.new()
	check_int(object.property_list_changed.get_connections().size(), 0, "without its recorder")


func test_wrong_arguments() -> void:
	var freed := Object.new()
	freed.free()
	var method := "VarBatchUndoRecorder.record: "
	var is_wrong: Dictionary[String, Array] = {
		"expected an object, found null": [null],
		"expected an object, found a freed object": [freed],
	}
	for text: String in is_wrong:
		var record := func() -> void: recorder.callv(&"record", is_wrong[text])
		expect_lines(record, [method + text])
	# As for each typed argument: gdext's own error.
	var is_of_another_type: Dictionary[String, Array] = {
		"cannot convert from INT to OBJECT: 5": [5],
		'cannot convert from STRING to PACKED_STRING_ARRAY: "value"': [box(1), "value"],
	}
	for text: String in is_of_another_type:
		var record := func() -> void: recorder.callv(&"record", is_of_another_type[text])
		check(errors == null or text in "".join(logged(record)), "no error with '%s'" % text)
	check(recorder.flush().is_empty(), "something was recorded")
	var objects: Array = [box(1), null, box(2), 7]
	var record_all := func() -> void: recorder.record_all(objects)
	var lines: PackedStringArray = [
		"VarBatchUndoRecorder.record_all: object 1: expected an object, found null",
		"VarBatchUndoRecorder.record_all: object 3: expected an object, found int",
	]
	expect_lines(record_all, lines)
	objects[2].value = 3
	check_shown(recorder.flush(), ["value: 2 > 3"], "the good ones")


func test_unknown_properties() -> void:
	var object: Node2D = node(Node2D.new())
	object.name = "Box"
	var names: Array = ["position", "nothing", "queue_free", "renamed", "rotation", "position:x"]
	var record := func() -> void: recorder.record(object, names)
	var lines := PackedStringArray()
	for missing: String in ["nothing", "queue_free", "renamed", "position:x"]:
		lines.append(
			(
				'VarBatchUndoRecorder.record: Node2D "Box" (id %d) has no property "%s"'
				% [object.get_instance_id(), missing]
			)
		)
	expect_lines(record, lines)
	object.position.x = 5
	object.rotation = 1
	check_shown(recorder.flush(), ["position:x: 0.0 > 5.0", "rotation: 0.0 > 1.0"], "the others")
	record = func() -> void: recorder.record(object, ["nothing"])
	expect_errors(record, 1, "has no property")
	check(recorder.flush().is_empty(), "nothing was recorded")
	# Null is a value.
	var nothing := box(null)
	recorder.record(nothing, ["value"])
	nothing.value = 1
	check_shown(recorder.flush(), ["value: null > 1"], "null")


## Values that have no bytes.
func test_values_that_cannot_be_recorded() -> void:
	var object := box(Values.Engines.nested(1026))
	var record := func() -> void: recorder.record(object)
	expect_errors(record, 1, 'property "value": ')
	object.value = 1
	object.other = 2
	check_shown(recorder.flush(), ["other: 0 > 2"], "the others")
	recorder.record(object)
	object.value = Values.Engines.nested(1026)
	object.other = 3
	var flush := func() -> Array: return recorder.flush()
	var found: Array[Dictionary] = []
	found.assign(expect_errors(flush, 1, 'property "value": ') as Array)
	check_shown(found, ["other: 2 > 3"], "the others")
	var deep: Variant = Values.Engines.nested(1025)
	check_exact(change(deep, 1).old, deep, "as deep as may be")


func _skipped(object: Object, why: String) -> String:
	var id := object.get_instance_id()
	return WARNING + SKIPPED + "%s (id %d): %s" % [object.get_class(), id, why]


class OfNode:
	extends Node
	@export var number := 1

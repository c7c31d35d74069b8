@tool
extends RefCounted
## VarBatchUndoRecorder beside what the editor does: scenes that override others, and edits that change
## the script or the properties of a node.

const BASE := preload("res://addons/editor_test/base.tscn")
const INHERITED := preload("res://addons/editor_test/inherited.tscn")
const Door := preload("res://addons/editor_test/door.gd")
## The property that holds a resource that each instance has for itself.
const LOCAL := "Local:shape"
const ROUNDS := 3

## Called with a bool and what it is about.
var check: Callable
var manager: EditorUndoRedoManager


func run(root: Node) -> void:
	_test_untouched()
	_test_overrides()
	_test_script(root)
	_test_reloaded_script(root)
	_test_mesh(root)


## An instance that nobody touched overrides nothing. The editor stores a resource of its own anyway.
func _test_untouched() -> void:
	for scene: PackedScene in [BASE, INHERITED]:
		var edited := _edited(scene)
		_check_same(_stored_by_editor(edited), [LOCAL], "the editor stores")
		_check_same(_compared(edited, scene), [], "compare_all() finds")
		edited.free()


## Each kind of override, as the editor marks and stores it.
func _test_overrides() -> void:
	var edited := _edited(INHERITED)
	var door := edited.get_child(0)
	door.position = Vector2(100, 7)
	door.label = "mine"
	door.keys = ["brass", "iron"] as Array[String]
	door.texture = GradientTexture2D.new()
	door.target = door.get_node("Lamp")
	door.set_meta(&"lock", [1, 3])
	door.set_meta(&"added", true)
	var sign_node: Label = door.get_node("Sign")
	sign_node.text = "ajar"
	sign_node.add_theme_color_override(&"font_color", Color.GREEN)
	sign_node.add_theme_font_size_override(&"font_size", 30)
	(door.get_node("Lamp") as Sprite2D).modulate.a = 0.5
	var expected: Array = [
		".:keys",
		".:label",
		".:metadata/added",
		".:metadata/lock",
		".:position",
		".:target",
		".:texture",
		"Lamp:modulate",
		"Sign:text",
		"Sign:theme_override_colors/font_color",
		"Sign:theme_override_font_sizes/font_size",
	]
	_check_same(_stored_by_editor(edited), expected + [LOCAL], "the editor stores")
	_check_same(_compared(edited, INHERITED), expected, "compare_all() finds")
	edited.free()
	_test_differences()


## Where the two differ, by intention.
func _test_differences() -> void:
	# A resource that each instance has for itself: the editor stores the property that holds it,
	# compare_all() tells what differs inside.
	var edited := _edited(BASE)
	var local: CollisionShape2D = edited.get_child(0).get_node("Local")
	(local.shape as RectangleShape2D).size.x = 31
	_check_same(_stored_by_editor(edited), [LOCAL], "the editor stores")
	_check_same(_compared(edited, BASE), ["RectangleShape2D:size"], "compare_all() finds")
	edited.free()
	# Another resource inside of the scene at the same place, which is alike.
	edited = _edited(BASE)
	var shared: CollisionShape2D = edited.get_child(0).get_node("Shared")
	shared.shape = shared.shape.duplicate()
	_check_same(_stored_by_editor(edited), [LOCAL, "Shared:shape"], "the editor stores")
	_check_same(_compared(edited, BASE), [], "compare_all() finds")
	edited.free()
	# Numbers that are nearly the same.
	edited = _edited(BASE)
	edited.get_child(0).weight = 12.5000001
	_check_same(_stored_by_editor(edited), [LOCAL], "the editor stores")
	_check_same(_compared(edited, BASE), [".:weight"], "compare_all() finds")
	edited.free()
	# The script.
	edited = _edited(BASE)
	(edited.get_child(0).get_node("Sign") as Label).set_script(GDScript.new())
	_check_same(_stored_by_editor(edited), [LOCAL, "Sign:script"], "the editor stores")
	_check_same(_compared(edited, BASE), [], "compare_all() finds")
	edited.free()


func _test_script(root: Node) -> void:
	var node := Node2D.new()
	root.add_child(node)
	node.owner = root
	var recorder := VarBatchUndoRecorder.new()
	recorder.record_complete(node)
	node.set_script(Door)
	node.set(&"label", "mine")
	node.set(&"target", root)
	_commit(recorder, node, "a script")
	recorder.record_complete(node)
	node.set_script(null)
	_commit(recorder, node, "no script")
	check.call(node.get_script() == null, "the script is gone")
	_undo(node)
	check.call(node.get(&"label") == "mine" and is_same(node.get(&"target"), root), "variables")
	node.owner = null


## Exported variables that a reload of the script adds and removes.
func _test_reloaded_script(root: Node) -> void:
	var script := GDScript.new()
	script.source_code = "@tool\nextends Node2D\n@export var a := 1\n@export var b := 2\n"
	script.reload()
	var node := Node2D.new()
	root.add_child(node)
	node.owner = root
	node.set_script(script)
	node.set(&"b", 5)
	var recorder := VarBatchUndoRecorder.new()
	recorder.record_complete(node)
	script.source_code = "@tool\nextends Node2D\n@export var b := 2\n@export var c := 3\n"
	script.reload(true)
	node.set(&"b", 6)
	node.set(&"c", 7)
	_commit(recorder, node, "a reloaded script")
	_undo(node)
	check.call(node.get(&"b") == 5, "a variable that stayed, undone")
	node.owner = null


## A mesh that brings other properties.
func _test_mesh(root: Node) -> void:
	var node := MeshInstance3D.new()
	root.add_child(node)
	node.owner = root
	node.mesh = BoxMesh.new()
	node.set_surface_override_material(0, StandardMaterial3D.new())
	var two := ArrayMesh.new()
	for _surface: int in 2:
		two.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, node.mesh.surface_get_arrays(0))
	var recorder := VarBatchUndoRecorder.new()
	recorder.record_complete(node)
	node.mesh = two
	node.set_surface_override_material(1, StandardMaterial3D.new())
	_commit(recorder, node, "a mesh")
	node.owner = null


## A scene with an instance of [param scene], as the editor has it open, its children editable.
func _edited(scene: PackedScene) -> Node:
	var root := Node.new()
	var instance := scene.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	root.add_child(instance)
	instance.owner = root
	root.set_editable_instance(instance, true)
	return root


## The properties of the instance that the editor stores, as "path:property".
func _stored_by_editor(edited: Node) -> Array[String]:
	var packed := PackedScene.new()
	check.call(packed.pack(edited) == OK, "the scene can be packed")
	var state := packed.get_state()
	var names: Array[String] = []
	for node: int in state.get_node_count():
		var path := str(state.get_node_path(node))
		if path == ".":
			continue
		path = path.trim_prefix("./Door").trim_prefix("/")
		for property: int in state.get_node_property_count(node):
			var named := str(state.get_node_property_name(node, property))
			names.append("%s:%s" % ["." if path.is_empty() else path, named])
	return names


## The same by compare_all(); the class stands for a resource.
func _compared(edited: Node, scene: PackedScene) -> Array[String]:
	var instance := edited.get_child(0)
	var original := scene.instantiate()
	var map := VarBatchUndoRecorder.map_references(original, instance)
	var names: Array[String] = []
	for row: Dictionary in VarBatchUndoRecorder.compare_all(map):
		var object: Object = row.object
		var of := str(instance.get_path_to(object)) if object is Node else object.get_class()
		names.append("%s:%s" % [of, (row.property as String).get_slice(":", 0)])
	original.free()
	return names


func _check_same(found: Array[String], expected: Array, what: String) -> void:
	found.sort()
	expected.sort()
	check.call(Array(found) == expected, "%s %s, expected %s" % [what, found, expected])


func _commit(recorder: VarBatchUndoRecorder, node: Node, what: String) -> void:
	var after := _state_of(node)
	check.call(recorder.commit(manager, what) > 0, "modifications of %s" % what)
	var history := manager.get_history_undo_redo(manager.get_object_history_id(node))
	check.call(history.get_current_action_name() == what, "the action of %s" % what)
	_undo(node)
	var before := _state_of(node)
	check.call(before != after, "%s, undone" % what)
	for turn: int in ROUNDS:
		history.redo()
		check.call(_state_of(node) == after, "%s, done again" % what)
		history.undo()
		check.call(_state_of(node) == before, "%s, undone again" % what)
	history.redo()


func _undo(node: Node) -> void:
	manager.get_history_undo_redo(manager.get_object_history_id(node)).undo()


func _state_of(object: Object) -> PackedByteArray:
	var states: Array = [object.get_script()]
	for property: Dictionary in object.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			states.append([property.name, object.get(property.name as StringName)])
	return var_to_bytes(states)

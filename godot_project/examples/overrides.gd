extends VBoxContainer
## Worked example: what an instance of a scene overrides, as an inspector lists it, with a revert for
## each property and for all. Each revert is one action of an undo history.
##
## Run as a scene, it changes an instance and lists that. Without a window it prints the list, reverts
## and undoes:
##
##     godot [--headless] --path godot_project res://examples/overrides.tscn

const COLUMNS: PackedStringArray = ["Object", "Property", "In the scene", "In the instance"]
const METADATA := "metadata/"

## What the instance overrides, as VarBatchUndoRecorder.compare_all() returns it.
var overrides: Array[Dictionary] = []
var instance: Node
var history := UndoRedo.new()

var _original: Node
var _tree: Tree


func _ready() -> void:
	_build()
	var scene := make_scene()
	var made := scene.instantiate()
	add_child(made)
	change(made)
	inspect(made, scene)
	if DisplayServer.get_name() == "headless":
		_print_and_revert()
		get_tree().quit()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		if _original != null:
			_original.free()
		history.free()


## Lists what [param node] overrides of [param scene].
func inspect(node: Node, scene: PackedScene) -> void:
	instance = node
	_original = scene.instantiate()
	refresh()


## Compares again. Nodes belong together by their paths, resources by the properties that hold them.
func refresh() -> void:
	var pairs := VarBatchUndoRecorder.map_references(_original, instance)
	overrides = VarBatchUndoRecorder.compare_all(pairs)
	if _tree != null:
		_show()


## Gives the properties of [param rows] the values that they have in the scene.
func revert(rows: Array[Dictionary]) -> void:
	var recorder := VarBatchUndoRecorder.new()
	# Complete, as properties may come and go.
	recorder.record_all(rows.map(func(row: Dictionary) -> Object: return row.object), [], [], true)
	for row: Dictionary in rows:
		var object: Object = row.object
		var property: String = row.property
		if row.op == "insert" and property.begins_with(METADATA):
			object.remove_meta(property.trim_prefix(METADATA))
		else:
			object.set_indexed(property, row.old)
	recorder.commit(history, "Revert %d" % rows.size())
	refresh()


## The texts of a row: the object, the property, the value in the scene and in the instance.
func cells_of(row: Dictionary) -> PackedStringArray:
	var object: Object = row.object
	var of := str(instance.get_path_to(object)) if object is Node else object.get_class()
	if object == instance:
		of = instance.name
	var old := var_to_str(row.old) if row.op != "insert" else "–"
	var new := var_to_str(row.new) if row.op != "remove" else "–"
	return [of, row.property, old, new]


## A scene with a node of its own, a resource that each instance has for itself, and metadata.
static func make_scene() -> PackedScene:
	var door := Node2D.new()
	door.name = "Door"
	door.set_meta(&"opens_with", ["brass key"])
	var body := StaticBody2D.new()
	body.name = "Body"
	var shape := CollisionShape2D.new()
	shape.name = "Shape"
	shape.shape = RectangleShape2D.new()
	shape.shape.resource_local_to_scene = true
	door.add_child(body)
	body.add_child(shape)
	body.owner = door
	shape.owner = door
	var scene := PackedScene.new()
	scene.pack(door)
	door.free()
	return scene


## Changes an instance of that scene.
static func change(door: Node) -> void:
	var shape: CollisionShape2D = door.get_node("Body/Shape")
	door.set(&"position", Vector2(400, 0))
	door.set_meta(&"opens_with", ["brass key", "crowbar"])
	door.set_meta(&"creaks", true)
	(door.get_node("Body") as StaticBody2D).collision_layer = 3
	(shape.shape as RectangleShape2D).size.y = 64


func _build() -> void:
	var buttons := HBoxContainer.new()
	for text: String in ["Revert", "Revert all", "Undo", "Redo"]:
		var button := Button.new()
		button.text = text
		button.pressed.connect(_press.bind(text))
		buttons.add_child(button)
	add_child(buttons)
	_tree = Tree.new()
	_tree.columns = COLUMNS.size()
	_tree.column_titles_visible = true
	_tree.hide_root = true
	_tree.select_mode = Tree.SELECT_ROW
	_tree.size_flags_vertical = Control.SIZE_EXPAND_FILL
	for column: int in COLUMNS.size():
		_tree.set_column_title(column, COLUMNS[column])
	add_child(_tree)


func _show() -> void:
	_tree.clear()
	var root := _tree.create_item()
	for row: Dictionary in overrides:
		var item := _tree.create_item(root)
		var cells := cells_of(row)
		for column: int in cells.size():
			item.set_text(column, cells[column])
		item.set_metadata(0, row)


func _press(text: String) -> void:
	var selected := _tree.get_selected()
	match text:
		"Revert" when selected != null:
			revert([selected.get_metadata(0)])
		"Revert all":
			revert(overrides)
		"Undo":
			history.undo()
		"Redo":
			history.redo()
	refresh()


func _print_and_revert() -> void:
	for row: Dictionary in overrides:
		var cells := cells_of(row)
		print("%s  %s: %s, in the scene %s" % [cells[0], cells[1], cells[3], cells[2]])
	var count := overrides.size()
	revert([overrides[0]])
	print("overrides: %d, after one revert %d" % [count, overrides.size()])
	revert(overrides)
	var left := overrides.size()
	while history.undo():
		refresh()
	print(
		"overrides: after all were reverted %d, when that is undone %d" % [left, overrides.size()]
	)

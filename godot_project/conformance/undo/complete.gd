extends "undo_base.gd"
## Edits that change which properties an object has: record_complete(), and what is left out.

const Listed := preload("listed.gd")
const ROUNDS := 3

var history := UndoRedo.new()
## The state of the object that _begin() recorded.
var _before := PackedByteArray()


func finish() -> void:
	history.free()
	super()


## A script for another, with the values of the variables of both.
func test_another_script() -> void:
	var object: Node2D = node(Node2D.new())
	var target: Node = node(Node.new())
	object.set_script(Fighter)
	object.set(&"health", 7)
	object.set(&"bag", ["rope", target])
	object.position.x = 1
	_begin(object)
	object.set_script(Trader)
	object.set(&"gold", 12)
	object.set(&"health", 2.5)
	object.position.x = 5
	var rows: Dictionary = {}
	for row: Dictionary in _commit_and_check(object, "a script"):
		rows[row.property] = row
	check(rows.keys()[0] == "script", "the script is first: %s" % [rows.keys()])
	check(is_same(rows.script.old, Fighter) and is_same(rows.script.new, Trader), "scripts")
	check_exact([rows.health.old, rows.health.new], [7, 2.5], "a variable of both")
	check_exact([rows.gold.old, rows.gold.new], [null, 12], "a new one")
	check_exact([rows.bag.old, rows.bag.new], [["rope", target], null], "one that is gone")
	check(rows.has("position:x"), "a property of the class: %s" % [rows.keys()])
	history.undo()
	check(is_same((object.get(&"bag") as Array)[1], target), "the very same object")
	history.redo()
	# No script, and a script where none was.
	_begin(object)
	object.set_script(null)
	_commit_and_check(object, "no script")
	_begin(object)
	object.set_script(Fighter)
	_commit_and_check(object, "a first script")


## Variables that keep their values although nobody changed them: a new script loses them.
func test_unchanged_values() -> void:
	var object: Node2D = node(Node2D.new())
	object.set_script(Fighter)
	object.set(&"health", 9)
	recorder.record_complete(object)
	object.set_script(OtherFighter)
	object.set(&"health", 9)
	check_int(recorder.commit(history, "edit"), 1, "modifications")
	history.undo()
	check_exact(object.get(&"health"), 9, "undone")
	history.redo()
	check_exact(object.get(&"health"), 9, "done again")


func test_metadata() -> void:
	var object: Node = node(Node.new())
	object.set_meta(&"old", [1])
	object.set_meta(&"both", 1)
	_begin(object)
	object.remove_meta(&"old")
	object.set_meta(&"new", {"a": 1})
	object.set_meta(&"both", 2)
	_commit_and_check(object, "metadata")
	check(object.get_meta_list() == [&"both", &"new"], "metadata %s" % [object.get_meta_list()])
	history.undo()
	check(object.has_meta(&"old") and not object.has_meta(&"new"), "undone")


## Properties that another one brings.
func test_other_mesh() -> void:
	var object: MeshInstance3D = node(MeshInstance3D.new())
	var materials: Array[Material] = [StandardMaterial3D.new(), StandardMaterial3D.new()]
	object.mesh = _mesh(1)
	object.set_surface_override_material(0, materials[0])
	_begin(object)
	object.mesh = _mesh(3)
	object.set_surface_override_material(2, materials[1])
	_commit_and_check(object, "a mesh")
	history.undo()
	check_int(object.get_surface_override_material_count(), 1, "surfaces, undone")
	check(is_same(object.get_surface_override_material(0), materials[0]), "a material, undone")
	history.redo()
	check(is_same(object.get_surface_override_material(2), materials[1]), "a material, redone")
	# A list that a script makes, in an order in which the first needs the second.
	var list := Chained.new()
	_begin(list)
	list.count = 2
	list.values = {"item_0": "a", "item_1": "b"}
	_commit_and_check(list, "a list of a script")
	_begin(list)
	list.count = 0
	list.values = {}
	_commit_and_check(list, "an empty list of a script")


func test_reloaded_script() -> void:
	var script := GDScript.new()
	script.source_code = "extends RefCounted\n@export var a := 1\n@export var b := 2\n"
	check_int(script.reload(), OK, "a script")
	var object: RefCounted = script.new()
	object.a = 5
	object.b = 6
	recorder.record_complete(object)
	script.source_code = "extends RefCounted\n@export var b := 2\n@export var c := 3\n"
	check_int(script.reload(true), OK, "the script again")
	object.b = 7
	object.c = 8
	var found := recorder.flush()
	var lines := shown(found)
	check("b: 6 > 7" in lines and "a: 5 > null" in lines and "c: null > 8" in lines, str(lines))
	recorder.record_complete(object)
	script.source_code = "extends RefCounted\n@export var b := 2\n"
	check_int(script.reload(true), OK, "the script once more")
	object.b = 9
	recorder.commit(history, "edit")
	history.undo()
	check_exact(object.b, 7, "undone")
	history.redo()
	check_exact(object.b, 9, "done again")


## Where nothing but values changed, it is as with record().
func test_plain_edit() -> void:
	var object := box([1])
	recorder.record_complete(object)
	object.value = [2]
	object.other = 3
	check_shown(recorder.flush(), ["value: [1] > [2]", "other: 0 > 3"], "a plain edit")
	recorder.record_complete(object)
	check(recorder.flush().is_empty(), "no edit")
	recorder.record_complete(object)
	object.value = Vector2(0, 1)
	check_int(recorder.commit(history, "edit"), 1, "modifications")
	history.undo()
	check_exact(object.value, [2], "undone")


## The first state counts, however it was recorded.
func test_recorded_before() -> void:
	var object := box(1)
	object.set_script(Box)
	object.value = 1
	recorder.record(object, ["value", "passing"])
	object.value = 2
	object.other = 5
	recorder.record_complete(object)
	recorder.record(object)
	recorder.record_complete(object)
	object.value = 3
	object.other = 6
	object.passing = 8
	check_shown(
		recorder.flush(), ["passing: 1 > 8", "value: 1 > 3", "other: 5 > 6"], "recorded before"
	)
	recorder.record(object)
	object.value = 4
	recorder.record_complete(object)
	object.set_script(null)
	check("value: 3 > null" in shown(recorder.flush()), "recorded before the script changed")


func test_record_all() -> void:
	var objects: Array[Node] = []
	for i: int in 5:
		objects.append(node(Node2D.new()))
	recorder.record_all(objects, [], ["position"], true)
	for object: Node2D in objects:
		object.set_script(Fighter)
		object.position.x = 1
		object.rotation = 1
	objects[0].set_meta(&"m", 1)
	check_int(recorder.commit(history, "edit"), 5 * 4 + 1, "modifications")
	history.undo()
	for object: Node2D in objects:
		check(object.get_script() == null and object.get_meta_list().is_empty(), "undone")
		check_exact([object.position.x, object.rotation], [1.0, 0.0], "left out, and not")
	history.redo()
	for object: Node2D in objects:
		check(is_same(object.get_script(), Fighter), "done again")
	var named := func() -> void: recorder.record_all(objects, ["position"], [], true)
	expect_errors(named, 1, "expected no properties, because complete is true")
	check(recorder.flush().is_empty(), "nothing was recorded")


## Names that are left out.
func test_except() -> void:
	var object := box(1)
	recorder.record(object, [], ["value"])
	object.value = 2
	object.other = 2
	check_shown(recorder.flush(), ["other: 0 > 2"], "without a value")
	recorder.record(object, ["value", "other"], ["other"])
	object.value = 3
	object.other = 3
	check_shown(recorder.flush(), ["value: 2 > 3"], "without a named one")
	recorder.record(object, ["value"], ["value"])
	object.value = 4
	check(recorder.flush().is_empty(), "all were left out")
	var objects: Array = [node(Node2D.new()), box(1), node(Control.new()), node(Node2D.new())]
	recorder.record_all(objects, [], ["position", "value", "offset_left", "offset_right"])
	for at: int in [0, 2, 3]:
		objects[at].position.x = 7
		objects[at].modulate.a = 0.5
	objects[1].value = 3
	var lines := shown(recorder.flush())
	check(
		(
			lines
			== PackedStringArray(
				["modulate:a: 1.0 > 0.5", "modulate:a: 1.0 > 0.5", "modulate:a: 1.0 > 0.5"]
			)
		),
		str(lines)
	)
	# A list that a script makes, where a name that is left out goes.
	var listed := Listed.new()
	listed.extra = ["a", "b"]
	recorder.record_complete(listed, ["a"])
	listed.extra = ["b", "c"]
	check_shown(recorder.flush(), ["c: null > 0"], "of a list that changed")


## What the editor does not store of an instance, as its usage says.
func test_usage() -> void:
	var object := Cached.new()
	recorder.record(object)
	object.cache = [1]
	object.kept = 2
	check_shown(recorder.flush(), ["kept: 0 > 2"], "without a cache")
	check_int(VarBatchUndoRecorder.compare(Cached.new(), object).size(), 1, "differences")
	recorder.record(object, ["cache"])
	object.cache = [2]
	check_shown(recorder.flush(), ["cache: [1] > [2]"], "a cache that is named")


## Names that are none of the properties: one line.
func test_wrong_except() -> void:
	var object := box(1)
	var line := 'expected names of recorded properties as except, found "vlaue", "passing"'
	var record := func() -> void: recorder.record(object, [], ["vlaue", "value", "passing"])
	expect_errors(record, 1, line)
	object.other = 1
	object.value = 5
	check_shown(recorder.flush(), ["other: 0 > 1"], "the others")
	record = func() -> void: recorder.record_all([object, box(2)], ["value"], ["other"])
	expect_errors(record, 1, 'found "other"')
	recorder.flush()
	record = func() -> void: recorder.record_complete(object, ["nothing"])
	expect_errors(record, 1, 'found "nothing"')
	recorder.flush()


## Setters that free the object, or put another script on it, while it is undone.
func test_hostile_setters() -> void:
	var object := box(1)
	recorder.record_complete(object)
	object.set_meta(&"m", [1])
	object.watched = 5
	check_int(recorder.commit(history, "edit"), 2, "modifications")
	Box.on_set = func(setting: Box) -> void:
		Box.reset()
		recorder.record_complete(setting)
		setting.set_script(null)
		recorder.flush()
	history.undo()
	history.redo()
	history.undo()
	check(not object.has_meta(&"m"), "undone")
	var gone: Node = Node2D.new()
	recorder.record_complete(gone)
	gone.set_script(Fighter)
	recorder.commit(history, "edit")
	gone.free()
	history.undo()
	var freed: Node = Node2D.new()
	recorder.record_complete(freed)
	freed.free()
	var flush := func() -> Array: return recorder.flush()
	expect_logged(flush, 0, 1, "it was freed")


func _begin(object: Object) -> void:
	recorder.record_complete(object)
	_before = state_of(object)


## Commits what _begin() recorded of [param object], and goes back and forth. Returns the modifications.
func _commit_and_check(object: Object, what: String) -> Array[Dictionary]:
	var after := state_of(object)
	var script: Variant = object.get_script()
	var again := VarBatchUndoRecorder.new()
	var count := recorder.commit(history, what)
	check(count > 0, "no modifications of %s" % what)
	again.record_complete(object)
	history.undo()
	var before := _before
	check_bytes(state_of(object), before, "%s, first undone" % what)
	var found := again.flush()
	check_int(found.size(), count, "differences when %s is undone" % what)
	for turn: int in ROUNDS:
		history.redo()
		check_bytes(state_of(object), after, "%s, done again" % what)
		check(is_same(object.get_script(), script), "%s, the script" % what)
		history.undo()
		check_bytes(state_of(object), before, "%s, undone" % what)
	history.redo()
	# The other way round, as the edit was.
	for row: Dictionary in found:
		var old: Variant = row.old
		row.old = row.new
		row.new = old
	return found


static func _mesh(surfaces: int) -> ArrayMesh:
	var mesh := ArrayMesh.new()
	var arrays: Array = []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = PackedVector3Array([Vector3.ZERO, Vector3.RIGHT, Vector3.UP])
	for surface: int in surfaces:
		mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	return mesh


class Fighter:
	extends Node2D
	@export var health := 3
	@export var bag: Array = []


class OtherFighter:
	extends Node2D
	@export var health := 3
	@export var bag: Array = []


class Trader:
	extends Node2D
	@export var gold := 1
	@export var health := 1.5


class Cached:
	extends RefCounted
	@export_custom(0, "", PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_NO_INSTANCE_STATE)
	var cache: Array = []
	@export_storage var kept := 0


## Its items are listed before their number, and can only be set once there are so many.
class Chained:
	extends RefCounted
	var count := 0
	var values := {}

	func _get_property_list() -> Array[Dictionary]:
		var list: Array[Dictionary] = []
		for index: int in count:
			var item := "item_%d" % index
			list.append({"name": item, "type": TYPE_NIL, "usage": PROPERTY_USAGE_STORAGE})
		list.append({"name": "size", "type": TYPE_INT, "usage": PROPERTY_USAGE_STORAGE})
		return list

	func _get(property: StringName) -> Variant:
		return count if property == &"size" else values.get(property)

	func _set(property: StringName, value: Variant) -> bool:
		if property == &"size":
			count = value
			for item: String in values.keys():
				if item.get_slice("_", 1).to_int() >= count:
					values.erase(item)
			return true
		if not property.begins_with("item_") or property.get_slice("_", 1).to_int() >= count:
			return false
		values[property] = value
		return true

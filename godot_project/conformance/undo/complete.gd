extends "undo_base.gd"
## Edits that change which properties an object has: record_complete(), and what is left out.

const RandomProperties := preload("../support/random_properties.gd")
const EDITS := 20
## Those of which a setter refuses what an object has when it is new, or keeps what its getter hides.
const NOT_HELD: PackedStringArray = [
	"FontFile", "AnimatedSprite2D/animation", "AnimatedSprite3D/animation", "/layout_mode", "/bone_index", "/bone2d_index",
	"_one_bone_idx", "_two_bone_idx", "VisualShader", "SkeletonModification2D", "_count", "delimiter_", "auto_brace_", "up_direction",
]

## The state of the object that _begin() recorded.
var _before := PackedByteArray()


## Neither what is left out, nor what somebody else has added, nor what an object has by two names.
func test_what_was_not_recorded_stays() -> void:
	for except: Array in [["length"], []]:
		var animation := Animation.new()
		recorder.record_complete(animation, except)
		animation.add_track(Animation.TYPE_VALUE)
		recorder.commit(history, "a track")
		if except:
			animation.length = 7
		else:
			animation.add_track(Animation.TYPE_VALUE)
		expect_logged(history.undo, 0, 1, "the edit has added it, and nothing removes it")
		check_exact([animation.length, animation.get_track_count()], [7.0, 1] if except else [1.0, 2], "except %s" % [except])
	var light: OmniLight3D = node(OmniLight3D.new())
	recorder.record(light)
	edit(light, {"light_size": 0.5})
	recorder.commit(history, "a size")
	history.undo()
	check_exact(light.light_size, 0.0, "of two names")
	# Outside the tree, a Control does not take what it has.
	var label := Label.new()
	label.set_anchors_preset(Control.PRESET_FULL_RECT)
	recorder.record_complete(label)
	label.add_theme_color_override("font_color", Color.RED)
	recorder.commit(history, "a color")
	history.undo()
	check_exact([label.anchor_right, label.has_theme_color_override("font_color")], [1.0, false], "outside the tree")
	label.free()


func test_another_script() -> void:
	var object: Node2D = node(Node2D.new())
	var target: Node = node(Node.new())
	object.set_script(Fighter)
	edit(object, {"health": 7, "bag": ["rope", target], "position:x": 1})
	_begin(object)
	object.set_script(Trader)
	edit(object, {"gold": 12, "health": 2.5, "position:x": 5})
	var rows := {}
	for row: Dictionary in _commit_and_check(object, "a script"):
		rows[row.property] = [row.old, row.new]
	check(rows.keys()[0] == "script", "the script is first: %s" % [rows.keys()])
	check(is_same(rows.script[0], Fighter) and is_same(rows.script[1], Trader), "scripts")
	check_exact(rows.health, [7, 2.5], "a variable of both")
	check_exact(rows.gold, [null, 12], "a new one")
	check_exact(rows.bag, [["rope", target], null], "one that is gone")
	check(rows.has("position:x"), "a property of the class: %s" % [rows.keys()])
	history.undo()
	check(is_same((object.get(&"bag") as Array)[1], target), "the very same object")
	history.redo()
	for script: GDScript in [null, Fighter]:
		_begin(object)
		object.set_script(script)
		_commit_and_check(object, "script %s" % script)


func test_unchanged_values() -> void:
	var object: Node2D = node(Node2D.new())
	object.set_script(Fighter)
	edit(object, {"health": 9})
	recorder.record_complete(object)
	object.set_script(OtherFighter)
	edit(object, {"health": 9})
	check_int(recorder.commit(history, "edit"), 1, "modifications")
	var health := func() -> PackedByteArray: return var_to_bytes(object.get(&"health"))
	check_turns(health, var_to_bytes(9), var_to_bytes(9), "health")


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
	# A list that a script makes, in an order in which the first needs the last.
	var list := Listed.new()
	list.keeps_extra = true
	_begin(list)
	list.extra = ["a", "b"]
	list.values = {"a": "x", "b": "y"}
	_commit_and_check(list, "a list of a script")
	_begin(list)
	list.extra = []
	_commit_and_check(list, "an empty list of a script")


func test_reloaded_script() -> void:
	var script := script_of("extends RefCounted\n@export var a := 1\n@export var b := 2\n")
	var object: RefCounted = script.new()
	edit(object, {"a": 5, "b": 6})
	recorder.record_complete(object)
	script.source_code = "extends RefCounted\n@export var b := 2\n@export var c := 3\n"
	check_int(script.reload(true), OK, "the script again")
	edit(object, {"b": 7, "c": 8})
	var lines := shown(recorder.flush())
	check("b: 6 > 7" in lines and "a: 5 > null" in lines and "c: null > 8" in lines, str(lines))
	recorder.record_complete(object)
	script.source_code = "extends RefCounted\n@export var b := 2\n"
	check_int(script.reload(true), OK, "the script once more")
	edit(object, {"b": 9})
	recorder.commit(history, "edit")
	var b := func() -> PackedByteArray: return var_to_bytes(object.get(&"b"))
	var turns := check_turns.bind(b, var_to_bytes(7), var_to_bytes(9), "b")
	expect_logged(turns, 0, ROUNDS, 'property "c": there is no such property')


## The source of an inner class is that of another script.
func test_reloaded_inner_class() -> void:
	var source := "extends RefCounted\nclass Inner:\n\textends RefCounted\n\t@export var a := 1\n"
	var outer := script_of(source)
	for count: int in [1, 2]:
		var state := VarBatchState.new()
		state.add((outer.get_script_constant_map().Inner as GDScript).new() as RefCounted)
		check_int(state.capture_values().size() - 1, count, "values of an inner class")
		outer.source_code = source + "\t@export var b := 4\n"
		check_int(outer.reload(true), OK, "the script again")


## The first state counts, however it was recorded: see recorder.gd for edits of values alone.
func test_recorded_before() -> void:
	var object := box(1)
	recorder.record(object)
	object.value = 4
	recorder.record_complete(object)
	object.set_script(null)
	check("value: 1 > null" in shown(recorder.flush()), "recorded before the script changed")


func test_record_all() -> void:
	var objects := make_nodes(5)
	recorder.record_all(objects, [], ["position"], true)
	edit_all(objects, {"script": Fighter, "position:x": 1, "rotation": 1})
	objects[0].set_meta(&"m", 1)
	check_int(recorder.commit(history, "edit"), 5 * 4 + 1, "modifications")
	history.undo()
	for object: Node2D in objects:
		check(object.get_script() == null and object.get_meta_list().is_empty(), "undone")
		check_exact([object.position.x, object.rotation], [1.0, 0.0], "left out, and not")
	history.redo()
	for object: Node2D in objects:
		check(is_same(object.get_script(), Fighter), "done again")


func test_except() -> void:
	var objects: Array = [node(Node2D.new()), box(1), node(Control.new()), node(Node2D.new())]
	recorder.record_all(objects, [], ["position", "value", "offset_left", "offset_right"])
	edit_all([objects[0], objects[2], objects[3]], {"position:x": 7, "modulate:a": 0.5})
	objects[1].value = 3
	check_flush(PackedStringArray(filled(3, "modulate:a: 1.0 > 0.5")), "of several classes")
	# A list that a script makes, where a name that is left out goes.
	var listed := Listed.new()
	listed.extra = ["a", "b"]
	recorder.record_complete(listed, ["a"])
	listed.extra = ["b", "c"]
	check_flush(["c: null > 0"], "of a list that changed")


func test_added() -> void:
	var animation := Animation.new()
	animation.add_track(Animation.TYPE_VALUE)
	animation.track_insert_key(0, 0.5, 3)
	var theme := Theme.new()
	theme.set_color(&"a", &"Label", Color.RED)
	var items := ItemList.new()
	items.add_item("a")
	var edits: Dictionary[Object, Callable] = {
		Label.new(): func(of: Label) -> void: of.add_theme_color_override(&"font_color", Color.RED),
		Button.new(): func(of: Button) -> void: of.add_theme_stylebox_override(&"normal", StyleBoxEmpty.new()),
		animation: func(of: Animation) -> void: of.track_insert_key(of.add_track(Animation.TYPE_VALUE), 1, 2),
		theme: func(of: Theme) -> void: of.set_constant(&"b", &"Label", 2),
		items: func(of: ItemList) -> void: of.add_item("b"),
		Erasing.new(): func(of: Erasing) -> void: of.set("k", 5),
		MeshLibrary.new(): func(of: MeshLibrary) -> void: of.create_item(3),
	}
	for object: Object in edits:
		_nodes.append_array([object] if object is Node else [])
		for turn: int in 2:
			_begin(object)
			edits[object].call(object)
			_commit_and_check(object, "added to a %s" % object.get_class())
			history.undo()
			history.clear_history()
	var keeping := Erasing.new()
	keeping.is_kept = true
	recorder.record_complete(keeping)
	keeping.set("k", 5)
	recorder.commit(history, "edit")
	var line := CLASS + 'undo: skipped 1 value: RefCounted (id %d), property "k": the edit has added it, and nothing removes it'
	expect_lines(history.undo, [WARNING + line % keeping.get_instance_id()])


func test_not_stored_meanwhile() -> void:
	for is_complete: bool in [false, true]:
		var object: CPUParticles2D = node(CPUParticles2D.new())
		var state := func() -> Array: return [object.emission_shape, object.emission_sphere_radius]
		object.emission_sphere_radius = 7
		for after: Array in [[CPUParticles2D.EMISSION_SHAPE_SPHERE, 3.0], [CPUParticles2D.EMISSION_SHAPE_POINT, 5.0]]:
			var before: Array = state.call()
			recorder.record_all([object], [], [], is_complete)
			edit(object, {"emission_shape": after[0], "emission_sphere_radius": after[1]})
			recorder.commit(history, "edit")
			check_back_and_forth(state, before, after, "complete: %s" % is_complete)


func test_random_edits() -> void:
	var random := RandomNumberGenerator.new()
	var properties := RandomProperties.new(random)
	for type: String in RandomProperties.class_names:
		random.seed = hash(type)
		if ClassDB.can_instantiate(type) and not _is_not_held(type):
			for turn: int in part_of(EDITS):
				quietly(_edit_at_random.bind(type, properties, random))


func _edit_at_random(type: String, properties: RandomProperties, random: RandomNumberGenerator) -> void:
	var object: Object = ClassDB.instantiate(type)
	if object is Node:
		add_child(object as Node)
	var is_set := func(of: Dictionary) -> bool:
		var is_shown: bool = of.usage & (PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_CHECKABLE)
		return is_shown and of.name != "script" and not _is_not_held(type + "/" + of.name)
	var list := object.get_property_list().filter(is_set)
	var changed: PackedStringArray = []
	for i: int in 4 if list else 0:
		if i == 2:
			_before = state_of(object)
			recorder.record_all([object], [], [], random.randi_range(0, 1) == 1)
		var of: Dictionary = list[random.randi_range(0, list.size() - 1)]
		object.set(of.name as StringName, properties.value(of))
		changed.append(of.name as String)
	var after := state_of(object)
	if recorder.commit(history, "edit") > 0:
		check_turns(state_of.bind(object), _before, after, "%s %s" % [type, changed])
	history.clear_history()
	if not object is RefCounted:
		object.free()


func _is_not_held(named: String) -> bool:
	return Array(NOT_HELD).any(func(part: String) -> bool: return named.contains(part))


func _begin(object: Object) -> void:
	recorder.record_complete(object)
	_before = state_of(object)


## Commits what _begin() recorded of [param object], and goes back and forth. Returns the modifications.
func _commit_and_check(object: Object, what: String) -> Array[Dictionary]:
	var after := state_of(object)
	var again := VarBatchUndoRecorder.new()
	var count := recorder.commit(history, what)
	check(count > 0, "no modifications of %s" % what)
	again.record_complete(object)
	history.undo()
	check_bytes(state_of(object), _before, "%s, first undone" % what)
	var found := again.flush()
	check_int(found.size(), count, "differences when %s is undone" % what)
	history.redo()
	# Also the script, by its id.
	check_turns(state_of.bind(object), _before, after, what)
	# The other way round, as the edit was.
	for row: Dictionary in found:
		row.merge({"old": row.new, "new": row.old}, true)
	return found


static func _mesh(surfaces: int) -> ArrayMesh:
	var mesh := ArrayMesh.new()
	var arrays := filled(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = PackedVector3Array([Vector3.ZERO, Vector3.RIGHT, Vector3.UP])
	for surface: int in surfaces:
		mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	return mesh


class OtherFighter:
	extends Fighter


class Trader:
	extends Node2D
	@export var gold := 1
	@export var health := 1.5


class Erasing:
	var values := {}
	var is_kept := false

	func _get_property_list() -> Array[Dictionary]:
		var entry := func(key: String) -> Dictionary: return {"name": key, "type": TYPE_NIL, "usage": PROPERTY_USAGE_STORAGE}
		return Array(values.keys().map(entry), TYPE_DICTIONARY, &"", null)

	func _get(property: StringName) -> Variant:
		return values.get(String(property))

	func _set(property: StringName, new: Variant) -> bool:
		if new == null and not is_kept:
			values.erase(String(property))
		elif property != &"script":
			values[String(property)] = new
		return property != &"script"

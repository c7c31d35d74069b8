extends "../support/objects_suite.gd"
## Which properties a list of classes sets of objects that say themselves what they store; and scripts that no object has.

const Choosing := preload("../support/choosing.gd")

const CHOOSING := "res://conformance/support/choosing.gd"
const OLD := "res://old/item.gd"
const SKIPPED := "skipped %d properties; the first: expected a property that the class stores, found another, at byte "
## Those that an object of mode 1 stores.
const STORED: PackedStringArray = ["name", "mode", "early", "later", "again", "changed"]

var _path := "user://listed_properties_%d.dat" % OS.get_process_id()


func finish() -> void:
	DirAccess.remove_absolute(_path)
	super()


func test_what_objects_store() -> void:
	var before := _choosing(1)
	var bytes := VarBatch.var_to_bytes(before, true)
	check_bytes(bytes, var_to_bytes_with_objects(before), "the engine's bytes")
	for list: Variant in [true, [Choosing], {"classes": [Choosing]}, {OLD: Choosing}]:
		var found: Choosing = _made(bytes, list)
		for name: String in STORED:
			check_value(found.get(name), before.get(name), "%s with %s" % [name, list])
		check_value(found.cache, "untouched", "what is not stored, with %s" % [list])
	# Only what it is in the end counts.
	var other := _made(VarBatch.var_to_bytes(_choosing(0), true), [Choosing])
	check_value([other.early, other.later, other.again], ["early", "later", 7], "what is not stored in mode 0")


## In the order of the bytes, also where the class has one before the script. A group may have the name of a variable.
func test_order_and_groups() -> void:
	var bytes := Values.object("Node", {"name": "a", "script": OLD, "level": 2, "hp": 7})
	var made: Levelled = node(VarBatch.bytes_to_var(bytes, {OLD: Levelled}) as Node)
	check_value([made.name, made.level, made.hp], [&"a", 2, 7], "in their order")
	var grouped: Grouped = VarBatch.bytes_to_var(Values.object("Resource", {"script": OLD, "hp": 7, "hp_max": 8}), {OLD: Grouped})
	check_value([grouped.hp, grouped.hp_max], [7, 8], "a group of that name")


## A script that lists names that the bytes have chosen.
func test_names_in_the_bytes() -> void:
	var names := PackedStringArray(["resource_path", "shared"])
	var properties := {"script": OLD, "columns": names, "resource_path": "res://project.godot", "shared": "changed"}
	var bytes := Values.object("Resource", properties)
	var made: Columns = quietly(call_method.bind(&"bytes_to_var", [bytes, {OLD: Columns}]))
	check_value([made.columns, made.resource_path, Columns.shared], [names, "", "untouched"], "paths and static variables")


func test_what_objects_do_not_store() -> void:
	var properties := {"owner": null, "script": CHOOSING, "early": 1, "again": 5, "later": 2, "cache": "changed"}
	properties.merge({"shared": "changed", "offered": PackedStringArray(["changed"]), "scene_file_path": "res://a.tscn"})
	properties.merge({"metadata/a": 1, "unknown": 6})
	var bytes := Values.object("Node", properties)
	for list: Variant in [[Choosing], [Choosing, &"Node"], {"classes": [Choosing], "extends": [&"Node"]}]:
		var found: Choosing = _made(bytes, list, 9)
		check_value([found.early, found.later, found.cache, found.again], ["early", "later", "untouched", 5], "variables")
		check_value([Choosing.shared, found.scene_file_path], ["untouched", ""], "what is no variable of it")
		check_value(found.get_meta_list(), [] as Array[StringName], "metadata")
		check_value(found.offered, PackedStringArray(["unknown"]), "what is in no list")


## A script without _get_property_list() is offered nothing.
func test_only_changed_lists() -> void:
	var source := "extends Resource\nvar altered := 1\nvar cache := 2\nvar offered := []\nstatic var shared := 3\n"
	source += "func _set(name, _value):\n\toffered.append(name)\n\treturn false\n"
	source += "func _validate_property(property):\n\tif property.name in ['altered', 'resource_scene_unique_id']:\n"
	source += "\t\tproperty.usage |= PROPERTY_USAGE_STORAGE\n"
	var properties := {"resource_path": "res://project.godot", "resource_scene_unique_id": "a", "script": OLD}
	properties.merge({"altered": 5, "cache": 6, "shared": 7, "unknown": 8, "resource_name": "name"})
	var decode := call_method.bind(&"bytes_to_var", [Values.object("Resource", properties), {OLD: script_of(source)}])
	var found: Resource = expect_logged(decode, 0, 1, SKIPPED % 4)
	check_value([found.get("altered"), found.get("cache"), found.get("shared")], [5, 2, 3], "variables")
	check_value([found.resource_path, found.resource_scene_unique_id, found.resource_name], ["", "a", "name"], "the class")
	check_value(found.get("offered"), [&"resource_name", &"resource_scene_unique_id"], "what it is offered")


## Objects in a property that is not stored are nobody's.
func test_objects_that_are_skipped() -> void:
	var object := _choosing(1)
	object.early = [node(Node.new()), {"k": node(Node.new())}]
	object.later = node(Node.new())
	var mode := var_to_bytes("mode").slice(4)
	var bytes := VarBatch.var_to_bytes(object, true)
	var damaged := Values.replaced(bytes, mode + var_to_bytes(1), mode + var_to_bytes(0))
	var list: Array = [Choosing, &"Node"]
	var count := Performance.get_monitor(Performance.OBJECT_COUNT)
	var decode := call_method.bind(&"bytes_to_vars", [[bytes, damaged, bytes], list])
	var found: Array = expect_logged(decode, 0, 1, "buffer 1: " + SKIPPED % 2)
	check_value([found[1].early, found[1].later], ["early", "later"], "what is skipped")
	check_int(int(Performance.get_monitor(Performance.OBJECT_COUNT) - count), 9, "objects")
	for made: Choosing in found:
		_nodes.append_array([made] + ([made.early[0], made.early[1].k, made.later] if made.early is Array else []))
	check_int(_nodes.size(), 3 + 1 + 9, "nodes that somebody has")


## Each object is asked at most twice, however many names its bytes have.
func test_many_names() -> void:
	var source := "extends RefCounted\nstatic var asked := 0\nvar cache := 1\n"
	source += "func _get_property_list():\n\tasked += 1\n\treturn []\n"
	var script := script_of(source)
	var one := Values.object("RefCounted", {"script": OLD, "cache": 5})
	var name := var_to_bytes("cache").slice(4) + var_to_bytes(5)
	one.encode_u32(var_to_bytes("RefCounted").size(), 2 + 999)
	one += Packed.repeated(name, name.size() * 999)
	script.set("asked", 0)
	expect_logged(call_method.bind(&"bytes_to_vars", [[one, one], {OLD: script}]), 0, 2, SKIPPED % 1000)
	check_int(script.get("asked") as int, 4, "how often objects were asked")


func test_warning_of_saves() -> void:
	var lines: PackedStringArray = []
	if OS.is_debug_build():
		var text := 'VarBatch.save_var: "%s": not saved, as they have no @export: cache, offered of ' % _path
		lines = [WARNING + text + CHOOSING]
	check_int(expect_lines(call_method.bind(&"save_var", [_path, _choosing(1), true]), lines), OK, "save")


## No object has such a script: bytes from before it was one are refused before anything is made.
func test_abstract_scripts() -> void:
	if Engine.get_version_info().hex < 0x040500:
		return
	var path := "res://made_abstract.gd"
	var script := script_of("@abstract\nextends RefCounted\n@export var a := 1\n")
	script.take_over_path(path)
	var bytes := Values.object("RefCounted", {"script": path, "a": 2})
	var why := 'expected a script that objects can have, found "%s", which is abstract' % path
	for list: Variant in [true, [script], {path: script}, {"classes": [script], "unlisted": null}]:
		check(VarBatch.validate([bytes], list)[0].begins_with(why), "validate: %s" % VarBatch.validate([bytes], list)[0])
		check_call(&"bytes_to_var", [bytes, list], null, [why + "..."], ERR_INVALID_DATA)
	# It is listed as the type of containers.
	var typed := Array([], TYPE_OBJECT, &"RefCounted", script)
	var found: Variant = expect_lines(call_method.bind(&"bytes_to_var", [VarBatch.var_to_bytes(typed, true), [script]]), [])
	check(found is Array and (found as Array).is_same_typed(typed), "a typed Array")


## Where nobody gets them: in a property that is skipped, in a container of another type, in a value that fails, in one that
## an object refuses, and where another value takes their place.
func test_nodes_that_nobody_gets() -> void:
	var shared := Node2D.new()
	var curve := Curve.new()
	curve.set_meta(&"nodes", [shared, shared])
	var typed := var_to_bytes_with_objects([null] as Array[Curve])
	var node_bytes := var_to_bytes_with_objects(shared)
	var buffers: Array = [
		var_to_bytes_with_objects(curve),
		typed.slice(0, -4) + node_bytes,
		var_to_bytes_with_objects({"a": shared, "b": Gradient.new()}),
		Values.object("Curve", {"bake_resolution": null}).slice(0, -4) + node_bytes,
		Values.header(TYPE_DICTIONARY) + Values.u32(2) + var_to_bytes(1) + node_bytes + var_to_bytes(1) + var_to_bytes(2),
	]
	var change := {"op": "set", "path": ["a"], "old": 5, "new": 2}
	var before := Performance.get_monitor(Performance.OBJECT_COUNT)
	var list: Array = [&"Curve", &"Node2D"]
	for i: int in buffers.size():
		quietly(call_method.bind(&"bytes_to_var", [buffers[i], true if i == 4 else list]))
		quietly(call_method.bind(&"bytes_to_vars", [buffers, list]))
		quietly(call_method.bind(&"diff", [var_to_bytes({"a": 1, "b": 2}), buffers[2], list]))
		quietly(call_method.bind(&"patch", [buffers[2], [change], true]))
	check_int(int(Performance.get_monitor(Performance.OBJECT_COUNT) - before), 0, "nodes that nobody gets")
	for kept: Variant in (VarBatch.bytes_to_var(buffers[0], true) as Curve).get_meta(&"nodes"):
		check(is_instance_valid(kept), "a node in metadata is freed")
		kept.free()
	shared.free()


func _made(bytes: PackedByteArray, list: Variant, skipped := 0) -> Choosing:
	var text := SKIPPED % skipped
	return node(expect_logged(call_method.bind(&"bytes_to_var", [bytes, list]), 0, mini(1, skipped), text) as Node)


func _choosing(mode: int) -> Choosing:
	var made := Choosing.new()
	made.name = "Chosen"
	made.mode = mode
	made.early = [1, "two"]
	made.later = {"three": 4}
	made.again = 7
	made.changed = 8
	made.cache = "of this run"
	return node(made)


class Levelled:
	extends Node
	var level := 0:
		set(new):
			level = new
			hp = 100 * new
	@export var hp := 100

	func _validate_property(property: Dictionary) -> void:
		if property.name in ["name", "level"]:
			property.usage |= PROPERTY_USAGE_STORAGE


class Grouped:
	extends Resource
	@export var hp := 1
	@export_group("hp")
	@export var hp_max := 2


class Columns:
	extends Resource
	static var shared := "untouched"
	@export var columns: PackedStringArray = []

	func _get_property_list() -> Array[Dictionary]:
		var entry := func(column: String) -> Dictionary: return {"name": column, "type": TYPE_STRING, "usage": PROPERTY_USAGE_DEFAULT}
		return Array(Array(columns).map(entry), TYPE_DICTIONARY, &"", null)

	func _set(_property: StringName, _value: Variant) -> bool:
		return false

extends "random_objects.gd"
## Random graphs of objects of 40 native classes and 13 scripts, which hold values, containers and one
## another. An object may have several holders, but never holds itself.

const Generator := preload("generator.gd")
const Listing := preload("listing.gd")
const RandomProperties := preload("random_properties.gd")
const Bag := preload("classes/bag.gd")
const Enemy := preload("classes/enemy.gd")
const Item := preload("classes/item.gd")
const Shop := preload("classes/shop.gd")
const Sword := preload("classes/sword.gd")

const NATIVE := """
Resource RefCounted EncodedObjectAsID Curve Curve2D Gradient GradientTexture1D StyleBoxFlat StyleBoxLine
RectangleShape2D ConvexPolygonShape2D BoxShape3D StandardMaterial3D ShaderMaterial PhysicsMaterial Environment
FastNoiseLite Theme LabelSettings SpriteFrames Animation TileSet BoxMesh InputEventKey InputEventMouseButton
InputEventJoypadMotion Node Node2D Sprite2D AnimatedSprite2D Camera2D Area2D CollisionShape2D Line2D Label Button Timer
Node3D MeshInstance3D AudioStreamPlayer
"""
const SCRIPTS: Array[GDScript] = [
	Item, Sword, Scripted, Listing, Bag, Enemy, preload("classes/boss.gd"), preload("classes/eased.gd"),
	preload("classes/framed.gd"), preload("classes/sign.gd"), preload("classes/tool_shape.gd"),
	preload("classes/watcher.gd"),
]
const KIND_COUNT := 53
## Read again as they were written.
const EXACT: Array = [Item, Sword, Scripted, Bag, Shop, "Resource", "RefCounted"]
const ELEMENTS: Array = [Item, Sword, Enemy, Scripted, &"Resource", &"RefCounted", &"Node", &"Curve"]

## Objects of one graph, roughly, and how deep in it they hold others.
const MAX_OBJECTS := 20
const MAX_DEPTH := 8

## True if the graph holds dictionaries with scripts for their values, which an engine with that bug
## reads wrong: see Engines.has_value_script_bug(). All else in it is read as it was written.
var has_value_scripts := false
## The classes and scripts of which objects were made.
var used: Dictionary[Variant, bool] = {}

var _generator: Generator
var _properties: RandomProperties
## Classes and scripts.
var _all: Array = Array(NATIVE.strip_edges().replace("\n", " ").split(" ")) + SCRIPTS
var _kinds := _all
## Objects of the graph that are done, and so may have one more holder.
var _done: Array[Object] = []
var _nodes: Array[Node] = []
var _made_count := 0
var _fittings: Dictionary[Array, Array] = {}
## The variables of each script.
var _variables: Dictionary[GDScript, Array] = {}


func _init(seed_number: int) -> void:
	_generator = Generator.new(seed_number, true)
	super(_generator.random, _generator.texts, _generator.nested_value, true)
	_properties = RandomProperties.new(_random)
	_generator.objects = self


## The next graph. close() is to be called in the end.
func graph() -> Variant:
	has_value_scripts = _random.randi_range(0, 9) == 0
	_kinds = EXACT if has_value_scripts else _all
	_made_count = 0
	_done.clear()
	var plain: Variant = _generator.value()
	var made := range(_random.randi_range(1, 4)).map(func(_i: int) -> Object: return _make(_any(_kinds), 0))
	match _random.randi_range(0, 4):
		0:
			return made[0]
		1:
			return {made[-1]: made, "plain": [plain], "null": null}
		2:
			return {"all": {&"made": made}, made[0]: plain, 5: made[0]}
	return made + [plain, [made[0]]]


func close() -> void:
	for node: Node in _nodes:
		node.free()
	_nodes.clear()
	_generator.objects = null


## Frees the nodes in a value that was decoded.
func free_nodes_in(value: Variant) -> void:
	if value is Array:
		for element: Variant in value:
			free_nodes_in(element)
	elif value is Dictionary:
		free_nodes_in(value.keys() + value.values())
	elif is_instance_valid(value):
		var object: Object = value
		for name: StringName in object.get_meta_list():
			free_nodes_in(object.get_meta(name))
		if object.get_script() != null:
			for property: Dictionary in _variables_of(object.get_script() as GDScript):
				free_nodes_in(object.get(property.name as StringName))
		if object is Node:
			object.free()


## Not null, as it may be a key: of keys that are read as one, only one keeps its value, and nobody could
## free the nodes in those of the others.
func object(depth: int) -> Variant:
	if _done and _random.randi_range(0, 3) == 0:
		return _any(_done)
	return _make(_any(_kinds), depth) if _may_make(depth) else RefCounted.new()


func callable() -> Callable:
	return Callable()


func element_type() -> Array:
	var kind: Variant = _any(ELEMENTS)
	if kind is GDScript:
		return [TYPE_OBJECT, (kind as GDScript).get_instance_base_type(), kind]
	return [TYPE_OBJECT, kind, null]


func element(type: Array, depth: int) -> Variant:
	if not _may_make(depth) or _random.randi_range(0, 5) == 0:
		return null
	if type[2] != null and not type[2] in _kinds:
		return null
	if type[2] != null:
		return _make(Sword if type[2] == Item and _random.randi() % 2 else type[2], depth)
	var fitting := _fitting(type[1] as StringName)
	return _make(_any(fitting), depth) if fitting else null


func _fitting(type: StringName) -> Array:
	var key := [type, has_value_scripts]
	if not _fittings.has(key):
		_fittings[key] = _kinds.filter(
			func(kind: Variant) -> bool:
				var base: StringName = kind if kind is String else (kind as GDScript).get_instance_base_type()
				return ClassDB.is_parent_class(base, type)
		)
	return _fittings[key]


func _may_make(depth: int) -> bool:
	return _made_count < MAX_OBJECTS and depth < MAX_DEPTH


func _any(of: Array) -> Variant:
	return of[_random.randi_range(0, of.size() - 1)]


func _make(kind: Variant, depth: int) -> Object:
	_made_count += 1
	used[kind] = true
	var made: Object
	if kind is GDScript:
		made = (kind as GDScript).new()
	else:
		made = ClassDB.instantiate(kind as String)
		if not has_value_scripts:
			_properties.change(made)
			_add_parts(made)
			var script: GDScript = _any(SCRIPTS)
			if ClassDB.is_parent_class(made.get_class(), script.get_instance_base_type()):
				made.set_script(script)
	if made is Node:
		_nodes.append(made)
	if made.get_script() != null:
		_fill(made, depth + 1)
	if _random.randi_range(0, 3) == 0:
		made.set_meta(StringName(_texts.name()), _nested_value.call(depth + 1))
	_done.append(made)
	return made


func _add_parts(to: Object) -> void:
	for i: int in _random.randi_range(0, 3):
		match to.get_class():
			"Curve":
				(to as Curve).add_point(Vector2(_random.randf(), _random.randf()))
			"Curve2D":
				(to as Curve2D).add_point(Vector2(_random.randf(), i), Vector2.ONE)
			"Gradient":
				(to as Gradient).add_point(_random.randf(), Color.AQUA)
			"SpriteFrames":
				(to as SpriteFrames).add_animation(_texts.name())
				(to as SpriteFrames).add_frame("default", GradientTexture1D.new(), 2.0)
			"Theme":
				(to as Theme).set_color("font_color", "Label", Color.RED)
				(to as Theme).set_stylebox("normal", "Button", StyleBoxLine.new())
			"Animation":
				var track := (to as Animation).add_track(i as Animation.TrackType)
				(to as Animation).track_set_path(track, _texts.name())
			"TileSet":
				(to as TileSet).add_physics_layer()
				(to as TileSet).add_custom_data_layer()
			"ShaderMaterial":
				var shader := Shader.new()
				shader.code = "shader_type canvas_item; uniform float some = 1.0; uniform vec3 other;"
				(to as ShaderMaterial).shader = shader
				(to as ShaderMaterial).set_shader_parameter("some", _random.randf())
			"Label", "Button":
				(to as Control).add_theme_color_override("font_color", Color.BLUE)
				(to as Control).add_theme_stylebox_override("normal", StyleBoxEmpty.new())


## Sets all that the script of [param made] stores. What a property refuses is not set.
func _fill(made: Object, depth: int) -> void:
	for property: Dictionary in _variables_of(made.get_script() as GDScript):
		if property.usage & PROPERTY_USAGE_STORAGE:
			made.set(property.name, _value_for(property, made.get(property.name), depth))
	if made.has_method("_set"):
		for i: int in _random.randi_range(0, 2):
			made.set("extra_%d" % i, _nested_value.call(depth))
	if made is Listing:
		(made as Listing).hides = _random.randi() % 2 == 0


func _value_for(property: Dictionary, held: Variant, depth: int) -> Variant:
	match property.type as int:
		TYPE_NIL:
			var none := _random.randi_range(0, 9)
			if none < 2:
				return Engines.freed_object() if none else Engines.null_object()
			return _nested_value.call(depth)
		TYPE_OBJECT:
			var type: StringName = property.class_name
			return element([TYPE_OBJECT, type if type else &"Resource", null], depth)
		TYPE_ARRAY:
			var array: Array = held
			var type := [array.get_typed_builtin(), array.get_typed_class_name(), array.get_typed_script()]
			return _generator.array_of(type, depth)
		TYPE_DICTIONARY:
			var of: Dictionary = held
			var key := [of.get_typed_key_builtin(), of.get_typed_key_class_name(), of.get_typed_key_script()]
			var content := [of.get_typed_value_builtin(), of.get_typed_value_class_name(), of.get_typed_value_script()]
			return _generator.dictionary_of(key, content, depth)
	return _generator.of_type(property.type as int, depth)


func _variables_of(script: GDScript) -> Array:
	if not _variables.has(script):
		const VARIABLE := PROPERTY_USAGE_SCRIPT_VARIABLE
		var is_variable := func(property: Dictionary) -> bool: return property.usage & VARIABLE != 0
		_variables[script] = script.get_script_property_list().filter(is_variable)
	return _variables[script]

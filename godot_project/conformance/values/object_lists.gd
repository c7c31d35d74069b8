extends "../support/suite.gd"
## Which properties are written of an object: the lists that are known of classes and scripts, for
## objects in states that change them.

const Generator := preload("../support/generator.gd")
const Listing := preload("../support/listing.gd")
const Scripted := preload("../support/scripted.gd")

## Classes whose lists are known, and others. Of some, the engine does not survive all values.
const CLASSES := """
AnimatableBody2D AnimatableBody3D AnimatedSprite2D AnimatedSprite3D Animation
AnimationLibrary Area2D Area3D AtlasTexture AudioStream AudioStreamRandomizer AudioStreamWAV
BitMap BoxMesh BoxShape3D Button ButtonGroup CPUParticles2D CPUParticles3D Camera2D Camera3D
CanvasGroup CanvasItem CanvasLayer CanvasModulate CapsuleMesh CapsuleShape2D CapsuleShape3D
CharacterBody2D CharacterBody3D CircleShape2D CollisionObject2D CollisionObject3D
CollisionPolygon2D CollisionShape2D CollisionShape3D ConcavePolygonShape2D
ConvexPolygonShape2D Curve Curve2D Curve3D CylinderMesh CylinderShape3D EncodedObjectAsID
Environment FastNoiseLite GPUParticles2D GeometryInstance3D Gradient GradientTexture1D
GradientTexture2D Image ImageTexture InputEvent InputEventAction InputEventFromWindow
InputEventJoypadButton InputEventJoypadMotion InputEventKey InputEventMouse
InputEventMouseButton InputEventWithModifiers JSON Label LabelSettings Line2D Marker2D
Marker3D Mesh MeshInstance2D MeshInstance3D NavigationAgent2D NavigationObstacle2D Node
Node2D Node3D Noise Object OmniLight3D Path2D Path3D PathFollow2D PathFollow3D PhysicsBody2D
PhysicsBody3D PhysicsMaterial PlaceholderTexture2D PlaneMesh Polygon2D PrimitiveMesh QuadMesh
RandomNumberGenerator RayCast2D RayCast3D RectangleShape2D RefCounted RemoteTransform2D
Resource RigidBody2D RigidBody3D SegmentShape2D ShaderMaterial Shape2D Shape3D ShapeCast2D
Shortcut Skin SphereMesh SphereShape3D Sprite2D Sprite3D SpriteBase3D SpriteFrames
StandardMaterial3D StaticBody2D StaticBody3D StyleBox StyleBoxEmpty StyleBoxFlat StyleBoxLine
StyleBoxTexture Texture Texture2D Theme TileSet Timer Translation VisibleOnScreenNotifier2D
VisualInstance3D World2D WorldBoundaryShape2D
"""
## Objects of each class.
const OBJECTS := 6

var _generator := Generator.new(20261126, true)


func test_every_class() -> void:
	for name: String in CLASSES.strip_edges().replace("\n", " ").split(" "):
		if ClassDB.can_instantiate(name):
			_check_class(name)


## What one object is like says nothing about another.
func test_lists_of_scripts() -> void:
	var objects: Array = []
	for i: int in 40:
		var listing := Listing.new()
		listing.hides = i % 3 == 0
		for j: int in i % 5:
			listing.held["held %d" % (i * j % 7)] = [i, {j: Scripted.new()}]
		objects.append(listing)
		var scripted := Scripted.new()
		if i % 4 == 1:
			scripted.set_meta(&"a", i)
		if i % 4 == 2:
			scripted.set_meta(&"b", scripted.words)
		scripted.content = listing
		objects.append(scripted)
	_check(objects, "scripts")


## A script may have other properties when its source was changed.
func test_reloaded_scripts() -> void:
	var script: GDScript = load("res://conformance/support/reloaded.gd")
	var source := script.source_code
	for more: String in ["", "\n@export var second := 2", "\nvar third := 3", ""]:
		script.source_code = source + more
		check_int(script.reload(true), OK, "reload")
		_check([script.new()], "reloaded: " + more)


func _check_class(name: String) -> void:
	var objects: Array[Object] = []
	quietly(func() -> void:
		for i: int in OBJECTS:
			var object: Object = ClassDB.instantiate(name)
			if object == null:
				return
			# The first one is as it was made.
			if i > 0:
				_change(object)
			objects.append(object))
	_check(objects, name)
	for object: Object in objects:
		if not object is RefCounted:
			object.free()


## Getters of the engine may print.
func _check(objects: Array, what: String) -> void:
	for value: Variant in [objects] + objects:
		var both: Array = quietly(
			func() -> Array: return [VarBatch.var_to_bytes(value, true), var_to_bytes_with_objects(value)]
		)
		check_bytes(both[0], both[1], "%s: %s" % [what, value])


func _change(object: Object) -> void:
	for property: Dictionary in object.get_property_list():
		var name: String = property.name
		if name == "script" or _generator.random.randi_range(0, 2) > 0:
			continue
		if property.usage & (PROPERTY_USAGE_READ_ONLY | PROPERTY_USAGE_CATEGORY):
			continue
		object.set(name, _value(property))
	if object is RefCounted and _generator.random.randi_range(0, 3) == 0:
		object.set_script(Scripted)
	if _generator.random.randi_range(0, 3) == 0:
		object.set_meta(&"meta", 1)


func _value(property: Dictionary) -> Variant:
	var type: int = property.type
	match type:
		TYPE_INT:
			return _generator.random.randi_range(0, 7)
		TYPE_FLOAT:
			return _generator.random.randi_range(0, 8) / 4.0
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return type_convert(["", "a", "b"][_generator.random.randi_range(0, 2)], type)
		TYPE_OBJECT:
			return _resource(property.hint_string)
		TYPE_ARRAY, TYPE_DICTIONARY, TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID, TYPE_NIL:
			return type_convert(null, type)
		TYPE_COLOR, TYPE_VECTOR2, TYPE_VECTOR3, TYPE_VECTOR2I, TYPE_VECTOR3I:
			return [Color.RED, Color(), Vector2.ONE, Vector3.ONE][_generator.random.randi_range(0, 3)]
	return type_convert(null, type)


## A resource of one of these classes, which are separated by commas.
func _resource(classes: String) -> Resource:
	var names := classes.split(",")
	var base := names[_generator.random.randi_range(0, names.size() - 1)]
	if not ClassDB.class_exists(base) or not ClassDB.is_parent_class(base, &"Resource"):
		return null
	var all := [base] + Array(ClassDB.get_inheriters_from_class(base))
	var made: String = all[_generator.random.randi_range(0, all.size() - 1)]
	if base == "AudioStream":
		made = "AudioStreamWAV"
	if not made in CLASSES or not ClassDB.can_instantiate(made):
		return null
	return ClassDB.instantiate(made)

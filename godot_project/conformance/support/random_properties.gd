extends RefCounted
## Sets stored properties of native objects to random values, such as the engine survives.

## Classes whose lists of properties VarBatch knows, and others. Of some, the engine does not survive
## all values.
const CLASSES := """
AnimatableBody2D AnimatableBody3D AnimatedSprite2D AnimatedSprite3D Animation AnimationLibrary AnimationMixer
AnimationPlayer Area2D Area3D AspectRatioContainer AtlasTexture AudioStream AudioStreamGenerator AudioStreamMP3
AudioStreamOggVorbis AudioStreamPlayer AudioStreamPlayer2D AudioStreamPlayer3D AudioStreamRandomizer AudioStreamWAV
BaseButton BitMap BoxContainer BoxMesh BoxShape3D Button ButtonGroup CPUParticles2D CPUParticles3D Camera2D Camera3D
CameraAttributesPhysical CameraAttributesPractical CanvasGroup CanvasItem CanvasItemMaterial CanvasLayer CanvasModulate
CanvasTexture CapsuleMesh CapsuleShape2D CapsuleShape3D CenterContainer CharacterBody2D CharacterBody3D CheckBox
CheckButton CircleShape2D CollisionObject2D CollisionObject3D CollisionPolygon2D CollisionShape2D CollisionShape3D
ColorPickerButton ColorRect ConcavePolygonShape2D ConcavePolygonShape3D Container Control ConvexPolygonShape2D
ConvexPolygonShape3D Curve Curve2D Curve3D CurveTexture CurveXYZTexture CylinderMesh CylinderShape3D DampedSpringJoint2D
Decal DirectionalLight2D DirectionalLight3D EncodedObjectAsID Environment FastNoiseLite FlowContainer FogMaterial
FogVolume FontVariation GPUParticles2D GPUParticles3D GeometryInstance3D Gradient GradientTexture1D GradientTexture2D
GridContainer GrooveJoint2D HBoxContainer HFlowContainer HScrollBar HSeparator HSlider HSplitContainer HTTPRequest
HeightMapShape3D Image ImageTexture InputEvent InputEventAction InputEventFromWindow InputEventJoypadButton
InputEventJoypadMotion InputEventKey InputEventMouse InputEventMouseButton InputEventScreenDrag InputEventScreenTouch
InputEventWithModifiers ItemList JSON Label Label3D LabelSettings LightOccluder2D Line2D LineEdit LinkButton
MarginContainer Marker2D Marker3D Mesh MeshInstance2D MeshInstance3D MultiMesh NavigationAgent2D NavigationMesh
NavigationObstacle2D NavigationObstacle3D NavigationPolygon NinePatchRect Node Node2D Node3D Noise NoiseTexture2D
ORMMaterial3D Object OccluderPolygon2D OmniLight3D OptionButton Panel PanelContainer PanoramaSkyMaterial Parallax2D
ParallaxBackground ParallaxLayer ParticleProcessMaterial Path2D Path3D PathFollow2D PathFollow3D PhysicalSkyMaterial
PhysicsBody2D PhysicsBody3D PhysicsMaterial PinJoint2D PlaceholderTexture2D PlaneMesh PointLight2D Polygon2D
PrimitiveMesh PrismMesh ProceduralSkyMaterial ProgressBar QuadMesh RandomNumberGenerator Range RayCast2D RayCast3D
RectangleShape2D RefCounted ReferenceRect ReflectionProbe RemoteTransform2D RemoteTransform3D Resource RichTextLabel
RigidBody2D RigidBody3D ScrollBar ScrollContainer SegmentShape2D SeparationRayShape2D SeparationRayShape3D Separator
Shader ShaderMaterial Shape2D Shape3D ShapeCast2D Shortcut Skin Sky Slider SphereMesh SphereShape3D SpinBox
SplitContainer SpotLight3D SpringArm3D Sprite2D Sprite3D SpriteBase3D SpriteFrames StandardMaterial3D StaticBody2D
StaticBody3D StyleBox StyleBoxEmpty StyleBoxFlat StyleBoxLine StyleBoxTexture SubViewport SubViewportContainer
SystemFont TextEdit Texture Texture2D TextureButton TextureProgressBar TextureRect Theme TileMapLayer TileSet Timer
TorusMesh TouchScreenButton Translation Tree VBoxContainer VFlowContainer VScrollBar VSeparator VSlider VSplitContainer
VisibleOnScreenEnabler2D VisibleOnScreenEnabler3D VisibleOnScreenNotifier2D VisibleOnScreenNotifier3D VisualInstance3D
World2D WorldBoundaryShape2D WorldBoundaryShape3D WorldEnvironment
"""

static var class_names := CLASSES.strip_edges().replace("\n", " ").split(" ")

var _random: RandomNumberGenerator
## The properties of an object of each class, as it is made.
var _lists: Dictionary[String, Array] = {}


func _init(random: RandomNumberGenerator) -> void:
	_random = random


## Changes a third of what [param object] stores, and may give it metadata.
func change(object: Object, rarity := 2) -> void:
	for property: Dictionary in _list_of(object):
		if _random.randi_range(0, rarity) == 0:
			object.set(property.name as StringName, value(property))
	if _random.randi_range(0, 3) == 0:
		object.set_meta(&"meta", 1)


## A value for a property of which this is known.
func value(property: Dictionary) -> Variant:
	var type: int = property.type
	match type:
		TYPE_BOOL:
			return _random.randi_range(0, 1) == 1
		TYPE_INT:
			return _random.randi_range(0, 7)
		TYPE_FLOAT:
			return _random.randi_range(0, 8) / 4.0
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return type_convert(["", "a", "b"][_random.randi_range(0, 2)], type)
		TYPE_OBJECT:
			return _resource(property.hint_string as String)
		TYPE_COLOR, TYPE_VECTOR2, TYPE_VECTOR3, TYPE_VECTOR2I, TYPE_VECTOR3I:
			return [Color.RED, Color(), Vector2.ONE, Vector3.ONE][_random.randi_range(0, 3)]
	return type_convert(null, type)


## A resource of one of these classes, which are separated by commas.
func _resource(classes: String) -> Resource:
	var names := classes.split(",")
	var base := names[_random.randi_range(0, names.size() - 1)]
	if not ClassDB.class_exists(base) or not ClassDB.is_parent_class(base, &"Resource"):
		return null
	var all := [base] + Array(ClassDB.get_inheriters_from_class(base))
	var made: String = all[_random.randi_range(0, all.size() - 1)]
	if base == "Shader":
		var shader := Shader.new()
		shader.code = "shader_type canvas_item; uniform float speed; instance uniform float own;"
		return shader
	if base == "AudioStream":
		made = "AudioStreamWAV"
	if not made in class_names or not ClassDB.can_instantiate(made):
		return null
	return ClassDB.instantiate(made)


func _list_of(object: Object) -> Array:
	var name := object.get_class()
	if not _lists.has(name):
		const SKIPPED := PROPERTY_USAGE_READ_ONLY | PROPERTY_USAGE_CATEGORY
		var is_set := func(of: Dictionary) -> bool: return of.name != "script" and not of.usage & SKIPPED
		_lists[name] = object.get_property_list().filter(is_set)
	return _lists[name]

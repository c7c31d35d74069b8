//! What the list of an object's stored properties depends on, for native classes.
//!
//! In its source, a class changes the list of its objects in `_get_property_list` and `_validate_property`. GDExtension
//! does not show these, so here are classes that were read, of the versions that were. Objects of all other classes are
//! asked for their lists one by one. The suite `objects/lists` sets the properties of each class here at random, and
//! compares the lists.

use godot::builtin::StringName;
use godot::classes::class_db::ApiType;
use godot::classes::{ClassDb, Engine};
use godot::obj::Singleton;

/// A property on which a list depends.
#[derive(Clone)]
pub enum Switch {
    /// On its value.
    Value(StringName),
    /// The list is only known if it is null or false.
    Empty(StringName),
}

/// Classes whose lists depend on nothing but those of their parents.
const CONSTANT: &str = "\
    AnimatableBody2D AnimatableBody3D AnimationLibrary Area2D Area3D AtlasTexture AudioStream AudioStreamWAV BitMap \
    BoxMesh BoxShape3D ButtonGroup Camera2D CanvasGroup CanvasLayer CanvasModulate CapsuleMesh CapsuleShape2D \
    CapsuleShape3D CharacterBody2D CharacterBody3D CircleShape2D CollisionObject2D CollisionObject3D \
    CollisionPolygon2D ConcavePolygonShape2D ConvexPolygonShape2D Curve Curve2D Curve3D CylinderMesh CylinderShape3D \
    EncodedObjectAsID FastNoiseLite Gradient GradientTexture1D GradientTexture2D InputEvent InputEventAction \
    InputEventFromWindow InputEventJoypadButton InputEventJoypadMotion InputEventKey InputEventMouse \
    InputEventMouseButton JSON Line2D Marker2D Marker3D Mesh MeshInstance2D NavigationAgent2D NavigationObstacle2D \
    Node2D Noise Object Path2D Path3D PathFollow2D PathFollow3D PhysicsBody2D PhysicsBody3D PhysicsMaterial \
    PlaceholderTexture2D PlaneMesh Polygon2D PrimitiveMesh QuadMesh RandomNumberGenerator RayCast2D RayCast3D \
    RectangleShape2D RefCounted RemoteTransform2D Resource RigidBody2D RigidBody3D SegmentShape2D Shape2D Shape3D \
    ShapeCast2D Shortcut SphereMesh SphereShape3D Sprite2D Sprite3D SpriteBase3D SpriteFrames StaticBody2D \
    StaticBody3D StyleBox StyleBoxEmpty StyleBoxFlat StyleBoxLine StyleBoxTexture Texture Texture2D Timer Translation \
    VisibleOnScreenNotifier2D VisualInstance3D World2D WorldBoundaryShape2D";

/// Classes whose lists depend on some of their properties: on the values of the first ones, and only known if the second
/// ones are null or false. A CollisionShape stores its color if it is not that of the project.
const SWITCHED: &[(&str, &[&str], &[&str])] = &[
    ("AnimatedSprite2D", &[], &["sprite_frames"]),
    ("AnimatedSprite3D", &[], &["sprite_frames"]),
    ("CPUParticles2D", &["emission_shape", "split_scale", "use_fixed_seed"], &[]),
    ("Camera3D", &[], &["attributes"]),
    ("CanvasItem", &[], &["material", "use_parent_material"]),
    ("CollisionShape2D", &["debug_color"], &[]),
    ("CollisionShape3D", &["debug_color"], &[]),
    ("GPUParticles2D", &["use_fixed_seed"], &[]),
    ("GeometryInstance3D", &[], &["material_override", "material_overlay"]),
    ("InputEventWithModifiers", &["command_or_control_autoremap"], &[]),
    ("MeshInstance3D", &[], &["mesh"]),
    ("Node", &["process_thread_group"], &[]),
    ("Node3D", &["rotation_edit_mode"], &[]),
];

/// Returns the properties on which the list of an object of a native class depends, beside its script and its metadata.
/// `None` if that is not known.
pub fn switches(class: &StringName) -> Option<Vec<Switch>> {
    let version = Engine::singleton().get_version_info();
    let part = |name: &str| version.get(name).and_then(|part| part.try_to::<i64>().ok());
    if (part("major"), part("minor")) != (Some(4), Some(6)) {
        return None;
    }
    let (classes, mut class, mut switches) = (ClassDb::singleton(), class.clone(), Vec::new());
    while !class.is_empty() {
        if classes.class_get_api_type(&class) != ApiType::CORE {
            return None;
        }
        let text = class.to_string();
        if let Some((_, values, empty)) = SWITCHED.iter().find(|(name, ..)| *name == text) {
            switches.extend(values.iter().map(|name| Switch::Value(StringName::from(*name))));
            switches.extend(empty.iter().map(|name| Switch::Empty(StringName::from(*name))));
        } else if !CONSTANT.split_ascii_whitespace().any(|name| name == text) {
            return None;
        }
        class = classes.get_parent_class(&class);
    }
    Some(switches)
}

//! What the list of an object's stored properties depends on, for native classes; and which of them need not be set.
//!
//! In its source, a class changes the list of its objects in `_get_property_list` and `_validate_property`. GDExtension
//! does not show these, so here are classes that were read, of the versions that were. Objects of all other classes are
//! asked for their lists one by one. The suite `values/object_lists` sets the properties of each class here at random, and
//! compares the lists, and the objects that are made of their bytes.

use std::sync::OnceLock;

use foldhash::HashSet;
use godot::builtin::StringName;
use godot::classes::class_db::ApiType;
use godot::classes::{ClassDb, Engine};
use godot::obj::Singleton;

/// A property on which a list depends.
#[derive(Clone)]
pub enum Switch {
    /// On its value.
    Value(StringName),
    /// The list is only known if it is null, false or 0.
    Empty(StringName),
    /// On the value of a setting of the project.
    Setting(StringName),
}

/// Classes whose lists depend on nothing but those of their parents.
const CONSTANT: &str = "\
    AnimatableBody2D AnimatableBody3D AnimationLibrary Area2D Area3D ArrayMesh AspectRatioContainer AtlasTexture \
    AudioStream AudioStreamGenerator AudioStreamMP3 AudioStreamOggVorbis AudioStreamWAV BaseButton BitMap \
    BoxContainer BoxMesh BoxShape3D Button ButtonGroup Camera2D CameraAttributes CameraAttributesPhysical \
    CameraAttributesPractical CanvasGroup CanvasLayer CanvasModulate CanvasTexture CapsuleMesh CapsuleShape2D \
    CapsuleShape3D CenterContainer CharacterBody2D CharacterBody3D CheckBox CheckButton CircleShape2D \
    CollisionObject2D CollisionObject3D CollisionPolygon2D ColorPickerButton ColorRect ConcavePolygonShape2D \
    ConcavePolygonShape3D Container ConvexPolygonShape2D ConvexPolygonShape3D Curve Curve2D Curve3D CurveTexture \
    CurveXYZTexture CylinderMesh CylinderShape3D DampedSpringJoint2D Decal DirectionalLight2D DirectionalLight3D \
    EncodedObjectAsID Environment FastNoiseLite FlowContainer FogMaterial Font FontVariation Gradient \
    GradientTexture1D GradientTexture2D GridContainer GrooveJoint2D HBoxContainer HFlowContainer HScrollBar \
    HSeparator HSlider HSplitContainer HTTPRequest HeightMapShape3D Image ImageTexture InputEvent InputEventAction \
    InputEventFromWindow InputEventJoypadButton InputEventJoypadMotion InputEventKey InputEventMouse \
    InputEventMouseButton InputEventScreenDrag InputEventScreenTouch JSON Joint2D Label Label3D Light2D \
    LightOccluder2D Line2D LineEdit LinkButton MarginContainer Marker2D Marker3D Mesh MeshInstance2D MultiMesh \
    NavigationAgent2D NavigationObstacle2D NavigationObstacle3D NinePatchRect Node2D Noise NoiseTexture2D \
    ORMMaterial3D Object OccluderPolygon2D OmniLight3D Panel PanelContainer PanoramaSkyMaterial Parallax2D \
    ParallaxBackground ParallaxLayer Path2D Path3D PathFollow2D PathFollow3D PhysicalSkyMaterial PhysicsBody2D \
    PhysicsBody3D PhysicsMaterial PinJoint2D PlaceholderTexture2D PlaneMesh PointLight2D Polygon2D PrimitiveMesh \
    PrismMesh ProceduralSkyMaterial QuadMesh RandomNumberGenerator Range RayCast2D RayCast3D RectangleShape2D \
    RefCounted ReferenceRect ReflectionProbe RemoteTransform2D RemoteTransform3D Resource RichTextLabel RigidBody2D \
    RigidBody3D ScrollBar ScrollContainer SegmentShape2D SeparationRayShape2D SeparationRayShape3D Separator Shader \
    Shape2D Shape3D ShapeCast2D Shortcut Sky Slider SphereMesh SphereShape3D SpinBox SplitContainer SpotLight3D \
    SpringArm3D Sprite2D Sprite3D SpriteBase3D SpriteFrames StandardMaterial3D StaticBody2D StaticBody3D StyleBox \
    StyleBoxEmpty StyleBoxFlat StyleBoxLine StyleBoxTexture SubViewport SubViewportContainer SystemFont TextEdit \
    Texture Texture2D TextureButton TextureProgressBar TextureRect TileMapLayer Timer TorusMesh TouchScreenButton \
    Translation Tree VBoxContainer VFlowContainer VScrollBar VSeparator VSlider VSplitContainer Viewport \
    VisibleOnScreenEnabler2D VisibleOnScreenEnabler3D VisibleOnScreenNotifier2D VisibleOnScreenNotifier3D \
    VisualInstance3D World2D WorldBoundaryShape2D WorldBoundaryShape3D WorldEnvironment";

/// Classes whose lists depend on some of their properties: on the values of the first ones, or of settings of the
/// project, whose names have slashes; and only known if the second ones are null, false or 0, or add nothing. A
/// CollisionShape stores its color if it is not that of the project. The layout mode of a Control tells whether its
/// parent is a Container, which manages some of its properties. The script of a Material can say which properties there
/// are.
const SWITCHED: &[(&str, &str, &str)] = &[
    ("AnimatedSprite2D", "", "sprite_frames"),
    ("AnimatedSprite3D", "", "sprite_frames"),
    ("AudioStreamPlayer", "", "stream"),
    ("AudioStreamPlayer2D", "", "stream"),
    ("AudioStreamPlayer3D", "", "stream"),
    (
        "BaseMaterial3D",
        "billboard_mode transparency alpha_antialiasing_mode heightmap_deep_parallax subsurf_scatter_skin_mode \
        shading_mode rendering/lights_and_shadows/use_physical_light_units",
        "",
    ),
    ("CPUParticles2D", "emission_shape split_scale use_fixed_seed", ""),
    ("Camera3D", "", "attributes"),
    ("CanvasItem", "", "material use_parent_material"),
    ("CanvasItemMaterial", "particles_animation", ""),
    ("CollisionShape2D", "debug_color", ""),
    ("CollisionShape3D", "debug_color", ""),
    ("Control", "layout_mode", ""),
    ("FogVolume", "shape", ""),
    ("GPUParticles2D", "use_fixed_seed", ""),
    ("GeometryInstance3D", "", "material_override material_overlay"),
    ("InputEventWithModifiers", "command_or_control_autoremap", ""),
    ("ItemList", "", "item_count"),
    ("LabelSettings", "", "stacked_outline_count stacked_shadow_count"),
    ("Light3D", "rendering/lights_and_shadows/use_physical_light_units", ""),
    ("Material", "", "script"),
    ("MeshInstance3D", "", "mesh"),
    ("NavigationMesh", "geometry_parsed_geometry_type geometry_source_geometry_mode", ""),
    ("NavigationPolygon", "parsed_geometry_type source_geometry_mode", ""),
    ("Node", "process_thread_group", ""),
    ("Node3D", "rotation_edit_mode", ""),
    ("OptionButton", "", "item_count"),
    ("ParticleProcessMaterial", "emission_shape sub_emitter_mode collision_mode", "directional_velocity_curve"),
    ("ProgressBar", "indeterminate", ""),
    ("ShaderMaterial", "", "shader"),
];

/// Properties of new objects, not yet in a tree, whose setters do nothing that anybody can see if the object has the
/// value already, and which no setter of another property changes. No class above has other setters for them that do.
/// Those of a Resource store the value, and tell those who listen to it that it has changed.
const IDLE: &str = "\
    Node: unique_name_in_owner process_mode process_priority process_physics_priority process_thread_group \
        process_thread_group_order process_thread_messages physics_interpolation_mode editor_description; \
    CanvasItem: visible modulate self_modulate show_behind_parent top_level clip_children light_mask z_index \
        z_as_relative y_sort_enabled texture_filter texture_repeat material use_parent_material; \
    Control: clip_contents custom_minimum_size layout_direction scale pivot_offset pivot_offset_ratio \
        size_flags_horizontal size_flags_vertical size_flags_stretch_ratio localize_numeral_system tooltip_text \
        tooltip_auto_translate_mode focus_neighbor_left focus_neighbor_top focus_neighbor_right \
        focus_neighbor_bottom focus_next focus_previous focus_behavior_recursive mouse_filter \
        mouse_behavior_recursive mouse_force_pass_scroll_events mouse_default_cursor_shape shortcut_context \
        accessibility_name accessibility_description accessibility_live theme theme_type_variation; \
    Label: text label_settings horizontal_alignment vertical_alignment autowrap_mode autowrap_trim_flags \
        justification_flags paragraph_separator clip_text text_overrun_behavior ellipsis_char uppercase \
        lines_skipped max_lines_visible visible_characters_behavior text_direction language \
        structured_text_bidi_override; \
    Sprite2D: texture centered offset flip_h flip_v hframes vframes region_enabled region_rect \
        region_filter_clip_enabled; \
    Camera2D: offset anchor_mode ignore_rotation enabled limit_enabled limit_left limit_top limit_right limit_bottom \
        limit_smoothed position_smoothing_enabled position_smoothing_speed rotation_smoothing_enabled \
        rotation_smoothing_speed drag_horizontal_enabled drag_vertical_enabled drag_horizontal_offset \
        drag_vertical_offset drag_left_margin drag_top_margin drag_right_margin drag_bottom_margin; \
    CollisionObject2D: disable_mode input_pickable; \
    Area2D: monitoring monitorable audio_bus_override audio_bus_name; \
    CollisionShape2D: shape disabled one_way_collision one_way_collision_margin; \
    Timer: process_callback wait_time one_shot autostart ignore_time_scale; \
    AudioStreamPlayer: stream pitch_scale autoplay stream_paused mix_target max_polyphony bus playback_type; \
    Node3D: rotation_edit_mode rotation_order top_level visible visibility_parent; \
    Resource: resource_local_to_scene resource_name;";

/// Returns the properties that a new object of a native class need not be told if it has the value already. None in the
/// editor, where `EditorInterface.is_object_edited` tells of each object whether any property was set.
pub fn idle_setters(class: &StringName) -> HashSet<&'static str> {
    if Engine::singleton().is_editor_hint() {
        return HashSet::default();
    }
    let classes = lineage(class).unwrap_or_default();
    let known = IDLE.split(';').filter_map(|of_class| of_class.split_once(':'));
    let names = known.filter(|(known, _)| classes.iter().any(|class| class == known.trim()));
    names.flat_map(|(_, names)| names.split_ascii_whitespace()).collect()
}

/// Returns the properties on which the list of an object of a native class depends, beside its script and its metadata.
/// `None` if that is not known.
pub fn switches(class: &StringName) -> Option<Vec<Switch>> {
    let mut switches = Vec::new();
    for class in lineage(class)? {
        if let Some((_, values, empty)) = SWITCHED.iter().find(|(name, ..)| *name == class) {
            let names = |names: &'static str| names.split_ascii_whitespace().map(|name| (name, StringName::from(name)));
            let switch =
                |(name, of): (&str, _)| if name.contains('/') { Switch::Setting(of) } else { Switch::Value(of) };
            switches.extend(names(values).map(switch));
            switches.extend(names(empty).map(|(_, name)| Switch::Empty(name)));
        }
    }
    Some(switches)
}

/// Returns the names of a native class and of those that it extends. `None` if one of them is not above.
fn lineage(class: &StringName) -> Option<Vec<String>> {
    static KNOWN: OnceLock<HashSet<&str>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let version = Engine::singleton().get_version_info();
        let part = |name: &str| version.get(name).and_then(|part| part.try_to::<i64>().ok());
        if (part("major"), part("minor")) != (Some(4), Some(6)) {
            return HashSet::default();
        }
        CONSTANT.split_ascii_whitespace().chain(SWITCHED.iter().map(|(name, ..)| *name)).collect()
    });
    let (classes, mut class, mut names) = (ClassDb::singleton(), class.clone(), Vec::new());
    while !class.is_empty() {
        let name = class.to_string();
        if !known.contains(&*name) || classes.class_get_api_type(&class) != ApiType::CORE {
            return None;
        }
        names.push(name);
        class = classes.get_parent_class(&class);
    }
    Some(names)
}

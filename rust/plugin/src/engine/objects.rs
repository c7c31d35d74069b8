//! Objects by instance id, and queries about their classes and scripts.
//!
//! Methods are called through their method bind, never by name: a script may have one of the same name.

use godot::builtin::{GString, StringName, Variant};
use godot::classes::Engine;
use godot::meta::ToGodot;
use godot::obj::Singleton;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::api::{Api, api};
use super::container_slot::SlotType;
use super::read::{Value, value};
use super::slot::Slot;
use super::tables::{ENCODED_CLASS, Objects, SignalParts};
use super::write::name_of;

impl Slot {
    /// Makes the value the engine's stand-in for an instance id: an EncodedObjectAsID, or null for id 0.
    pub fn set_object_id(&mut self, id: u64) {
        let Api { interface, objects, from_type, .. } = api();
        let from_type = from_type[usize::from(Kind::Object.id())].expect("not Nil");
        let mut object = std::ptr::null_mut();
        if id != 0 {
            const POSTINITIALIZE: i64 = 0;
            let (what, reversed) = (POSTINITIALIZE, 0_u8);
            let what = [(&raw const what).cast(), (&raw const reversed).cast()];
            let args = [(&raw const id).cast()];
            // SAFETY: the class exists, as its method was found. The methods belong to the object's classes and were
            // found by the hash of their signature: one takes a 64-bit int and a bool, the other a 64-bit id; neither
            // returns anything.
            unsafe {
                object = (interface.classdb_construct_object2)(objects.encoded_class.string_sys());
                let call = interface.object_method_bind_ptrcall;
                call(objects.notification, object, what.as_ptr(), std::ptr::null_mut());
                call(objects.set_object_id, object, args.as_ptr(), std::ptr::null_mut());
            }
        }
        // SAFETY: `object` is null, or a RefCounted whose first reference this Variant takes.
        let variant = unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, (&raw mut object).cast())) };
        self.set_variant(variant);
    }

    /// Makes the value a Signal of any object, even a freed one. Returns `false`, and changes nothing, if this engine's
    /// layout of Signals is not known.
    pub fn set_signal(&mut self, name: &str, object: u64) -> bool {
        let api = api();
        if !api.objects.signals {
            return false;
        }
        let parts = SignalParts { name: name_of(name), object };
        // GDExtension has no call for a Signal of a freed object, and the engine prints an error for an invalid id.
        // SAFETY: `signals_are_as_expected` has verified that a Signal has the layout of `SignalParts`.
        unsafe { self.set_signal_parts(parts) };
        true
    }
}

/// Calls a method without arguments that assigns a `T`.
///
/// # Safety
/// The object is alive and of the method's class, and the method takes nothing and returns a `T`.
unsafe fn get<T: GodotFfi + Default>(method: sys::GDExtensionMethodBindPtr, object: sys::GDExtensionObjectPtr) -> T {
    let mut result = T::default();
    // SAFETY: promised by the caller.
    unsafe {
        (api().interface.object_method_bind_ptrcall)(method, object, std::ptr::null(), result.sys_mut());
    }
    result
}

/// Returns a pointer to the object in a Variant; null if there is none, or it was freed.
pub(super) fn object_of(holder: &Value) -> sys::GDExtensionObjectPtr {
    let id = holder.object_id();
    if id == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: any id may be looked up.
    unsafe { (api().interface.object_get_instance_from_id)(id) }
}

/// Returns the class name of the object in a Variant, or an empty String if there is no object.
pub fn class_of(holder: &Value) -> GString {
    let object = object_of(holder);
    if object.is_null() {
        return GString::new();
    }
    // SAFETY: the object is alive, and `get_class` returns a String.
    unsafe { get(api().objects.get_class, object) }
}

/// Returns the id in an EncodedObjectAsID, or `None` if the Variant holds something else.
pub fn encoded_id(holder: &Value) -> Option<i64> {
    let object = object_of(holder);
    // SAFETY: the object is alive and of this class, whose method returns a 64-bit int.
    (class_of(holder) == ENCODED_CLASS).then(|| unsafe { get(api().objects.get_object_id, object) })
}

/// Returns a pointer to the Script in a Variant.
///
/// # Panics
/// If the Variant holds none.
fn script_of(script: &Variant) -> sys::GDExtensionObjectPtr {
    let object = object_of(value(script));
    // SAFETY: the object is alive.
    assert!(!object.is_null() && unsafe { is_class(object, &"Script".into()) }, "no script");
    object
}

/// Returns the path of the script in a Variant.
///
/// # Panics
/// If the Variant holds no Script.
pub(super) fn script_path(script: &Variant) -> GString {
    // SAFETY: a Script is a Resource, whose `get_path` returns a String.
    unsafe { get(api().objects.get_path, script_of(script)) }
}

/// True if an object is of a class.
///
/// # Safety
/// The object is alive.
unsafe fn is_class(object: sys::GDExtensionObjectPtr, class: &GString) -> bool {
    let args = [class.string_sys().cast()];
    let mut is_class = 0_u8;
    // SAFETY: the caller promises that the object is alive; `is_class` takes a String and returns a bool.
    unsafe {
        let result = (&raw mut is_class).cast();
        (api().interface.object_method_bind_ptrcall)(api().objects.is_class, object, args.as_ptr(), result);
    }
    is_class != 0
}

/// True if the object has the class and the script that a container expects. Null and freed objects always do.
pub fn is_of_class(holder: &Value, expected: &SlotType) -> bool {
    let Objects { get_script, get_base_script, .. } = &api().objects;
    let object = object_of(holder);
    if object.is_null() || expected.class == StringName::default() {
        return true;
    }
    // SAFETY: the object is alive.
    let is_of_class = unsafe { is_class(object, &GString::from(&expected.class)) };
    let wanted = value(&expected.script).object_id();
    if !is_of_class || wanted == 0 {
        return is_of_class;
    }
    // SAFETY: the object is alive, and `get_script` returns a Variant.
    let mut script: Variant = unsafe { get(*get_script, object) };
    while value(&script).object_id() != 0 {
        if value(&script).object_id() == wanted {
            return true;
        }
        let mut error = sys::default_call_error();
        // SAFETY: the script of an object is a Script, and so is its base script. `script` keeps each alive for its
        // call.
        script = unsafe {
            let call = api().interface.object_method_bind_call;
            let object = object_of(value(&script));
            Variant::new_with_var_uninit(|base| {
                call(*get_base_script, object, std::ptr::null(), 0, base, &raw mut error);
            })
        };
    }
    false
}

/// True if the engine can create an object of this class. May run a script: see the docs of `engine`.
pub fn can_instantiate(class: &str) -> bool {
    let Some(mut classes) = Engine::singleton().get_singleton("ClassDB") else { return false };
    let mut ask = |question| classes.call(question, &[class.to_variant()]).booleanize();
    // `can_instantiate` prints an error if the class does not exist.
    ask("class_exists") && ask("can_instantiate")
}

/// Loads the script at a path in `res://`; also returns the class that it extends. May run a script: see the docs of
/// `engine`.
pub fn script(path: &str) -> Option<(Variant, StringName)> {
    let mut loader = Engine::singleton().get_singleton("ResourceLoader").filter(|_| path.starts_with("res://"))?;
    let args = [path.to_variant(), "Script".to_variant()];
    if !loader.call("exists", &args).booleanize() {
        return None;
    }
    let script = loader.call("load", &args);
    let object = object_of(value(&script));
    // The engine ignores the requested type and may load any other resource.
    // SAFETY: the object is alive, as the Variant holds a reference.
    if object.is_null() || !unsafe { is_class(object, &"Script".into()) } {
        return None;
    }
    let class = base_class(&script);
    Some((script, class))
}

/// Returns the class that a script extends.
///
/// # Panics
/// If the Variant holds no Script.
pub fn base_class(script: &Variant) -> StringName {
    // SAFETY: the method of a Script returns a StringName.
    unsafe { get(api().objects.get_instance_base_type, script_of(script)) }
}

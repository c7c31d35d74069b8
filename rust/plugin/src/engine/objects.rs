//! Objects: by id as the engine holds them, and what it says of classes and scripts.
//!
//! Methods are called by their binding, never by name: a script may have one of the same name.

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
    /// Makes the value what the engine has for an instance id: null, or an EncodedObjectAsID that holds it.
    pub fn set_object_id(&mut self, id: u64) {
        let Api { interface, objects, from_type, .. } = api();
        let from_type = from_type[usize::from(Kind::Object.id())].expect("not Nil");
        let mut object = std::ptr::null_mut();
        if id != 0 {
            const POSTINITIALIZE: i64 = 0;
            let (what, reversed) = (POSTINITIALIZE, 0_u8);
            let what = [(&raw const what).cast(), (&raw const reversed).cast()];
            let args = [(&raw const id).cast()];
            // SAFETY: the class exists, as its method was found. The methods are those of the object's classes, found by
            // the hash of their signature: an int of 64 bits and a bool, and an id of 64 bits; neither returns anything.
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

    /// Makes the value a Signal of any object, be it gone. `false` if this engine's cannot be made so, and nothing is changed.
    pub fn set_signal(&mut self, name: &str, object: u64) -> bool {
        let api = api();
        if !api.objects.signals {
            return false;
        }
        let parts = SignalParts { name: name_of(name), object };
        // SAFETY: `signals_are_as_expected` has seen how a Signal looks. There is no call of GDExtension for a signal of an
        // object that is gone, and the engine prints when it is asked about a wrong id.
        unsafe { self.set_signal_parts(parts) };
        true
    }
}

/// Calls a method without arguments that assigns a `T`.
///
/// # Safety
/// The object is alive and of the method's class, and the method returns a `T`.
unsafe fn get<T: GodotFfi + Default>(method: sys::GDExtensionMethodBindPtr, object: sys::GDExtensionObjectPtr) -> T {
    let mut result = T::default();
    // SAFETY: as promised.
    unsafe {
        (api().interface.object_method_bind_ptrcall)(method, object, std::ptr::null(), result.sys_mut());
    }
    result
}

/// The object that a Variant holds and keeps alive; null if there is none, or it was freed.
pub(super) fn object_of(holder: &Value) -> sys::GDExtensionObjectPtr {
    let id = holder.object_id();
    if id == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: any id may be asked for.
    unsafe { (api().interface.object_get_instance_from_id)(id) }
}

/// The name of the class of the object that a Variant holds. Empty if there is none.
pub fn class_of(holder: &Value) -> GString {
    let object = object_of(holder);
    if object.is_null() {
        return GString::new();
    }
    // SAFETY: the object is alive, and `get_class` returns a String.
    unsafe { get(api().objects.get_class, object) }
}

/// The id that an EncodedObjectAsID holds. `None` if the Variant holds something else.
pub fn encoded_id(holder: &Value) -> Option<i64> {
    let object = object_of(holder);
    // SAFETY: the object is alive, and is of the class, whose method returns an int of 64 bits.
    (class_of(holder) == ENCODED_CLASS).then(|| unsafe { get(api().objects.get_object_id, object) })
}

/// The path of the script that a Variant holds.
///
/// # Panics
/// If it holds none.
pub(super) fn script_path(script: &Variant) -> GString {
    let object = object_of(value(script));
    assert!(!object.is_null(), "no script");
    // SAFETY: the callers pass a Script, which is a Resource, whose `get_path` returns a String.
    unsafe { get(api().objects.get_path, object) }
}

/// Whether an object is of a class.
///
/// # Safety
/// The object is alive.
unsafe fn is_class(object: sys::GDExtensionObjectPtr, class: &GString) -> bool {
    let args = [class.string_sys().cast()];
    let mut is_class = 0_u8;
    // SAFETY: as promised; `is_class` takes a String and returns a bool.
    unsafe {
        let result = (&raw mut is_class).cast();
        (api().interface.object_method_bind_ptrcall)(api().objects.is_class, object, args.as_ptr(), result);
    }
    is_class != 0
}

/// Whether the object, or null, is of the class, and of the script, that a container expects.
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
        // SAFETY: what the object has as its script is a Script, kept alive by the Variant; so is what it is based on.
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

/// Whether the engine can make an object of this class. May run a script: see the text of `engine`.
pub fn can_instantiate(class: &str) -> bool {
    let Some(mut classes) = Engine::singleton().get_singleton("ClassDB") else { return false };
    let mut ask = |question| classes.call(question, &[class.to_variant()]).booleanize();
    // The second prints if the class does not exist.
    ask("class_exists") && ask("can_instantiate")
}

/// The script at a path in `res://`, and the class that it extends. May run a script: see the text of `engine`.
pub fn script(path: &str) -> Option<(Variant, StringName)> {
    let mut loader = Engine::singleton().get_singleton("ResourceLoader").filter(|_| path.starts_with("res://"))?;
    let args = [path.to_variant(), "Script".to_variant()];
    if !loader.call("exists", &args).booleanize() {
        return None;
    }
    let script = loader.call("load", &args);
    let object = object_of(value(&script));
    // The engine loads other resources too, whatever type it is asked for.
    // SAFETY: the object is alive, as the Variant holds it.
    if object.is_null() || !unsafe { is_class(object, &"Script".into()) } {
        return None;
    }
    let class = base_class(&script);
    Some((script, class))
}

/// The class that a script extends.
///
/// # Panics
/// If the Variant holds no script.
pub fn base_class(script: &Variant) -> StringName {
    let object = object_of(value(script));
    assert!(!object.is_null(), "no script");
    // SAFETY: the object is alive and a Script, by the promise of the callers; the method returns a StringName.
    unsafe { get(api().objects.get_instance_base_type, object) }
}

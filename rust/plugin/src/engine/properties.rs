//! Reads, writes and lists properties of objects by name.
//!
//! Any of these functions may run a script, such as a getter or a setter: see the docs of `engine`. A freed object is
//! no error: it has no properties.

use godot::builtin::{StringName, Variant};
use godot::classes::Object;
use godot::obj::Gd;
use godot::sys::{self, GodotFfi};

use super::api::api;
use super::objects::object_of;
use super::read::{Value, value};
use super::slot::Slot;

/// Returns the value of a property, or `None` if the object has no readable property of that name.
#[inline]
pub fn property(holder: &Value, name: &StringName) -> Option<Slot> {
    if object_of(holder).is_null() {
        return None;
    }
    let mut is_valid = 0;
    // SAFETY: the Variant and the name are alive, and so is the object, as was checked above. The engine makes a
    // Variant even if there is no such property.
    let found = unsafe {
        Variant::new_with_var_uninit(|found| {
            let get = api().interface.variant_get_named;
            get(holder.variant().var_sys(), name.string_sys(), found, &raw mut is_valid);
        })
    };
    let mut slot = Slot::new();
    slot.set_variant(found);
    (is_valid != 0).then_some(slot)
}

/// Sets a property. Returns `false` if the object has no property of that name, or refuses the value.
pub fn set_property(holder: &Value, name: &StringName, new: &Value) -> bool {
    if object_of(holder).is_null() {
        return false;
    }
    // The engine takes the object's Variant as mutable, so this is a copy.
    let mut holder = holder.variant().clone();
    let mut is_valid = 0;
    // SAFETY: both Variants and the name are alive, and so is the object.
    unsafe {
        let set = api().interface.variant_set_named;
        set(holder.var_sys_mut(), name.string_sys(), new.variant().var_sys(), &raw mut is_valid);
    }
    is_valid != 0
}

/// Returns the engine class of an object, ignoring its script. Empty if the object was freed.
pub fn class_name(holder: &Value) -> StringName {
    let object = object_of(holder);
    let mut class = StringName::default();
    if !object.is_null() {
        // SAFETY: the object is alive. The engine overwrites the name only on success; the old one is empty and owns
        // nothing.
        unsafe {
            (api().interface.object_get_class_name)(object, sys::get_library(), class.sys_mut().cast());
        }
    }
    class
}

/// Returns the instance id of the script of an object, or 0 if it has none.
pub fn script_id(holder: &Value) -> u64 {
    let object = object_of(holder);
    if object.is_null() {
        return 0;
    }
    // SAFETY: the object is alive.
    value(&unsafe { call(api().objects.get_script, object) }).object_id()
}

/// Returns `get_property_list()` of an object: an Array of Dictionaries. Nil if the object was freed.
pub fn property_list(holder: &Value) -> Variant {
    let object = object_of(holder);
    if object.is_null() {
        return Variant::nil();
    }
    // SAFETY: the object is alive.
    unsafe { call(api().objects.get_property_list, object) }
}

/// Returns `get_meta_list()` of an object: an Array of StringNames. Nil if the object was freed.
pub fn meta_list(holder: &Value) -> Variant {
    let object = object_of(holder);
    if object.is_null() {
        return Variant::nil();
    }
    // SAFETY: the object is alive.
    unsafe { call(api().objects.get_meta_list, object) }
}

/// Removes metadata of an object, if it has any of this name. As a property it could only become null.
pub fn remove_meta(holder: &Value, name: &StringName) {
    if let Ok(mut object) = holder.variant().try_to::<Gd<Object>>() {
        object.remove_meta(name);
    }
}

/// True if the script of an object has a method of this name.
pub fn has_script_method(holder: &Value, name: &StringName) -> bool {
    let object = object_of(holder);
    // SAFETY: the object is alive, and so is the name.
    !object.is_null() && unsafe { (api().interface.object_has_script_method)(object, name.string_sys()) } != 0
}

/// Calls a method without arguments.
///
/// # Safety
/// The object is alive and of the method's class.
unsafe fn call(method: sys::GDExtensionMethodBindPtr, object: sys::GDExtensionObjectPtr) -> Variant {
    let mut error = sys::default_call_error();
    // SAFETY: promised by the caller. The engine makes a Variant even if the call fails.
    unsafe {
        Variant::new_with_var_uninit(|result| {
            let call = api().interface.object_method_bind_call;
            call(method, object, std::ptr::null(), 0, result, &raw mut error);
        })
    }
}

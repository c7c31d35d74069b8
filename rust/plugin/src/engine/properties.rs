//! Properties of objects, by name, and what an object says of them.
//!
//! Each of these may run a script, a getter or a setter for example: see the text of `engine`. An object that was freed is
//! no error: it has nothing.

use godot::builtin::{StringName, Variant};
use godot::sys::{self, GodotFfi};

use super::api::api;
use super::objects::object_of;
use super::read::{Value, value};
use super::slot::Slot;

/// The value of a property. `None` if the object has none of that name, or none that can be read.
#[inline]
pub fn property(holder: &Value, name: &StringName) -> Option<Slot> {
    if object_of(holder).is_null() {
        return None;
    }
    let mut is_valid = 0;
    // SAFETY: the Variant and the name are alive, and so is the object, which the Variant must not be asked for otherwise. A
    // Variant is made whether there is such a property or not.
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

/// Sets a property. Nothing happens if the object has none of that name.
pub fn set_property(holder: &Value, name: &StringName, new: &Value) {
    if object_of(holder).is_null() {
        return;
    }
    // The engine takes the Variant that holds an object for one that may change; this one is our own.
    let mut holder = holder.variant().clone();
    let mut is_valid = 0;
    // SAFETY: both Variants and the name are alive, and so is the object.
    unsafe {
        let set = api().interface.variant_set_named;
        set(holder.var_sys_mut(), name.string_sys(), new.variant().var_sys(), &raw mut is_valid);
    }
}

/// The class of an object, without its script. Empty if it was freed.
pub fn class_name(holder: &Value) -> StringName {
    let object = object_of(holder);
    let mut class = StringName::default();
    if !object.is_null() {
        // SAFETY: the object is alive. The name is made only if that succeeds; what was there is the empty one, which owns
        // nothing.
        unsafe {
            (api().interface.object_get_class_name)(object, sys::get_library(), class.sys_mut().cast());
        }
    }
    class
}

/// The instance id of the script of an object; 0 if it has none.
pub fn script_id(holder: &Value) -> u64 {
    let object = object_of(holder);
    if object.is_null() {
        return 0;
    }
    // SAFETY: the object is alive.
    value(&unsafe { call(api().objects.get_script, object) }).object_id()
}

/// What an object says of its properties: an Array of Dictionaries. Nil if it was freed.
pub fn property_list(holder: &Value) -> Variant {
    let object = object_of(holder);
    if object.is_null() {
        return Variant::nil();
    }
    // SAFETY: the object is alive.
    unsafe { call(api().objects.get_property_list, object) }
}

/// The names of the metadata of an object: an Array of StringNames. Nil if it was freed.
pub fn meta_list(holder: &Value) -> Variant {
    let object = object_of(holder);
    if object.is_null() {
        return Variant::nil();
    }
    // SAFETY: the object is alive.
    unsafe { call(api().objects.get_meta_list, object) }
}

/// Whether the script of an object has a method.
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
    // SAFETY: promised by the caller. A Variant is made whatever comes of the call.
    unsafe {
        Variant::new_with_var_uninit(|result| {
            let call = api().interface.object_method_bind_call;
            call(method, object, std::ptr::null(), 0, result, &raw mut error);
        })
    }
}

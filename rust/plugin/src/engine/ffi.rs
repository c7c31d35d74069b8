//! Types and lookups of GDExtension.

use std::ffi::c_void;

use godot::builtin::{StringName, Variant};
use godot::sys;
use varbatch_codec::{Kind, Shape};

/// A pointer to the value of a Variant. Null for Nil.
pub type Inner = sys::GDExtensionTypePtr;

pub type Getter = unsafe extern "C" fn(sys::GDExtensionVariantPtr) -> *mut c_void;
pub type FromType = unsafe extern "C" fn(sys::GDExtensionUninitializedVariantPtr, sys::GDExtensionTypePtr);
pub type Constructor = unsafe extern "C" fn(sys::GDExtensionUninitializedTypePtr, *const sys::GDExtensionConstTypePtr);
pub type Method =
    unsafe extern "C" fn(sys::GDExtensionTypePtr, *const sys::GDExtensionConstTypePtr, sys::GDExtensionTypePtr, i32);

pub fn builtin_method(interface: &sys::GDExtensionInterface, kind: Kind, name: &str, hash: i64) -> Option<Method> {
    let name = StringName::from(name);
    // SAFETY: the name outlives the call. The engine returns null if no method has this name and hash.
    unsafe { (interface.variant_get_ptr_builtin_method)(sys_type(kind), name.string_sys(), hash) }
}

/// Looks up a constructor by its index in `extension_api.json`; 0 makes an empty value.
pub fn constructor(interface: &sys::GDExtensionInterface, kind: Kind, index: i32) -> Constructor {
    // SAFETY: the id is that of a Variant type. The engine returns null for an index that does not exist.
    unsafe { (interface.variant_get_ptr_constructor)(sys_type(kind), index) }.expect("the engine has it since 4.4")
}

/// Calls `get` for each kind except Nil, for which the engine would print an error.
pub fn not_nil<T>(get: impl Fn(Kind) -> Option<T>) -> [Option<T>; Kind::ALL.len()] {
    Kind::ALL.map(|kind| if kind == Kind::Nil { None } else { get(kind) })
}

pub const fn is_packed(kind: Kind) -> bool {
    matches!(kind.shape(), Shape::Packed { .. } | Shape::PackedStrings)
}

pub fn sys_type(kind: Kind) -> sys::GDExtensionVariantType {
    kind.id().into()
}

/// Creates the default value of a kind: empty or zero.
pub fn default_value(interface: &sys::GDExtensionInterface, kind: Kind) -> Variant {
    let mut error = sys::default_call_error();
    // SAFETY: without arguments this makes the default value, which every type has.
    unsafe {
        Variant::new_with_var_uninit(|variant| {
            (interface.variant_construct)(sys_type(kind), variant, std::ptr::null(), 0, &raw mut error);
        })
    }
}

//! Types and lookups of GDExtension.

use std::ffi::c_void;

use godot::builtin::Variant;
use godot::sys;
use varbatch_codec::{Dialect, Kind, Shape, Width};

/// The dialect of the engine that this library was built for.
pub const DIALECT: Dialect =
    if cfg!(feature = "double-precision") { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 };

/// The width of that engine's `real_t`.
pub const REAL: Width = DIALECT.real;

/// A pointer to the value of a Variant. Null for Nil.
pub type Inner = sys::GDExtensionTypePtr;

pub type Interface = sys::GDExtensionInterface;
pub type Getter = unsafe extern "C" fn(sys::GDExtensionVariantPtr) -> *mut c_void;
pub type FromType = unsafe extern "C" fn(sys::GDExtensionUninitializedVariantPtr, sys::GDExtensionTypePtr);
pub type Constructor = unsafe extern "C" fn(sys::GDExtensionUninitializedTypePtr, *const sys::GDExtensionConstTypePtr);
pub type Method =
    unsafe extern "C" fn(sys::GDExtensionTypePtr, *const sys::GDExtensionConstTypePtr, sys::GDExtensionTypePtr, i32);

pub const fn is_packed(kind: Kind) -> bool {
    matches!(kind.shape(), Shape::Packed { .. } | Shape::PackedStrings)
}

pub fn sys_type(kind: Kind) -> sys::GDExtensionVariantType {
    kind.id().into()
}

/// Returns the kind with this id, if there is one.
#[inline(always)]
pub fn kind_of(id: u32) -> Option<Kind> {
    u8::try_from(id).ok().and_then(Kind::from_id)
}

/// Creates the default value of a kind: empty or zero.
pub fn default_value(interface: &Interface, kind: Kind) -> Variant {
    let mut error = sys::default_call_error();
    // SAFETY: without arguments this makes the default value, which every type has.
    unsafe {
        Variant::new_with_var_uninit(|variant| {
            (interface.variant_construct)(sys_type(kind), variant, std::ptr::null(), 0, &raw mut error);
        })
    }
}

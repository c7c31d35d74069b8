//! The only raw GDExtension calls: pointers into Variants, memory of engine arrays before it has a value, and the two
//! methods that are called too often for gdext's conversions.
//!
//! gdext reads a packed array out of a Variant by taking a reference to it, and resizes it with zeros. Both cost more
//! than the work of a small value. What stands here instead is what GDExtension 4.4 offers for it, each call behind a
//! safe function. Nothing outside this module is `unsafe`.
//!
//! What the safety of the module rests on:
//! - **Layout**: `Array` keeps its Variants, and `PackedStringArray` its Strings, one after the other (gdext relies on
//!   the same). Math types lie in a Variant as the wire has them.
//! - **Borrows**: a [`Value`] is borrowed from an array that the caller holds for the whole call. Nothing that could
//!   run a script, and so change what is borrowed, is called meanwhile: see `batch`.

use std::ffi::c_void;
use std::sync::OnceLock;

use godot::builtin::{StringName, Variant};
use godot::sys;

use self::uninit::Uninit;
use varbatch_codec::{Dialect, Kind, Shape, Width};

mod call;
mod read;
mod uninit;
mod write;

pub use call::{Call, load_docs, register};
pub use read::{Value, bytes_of, value, values};
pub use write::{BytesOut, Slot, new_array, new_byte_arrays};

/// The dialect of the engine that this library was built for.
pub const DIALECT: Dialect =
    if cfg!(feature = "double-precision") { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 };

/// The width of that engine's `real_t`.
pub const REAL: Width = DIALECT.real;

/// Where the value of a Variant is. Null for Nil.
type Inner = sys::GDExtensionTypePtr;

type Getter = unsafe extern "C" fn(sys::GDExtensionVariantPtr) -> *mut c_void;
type FromType = unsafe extern "C" fn(sys::GDExtensionUninitializedVariantPtr, sys::GDExtensionTypePtr);
type Method =
    unsafe extern "C" fn(sys::GDExtensionTypePtr, *const sys::GDExtensionConstTypePtr, sys::GDExtensionTypePtr, i32);

/// Function pointers, fetched once.
struct Api {
    interface: &'static sys::GDExtensionInterface,
    /// By kind: a pointer to what a Variant of this kind holds. `None` for Nil.
    getters: [Option<Getter>; Kind::ALL.len()],
    /// By kind: makes a Variant of a value. `None` for Nil.
    from_type: [Option<FromType>; Kind::ALL.len()],
    /// By kind: `size()` and `resize()` of arrays.
    sizes: [Option<Method>; Kind::ALL.len()],
    resizes: [Option<Method>; Kind::ALL.len()],
    /// By kind: an empty packed array. As long as the library is loaded, like all of this.
    empty: [Option<Variant>; Kind::ALL.len()],
    uninit: Option<Uninit>,
}

// SAFETY: the pointers are to functions and method tables of the engine, constant while the library is loaded, and
// callable from any thread; the name and the default values are only read.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

#[inline]
fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(|| {
        // SAFETY: gdext has initialised its binding before any of this library's functions can be called.
        let interface = unsafe { sys::get_interface() };
        let method = |kind: Kind, name: &str, hash| {
            let name = StringName::from(name);
            // SAFETY: the name outlives the call; a method that does not exist gives null.
            let fetch =
                || unsafe { (interface.variant_get_ptr_builtin_method)(sys_type(kind), name.string_sys(), hash) };
            if is_packed(kind) || kind == Kind::Array { fetch() } else { None }
        };
        Api {
            interface,
            getters: not_nil(|kind| {
                // SAFETY: the id is that of a Variant type.
                unsafe { (interface.variant_get_ptr_internal_getter)(sys_type(kind)) }
            }),
            from_type: not_nil(|kind| {
                // SAFETY: as above.
                unsafe { (interface.get_variant_from_type_constructor)(sys_type(kind)) }
            }),
            sizes: Kind::ALL.map(|kind| method(kind, "size", 3_173_160_232)),
            resizes: Kind::ALL.map(|kind| method(kind, "resize", 848_867_239)),
            empty: Kind::ALL.map(|kind| is_packed(kind).then(|| default_value(interface, kind))),
            uninit: Uninit::load(interface),
        }
    })
}

/// By kind, with nothing for Nil, about which the engine prints an error.
fn not_nil<T>(get: impl Fn(Kind) -> Option<T>) -> [Option<T>; Kind::ALL.len()] {
    Kind::ALL.map(|kind| if kind == Kind::Nil { None } else { get(kind) })
}

fn is_packed(kind: Kind) -> bool {
    matches!(kind.shape(), Shape::Packed { .. } | Shape::PackedStrings)
}

fn sys_type(kind: Kind) -> sys::GDExtensionVariantType {
    kind.id().into()
}

fn default_value(interface: &sys::GDExtensionInterface, kind: Kind) -> Variant {
    let mut error = sys::default_call_error();
    // SAFETY: without arguments this makes the default value of the type, which each type has.
    unsafe {
        Variant::new_with_var_uninit(|variant| {
            (interface.variant_construct)(sys_type(kind), variant, std::ptr::null(), 0, &raw mut error);
        })
    }
}

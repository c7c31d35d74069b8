//! The only raw GDExtension calls: pointers into Variants, memory of engine arrays before it has a value, containers that
//! are filled in place, and the two methods that are called too often for gdext's conversions.
//!
//! gdext reads a packed array out of a Variant by taking a reference to it, and resizes it with zeros. Both cost more
//! than the work of a small value. What stands here instead is what GDExtension 4.4 offers for it, and in engines that
//! keep values as [`layout`] knows them the few words themselves; each behind a safe function. Nothing outside this module
//! is `unsafe`.
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

use self::containers::Typed;
use self::layout::Layout;
use self::objects::Objects;
use self::uninit::Uninit;
use varbatch_codec::{Dialect, Kind, Shape, Width};

mod args;
mod call;
mod container_slot;
mod containers;
mod copies;
mod dialects;
mod entries;
mod files;
mod held;
mod layout;
mod objects;
mod owned;
mod properties;
mod read;
mod slot;
mod text_slot;
mod uninit;
mod write;

pub use args::{AnyArg, CompressionArg, FlagArg, ObjectArg};
pub use call::{Call, load_docs, register};
pub use container_slot::{ArraySlot, SlotType, new_array, new_byte_arrays, new_dictionaries};
pub use containers::OwnedType;
pub use dialects::{DIALECTS, DialectArg, register_dialects};
pub use files::{EngineFile, error_text, globalize};
pub use objects::{base_class, can_instantiate, class_of, encoded_id, is_of_class, script};
pub use owned::{Filling, HeldBytes, OwnArray, Reference};
pub use properties::{class_name, has_script_method, meta_list, property, property_list, script_id, set_property};
pub use read::{Str, Value, View, byte_array_at, bytes_of, chars, value, values};
pub use slot::Slot;
pub use write::{BytesOut, Growing, Memory, StringSlot, byte_array_of, string_of};

/// The dialect of the engine that this library was built for.
pub const DIALECT: Dialect =
    if cfg!(feature = "double-precision") { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 };

/// The width of that engine's `real_t`.
pub const REAL: Width = DIALECT.real;

/// Where the value of a Variant is. Null for Nil.
type Inner = sys::GDExtensionTypePtr;

type Getter = unsafe extern "C" fn(sys::GDExtensionVariantPtr) -> *mut c_void;
type FromType = unsafe extern "C" fn(sys::GDExtensionUninitializedVariantPtr, sys::GDExtensionTypePtr);
type Constructor = unsafe extern "C" fn(sys::GDExtensionUninitializedTypePtr, *const sys::GDExtensionConstTypePtr);
type Method =
    unsafe extern "C" fn(sys::GDExtensionTypePtr, *const sys::GDExtensionConstTypePtr, sys::GDExtensionTypePtr, i32);

/// Function pointers, fetched once.
struct Api {
    interface: &'static sys::GDExtensionInterface,
    /// By kind: a pointer to what a Variant of this kind holds. `None` for Nil.
    getters: [Option<Getter>; Kind::ALL.len()],
    /// By kind: makes a Variant of a value. `None` for Nil.
    from_type: [Option<FromType>; Kind::ALL.len()],
    /// By kind: `size()` of arrays and dictionaries, `resize()` of arrays.
    sizes: [Option<Method>; Kind::ALL.len()],
    resizes: [Option<Method>; Kind::ALL.len()],
    new_array: Constructor,
    new_dictionary: Constructor,
    name_of_string: Constructor,
    path_of_string: Constructor,
    /// By kind: an empty packed array, String, Callable or Signal. As long as the library is loaded, like all of this.
    empty: [Option<Empty>; Kind::ALL.len()],
    typed: Typed,
    node_path_is_absolute: Method,
    array_push_back: Method,
    dictionary_keys: Method,
    dictionary_values: Method,
    /// Whether the entries of dictionaries lie in memory as `entries` reads them.
    entries: bool,
    layout: Layout,
    objects: Objects,
    allocates_in_parallel: bool,
    uninit: Option<Uninit>,
}

/// An empty value, and where it is in its Variant.
struct Empty {
    inner: Inner,
    /// Boxed, so that it stays where it is.
    _variant: Box<Variant>,
}

impl Empty {
    fn new(interface: &sys::GDExtensionInterface, kind: Kind) -> Self {
        let mut variant = Box::new(default_value(interface, kind));
        // SAFETY: the id is that of a Variant type, and the Variant is of that type.
        let inner = unsafe {
            let getter = (interface.variant_get_ptr_internal_getter)(sys_type(kind)).expect("each type has one");
            getter(variant.var_sys_mut()).cast()
        };
        Self { inner, _variant: variant }
    }
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
        let is_array = |kind| is_packed(kind) || kind == Kind::Array;
        let needed = |kind: Kind, name: &str, hash: i64| {
            builtin_method(interface, kind, name, hash).expect("the engine has it since 4.4")
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
            sizes: Kind::ALL.map(|kind| match kind {
                _ if is_array(kind) || kind == Kind::Dictionary => Some(needed(kind, "size", 3_173_160_232)),
                _ => None,
            }),
            resizes: Kind::ALL.map(|kind| is_array(kind).then(|| needed(kind, "resize", 848_867_239))),
            empty: Kind::ALL.map(|kind| {
                let has_one = is_packed(kind) || matches!(kind, Kind::String | Kind::Callable | Kind::Signal);
                has_one.then(|| Empty::new(interface, kind))
            }),
            new_array: constructor(interface, Kind::Array, 0),
            new_dictionary: constructor(interface, Kind::Dictionary, 0),
            name_of_string: constructor(interface, Kind::StringName, 2),
            path_of_string: constructor(interface, Kind::NodePath, 2),
            typed: Typed::load(needed),
            node_path_is_absolute: needed(Kind::NodePath, "is_absolute", 3_918_633_141),
            array_push_back: needed(Kind::Array, "push_back", 3_316_032_543),
            dictionary_keys: needed(Kind::Dictionary, "keys", 4_144_163_970),
            dictionary_values: needed(Kind::Dictionary, "values", 4_144_163_970),
            entries: layout::dictionaries::are_as_expected(interface),
            layout: Layout::of(interface),
            objects: Objects::load(interface),
            allocates_in_parallel: !objects::is_debug_build(),
            uninit: Uninit::load(interface),
        }
    })
}

/// Whether several threads that allocate do not wait for each other. They do in debug builds of the engine, the editor
/// among them: those count all memory in one place, which goes from core to core each time.
pub fn allocates_in_parallel() -> bool {
    api().allocates_in_parallel
}

fn builtin_method(interface: &sys::GDExtensionInterface, kind: Kind, name: &str, hash: i64) -> Option<Method> {
    let name = StringName::from(name);
    // SAFETY: the name outlives the call; a method that does not exist, or not like this, gives null.
    unsafe { (interface.variant_get_ptr_builtin_method)(sys_type(kind), name.string_sys(), hash) }
}

/// A constructor by its number in `extension_api.json`: 0 makes an empty value.
fn constructor(interface: &sys::GDExtensionInterface, kind: Kind, index: i32) -> Constructor {
    // SAFETY: the id is that of a Variant type; a number that it does not have gives null.
    unsafe { (interface.variant_get_ptr_constructor)(sys_type(kind), index) }.expect("the engine has it since 4.4")
}

/// By kind, with nothing for Nil, about which the engine prints an error.
fn not_nil<T>(get: impl Fn(Kind) -> Option<T>) -> [Option<T>; Kind::ALL.len()] {
    Kind::ALL.map(|kind| if kind == Kind::Nil { None } else { get(kind) })
}

const fn is_packed(kind: Kind) -> bool {
    matches!(kind.shape(), Shape::Packed { .. } | Shape::PackedStrings)
}

fn sys_type(kind: Kind) -> sys::GDExtensionVariantType {
    kind.id().into()
}

/// The default value of a kind: empty, zero.
fn default_value(interface: &sys::GDExtensionInterface, kind: Kind) -> Variant {
    let mut error = sys::default_call_error();
    // SAFETY: without arguments this makes the default value of the type, which each type has.
    unsafe {
        Variant::new_with_var_uninit(|variant| {
            (interface.variant_construct)(sys_type(kind), variant, std::ptr::null(), 0, &raw mut error);
        })
    }
}

//! Function pointers and facts that the library fetches from the engine once.

use std::sync::OnceLock;

use godot::builtin::Variant;
use godot::classes::Engine;
use godot::obj::Singleton;
use godot::sys;
use varbatch_codec::Kind;

use super::ffi::{
    Constructor, FromType, Getter, Inner, Method, builtin_method, constructor, default_value, is_packed, not_nil,
    sys_type,
};
use super::layout::{self, Layout};
use super::tables::{Objects, Typed, Uninit};

/// Function pointers and facts about the engine, fetched once.
pub struct Api {
    pub interface: &'static sys::GDExtensionInterface,
    /// By kind: returns a pointer to the value in a Variant. `None` for Nil.
    pub getters: [Option<Getter>; Kind::ALL.len()],
    /// By kind: makes a Variant from a value. `None` for Nil.
    pub from_type: [Option<FromType>; Kind::ALL.len()],
    /// By kind: `size()` of arrays and dictionaries, `resize()` of arrays.
    pub sizes: [Option<Method>; Kind::ALL.len()],
    pub resizes: [Option<Method>; Kind::ALL.len()],
    pub new_array: Constructor,
    pub new_dictionary: Constructor,
    pub name_of_string: Constructor,
    pub path_of_string: Constructor,
    /// By kind: an empty packed array, String, Callable or Signal. Lives as long as the library is loaded.
    pub empty: [Option<Empty>; Kind::ALL.len()],
    pub typed: Typed,
    pub node_path_is_absolute: Method,
    pub array_push_back: Method,
    pub dictionary_keys: Method,
    pub dictionary_values: Method,
    /// True if dictionaries have the memory layout that `entries` reads.
    pub entries: bool,
    pub layout: Layout,
    pub objects: Objects,
    pub allocates_in_parallel: bool,
    pub uninit: Option<Uninit>,
}

/// An empty value, and a pointer to it in its Variant.
pub struct Empty {
    pub inner: Inner,
    /// Boxed, so that it does not move.
    pub _variant: Box<Variant>,
}

impl Empty {
    fn new(interface: &sys::GDExtensionInterface, kind: Kind) -> Self {
        let mut variant = Box::new(default_value(interface, kind));
        // SAFETY: the id is that of a Variant type, and the Variant has that type.
        let inner = unsafe {
            let getter = (interface.variant_get_ptr_internal_getter)(sys_type(kind)).expect("each type has one");
            getter(variant.var_sys_mut()).cast()
        };
        Self { inner, _variant: variant }
    }
}

// SAFETY: the pointers are to functions and method tables of the engine, which are constant while the library is loaded
// and callable from any thread. The names and the empty values are only read.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

#[inline]
pub fn api() -> &'static Api {
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
            allocates_in_parallel: !is_debug_build(),
            uninit: Uninit::load(interface),
        }
    })
}

/// True if threads can allocate without waiting for each other. In debug builds of the engine, such as the editor, they
/// wait: all allocations update one counter, whose cache line moves from core to core.
pub fn allocates_in_parallel() -> bool {
    api().allocates_in_parallel
}

/// True if large values are made with uninitialised memory. Otherwise the engine zeroes it, which threads should share.
pub fn makes_blocks() -> bool {
    api().layout.makes_blocks
}

/// True if the engine is a debug build, such as the editor.
fn is_debug_build() -> bool {
    Engine::singleton().get_singleton("OS").is_none_or(|mut os| os.call("is_debug_build", &[]).booleanize())
}

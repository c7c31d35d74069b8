//! Types of GDExtension, and function pointers and facts that the library fetches from the engine once.

use std::ffi::c_void;
use std::sync::OnceLock;

use godot::classes::Os;
use godot::prelude::*;
use godot::sys;
use varbatch_codec::{Dialect, Kind, Shape, Width};

/// The dialect of the engine that this library was built for.
pub const DIALECT: Dialect =
    if cfg!(feature = "double-precision") { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 };

pub const REAL: Width = DIALECT.real;

/// A pointer to the value of a Variant. Null for Nil.
pub type Inner = sys::GDExtensionTypePtr;

type Getter = unsafe extern "C" fn(sys::GDExtensionVariantPtr) -> *mut c_void;
type FromType = unsafe extern "C" fn(sys::GDExtensionUninitializedVariantPtr, sys::GDExtensionTypePtr);
/// A method of a class, and pointers to its arguments.
pub type Bind = sys::GDExtensionMethodBindPtr;
pub type Args<'a> = &'a [sys::GDExtensionConstTypePtr];

pub type Constructor = unsafe extern "C" fn(sys::GDExtensionUninitializedTypePtr, *const sys::GDExtensionConstTypePtr);
pub type Method =
    unsafe extern "C" fn(sys::GDExtensionTypePtr, *const sys::GDExtensionConstTypePtr, sys::GDExtensionTypePtr, i32);

pub const fn is_packed(kind: Kind) -> bool {
    matches!(kind.shape(), Shape::Packed { .. } | Shape::PackedStrings)
}

pub fn sys_type(kind: Kind) -> sys::GDExtensionVariantType {
    kind.id().into()
}

#[inline(always)]
pub fn kind_of(id: u32) -> Option<Kind> {
    u8::try_from(id).ok().and_then(Kind::from_id)
}

pub fn interface() -> &'static sys::GDExtensionInterface {
    // SAFETY: gdext has initialised its binding before any of this library's functions can be called.
    unsafe { sys::get_interface() }
}

/// Creates a value of a kind from arguments; `None` if it has no such constructor.
pub fn construct(kind: Kind, args: &[&Variant]) -> Option<Variant> {
    let construct = interface().variant_construct;
    let mut error = sys::default_call_error();
    // SAFETY: a reference to a Variant has the layout of a pointer to it. The engine makes a Variant: nil if it fails.
    let made = unsafe {
        Variant::new_with_var_uninit(|variant| {
            construct(sys_type(kind), variant, args.as_ptr().cast(), args.len() as i32, &raw mut error);
        })
    };
    (error.error == sys::GDEXTENSION_CALL_OK).then_some(made)
}

pub fn default_value(kind: Kind) -> Variant {
    construct(kind, &[]).expect("every type has it")
}

pub struct Api {
    pub interface: &'static sys::GDExtensionInterface,
    pub allocates_in_parallel: bool,
    /// Returns a pointer to the value in a Variant. Not of Nil.
    pub getters: ByKind<Getter>,
    /// Makes a Variant from a value. Not of Nil.
    pub from_type: ByKind<FromType>,
    /// `size()` of arrays and dictionaries, `resize()` of arrays.
    pub sizes: ByKind<Method>,
    pub resizes: ByKind<Method>,
    /// An empty packed array, String, Callable or Signal. Lives as long as the library is loaded.
    pub empty: ByKind<Inner>,
    pub new_array: Constructor,
    pub new_dictionary: Constructor,
    pub element_type: TypeOf,
    pub key_type: TypeOf,
    pub value_type: TypeOf,
    /// The count of the names in a NodePath, one of them, the same of the subnames, and whether it is absolute.
    pub path_methods: [Method; 5],
    pub signal_name: Method,
    pub signal_object: Method,
    /// What stands for the class and the script of other values than objects.
    pub no_class: (StringName, Variant),
    pub encoded_class: StringName,
    /// Methods of objects that gdext does not have, or only with conversions.
    pub set_object_id: Bind,
    pub get_object_id: Bind,
    pub notification: Bind,
    pub get_script: Bind,
    pub set_script: Bind,
    pub set: Bind,
    pub get_meta_list: Bind,
    pub has_connections: Bind,
    pub control_class: *mut c_void,
    /// Methods of Control, in the order of [`THEME_ITEMS`].
    pub has_override: [Bind; THEME_ITEMS.len()],
}

pub struct ByKind<T>([Option<T>; Kind::ALL.len()]);

impl<T: Copy> ByKind<T> {
    fn of(kinds: impl Fn(Kind) -> bool, get: impl Fn(Kind) -> Option<T>) -> Self {
        let of = |kind| kinds(kind).then(|| get(kind).expect("the engine has it since 4.4"));
        Self(Kind::ALL.map(of))
    }

    /// Panics if the table has nothing of this kind.
    #[inline(always)]
    pub fn get(&self, kind: Kind) -> T {
        self.0[usize::from(kind.id())].expect("the kind has one")
    }
}

/// Returns a method of a class of the engine, which has it since 4.4.
pub fn method_bind(class: &str, name: &str, hash: i64) -> Bind {
    let (class, name) = (StringName::from(class), StringName::from(name));
    // SAFETY: both names outlive the call. The engine returns null if no method has this name and hash.
    let bind = unsafe { (interface().classdb_get_method_bind)(class.string_sys(), name.string_sys(), hash) };
    assert!(!bind.is_null(), "the engine has it since 4.4");
    bind
}

/// Returns what tells objects of a class of the engine from others.
pub fn class_tag(class: &str) -> *mut c_void {
    // SAFETY: the name outlives the call.
    unsafe { (interface().classdb_get_class_tag)(StringName::from(class).string_sys()) }
}

/// The methods that return one element type of typed containers.
pub struct TypeOf {
    pub builtin: Method,
    pub class_name: Method,
    pub script: Method,
}

pub const ENCODED_CLASS: &str = "EncodedObjectAsID";

/// The kinds of a theme's items: the prefix of an override's property, and the method of Control that looks for one.
pub const THEME_ITEMS: [(&str, &str); 6] = [
    ("theme_override_colors", "has_theme_color_override"),
    ("theme_override_constants", "has_theme_constant_override"),
    ("theme_override_fonts", "has_theme_font_override"),
    ("theme_override_font_sizes", "has_theme_font_size_override"),
    ("theme_override_icons", "has_theme_icon_override"),
    ("theme_override_styles", "has_theme_stylebox_override"),
];

// SAFETY: the pointers are to functions and method tables of the engine, which are constant while the library is loaded
// and callable from any thread. The names and the empty values are only read.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

impl Api {
    fn load() -> Self {
        let interface = interface();
        let find = |kind: Kind, name: &str, hash: i64| {
            let name = StringName::from(name);
            // SAFETY: the name outlives the call. The engine returns null if no method has this name and hash.
            unsafe { (interface.variant_get_ptr_builtin_method)(sys_type(kind), name.string_sys(), hash) }
        };
        let method = |kind, name: &str, hash| find(kind, name, hash).expect("the engine has it since 4.4");
        let type_of = |kind: Kind, part: &str| TypeOf {
            builtin: method(kind, &format!("get_typed_{part}builtin"), 3_173_160_232),
            class_name: method(kind, &format!("get_typed_{part}class_name"), 1_825_232_092),
            script: method(kind, &format!("get_typed_{part}script"), 1_460_142_086),
        };
        let constructor = |kind: Kind| {
            // SAFETY: the id is that of a Variant type, and the index that of the constructor of an empty value.
            unsafe { (interface.variant_get_ptr_constructor)(sys_type(kind), 0) }.expect("each type has it")
        };
        // Asked about Nil, the engine would print an error.
        let is_not_nil = |kind: Kind| kind != Kind::Nil;
        let is_array = |kind: Kind| is_packed(kind) || kind == Kind::Array;
        let has_empty = |kind: Kind| is_packed(kind) || matches!(kind, Kind::String | Kind::Callable | Kind::Signal);
        // SAFETY: the id is that of a Variant type.
        let getter = |kind: Kind| unsafe { (interface.variant_get_ptr_internal_getter)(sys_type(kind)) };
        let empty = |kind: Kind| {
            let variant = Box::leak(Box::new(default_value(kind)));
            // SAFETY: the getter is that of the Variant's type.
            getter(kind).map(|getter| unsafe { getter(variant.var_sys_mut()).cast() })
        };
        Self {
            interface,
            allocates_in_parallel: !Os::singleton().is_debug_build(),
            getters: ByKind::of(is_not_nil, getter),
            // SAFETY: the id is that of a Variant type.
            from_type: ByKind::of(is_not_nil, |kind| unsafe {
                (interface.get_variant_from_type_constructor)(sys_type(kind))
            }),
            sizes: ByKind::of(
                |kind| is_array(kind) || kind == Kind::Dictionary,
                |kind| find(kind, "size", 3_173_160_232),
            ),
            resizes: ByKind::of(is_array, |kind| find(kind, "resize", 848_867_239)),
            empty: ByKind::of(has_empty, empty),
            new_array: constructor(Kind::Array),
            new_dictionary: constructor(Kind::Dictionary),
            element_type: type_of(Kind::Array, ""),
            key_type: type_of(Kind::Dictionary, "key_"),
            value_type: type_of(Kind::Dictionary, "value_"),
            path_methods: [
                method(Kind::NodePath, "get_name_count", 3_173_160_232),
                method(Kind::NodePath, "get_name", 2_948_586_938),
                method(Kind::NodePath, "get_subname_count", 3_173_160_232),
                method(Kind::NodePath, "get_subname", 2_948_586_938),
                method(Kind::NodePath, "is_absolute", 3_918_633_141),
            ],
            signal_name: method(Kind::Signal, "get_name", 1_825_232_092),
            signal_object: method(Kind::Signal, "get_object_id", 3_173_160_232),
            no_class: (StringName::default(), Variant::nil()),
            encoded_class: StringName::from(ENCODED_CLASS),
            set_object_id: method_bind(ENCODED_CLASS, "set_object_id", 1_286_410_249),
            get_object_id: method_bind(ENCODED_CLASS, "get_object_id", 3_905_245_786),
            notification: method_bind("Object", "notification", 4_023_243_586),
            get_script: method_bind("Object", "get_script", 1_214_101_251),
            set_script: method_bind("Object", "set_script", 1_114_965_689),
            set: method_bind("Object", "set", 3_776_071_444),
            get_meta_list: method_bind("Object", "get_meta_list", 3_995_934_104),
            has_connections: method_bind("Object", "has_connections", 2_619_796_661),
            control_class: class_tag("Control"),
            has_override: THEME_ITEMS.map(|(_, method)| method_bind("Control", method, 2_619_796_661)),
        }
    }
}

#[inline]
pub fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(Api::load)
}

/// True if threads can allocate at once. In debug builds of the engine, such as the editor, all update one counter.
pub fn allocates_in_parallel() -> bool {
    api().allocates_in_parallel
}

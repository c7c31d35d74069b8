//! Engine methods that GDExtension looks up by name, fetched once.

use godot::builtin::{Signal, StringName};
use godot::classes::{Engine, Object};
use godot::obj::Singleton;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::ffi::Method;
use super::layout::MAY_LOOK;

/// The class that the engine decodes an object id to.
pub const ENCODED_CLASS: &str = "EncodedObjectAsID";

/// Methods of objects.
pub struct Objects {
    pub encoded_class: StringName,
    pub set_object_id: sys::GDExtensionMethodBindPtr,
    pub get_object_id: sys::GDExtensionMethodBindPtr,
    pub notification: sys::GDExtensionMethodBindPtr,
    pub get_class: sys::GDExtensionMethodBindPtr,
    pub is_class: sys::GDExtensionMethodBindPtr,
    pub get_script: sys::GDExtensionMethodBindPtr,
    pub get_base_script: sys::GDExtensionMethodBindPtr,
    pub get_instance_base_type: sys::GDExtensionMethodBindPtr,
    pub get_path: sys::GDExtensionMethodBindPtr,
    pub get_property_list: sys::GDExtensionMethodBindPtr,
    pub get_meta_list: sys::GDExtensionMethodBindPtr,
    /// True if a Signal has the memory layout of [`SignalParts`].
    pub signals: bool,
}

/// The memory layout of a Signal.
#[repr(C)]
pub struct SignalParts {
    pub name: StringName,
    pub object: u64,
}

impl Objects {
    pub fn load(interface: &sys::GDExtensionInterface) -> Self {
        let bind = |class: &str, name: &str, hash| {
            let (class, name) = (StringName::from(class), StringName::from(name));
            // SAFETY: both names outlive the call. The engine returns null if no method has this name and hash.
            let bind = unsafe { (interface.classdb_get_method_bind)(class.string_sys(), name.string_sys(), hash) };
            assert!(!bind.is_null(), "the engine has it since 4.4");
            bind
        };
        Self {
            encoded_class: StringName::from(ENCODED_CLASS),
            set_object_id: bind(ENCODED_CLASS, "set_object_id", 1_286_410_249),
            get_object_id: bind(ENCODED_CLASS, "get_object_id", 3_905_245_786),
            notification: bind("Object", "notification", 4_023_243_586),
            get_class: bind("Object", "get_class", 201_670_096),
            is_class: bind("Object", "is_class", 3_927_539_163),
            get_script: bind("Object", "get_script", 1_214_101_251),
            get_base_script: bind("Script", "get_base_script", 278_624_046),
            get_instance_base_type: bind("Script", "get_instance_base_type", 2_002_593_661),
            get_path: bind("Resource", "get_path", 201_670_096),
            get_property_list: bind("Object", "get_property_list", 3_995_934_104),
            get_meta_list: bind("Object", "get_meta_list", 3_995_934_104),
            signals: signals_are_as_expected(),
        }
    }
}

/// True if a Signal of this engine has the layout of [`SignalParts`]. Checks one Signal.
fn signals_are_as_expected() -> bool {
    if !MAY_LOOK {
        return false;
    }
    let (object, name) = (Engine::singleton().upcast::<Object>(), StringName::from("script_changed"));
    let signal = Signal::from_object_signal(&object, &name);
    // SAFETY: a Signal is 16 bytes, which are read as integers.
    let (found_name, found_id) = unsafe {
        let words: *const u64 = signal.sys().cast();
        (words.read(), words.add(1).read())
    };
    // SAFETY: a StringName is one pointer, read as an integer; equal names have equal pointers.
    let expected_name = unsafe { name.string_sys().cast::<u64>().read() };
    let expected_id = object.instance_id().to_i64().cast_unsigned();
    (found_name, found_id) == (expected_name, expected_id)
}

/// The methods that return the element types of typed containers.
pub struct Typed {
    pub element: TypeOf,
    pub key: TypeOf,
    pub value: TypeOf,
}

/// The methods that return one element type.
pub struct TypeOf {
    pub builtin: Method,
    pub class_name: Method,
    pub script: Method,
}

impl Typed {
    /// Fetches the methods. `method` looks one up by kind, name and hash.
    pub fn load(method: impl Fn(Kind, &str, i64) -> Method) -> Self {
        let type_of = |kind, part: &str| TypeOf {
            builtin: method(kind, &format!("get_typed_{part}builtin"), 3_173_160_232),
            class_name: method(kind, &format!("get_typed_{part}class_name"), 1_825_232_092),
            script: method(kind, &format!("get_typed_{part}script"), 1_460_142_086),
        };
        Self {
            element: type_of(Kind::Array, ""),
            key: type_of(Kind::Dictionary, "key_"),
            value: type_of(Kind::Dictionary, "value_"),
        }
    }
}

/// `StreamPeerBuffer`, the only class of the engine that resizes a byte array without zeroing it.
pub struct Uninit {
    pub class: StringName,
    pub resize: sys::GDExtensionMethodBindPtr,
    pub get_data_array: sys::GDExtensionMethodBindPtr,
}

impl Uninit {
    pub fn load(interface: &sys::GDExtensionInterface) -> Option<Self> {
        let class = StringName::from("StreamPeerBuffer");
        let bind = |name: &str, hash| {
            let name = StringName::from(name);
            // SAFETY: both names outlive the call. The engine returns null if no method has this name and hash.
            let bind = unsafe { (interface.classdb_get_method_bind)(class.string_sys(), name.string_sys(), hash) };
            (!bind.is_null()).then_some(bind)
        };
        let (resize, get_data_array) = (bind("resize", 1_286_410_249)?, bind("get_data_array", 2_362_200_018)?);
        Some(Self { class, resize, get_data_array })
    }
}

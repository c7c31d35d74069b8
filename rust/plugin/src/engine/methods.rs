//! What gdext's methods lack: arguments that may have a default, or that accept everything that a script may pass, and the
//! entry points of `VarBatch.var_to_bytes` and `VarBatch.bytes_to_var`, without gdext's conversions.
//!
//! A `#[func]` of gdext takes 40 ns, as long as encoding a small value: these two use arguments and results in place.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use godot::meta::shape::{EnumeratorShape, GodotShape};
use godot::meta::{GodotImmutable, ToArg, conv};
use godot::prelude::*;
use godot::register::info::{MethodFlags, ParamMetadata, PropertyHintInfo, PropertyUsageFlags};
use godot::register::private::constant::{ConstantKind, ExportConstant, IntegerConstant};
use godot::register::private::method::ClassMethodInfo;
use godot::sys;
use varbatch_codec::{Dialect, Engine, Kind};

use super::arguments::{CALL_CHECK, check, given, guarded};
use super::{BytesOut, DIALECT, Slot, Value, api, layout, value};

/// Makes a type an argument that may have a default: how the engine sees it, and how it is converted from and to that.
macro_rules! argument {
    ($type:ident via $via:ty, $pass:ident, $shape:expr, $from:expr, |$arg:ident| $to:expr) => {
        impl GodotConvert for $type {
            type Via = $via;

            fn godot_shape() -> GodotShape {
                $shape
            }
        }

        impl FromGodot for $type {
            fn try_from_godot(via: $via) -> Result<Self, ConvertError> {
                Ok($from(via))
            }
        }

        impl ToGodot for $type {
            type Pass = conv::$pass;

            fn to_godot(&self) -> ToArg<'_, $via, conv::$pass> {
                let $arg = self;
                $to
            }
        }

        // SAFETY: the defaults are plain data, null, a bool, an array copied on write, or a read-only Dictionary.
        unsafe impl GodotImmutable for $type {}
    };
}

argument!(AnyArg via Variant, ByRef, Variant::godot_shape(), Self, |arg| &arg.0);
argument!(ArrayArg via AnyArray, ByRef, AnyArray::godot_shape(), Self, |arg| &arg.0);
argument!(DictionaryArg via AnyDictionary, ByRef, AnyDictionary::godot_shape(), Self, |arg| &arg.0);
argument!(FlagArg via Variant, ByRef, Variant::godot_shape(), Self, |arg| &arg.0);
argument!(DialectArg via i64, ByValue, enum_shape(FULL_NAME, DIALECTS.map(|(name, _)| name)), Self, |arg| arg.0);

/// An enum of this name. The value of each constant is its index.
fn enum_shape<const N: usize>(name: &'static str, constants: [&'static str; N]) -> GodotShape {
    let enumerator = |(value, name): (usize, &'static str)| EnumeratorShape::new_int(name, value as i64);
    GodotShape::Enum {
        variant_type: VariantType::INT,
        enumerators: constants.into_iter().enumerate().map(enumerator).collect(),
        godot_name: Some(std::borrow::Cow::Borrowed(name)),
        is_bitfield: false,
    }
}

pub fn null() -> AnyArg {
    AnyArg(Variant::nil())
}

pub fn no() -> FlagArg {
    FlagArg(false.to_variant())
}

/// Any value, null by default. gdext does not support defaults for Variants.
#[derive(Clone, Debug)]
pub struct AnyArg(pub Variant);

/// A Dictionary, typed or not, empty by default. gdext does not support defaults for Dictionaries.
#[derive(Clone, Debug)]
pub struct DictionaryArg(pub AnyDictionary);

impl DictionaryArg {
    /// Returns an empty Dictionary. Read-only, as all calls without the argument share it.
    pub fn empty() -> Self {
        Self(VarDictionary::new().into_read_only().upcast_any_dictionary())
    }
}

/// An Array, typed or not, empty by default. gdext does not support defaults for Arrays.
#[derive(Clone, Debug)]
pub struct ArrayArg(pub AnyArray);

impl ArrayArg {
    pub fn empty() -> Self {
        Self(VarArray::new().into_read_only().upcast_any_array())
    }
}

/// A flag that a script might pass a number: to the engine a Variant, as GDScript would convert constants to bool.
#[derive(Clone, Debug)]
pub struct FlagArg(Variant);

impl FlagArg {
    pub fn value(&self) -> &Value {
        value(&self.0)
    }

    /// Returns the flag, or the error text if the argument is not a bool. `name` is its name there.
    pub fn flag(&self, name: &str) -> Result<bool, String> {
        let view = value(&self.0).view();
        let found = match view.kind() {
            Kind::Bool => return Ok(view.bool()),
            Kind::Int => view.int().to_string(),
            kind => kind.name().into(),
        };
        Err(format!("expected true or false as {name}, found {found}"))
    }
}

/// The name of the enum, without and with its class. gdext cannot declare it, but registers one that is built by hand.
const DIALECT_ENUM: &str = "Dialect";
const FULL_NAME: &str = "VarBatch.Dialect";

pub const DIALECTS: [(&str, Dialect); Engine::ALL.len()] = [
    ("DIALECT_GODOT_4", DIALECT),
    ("DIALECT_GODOT_3", Dialect::GODOT_3),
    ("DIALECT_PANDEMONIUM", Dialect::PANDEMONIUM),
    ("DIALECT_PANDEMONIUM_3_8", Dialect::of(Engine::Pandemonium38)),
    ("DIALECT_PANDEMONIUM_3_5", Dialect::of(Engine::Pandemonium35)),
];

/// Adds the enum to the class, which must already be registered.
pub fn register_dialects<C: GodotClass>() {
    let enumerator = |(value, (name, _)): (usize, &(&str, _))| IntegerConstant::new(name, value);
    let enumerators = DIALECTS.iter().enumerate().map(enumerator).collect();
    ExportConstant::new(C::class_id(), ConstantKind::Enum { name: StringName::from(DIALECT_ENUM), enumerators })
        .register();
}

/// The argument that a script passes as a `VarBatch.Dialect`: any number.
#[derive(Clone, Copy, Debug)]
pub struct DialectArg(i64);

impl DialectArg {
    pub const GODOT_4: Self = Self(0);

    /// Returns the dialect, or the error text if the number is not a constant of the enum.
    pub fn dialect(self) -> Result<Dialect, String> {
        let known = usize::try_from(self.0).ok().and_then(|index| DIALECTS.get(index));
        known.map(|(_, dialect)| *dialect).ok_or_else(|| {
            let last = DIALECTS.len() - 1;
            format!("expected a constant of {FULL_NAME}, from 0 to {last}, as the dialect, found {}", self.0)
        })
    }
}

/// An object, null, or a freed object, which gdext would refuse before any of our code runs.
#[derive(Clone, Debug)]
pub struct ObjectArg(pub Variant);

impl GodotConvert for ObjectArg {
    type Via = Option<Gd<Object>>;

    fn godot_shape() -> GodotShape {
        GodotShape::Custom {
            variant_type: VariantType::OBJECT,
            var_hint: PropertyHintInfo::none(),
            export_hint: PropertyHintInfo::none(),
            // Without a class, GDScript passes the Variant, instead of a pointer that may be that of a freed object.
            class_name: None,
            usage_flags: PropertyUsageFlags::NONE,
            metadata: ParamMetadata::NONE,
        }
    }
}

impl FromGodot for ObjectArg {
    fn try_from_godot(object: Option<Gd<Object>>) -> Result<Self, ConvertError> {
        Ok(Self(object.to_variant()))
    }

    fn try_from_variant(object: &Variant) -> Result<Self, ConvertError> {
        Ok(Self(object.clone()))
    }
}

/// The implementation of the two methods. A trait, so that each gets its own entry points.
pub trait Call {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut);

    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: Option<&Value>, offset: i64, out: &mut Slot);
}

/// Adds both methods to the class, which must already be registered.
pub fn register<C: GodotClass + Call>() {
    // Now, when the library is loaded, so that no call has to.
    api();
    layout::look();
    CALL_CHECK.store(true, Ordering::Relaxed);
    let flags = MethodFlags::NORMAL | MethodFlags::STATIC;
    // SAFETY: the functions match their signatures, as the engine passes values: a Variant and an optional bool to
    // encode, bytes and an optional Variant and int to decode. They match the flags: static functions need no instance.
    unsafe {
        ClassMethodInfo::from_signature::<C, (Variant, bool), PackedByteArray>(
            StringName::from("var_to_bytes"),
            Some(call::<C, false>),
            Some(typed_call::<C, false>),
            flags,
            &["value", "full_objects"],
            vec![false.to_variant()],
        )
        .register_extension_class_method();
        ClassMethodInfo::from_signature::<C, (PackedByteArray, Variant, i64), Variant>(
            StringName::from("bytes_to_var"),
            Some(call::<C, true>),
            Some(typed_call::<C, true>),
            flags,
            &["bytes", "allow_objects", "offset"],
            vec![false.to_variant(), 0.to_variant()],
        )
        .register_extension_class_method();
    }
    CALL_CHECK.store(false, Ordering::Relaxed);
}

pub fn load_docs(xml: &str) {
    let len = i64::try_from(xml.len()).expect("lengths fit in an i64");
    // SAFETY: `xml` is UTF-8 of this length, and the engine copies it.
    unsafe { (api().interface.editor_help_load_xml_from_utf8_chars_and_len)(xml.as_ptr().cast(), len) };
}

/// Calls `bytes_to_var` if `DECODES`, else `var_to_bytes`.
unsafe extern "C" fn call<C: Call, const DECODES: bool>(
    method: *mut c_void,
    _: sys::GDExtensionClassInstancePtr,
    args: *const sys::GDExtensionConstVariantPtr,
    count: sys::GDExtensionInt,
    ret: sys::GDExtensionVariantPtr,
    error: *mut sys::GDExtensionCallError,
) {
    // SAFETY: the engine passes the arguments, an initialised Variant for the result, and room for an error.
    let (args, ret, error) = unsafe { (given(args, count), &mut *ret.cast::<Variant>(), &mut *error) };
    let is = |index: usize, kind| args.get(index).is_some_and(|arg| value(arg).view().kind() == kind);
    let is_plain = match args.len() {
        1 => !DECODES || is(0, Kind::PackedByteArray),
        2 if DECODES => is(0, Kind::PackedByteArray),
        3 if DECODES => is(0, Kind::PackedByteArray) && is(2, Kind::Int),
        2 => is(1, Kind::Bool),
        _ => false,
    };
    // SAFETY: the method is the engine's argument.
    if !is_plain && unsafe { !check(method, args, error) } {
        return;
    }
    guarded(error, || {
        // What the engine's own methods accept too is converted.
        let (second, out) = (args.get(1), Slot::from_mut(ret));
        if !DECODES {
            C::var_to_bytes(value(args[0]), second.is_some_and(|flag| flag.try_to_relaxed().unwrap_or_default()), out);
            return;
        }
        let converted;
        let bytes = match value(args[0]).view() {
            array if array.kind() == Kind::PackedByteArray => array.byte_array(),
            _ => {
                converted = args[0].try_to_relaxed().unwrap_or_default();
                &converted
            }
        };
        let offset = args.get(2).map_or(0, |offset| offset.try_to_relaxed().unwrap_or_default());
        C::bytes_to_var(bytes, second.map(|allow_objects| value(allow_objects)), offset, out);
    });
}

/// Does the same as [`call`] where the engine knows the types of the arguments.
unsafe extern "C" fn typed_call<C: Call, const DECODES: bool>(
    _: *mut c_void,
    _: sys::GDExtensionClassInstancePtr,
    args: *const sys::GDExtensionConstTypePtr,
    ret: sys::GDExtensionTypePtr,
) {
    // SAFETY: the engine passes a PackedByteArray, a Variant and an int to decode, or a Variant and a bool to encode. For the result
    // it passes an initialised value of the other type, which is written to once nothing borrows the arguments any more.
    guarded(&mut sys::default_call_error(), || unsafe {
        // The result may be the argument's variable, whose array a script may still hold: so it is set at the end.
        if DECODES {
            let mut result = Variant::nil();
            let (allow_objects, offset) = (value(&*(*args.add(1)).cast()), *(*args.add(2)).cast());
            C::bytes_to_var(&*(*args).cast(), Some(allow_objects), offset, Slot::from_mut(&mut result));
            *ret.cast() = result;
        } else {
            let (flag, mut bytes) = (*(*args.add(1)).cast::<u8>() != 0, PackedByteArray::new());
            C::var_to_bytes(value(&*(*args).cast()), flag, &mut bytes);
            *ret.cast() = bytes;
        }
    });
}

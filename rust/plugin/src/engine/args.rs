//! Method arguments for which gdext has no type, or none that accepts everything that a script may pass.

use std::borrow::Cow;

use godot::builtin::{AnyDictionary, StringName, VarDictionary, Variant, VariantType};
use godot::classes::Object;
use godot::meta::error::ConvertError;
use godot::meta::shape::{EnumeratorShape, GodotShape};
use godot::meta::{FromGodot, GodotConvert, GodotImmutable, ToArg, ToGodot, conv};
use godot::obj::{Gd, GodotClass};
use godot::register::info::{ParamMetadata, PropertyHintInfo, PropertyUsageFlags};
use godot::register::private::constant::{ConstantKind, ExportConstant, IntegerConstant};
use varbatch_codec::{Dialect, Engine, Kind};

use super::{DIALECT, value};

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

        // SAFETY: the defaults of these types are plain data, null, a bool or a read-only Dictionary.
        unsafe impl GodotImmutable for $type {}
    };
}

argument!(AnyArg via Variant, ByRef, Variant::godot_shape(), Self, |arg| &arg.0);
argument!(DictionaryArg via AnyDictionary, ByRef, AnyDictionary::godot_shape(), Self, |arg| &arg.0);
argument!(FlagArg via Variant, ByRef, Variant::godot_shape(), Self, |arg| &arg.0);
argument!(DialectArg via i64, ByValue, enum_shape(FULL_NAME, DIALECTS.map(|(name, _)| name)), Self, |arg| arg.0);
argument!(CompressionArg via i64, ByValue, enum_shape("FileAccess.CompressionMode", []), Self, |arg| arg.0);

/// An enum of this name. The value of each constant is its index.
fn enum_shape<const N: usize>(name: &'static str, constants: [&'static str; N]) -> GodotShape {
    let enumerator = |(value, name): (usize, &'static str)| EnumeratorShape::new_int(name, value as i64);
    GodotShape::Enum {
        variant_type: VariantType::INT,
        enumerators: constants.into_iter().enumerate().map(enumerator).collect(),
        godot_name: Some(Cow::Borrowed(name)),
        is_bitfield: false,
    }
}

/// The default of an [`AnyArg`].
pub fn null() -> AnyArg {
    AnyArg(Variant::nil())
}

/// The default of a [`FlagArg`].
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

/// A flag for which a script might pass a number by mistake, such as a compression mode.
///
/// The engine sees a Variant: GDScript would convert a constant to bool when it compiles the call, so a mode to `true`.
#[derive(Clone, Debug)]
pub struct FlagArg(Variant);

impl FlagArg {
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

/// The constants of the enum. The value of each is its index.
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
    /// `VarBatch.DIALECT_GODOT_4`.
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

/// A `FileAccess.CompressionMode`, or any other number.
#[derive(Clone, Copy, Debug)]
pub struct CompressionArg(pub i64);

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

//! Method arguments for which gdext has no type, or none that accepts everything that a script may pass.

use std::borrow::Cow;

use godot::builtin::{AnyDictionary, VarDictionary, Variant, VariantType};
use godot::classes::Object;
use godot::meta::error::ConvertError;
use godot::meta::shape::GodotShape;
use godot::meta::{FromGodot, GodotConvert, GodotImmutable, ToGodot};
use godot::obj::Gd;
use godot::register::info::{ParamMetadata, PropertyHintInfo, PropertyUsageFlags};
use varbatch_codec::Kind;

use super::slot::Slot;
use super::view::{Value, value};

/// Any value, null by default. gdext does not support defaults for Variants.
#[derive(Clone, Debug)]
pub struct AnyArg(Variant);

impl AnyArg {
    /// Returns null.
    pub fn null() -> Self {
        Self(Variant::nil())
    }

    /// Returns the argument.
    pub fn variant(&self) -> &Variant {
        &self.0
    }

    /// Copies the argument into a slot.
    pub fn slot(&self) -> Slot {
        Slot::of(value(&self.0))
    }
}

impl GodotConvert for AnyArg {
    type Via = Variant;

    fn godot_shape() -> GodotShape {
        Variant::godot_shape()
    }
}

impl ToGodot for AnyArg {
    type Pass = godot::meta::conv::ByRef;

    fn to_godot(&self) -> &Variant {
        &self.0
    }
}

impl FromGodot for AnyArg {
    fn try_from_godot(value: Variant) -> Result<Self, ConvertError> {
        Ok(Self(value))
    }
}

// SAFETY: the default is null.
unsafe impl GodotImmutable for AnyArg {}

/// A Dictionary, typed or not, empty by default. gdext does not support defaults for Dictionaries.
#[derive(Clone, Debug)]
pub struct DictionaryArg(AnyDictionary);

impl DictionaryArg {
    /// Returns an empty Dictionary. Read-only, as all calls without the argument share it.
    pub fn empty() -> Self {
        Self(VarDictionary::new().into_read_only().upcast_any_dictionary())
    }

    /// Returns the argument.
    pub fn dictionary(&self) -> &AnyDictionary {
        &self.0
    }
}

impl GodotConvert for DictionaryArg {
    type Via = AnyDictionary;

    fn godot_shape() -> GodotShape {
        AnyDictionary::godot_shape()
    }
}

impl ToGodot for DictionaryArg {
    type Pass = godot::meta::conv::ByRef;

    fn to_godot(&self) -> &AnyDictionary {
        &self.0
    }
}

impl FromGodot for DictionaryArg {
    fn try_from_godot(value: AnyDictionary) -> Result<Self, ConvertError> {
        Ok(Self(value))
    }
}

// SAFETY: the default is read-only.
unsafe impl GodotImmutable for DictionaryArg {}

/// A flag for which a script might pass a number by mistake, such as a compression mode.
///
/// The engine sees a Variant: for a bool parameter, GDScript converts a constant to bool when it compiles the call, so
/// a mode would look like `true`.
#[derive(Clone, Copy, Debug)]
pub enum FlagArg {
    /// A bool, the only valid argument.
    Flag(bool),
    /// A number.
    Number(i64),
    /// Anything else.
    Other(Kind),
}

impl FlagArg {
    /// The default.
    pub const FALSE: Self = Self::Flag(false);

    /// Returns the flag. `name` is its name in the error text.
    ///
    /// # Errors
    /// The error text, if the argument is not a bool.
    pub fn flag(self, name: &str) -> Result<bool, String> {
        let found = match self {
            Self::Flag(flag) => return Ok(flag),
            Self::Number(number) => number.to_string(),
            Self::Other(kind) => kind.name().into(),
        };
        Err(format!("expected true or false as {name}, found {found}"))
    }
}

impl GodotConvert for FlagArg {
    type Via = Variant;

    fn godot_shape() -> GodotShape {
        Variant::godot_shape()
    }
}

impl ToGodot for FlagArg {
    type Pass = godot::meta::conv::ByValue;

    fn to_godot(&self) -> Variant {
        match *self {
            Self::Flag(flag) => flag.to_variant(),
            Self::Number(number) => number.to_variant(),
            Self::Other(_) => Variant::nil(),
        }
    }
}

impl FromGodot for FlagArg {
    fn try_from_godot(arg: Variant) -> Result<Self, ConvertError> {
        let view = value(&arg).view();
        Ok(match view.kind() {
            Kind::Bool => Self::Flag(view.bool()),
            Kind::Int => Self::Number(view.int()),
            kind => Self::Other(kind),
        })
    }
}

// SAFETY: it holds plain data, without references.
unsafe impl GodotImmutable for FlagArg {}

/// An object, null, or a freed object, which gdext would refuse before any of our code runs.
#[derive(Clone, Debug)]
pub struct ObjectArg(Variant);

impl ObjectArg {
    /// Returns the argument.
    pub fn value(&self) -> &Value {
        value(&self.0)
    }
}

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

/// A `FileAccess.CompressionMode`, or any other number.
#[derive(Clone, Copy, Debug)]
pub struct CompressionArg(pub i64);

impl GodotConvert for CompressionArg {
    type Via = i64;

    fn godot_shape() -> GodotShape {
        GodotShape::Enum {
            variant_type: VariantType::INT,
            enumerators: Cow::Borrowed(&[]),
            godot_name: Some(Cow::Borrowed("FileAccess.CompressionMode")),
            is_bitfield: false,
        }
    }
}

impl ToGodot for CompressionArg {
    type Pass = godot::meta::conv::ByValue;

    fn to_godot(&self) -> i64 {
        self.0
    }
}

impl FromGodot for CompressionArg {
    fn try_from_godot(mode: i64) -> Result<Self, ConvertError> {
        Ok(Self(mode))
    }
}

// SAFETY: it is a number, without references.
unsafe impl GodotImmutable for CompressionArg {}

//! `enum VarBatch.Dialect`: the engines, as scripts name them.
//!
//! gdext cannot declare enums of classes. But it registers one that is built by hand, and can name it as the type of an
//! argument.

use std::borrow::Cow;

use godot::builtin::{StringName, VariantType};
use godot::meta::error::ConvertError;
use godot::meta::shape::{EnumeratorShape, GodotShape};
use godot::meta::{FromGodot, GodotConvert, GodotImmutable, ToGodot};
use godot::obj::GodotClass;
use godot::register::private::constant::{ConstantKind, ExportConstant, IntegerConstant};
use varbatch_codec::{Dialect, Engine};

use super::ffi::DIALECT;

/// The name of the enum, without and with its class.
const NAME: &str = "Dialect";
const FULL_NAME: &str = "VarBatch.Dialect";

/// The constants of the enum. The value of each is its index.
pub const DIALECTS: [(&str, Dialect); Engine::ALL.len()] = [
    ("DIALECT_GODOT_4", DIALECT),
    ("DIALECT_GODOT_3", Dialect::GODOT_3),
    ("DIALECT_PANDEMONIUM", Dialect::PANDEMONIUM),
    ("DIALECT_PANDEMONIUM_3_8", Dialect::of(Engine::Pandemonium38)),
    ("DIALECT_PANDEMONIUM_3_5", Dialect::of(Engine::Pandemonium35)),
];

/// The argument that a script passes as a `VarBatch.Dialect`: any number.
#[derive(Clone, Copy, Debug)]
pub struct DialectArg(i64);

impl DialectArg {
    /// `VarBatch.DIALECT_GODOT_4`.
    pub const GODOT_4: Self = Self(0);

    /// Returns the dialect.
    ///
    /// # Errors
    /// The error text, if the number is not a constant of the enum.
    pub fn dialect(self) -> Result<Dialect, String> {
        let known = usize::try_from(self.0).ok().and_then(|index| DIALECTS.get(index));
        known.map(|(_, dialect)| *dialect).ok_or_else(|| {
            let last = DIALECTS.len() - 1;
            format!("expected a constant of {FULL_NAME}, from 0 to {last}, as the dialect, found {}", self.0)
        })
    }
}

impl GodotConvert for DialectArg {
    type Via = i64;

    fn godot_shape() -> GodotShape {
        let enumerator = |(value, (name, _)): (usize, &(&'static str, _))| EnumeratorShape::new_int(name, value as i64);
        GodotShape::Enum {
            variant_type: VariantType::INT,
            enumerators: DIALECTS.iter().enumerate().map(enumerator).collect(),
            godot_name: Some(Cow::Borrowed(FULL_NAME)),
            is_bitfield: false,
        }
    }
}

impl ToGodot for DialectArg {
    type Pass = godot::meta::conv::ByValue;

    fn to_godot(&self) -> i64 {
        self.0
    }
}

impl FromGodot for DialectArg {
    fn try_from_godot(number: i64) -> Result<Self, ConvertError> {
        Ok(Self(number))
    }
}

// SAFETY: it is a number, without references.
unsafe impl GodotImmutable for DialectArg {}

/// Adds the enum to the class, which must already be registered.
pub fn register_dialects<C: GodotClass>() {
    let enumerator = |(value, (name, _)): (usize, &(&str, _))| IntegerConstant::new(name, value);
    let enumerators = DIALECTS.iter().enumerate().map(enumerator).collect();
    ExportConstant::new(C::class_id(), ConstantKind::Enum { name: StringName::from(NAME), enumerators }).register();
}

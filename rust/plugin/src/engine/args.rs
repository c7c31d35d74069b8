//! Arguments of methods for which gdext has no type of its own.

use godot::builtin::Variant;
use godot::meta::error::ConvertError;
use godot::meta::shape::GodotShape;
use godot::meta::{FromGodot, GodotConvert, GodotImmutable, ToGodot};

use super::read::value;
use super::slot::Slot;

/// Any value, null by default. gdext has no default for a Variant.
#[derive(Clone, Debug)]
pub struct AnyArg(Variant);

impl AnyArg {
    /// Null.
    pub fn null() -> Self {
        Self(Variant::nil())
    }

    /// What was passed, as a slot of its own.
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

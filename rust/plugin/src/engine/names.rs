//! Names of properties as scripts pass them: any array of texts, or none.

use godot::builtin::{VarArray, Variant};
use godot::meta::error::ConvertError;
use godot::meta::shape::GodotShape;
use godot::meta::{FromGodot, GodotConvert, GodotImmutable, ToGodot};
use varbatch_codec::Kind;

use super::read::value;

/// What a script passes for names. gdext has no default for an Array, and takes no PackedStringArray for one.
#[derive(Clone, Debug)]
pub struct NamesArg(Variant);

impl NamesArg {
    /// No names.
    pub fn none() -> Self {
        Self(VarArray::new().to_variant())
    }

    /// Each name, or what else there is.
    ///
    /// # Errors
    /// If it is no array: what is to be said then.
    pub fn elements(&self) -> Result<Vec<Variant>, String> {
        let view = value(&self.0).view();
        match view.kind() {
            Kind::Array => Ok(view.elements().iter().map(|name| name.variant().clone()).collect()),
            Kind::PackedStringArray => Ok(view.strings().iter().map(|name| name.string().to_variant()).collect()),
            kind => Err(format!("expected an Array of names, found {}", kind.name())),
        }
    }
}

impl GodotConvert for NamesArg {
    type Via = Variant;

    fn godot_shape() -> GodotShape {
        Variant::godot_shape()
    }
}

impl ToGodot for NamesArg {
    type Pass = godot::meta::conv::ByRef;

    fn to_godot(&self) -> &Variant {
        &self.0
    }
}

impl FromGodot for NamesArg {
    fn try_from_godot(names: Variant) -> Result<Self, ConvertError> {
        Ok(Self(names))
    }
}

// SAFETY: the Array of the default is only read, and no script gets to see it.
unsafe impl GodotImmutable for NamesArg {}

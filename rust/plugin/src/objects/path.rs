//! A property of an object, or a part of its value: `position:y`.

use std::fmt;

use godot::builtin::StringName;

use crate::engine::{self, Slot, Value};

/// What can be read of an object.
pub trait Property {
    /// Reads it. `None` if the object has no such property, or its value no such part. Its script may run.
    fn get(&self, object: &Value) -> Option<Slot>;
}

/// Reads properties of an object, each when the iterator comes to it.
pub fn read<P: Property>(object: &Value, properties: &[P]) -> impl Iterator<Item = Option<Slot>> {
    properties.iter().map(|property| property.get(object))
}

impl Property for StringName {
    #[inline]
    fn get(&self, object: &Value) -> Option<Slot> {
        engine::property(object, self)
    }
}

/// The name of a property, and those that lead into its value. Not empty.
#[derive(Clone, PartialEq, Eq)]
pub struct PropertyPath(Vec<StringName>);

impl From<StringName> for PropertyPath {
    fn from(name: StringName) -> Self {
        Self(vec![name])
    }
}

impl PropertyPath {
    /// Splits a path in the syntax of NodePath subnames. `None` if nothing would lead into the value.
    pub fn into_value(path: &StringName) -> Option<Self> {
        let text = path.to_string();
        let names: Vec<_> = text.split(':').filter(|name| !name.is_empty()).map(StringName::from).collect();
        (names.len() > 1).then_some(Self(names))
    }

    /// Writes it. `false` if there is no such property, or the object refuses the value.
    pub fn set(&self, object: &Value, new: &Value) -> bool {
        changed(object, &self.0, new).is_some()
    }
}

impl Property for PropertyPath {
    #[inline]
    fn get(&self, object: &Value) -> Option<Slot> {
        let [name, subnames @ ..] = self.0.as_slice() else { return None };
        let whole = engine::property(object, name)?;
        subnames.iter().try_fold(whole, |value, name| engine::property(value.value(), name))
    }
}

/// Returns a value after a part of it was set. It is the same object or container, but a changed copy of a math type.
fn changed(holder: &Value, path: &[StringName], new: &Value) -> Option<Slot> {
    let (name, rest) = path.split_first()?;
    if rest.is_empty() {
        return engine::with_property(holder, name, new);
    }
    let part = engine::property(holder, name)?;
    engine::with_property(holder, name, changed(part.value(), rest, new)?.value())
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [name, subnames @ ..] = self.0.as_slice() else { return Ok(()) };
        write!(f, "{name}")?;
        subnames.iter().try_for_each(|name| write!(f, ":{name}"))
    }
}

//! Reads and writes properties of objects, and parts of their values: `position:y`.

use std::fmt;

use godot::builtin::StringName;

use crate::engine::{self, Slot, Value};

/// The name of a property, and those that lead into its value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PropertyPath {
    pub name: StringName,
    subnames: Vec<StringName>,
}

impl From<StringName> for PropertyPath {
    fn from(name: StringName) -> Self {
        Self { name, subnames: Vec::new() }
    }
}

impl PropertyPath {
    /// Splits a path in the syntax of NodePath subnames. `None` if nothing would lead into the value.
    pub fn into_value(path: &StringName) -> Option<Self> {
        let text = path.to_string();
        let mut names = text.split(':').filter(|name| !name.is_empty()).map(StringName::from);
        let (name, subnames) = (names.next()?, names.collect::<Vec<_>>());
        (!subnames.is_empty()).then_some(Self { name, subnames })
    }

    /// Reads what it leads to. `false`, and null, if there is no such property or part. Scripts may run.
    #[inline]
    pub fn read(&self, object: &Value, slot: &mut Slot) -> bool {
        engine::read_property(object, &self.name, slot)
            && self.subnames.iter().all(|name| {
                let whole = std::mem::replace(slot, Slot::new());
                engine::read_property(whole.value(), name, slot)
            })
    }

    /// Returns the last object on the way, and what leads from it: to write there costs what it costs to write this. Scripts may run.
    pub fn last_object(&self, object: &Value) -> Option<(Slot, Self)> {
        self.subnames.first()?;
        let (mut at, mut found) = (engine::property(object, &self.name)?, None);
        for (index, name) in self.subnames.iter().enumerate() {
            if at.value().object_id() != 0 {
                let subnames = self.subnames[index + 1..].to_vec();
                found = Some((Slot::of(at.value()), Self { name: name.clone(), subnames }));
            }
            at = engine::property(at.value(), name)?;
        }
        found
    }

    /// Writes it. `false` if there is no such property or part, or the object refuses the value. Scripts may run.
    #[inline]
    pub fn write(&self, object: &Value, new: &Value) -> bool {
        match self.subnames.as_slice() {
            [] => engine::set_property(object, &self.name, new),
            subnames => changed(object, &self.name, subnames, new).is_some(),
        }
    }
}

/// Returns a value after a part of it was set. It is the same object or container, but a changed copy of a math type.
#[inline]
fn changed(holder: &Value, name: &StringName, subnames: &[StringName], new: &Value) -> Option<Slot> {
    let Some((subname, rest)) = subnames.split_first() else { return engine::with_property(holder, name, new) };
    let part = engine::property(holder, name)?;
    engine::with_property(holder, name, changed(part.value(), subname, rest, new)?.value())
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        self.subnames.iter().try_for_each(|name| write!(f, ":{name}"))
    }
}

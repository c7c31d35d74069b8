//! What a call knows of a class or a script of which it makes objects, and what they lack.

use super::allowed::{Class, List, extends};
use super::stored::Stored;
use crate::value::budget::Costs;
use crate::value::build::Refused;

/// A class, or a script with the class that it extends.
pub struct Maker {
    pub of: Class,
    /// The place of the names of its properties.
    pub names: usize,
    /// The properties whose numbers are charged.
    pub costs: Costs,
    /// False for a class that is only listed as the base of a script.
    pub is_allowed: bool,
    /// False until an object was made.
    pub is_made: bool,
    pub stored: Option<Stored>,
    /// Of a class: see [`is_changed`], once that was found out.
    pub is_changed: Option<bool>,
}

/// What the current value lacks.
#[derive(Clone, Copy, Default)]
pub struct LeftOut {
    /// Properties that are not set, as a listed class does not have them.
    pub properties: Refused,
    /// Objects and typed containers in whose place is null, as they are not listed.
    pub objects: Refused,
}

/// True if a listed script may store what a class that it extends does not: bytes name the script behind the properties of
/// the class.
#[cold]
pub fn is_changed(all: &mut [Maker], class: usize, list: &List) -> bool {
    let of = &all[class].of.class;
    let may_change = |Maker { of: script, .. }: &Maker| {
        let is_of_class = script.script.is_some() && extends(of, &script.class);
        is_of_class && (list.has_unloaded() || script.list_methods()[1])
    };
    let is_changed = all[class].is_changed.unwrap_or_else(|| all.iter().any(may_change));
    *all[class].is_changed.insert(is_changed)
}

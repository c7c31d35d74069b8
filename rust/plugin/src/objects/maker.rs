//! What a call knows of a class or a script of which it makes objects, and what they lack.

use super::allowed::{Class, List, extends};
use super::stored::Stored;
use crate::value::budget::Charges;
use crate::value::build::Refused;

/// A class, or a script with the class that it extends.
pub struct Maker {
    pub of: Class,
    /// The place of the names of its properties.
    pub names: usize,
    pub charges: Charges,
    /// False for a class that is only listed as the base of a script.
    pub is_allowed: bool,
    pub stored: Option<Stored>,
    /// Of a script, once that was found out.
    pub is_abstract: Option<bool>,
    /// Of a class: see [`is_changed`], once that was found out.
    pub is_changed: Option<bool>,
    /// Of a script: whether it changes what its base lists, once that was found out.
    pub changes_base: Option<bool>,
}

impl Maker {
    pub fn new(of: Class, names: usize, charges: Charges) -> Self {
        let (stored, is_abstract, is_changed, changes_base) = (None, None, None, None);
        Self { of, names, charges, is_allowed: true, stored, is_abstract, is_changed, changes_base }
    }
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
    if let Some(is_changed) = all[class].is_changed {
        return is_changed;
    }
    let of = all[class].of.class.clone();
    let may_change = |Maker { of: script, changes_base, .. }: &mut Maker| {
        let mut changes = || list.has_unloaded() || *changes_base.get_or_insert_with(|| script.list_methods()[1]);
        script.script.is_some() && extends(&of, &script.class) && changes()
    };
    let is_changed = all.iter_mut().any(may_change);
    *all[class].is_changed.insert(is_changed)
}

//! What to record of each object: the names that the caller gave, or the object's list, without some names.

use std::sync::Arc;

use godot::builtin::{PackedStringArray, StringName};

use super::properties::Properties;

/// What to record of each object.
pub struct Wanted {
    pub names: Names,
    /// Names that are left out; without those that were removed from the caller's names.
    pub except: Vec<StringName>,
    /// True if the objects will be read again, after an edit. So their lists are watched, and a name that an object
    /// lacks is an error.
    pub is_edit: bool,
}

pub enum Names {
    /// All stored properties.
    Stored,
    /// All stored properties, and the script before them.
    Complete,
    Named(Arc<Properties>),
}

impl Wanted {
    /// Converts the caller's names; an empty array means all stored properties.
    pub fn new(names: &PackedStringArray, except: &PackedStringArray) -> Self {
        let (named, mut except) = (distinct(names), distinct(except));
        let names = if named.is_empty() {
            Names::Stored
        } else {
            let (out, rest) = named.into_iter().partition::<Vec<_>, _>(|name| except.contains(name));
            except.retain(|name| !out.contains(name));
            Names::Named(Arc::new(Properties::named(rest)))
        };
        Self { names, except, is_edit: true }
    }

    /// All stored properties, for edits that may change which properties there are.
    pub fn complete(except: &PackedStringArray) -> Self {
        Self { names: Names::Complete, except: distinct(except), is_edit: true }
    }

    /// Like [`Self::new`], for objects that are only read now.
    pub fn now(names: &PackedStringArray) -> Self {
        Self { is_edit: false, ..Self::new(names, &PackedStringArray::new()) }
    }

    /// Returns the names that the caller gave, if any.
    pub fn named(&self) -> &[StringName] {
        match &self.names {
            Names::Named(properties) => &properties.names,
            _ => &[],
        }
    }
}

/// Returns names in order, without duplicates.
fn distinct(names: &PackedStringArray) -> Vec<StringName> {
    let mut distinct: Vec<StringName> = Vec::with_capacity(names.len());
    for name in names.as_slice() {
        let name = StringName::from(name);
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// Leaves names out of lists.
pub struct Except<'w> {
    names: &'w [StringName],
    /// Shared lists, and what remains of them.
    known: Vec<[Arc<Properties>; 2]>,
    /// The names that were in a list.
    found: Vec<StringName>,
}

impl<'w> Except<'w> {
    pub fn new(names: &'w [StringName]) -> Self {
        Self { names, known: Vec::new(), found: Vec::new() }
    }

    /// Returns a list without the names.
    pub fn leave_out_of(&mut self, properties: Arc<Properties>) -> Arc<Properties> {
        if self.names.is_empty() {
            return properties;
        }
        if let Some([_, rest]) = self.known.iter().find(|[known, _]| Arc::ptr_eq(known, &properties)) {
            return Arc::clone(rest);
        }
        let is_new = |name: &&StringName| properties.names.contains(name) && !self.found.contains(name);
        let found: Vec<_> = self.names.iter().filter(is_new).cloned().collect();
        self.found.extend(found);
        let rest = Arc::new(properties.filter(|name| !self.names.contains(name)));
        if properties.is_shared() {
            self.known.push([properties, Arc::clone(&rest)]);
        }
        rest
    }

    /// Returns the names that were in no list.
    pub fn wrong(&self) -> impl Iterator<Item = &StringName> {
        self.names.iter().filter(|name| !self.found.contains(name))
    }
}

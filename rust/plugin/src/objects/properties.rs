//! Names of properties that are read together, and how two such lists fit together.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::{PackedStringArray, StringName};
use varbatch_codec::Kind;

use super::listed::{Listed, distinct};
use super::path::PropertyPath;
use crate::engine::{Slot, Value};

/// Properties, in order and without duplicates.
#[derive(Clone, Default)]
pub struct Names {
    pub paths: Vec<PropertyPath>,
    pub texts: Vec<String>,
}

/// The names that a caller gave.
impl From<&PackedStringArray> for Names {
    fn from(names: &PackedStringArray) -> Self {
        distinct(names.as_slice().iter().map(StringName::from)).into()
    }
}

impl From<Vec<StringName>> for Names {
    fn from(names: Vec<StringName>) -> Self {
        let texts = names.iter().map(ToString::to_string).collect();
        Self { paths: names.into_iter().map(Into::into).collect(), texts }
    }
}

impl Names {
    pub fn filter(&self, keep: impl Fn(&str) -> bool) -> Self {
        let kept = self.paths.iter().zip(&self.texts).filter(|(_, text)| keep(text));
        let (paths, texts) = kept.map(|(path, text)| (path.clone(), text.clone())).unzip();
        Self { paths, texts }
    }

    pub fn at(&self, places: &[usize]) -> Self {
        let (paths, texts) = places.iter().map(|&at| (self.paths[at].clone(), self.texts[at].clone())).unzip();
        Self { paths, texts }
    }

    pub fn index_of(&self, text: &str) -> Option<usize> {
        self.texts.iter().position(|other| other == text)
    }

    pub fn has(&self, text: &str) -> bool {
        self.index_of(text).is_some()
    }

    /// Reads what a caller's names lead to: properties, or parts of values where an object has no such property. Returns the
    /// names of what there is, which may be those of another object as it had them, and the texts that lead to nothing.
    pub fn find(names: &Arc<Self>, object: &Value, values: &mut Vec<Slot>) -> (Arc<Self>, Vec<String>) {
        let first = values.len();
        let mut doubtful = names.read(object, values);
        // Methods and signals can be read like properties.
        let is_method = |found: &Slot| matches!(found.value().view().kind(), Kind::Callable | Kind::Signal);
        doubtful.extend((first..values.len()).filter(|&at| is_method(&values[at])).map(|at| at - first));
        if doubtful.is_empty() {
            return (Arc::clone(names), Vec::new());
        }
        doubtful.sort_unstable();
        let (listed, mut found, mut gone) = (Listed::of(object), (**names).clone(), Vec::new());
        for index in doubtful.into_iter().rev() {
            let (name, slot) = (StringName::from(&*names.texts[index]), &mut values[first + index]);
            if listed.has(&name) {
                continue;
            }
            let is_whole = found.paths[index] == name.clone().into();
            let other = if is_whole { PropertyPath::into_value(&name) } else { Some(name.into()) };
            if let Some(other) = other
                && other.read(object, slot)
                && !is_method(slot)
            {
                found.paths[index] = other;
                continue;
            }
            values.remove(first + index);
            found.paths.remove(index);
            gone.push(found.texts.remove(index));
        }
        gone.reverse();
        (Arc::new(found), gone)
    }

    /// Reads the values. Returns the indices of those that are null because there is no such property.
    pub fn read(&self, object: &Value, values: &mut Vec<Slot>) -> Vec<usize> {
        let (mut missing, first) = (Vec::new(), values.len());
        values.resize_with(first + self.paths.len(), Slot::new);
        for (index, (path, slot)) in self.paths.iter().zip(&mut values[first..]).enumerate() {
            if !path.read(object, slot) {
                missing.push(index);
            }
        }
        missing
    }
}

/// The names of two lists: those of the old one, then those that only the new one has.
pub struct United {
    pub names: Arc<Names>,
    /// Where each name is in the old and in the new list. `None` if both have the same names in the same order.
    places: Option<Vec<[Option<usize>; 2]>>,
}

impl United {
    pub fn of(old: &Arc<Names>, new: &Arc<Names>) -> Self {
        if Arc::ptr_eq(old, new) || old.texts == new.texts {
            return Self { names: Arc::clone(old), places: None };
        }
        let indices = |list: &'_ Names| list.texts.iter().cloned().zip(0..).collect::<HashMap<String, usize>>();
        let (in_old, in_new) = (indices(old), indices(new));
        let (mut names, only_new) = ((**old).clone(), new.filter(|text| !in_old.contains_key(text)));
        names.paths.extend(only_new.paths);
        names.texts.extend(only_new.texts);
        let places = names.texts.iter().map(|text| [&in_old, &in_new].map(|indices| indices.get(text).copied()));
        Self { places: Some(places.collect()), names: Arc::new(names) }
    }

    pub fn is_same(&self) -> bool {
        self.places.is_none()
    }

    pub fn places(&self) -> impl Iterator<Item = [Option<usize>; 2]> {
        let places = |index| self.places.as_ref().map_or([Some(index); 2], |places| places[index]);
        (0..self.names.paths.len()).map(places)
    }
}

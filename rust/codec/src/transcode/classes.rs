//! Renames classes and properties for the other Godot, by `classes.txt`, which says what is not listed and why.

use std::sync::LazyLock;

use crate::{Engine, Text};

/// The open objects around the next event, whose properties are renamed by class.
pub(super) struct Objects<'a> {
    /// The engine whose names are written, one of the two Godots; `None` if nothing is renamed.
    to: Option<Engine>,
    /// The class of each, and the depth of its properties.
    open: Vec<(&'a str, usize)>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(from: Engine, to: Engine) -> Self {
        let are_godots = matches!((from, to), (Engine::Godot3, Engine::Godot4) | (Engine::Godot4, Engine::Godot3));
        Self { to: are_godots.then_some(to), open: Vec::new() }
    }

    /// True if Godot 4 has no equivalent of this class. It is not known which classes Godot 3 lacks.
    pub(super) fn is_gone(&self, class: Text<'a>) -> bool {
        self.to == Some(Engine::Godot4) && matches!(class, Text::Utf8(class) if is_gone(class))
    }

    /// True if a property holds all metadata of an object of Godot 3, which Godot 4 ignores.
    pub(super) fn is_metadata(&self, name: Text<'a>) -> bool {
        self.to == Some(Engine::Godot4) && name == Text::Utf8("__meta__")
    }

    /// Begins an object, whose properties, if any, are at this depth. Returns the new name of its class.
    pub(super) fn begin(&mut self, class: Text<'a>, count: usize, depth: usize) -> Option<&'static str> {
        let to = self.to?;
        // An invalid name from Godot 3 has no new name, but its object has properties.
        let class = if let Text::Utf8(class) = class { class } else { "" };
        if count > 0 {
            while self.open.pop_if(|(_, of)| *of >= depth).is_some() {}
            self.open.push((class, depth));
        }
        match to {
            Engine::Godot3 => to_godot_3(class),
            _ => to_godot_4(class),
        }
    }

    /// Returns the new name of a property of the object whose properties are at this depth.
    pub(super) fn property(&mut self, depth: usize, name: Text<'a>) -> Option<&'static str> {
        let (Some(to), Text::Utf8(name)) = (self.to, name) else { return None };
        while self.open.pop_if(|(_, of)| *of > depth).is_some() {}
        let (class, _) = self.open.last().filter(|(_, of)| *of == depth)?;
        match to {
            Engine::Godot3 => property_to_godot_3(class, name),
            _ => property_to_godot_4(class, name),
        }
    }
}

/// The Godot 3 classes of `classes.txt`, sorted by their names in Godot 3.
static CLASSES: LazyLock<Vec<Class>> = LazyLock::new(|| parse(include_str!("classes.txt")));

/// The renamed classes, sorted by their names in Godot 4.
static RENAMED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let mut names: Vec<_> = CLASSES.iter().filter_map(|class| Some((class.new_name?, class.name))).collect();
    names.sort_unstable();
    names
});

/// A class of Godot 3.
struct Class {
    name: &'static str,
    /// Its name in Godot 4, if it has another one.
    new_name: Option<&'static str>,
    /// The nearest class that it inherits renamed properties from.
    base: Option<&'static str>,
    is_gone: bool,
    /// The renamed properties that it declares.
    properties: Vec<Property>,
}

/// A stored property that has another name in Godot 4.
struct Property {
    old: &'static str,
    new: &'static str,
    /// True if later versions of Godot 3 no longer had the old name.
    is_outdated: bool,
}

fn to_godot_4(class: &str) -> Option<&'static str> {
    find(class)?.new_name
}

fn to_godot_3(class: &str) -> Option<&'static str> {
    let at = RENAMED.binary_search_by_key(&class, |(new, _)| new).ok()?;
    Some(RENAMED[at].1)
}

/// True if Godot 4 has no equivalent of a class of Godot 3: it would refuse the whole value that holds an object of it.
fn is_gone(class: &str) -> bool {
    find(class).is_some_and(|class| class.is_gone) || class.starts_with("VisualScript")
}

/// Returns the other name in Godot 4, if any, of a stored property that this class of Godot 3 declares or inherits.
fn property_to_godot_4(class: &str, property: &str) -> Option<&'static str> {
    lineage(class).flat_map(|class| &class.properties).find(|pair| pair.old == property).map(|pair| pair.new)
}

/// Returns the other name in the last Godot 3, if any, of a property that this class of Godot 4 declares or inherits.
/// Without one, the name may be another property's there, as [`property_to_godot_4`] knows: `Timer.process_mode`.
fn property_to_godot_3(class: &str, property: &str) -> Option<&'static str> {
    let mut pairs = lineage(to_godot_3(class).unwrap_or(class)).flat_map(|class| &class.properties);
    pairs.find(|pair| pair.new == property && !pair.is_outdated).map(|pair| pair.old)
}

/// Returns a class of Godot 3 and those it inherits renamed properties from, nearest first.
fn lineage(class: &str) -> impl Iterator<Item = &'static Class> {
    std::iter::successors(find(class), |class| find(class.base?))
}

fn find(name: &str) -> Option<&'static Class> {
    let at = CLASSES.binary_search_by_key(&name, |class| class.name).ok()?;
    Some(&CLASSES[at])
}

/// Reads `classes.txt`, whose first lines describe its form.
fn parse(text: &'static str) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<_> = line.split_whitespace().collect();
        let after = |mark| words.iter().position(|word| *word == mark).map(|at| words[at + 1]);
        if line.starts_with(' ') {
            let is_outdated = words[1] == "->";
            let class = classes.last_mut().expect("a class stands before its properties");
            class.properties.push(Property { old: words[0], new: words[2], is_outdated });
        } else {
            classes.push(Class {
                name: words[0],
                new_name: after("="),
                base: after(":"),
                is_gone: words.last() == Some(&"gone"),
                properties: Vec::new(),
            });
        }
    }
    classes
}

#[cfg(test)]
#[path = "../../tests/unit/classes.rs"]
mod tests;

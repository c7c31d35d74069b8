//! Which properties of objects of a listed class are set.

use foldhash::HashMap;
use godot::prelude::*;
use varbatch_codec::{Event, Reader, Text};

use super::allowed::{Class, extends};
use super::listed::{Listed, METADATA};
use crate::engine::{self, NewObject};

/// Properties by which an object opens a file, and their classes.
const OPENED: [(&str, &str); 4] = [
    ("CompressedTexture2D", "load_path"),
    ("CompressedTexture3D", "load_path"),
    ("CompressedTextureLayered", "load_path"),
    ("VideoStream", "file"),
];

/// Whoever loads that path later would get the object.
pub const RESOURCE_PATH: &str = "resource_path";

/// True if a path in the project comes next, or none: by another one, the engine would open any file, also over a network.
#[cold]
pub fn leads_into_project(reader: &Reader<'_>) -> bool {
    let next = reader.clone().next_event();
    let Ok(Some(Event::String(Text::Utf8(path)))) = next else { return false };
    path.is_empty() || path.strip_prefix("res://").is_some_and(engine::is_in_project)
}

/// When a property in bytes is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Always,
    /// If it [leads into the project](leads_into_project).
    IfInProject,
    /// If the object lists it as stored, once it is made: its script changes what is listed.
    IfStored,
    /// If the object takes it.
    IfTaken,
    Never,
}

/// The properties of objects of a class.
pub struct Stored {
    /// Those that are in a list.
    listed: HashMap<StringName, Takes>,
    /// The class, until a new object of it was asked as well.
    unasked: Option<StringName>,
    /// True if there may be properties in no list.
    has_more: bool,
    /// By the index of the name in their order.
    known: Vec<Option<Takes>>,
}

impl Stored {
    /// Asks the class and the script. There may be properties that are in no list: those that a class makes up as it reads
    /// them, such as the tracks of an Animation, which come before the script; and those of a script that makes its list.
    #[cold]
    pub fn of(class: &Class) -> Self {
        let [makes_list, changes_list] = class.list_methods();
        let other = if makes_list || changes_list { Takes::IfStored } else { Takes::Never };
        let takes = |(name, is_stored)| (name, if is_stored { Takes::Always } else { other });
        let mut listed: HashMap<_, _> = Listed::of_class(&class.class).all().map(takes).collect();
        if let Some(script) = class.as_script() {
            listed.extend(Listed::from(script.get_script_property_list()).all().map(takes));
        }
        if makes_list {
            // What the script itself has is no property of objects, but a static variable, which the engine would set.
            Listed::of(class.script()).all().for_each(|(name, _)| _ = listed.entry(name).or_insert(Takes::Never));
        }
        for (base, name) in OPENED {
            if extends(&class.class, &base.into()) {
                listed.insert(name.into(), Takes::IfInProject);
            }
        }
        let has_more = makes_list || class.script.is_none();
        Self { listed, unasked: Some(class.class.clone()), has_more, known: Vec::new() }
    }

    /// Returns when a property of this name is set, which is at this index in the order if it is there.
    pub fn takes(&mut self, name: &StringName, text: &str, index: Option<usize>) -> Takes {
        if let Some(Some(takes)) = index.and_then(|index| self.known.get(index)) {
            return *takes;
        }
        let may_be_asked = |takes: &Takes| !matches!(takes, Takes::Always | Takes::IfInProject);
        if self.listed.get(name).is_some_and(may_be_asked) && self.unasked.is_some() {
            self.ask();
        }
        // No class declares metadata.
        let is_open = self.has_more && !text.starts_with(METADATA);
        let takes = self.listed.get(name).copied().unwrap_or(if is_open { Takes::IfTaken } else { Takes::Never });
        if let Some(index) = index {
            self.known.resize(self.known.len().max(index + 1), None);
            self.known[index] = Some(takes);
        }
        takes
    }

    /// Asks a new object what it stores: some classes declare for all of them that they do not, and do.
    #[cold]
    fn ask(&mut self) {
        let Some(object) = self.unasked.take().and_then(|class| NewObject::of(&class)) else { return };
        let mut written = Listed::of(object.value()).written();
        written.retain(|name| self.listed.get(name) != Some(&Takes::IfInProject));
        self.listed.extend(written.into_iter().map(|name| (name, Takes::Always)));
        if !object.is_counted {
            engine::free(object.value());
        }
    }
}

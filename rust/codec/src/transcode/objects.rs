//! Renames classes and properties for the other engine.

use super::classes;
use crate::dialect::Engine;
use crate::event::Text;

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
        self.to == Some(Engine::Godot4) && matches!(class, Text::Utf8(class) if classes::is_gone(class))
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
            self.open.retain(|(_, of)| *of < depth);
            self.open.push((class, depth));
        }
        match to {
            Engine::Godot3 => classes::to_godot_3(class),
            _ => classes::to_godot_4(class),
        }
    }

    /// Returns the new name of a property of the object whose properties are at this depth.
    pub(super) fn property(&mut self, depth: usize, name: Text<'a>) -> Option<&'static str> {
        let (Some(to), Text::Utf8(name)) = (self.to, name) else { return None };
        while self.open.pop_if(|(_, of)| *of > depth).is_some() {}
        let (class, _) = self.open.last().filter(|(_, of)| *of == depth)?;
        match to {
            Engine::Godot3 => classes::property_to_godot_3(class, name),
            _ => classes::property_to_godot_4(class, name),
        }
    }
}

//! Renames classes and properties for the other engine.

use super::classes;
use crate::dialect::Engine;
use crate::event::Text;

/// The open objects around the next event, whose properties are renamed by class.
pub(super) struct Objects<'a> {
    names: Option<Names>,
    /// The class of each, and the depth of its properties.
    open: Vec<(&'a str, usize)>,
}

/// Looks up new names: of a class, and of a property of a class by its old name.
struct Names {
    is_gone: fn(&str) -> bool,
    /// The one property that holds all metadata, if the other engine has one for each.
    metadata: Option<&'static str>,
    class: fn(&str) -> Option<&'static str>,
    property: fn(&str, &str) -> Option<&'static str>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(from: Engine, to: Engine) -> Self {
        let names = match (from, to) {
            (Engine::Godot3, Engine::Godot4) => Some(Names {
                is_gone: classes::is_gone,
                metadata: Some("__meta__"),
                class: classes::to_godot_4,
                property: classes::property_to_godot_4,
            }),
            (Engine::Godot4, Engine::Godot3) => {
                Some(Names {
                    // It is not known which classes Godot 3 lacks.
                    is_gone: |_| false,
                    metadata: None,
                    class: classes::to_godot_3,
                    property: classes::property_to_godot_3,
                })
            }
            _ => None,
        };
        Self { names, open: Vec::new() }
    }

    /// True if the other engine has no equivalent of this class.
    pub(super) fn is_gone(&self, class: Text<'a>) -> bool {
        matches!((&self.names, class), (Some(names), Text::Utf8(class)) if (names.is_gone)(class))
    }

    /// True if a property holds metadata that the other engine ignores.
    pub(super) fn is_metadata(&self, name: Text<'a>) -> bool {
        matches!((&self.names, name), (Some(names), Text::Utf8(name)) if names.metadata == Some(name))
    }

    /// Begins an object, whose properties, if any, are at this depth. Returns the new name of its class.
    pub(super) fn begin(&mut self, class: Text<'a>, count: usize, depth: usize) -> Option<&'static str> {
        let Some(names) = &self.names else { return None };
        // An invalid name from Godot 3 has no new name, but its object has properties.
        let class = if let Text::Utf8(class) = class { class } else { "" };
        if count > 0 {
            self.open.retain(|(_, of)| *of < depth);
            self.open.push((class, depth));
        }
        (names.class)(class)
    }

    /// Returns the new name of a property of the object whose properties are at this depth.
    pub(super) fn property(&mut self, depth: usize, name: Text<'a>) -> Option<&'static str> {
        let (Some(names), Text::Utf8(name)) = (&self.names, name) else { return None };
        while self.open.last().is_some_and(|(_, of)| *of > depth) {
            self.open.pop();
        }
        let (class, _) = self.open.last().filter(|(_, of)| *of == depth)?;
        (names.property)(class, name)
    }
}

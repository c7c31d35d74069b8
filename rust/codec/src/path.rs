//! Paths into nested values: their steps in the bytes and as messages show them, and why they lead nowhere.

use std::fmt;

use crate::quote::{SHOWN_CHARS, escaped, quoted};
use crate::{CodecError, Dialect, Event, Kind, Reader, Text};

/// Steps shown at each end of a long path.
const MAX_SHOWN: usize = 8;

/// The path from a value to one in it, displayed as ` inside ["inventory"][2]` or nothing; `{:#}` has only the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

/// One step of a path, borrowed from the bytes that it leads through or from its caller. [`Step`] is its form for messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathStep<'a> {
    /// To this element of an array.
    Index(usize),
    /// To the value of this encoded key. Scripts also pass an int for an element so, and a String for a property.
    Key(&'a [u8]),
    /// To the property of this name.
    Property(Text<'a>),
}

impl PathStep<'_> {
    /// Returns the step as messages show it. `dialect` is that of a key.
    pub fn shown(self, dialect: Dialect) -> Step {
        match self {
            Self::Index(index) => Step::Index(index),
            Self::Key(key) => Step::Key(shown_value(Reader::new(key).with_dialect(dialect))),
            Self::Property(name) => Step::to_property(name),
        }
    }
}

/// One step of a path, as messages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To this element of an Array.
    Index(usize),
    /// To the value of this key, formatted for display.
    Key(String),
    /// To the key of this entry.
    KeyOf(usize),
    /// To this property of an object.
    Property(String),
}

impl Path {
    /// Returns the same path, seen from one step further out.
    #[must_use]
    pub fn within(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }

    /// Returns the steps, outermost first.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.0.iter().rev()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.steps().len();
        if count > 0 && !f.alternate() {
            f.write_str(" inside ")?;
        }
        for (index, step) in self.steps().enumerate() {
            if count > 2 * MAX_SHOWN && index == MAX_SHOWN {
                write!(f, "...{} more...", count - 2 * MAX_SHOWN)?;
            }
            if count <= 2 * MAX_SHOWN || index < MAX_SHOWN || index >= count - MAX_SHOWN {
                step.fmt(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(key) => write!(f, "[{key}]"),
            Self::KeyOf(entry) => write!(f, "[key {entry}]"),
            Self::Property(name) => write!(f, ".{name}"),
        }
    }
}

/// Formats what a step of Godot 4 seeks, as a value, for a message.
pub(crate) fn shown_step(step: PathStep<'_>) -> String {
    match step {
        PathStep::Index(index) => index.to_string(),
        PathStep::Key(bytes) => shown_value(Reader::new(bytes)),
        PathStep::Property(name) => format!("&{}", quoted(name, SHOWN_CHARS)),
    }
}

/// Formats the value at the start of `reader`, which refuses objects: simple ones as literals, others as their type.
pub(crate) fn shown_value(mut reader: Reader<'_>) -> String {
    let Ok(kind) = reader.peek_kind() else { return "no value".into() };
    match Step::to_key(kind, reader.next_event().ok().flatten()) {
        Step::Key(key) => key,
        _ => unreachable!("it is the step to a key"),
    }
}

impl Step {
    /// Returns the step to the value of a key that begins with `event`: simple keys as literals, others as their type.
    pub fn to_key(kind: Kind, event: Option<Event<'_>>) -> Self {
        Self::Key(match event {
            Some(Event::String(text)) => quoted(text, SHOWN_CHARS),
            Some(Event::StringName(text)) => format!("&{}", quoted(text, SHOWN_CHARS)),
            Some(Event::Int(value)) => value.to_string(),
            Some(Event::Float(value)) => format!("{value:?}"),
            Some(Event::Bool(value)) => value.to_string(),
            Some(Event::Nil) => "null".into(),
            _ => kind.name().into(),
        })
    }

    /// Returns the step to the property of this name.
    pub fn to_property(name: Text<'_>) -> Self {
        Self::Property(escaped(name, SHOWN_CHARS))
    }
}

/// Why a step of a lookup or a patch leads nowhere. Plain data: a lookup for which that is no error makes no text.
#[derive(Clone, Copy)]
pub(crate) enum Nowhere {
    /// A value of this type holds no others.
    NotInside(Kind),
    /// An array of this type takes only an index.
    NoIndex(Kind),
    /// An object takes only a name.
    NoName,
    /// An array of this type with `count` elements has none at this index.
    NoElement { kind: Kind, count: usize, found: i64 },
    /// So many steps follow the index of an element of a packed array.
    TooLong { kind: Kind, more: usize },
    /// There is no such key or property, as the word says.
    NotThere(&'static str),
    /// There are two such keys or properties, as the word says.
    Twice(&'static str),
}

impl Nowhere {
    /// Returns the text. `sought` formats the step.
    #[cold]
    pub fn text(self, sought: impl FnOnce() -> String) -> String {
        match self {
            Self::NotInside(found) => {
                format!("expected an Array, a Dictionary, an object or a packed array, found {}", found.name())
            }
            Self::NoIndex(kind) => {
                format!("expected an int as the index of an element of {}, found {}", kind.name(), sought())
            }
            Self::NoName => format!("expected a String or StringName as the name of a property, found {}", sought()),
            Self::NoElement { kind, count, found } => {
                format!("expected the index of one of {count} elements of {}, found {found}", kind.name())
            }
            Self::TooLong { kind, more } => {
                let steps = if more == 1 { "step" } else { "steps" };
                format!("expected the path to end at an element of {}, found {more} more {steps}", kind.name())
            }
            Self::NotThere(what) => format!("expected an existing {what}, found no {what} {}", sought()),
            Self::Twice(what) => format!("expected a unique {what}, found {what} {} more than once", sought()),
        }
    }
}

/// `what` is a step, or a value of a change.
pub(crate) fn broken(what: &str, error: &CodecError) -> String {
    format!("expected an encoded value as {what}, found a broken one ({error})")
}

/// How messages name a step that is broken.
pub(crate) const STEP: &str = "a step of the path";

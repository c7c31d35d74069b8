//! Formats paths into nested values for messages.

use std::fmt;

use crate::event::{Event, Text};
use crate::kind::Kind;
use crate::quote::{SHOWN_CHARS, escaped, quoted};

/// Steps shown at each end of a long path.
const MAX_SHOWN: usize = 8;

/// The path from a value to one inside it. Empty for the value itself.
///
/// It is displayed as ` inside ["inventory"][2]`, or nothing if it is empty; with `{:#}` only as the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

/// One step of a path.
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

impl Step {
    /// Returns the step to the value of a key, given the key's first event. It shows simple keys as literals, others as
    /// their type.
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

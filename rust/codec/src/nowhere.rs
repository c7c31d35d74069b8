//! Says why a step of a path leads nowhere, in the same words for a lookup and for a patch.

use crate::error::CodecError;
use crate::kind::Kind;

/// Why a step leads nowhere. Plain data: a lookup for which that is no error makes no text.
#[derive(Clone, Copy)]
pub(crate) enum Nowhere {
    /// A value of this type holds no others.
    NotInside(Kind),
    /// An array of this type takes only an index.
    NoIndex(Kind),
    /// An object takes only a name.
    NoName,
    NoElement {
        kind: Kind,
        count: usize,
        found: i64,
    },
    /// So many steps follow the index of an element of a packed array.
    TooLong {
        kind: Kind,
        more: usize,
    },
    /// There is no such key or property, as the word says.
    NotThere(&'static str),
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

//! Says why a step of a path leads nowhere, in the same words for a lookup and for a patch.

use crate::error::CodecError;
use crate::kind::Kind;

pub(crate) fn not_inside(found: Kind) -> String {
    format!("expected an Array, a Dictionary, an object or a packed array, found {}", found.name())
}

pub(crate) fn too_long(kind: Kind, more: usize) -> String {
    let steps = if more == 1 { "step" } else { "steps" };
    format!("expected the path to end at an element of {}, found {more} more {steps}", kind.name())
}

pub(crate) fn no_index(kind: Kind, found: String) -> String {
    format!("expected an int as the index of an element of {}, found {found}", kind.name())
}

pub(crate) fn no_name(found: String) -> String {
    format!("expected a String or StringName as the name of a property, found {found}")
}

pub(crate) fn no_element(kind: Kind, count: usize, found: i64) -> String {
    format!("expected the index of one of {count} elements of {}, found {found}", kind.name())
}

/// `what` is a key or a property.
pub(crate) fn not_there(what: &str, found: String) -> String {
    format!("expected an existing {what}, found no {what} {found}")
}

pub(crate) fn twice(what: &str, found: &str) -> String {
    format!("expected a unique {what}, found {what} {found} more than once")
}

/// `what` is a step, or a value of a change.
pub(crate) fn broken(what: &str, error: &CodecError) -> String {
    format!("expected an encoded value as {what}, found a broken one ({error})")
}

/// How messages name a step that is broken.
pub(crate) const STEP: &str = "a step of the path";

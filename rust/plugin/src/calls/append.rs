//! Adds values to a file: a [`Save`] that begins at the end of the old file, when the earlier calls that write it have
//! ended.

use godot::builtin::{AnyArray, GString};

use super::files::Contents;
use super::save::{Save, save, to_append};
use crate::engine::FlagArg;
use crate::jobs::job::{Job, Outcome};

/// Appends at once: the values are on the disk when this returns.
pub fn append(path: &GString, values: &AnyArray, full_objects: FlagArg) -> Outcome {
    save(to_append(path, full_objects), &Contents::All(values))
}

/// Plans all values, so that they may be changed or dropped afterwards.
pub fn held(path: &GString, values: &AnyArray, full_objects: FlagArg) -> impl Job + use<> {
    Save::held(to_append(path, full_objects), &Contents::All(values))
}

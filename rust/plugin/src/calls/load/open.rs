//! Opens files that hold frames.

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_storage::{LoadError, Loader};

use crate::calls::files::open_code;
use crate::engine::{self, EngineFile};
use crate::jobs::outcome::Failure;

/// Opens the file at a Godot path, such as `user://world.dat`.
///
/// # Errors
/// If the file does not exist or cannot be read.
pub fn open(path: &GString) -> Result<Loader, Failure> {
    let shown = path.to_string();
    let failure = |code, why: &dyn std::fmt::Display| Failure::new(code, format!("cannot load \"{shown}\": {why}"));
    // A project file may be in a pack, under another name.
    let loader = if shown.starts_with("res://") || shown.starts_with("uid://") {
        let (file, len) = EngineFile::open(path).map_err(|code| failure(code, &engine::error_text(code)))?;
        Loader::new(Box::new(file), len)
    } else {
        Loader::open(&engine::globalize(path))
    };
    loader.map_err(|damage| match damage {
        LoadError::Read(error) => failure(open_code(&error), &error),
        _ => Failure::new(EngineError::ERR_FILE_CORRUPT, format_args!("\"{shown}\": {damage}")),
    })
}

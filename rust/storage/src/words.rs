//! Errors of the system in words that say what to do. The system's own end with a number, and are in its language.

use std::io::{self, ErrorKind};

/// Returns what an error of a file means.
pub fn words(error: &io::Error) -> String {
    let known = match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder",
        ErrorKind::PermissionDenied => "access is denied: it is read-only, or belongs to another user",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::NotADirectory => "a part of the path is no folder",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full",
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        ErrorKind::InvalidFilename => "no file can have such a name",
        _ => "",
    };
    let text = error.to_string();
    match text.split_once(" (os error") {
        // Made by this library, in words.
        None if error.get_ref().is_some() || known.is_empty() => text,
        Some((system, _)) if known.is_empty() => system.into(),
        _ => known.into(),
    }
}

//! Paths and files as the engine resolves them.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use godot::classes::file_access::ModeFlags;
use godot::classes::{Engine, FileAccess};
use godot::global::Error as EngineError;
use godot::prelude::*;

use super::bytes_of;

/// Converts a Godot path, such as `user://save`, to a path of this machine.
pub fn globalize(path: &GString) -> PathBuf {
    let mut settings = Engine::singleton().get_singleton("ProjectSettings").expect("the engine has it");
    // `FileAccess` does the same on every system.
    let path = path.to_string().replace('\\', "/");
    let path = settings.call("globalize_path", &[path.to_variant()]).to::<GString>();
    let is_full = !cfg!(windows) || path.is_empty();
    if is_full { path.to_string().into() } else { in_full(&path.to_string()).into() }
}

/// Returns a path as the engine gives it to Windows: in full, and so that no name in it is changed or means something else.
fn in_full(path: &str) -> String {
    let is_absolute = path.starts_with('/') || path.contains(":/");
    let folder = if is_absolute { PathBuf::new() } else { std::env::current_dir().unwrap_or_default() };
    let path = folder.join(path).to_string_lossy().replace('\\', "/");
    let path = path.to_variant().call("simplify_path", &[]).to::<GString>().to_string().replace('/', "\\");
    if path.starts_with(r"\\") { path } else { format!(r"\\?\{path}") }
}

/// True if a path in `res://`, without that, leads to a file of the project on every system. The engine strips `res://` where the
/// project is in a pack, and would open what is behind it.
pub fn is_in_project(path: &str) -> bool {
    let is_name = |part: &str| !part.trim_end_matches(['.', ' ']).is_empty();
    !path.contains(['\\', ':']) && path.split('/').all(is_name)
}

/// Returns the bytes of a file that only the engine finds, as in the pack of an exported game.
pub fn packed_bytes(path: &GString) -> Option<Vec<u8>> {
    let text = path.to_string();
    let at = globalize(path);
    let is_on_disk = at.is_absolute() && at.exists();
    let may_be_packed = (text.starts_with("res://") || text.starts_with("uid://")) && !is_on_disk;
    (may_be_packed && FileAccess::file_exists(path)).then(|| FileAccess::get_file_as_bytes(path).to_vec())
}

pub fn error_text(code: EngineError) -> String {
    godot::global::error_string(i64::from(code.ord())).to_string()
}

/// Tells the engine of a new file. Browsers store `user://` only when the engine closes a file that it opened to write.
pub fn keep(path: &Path) {
    if cfg!(any(target_os = "emscripten", feature = "browser-files")) {
        // Opened without truncating it. The file is complete, and stored with the next one if this fails.
        drop(FileAccess::open(&*path.to_string_lossy(), ModeFlags::READ_WRITE));
    }
}

/// A file that the engine reads, such as a project file in a pack.
pub struct EngineFile(Gd<FileAccess>);

// SAFETY: nobody else has this object, which has no script. The engine lets any thread use a FileAccess, one at a time.
unsafe impl Send for EngineFile {}

impl EngineFile {
    /// Opens a file for reading; also returns its length in bytes. The error is the engine's code.
    pub fn open(path: &GString) -> Result<(Self, u64), EngineError> {
        let file = FileAccess::open(path, ModeFlags::READ).ok_or_else(FileAccess::get_open_error)?;
        let len = file.get_length();
        Ok((Self(file), len))
    }
}

impl Read for EngineFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = i64::try_from(buffer.len()).unwrap_or(i64::MAX);
        let bytes: PackedByteArray = self.0.get_buffer(len);
        let bytes = bytes_of(&bytes);
        buffer[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

impl Seek for EngineFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.0.get_length().checked_add_signed(by),
            SeekFrom::Current(by) => self.0.get_position().checked_add_signed(by),
        };
        // The engine stores offsets as signed numbers.
        let at = at.filter(|at| i64::try_from(*at).is_ok()).ok_or(io::ErrorKind::InvalidInput)?;
        self.0.seek(at);
        Ok(at)
    }
}

//! Opens only regular files, so that opening never blocks.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file for reading. Returns it with its length in bytes.
///
/// # Errors
/// Those of the system, and one for a folder, pipe, device or socket, like the engine's `FileAccess`. It is returned at
/// once, even if nothing writes to the pipe.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    refuse_name(path)?;
    // Just opening a device can have an effect.
    refuse_special(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    // The file may have become a pipe by now.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.read(true).open(path)?;
    let metadata = file.metadata()?;
    refuse_special(&metadata)?;
    Ok((file, metadata.len()))
}

/// Returns an error unless this is a regular file.
pub(super) fn refuse_special(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

/// Returns an error for a name that is not one of a file, such as `con` on Windows.
pub fn refuse_name(path: &Path) -> io::Result<()> {
    #[cfg(windows)]
    crate::windows::refuse_name(path)?;
    let _ = path;
    Ok(())
}

//! Opens regular files only, so that opening never waits.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file to read it. Returns it with its length in bytes.
///
/// # Errors
/// Those of the system, and one for a folder, pipe, device or socket, as from the engine's `FileAccess`: at once, even if
/// nobody writes to the pipe.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    // Opening a device can already have an effect.
    refuse_special(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    // It may have become a pipe by now.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.read(true).open(path)?;
    let metadata = file.metadata()?;
    refuse_special(&metadata)?;
    Ok((file, metadata.len()))
}

/// Returns an error for anything but a regular file.
pub(super) fn refuse_special(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

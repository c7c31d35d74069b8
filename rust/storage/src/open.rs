//! Opens what can be read from its beginning to its end, and waits for nobody.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file to read it, and gives its length.
///
/// # Errors
/// Those of the system, and one for a folder, a pipe, a device or a socket, as the engine's `FileAccess` has it: at once,
/// though nobody writes to the pipe.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    // To open a device can already do something.
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

/// An error for what is no regular file.
pub(super) fn refuse_special(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

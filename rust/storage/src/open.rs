//! Opens only regular files, so that opening never blocks.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::names::refuse_name;

/// Max symbolic links to follow, one after another: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Opens a regular file for reading. Returns it with its length in bytes.
///
/// # Errors
/// Those of the system, and one for a folder, pipe, device or socket, like the engine's `FileAccess`. It is returned at
/// once, even if nothing writes to the pipe.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    refuse_name(path)?;
    open_regular(OpenOptions::new().read(true), path)
}

/// Opens a regular file like [`open`], with these options.
pub(super) fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<(File, u64)> {
    // Just opening a device can have an effect.
    refuse_special(&fs::metadata(path)?)?;
    // The file may have become a pipe by now.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    refuse_special(&metadata)?;
    Ok((file, metadata.len()))
}

/// Returns the path of the file to write: follows symbolic links, even to a file that does not exist. Refuses an empty
/// path, and a name that no file has.
pub(super) fn target(path: &Path) -> io::Result<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            // Not a link, or no file.
            Err(_) => return refuse_name(&path).map(|()| path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
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

//! Opens only regular files, so that opening never blocks, and refuses names that Windows takes for something else.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// What is said of a device, or its name.
const DEVICE: &str = "not a regular file";

/// Max characters of a name on Windows, as UTF-16. It finds no file with a longer one, and only a rename to it fails.
#[cfg(windows)]
const MAX_NAME: usize = 255;

/// Max symbolic links to follow, one after another: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// A source of bytes. A [`SeekFrom::Start`](io::SeekFrom::Start) counts from the first byte of the file.
pub trait Input: io::Read + io::Seek + Send {}
impl<T: io::Read + io::Seek + Send> Input for T {}

/// Opens a regular file, and returns it with its length in bytes. A folder, pipe, device or socket is an error at once.
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

/// True if the process or the system has too many files open.
pub fn is_exhausted(error: &io::Error) -> bool {
    #[cfg(windows)]
    return error.raw_os_error() == Some(4);
    #[cfg(not(windows))]
    {
        use rustix::io::Errno;
        Errno::from_io_error(error).is_some_and(|errno| matches!(errno, Errno::MFILE | Errno::NFILE))
    }
}

/// Follows links to the file to write, even if that does not exist. Refuses an empty path, and a name that no file has.
pub(super) fn target(path: &Path) -> io::Result<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        refuse_name(&path)?;
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = path.parent().unwrap_or(Path::new("")).join(fs::read_link(&path)?);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
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
        Err(io::Error::other(DEVICE))
    }
}

/// Returns an error for a name that is not one of a file, such as `con` on Windows.
pub fn refuse_name(path: &Path) -> io::Result<()> {
    #[cfg(windows)]
    {
        use std::path::{Component, Prefix};
        let first = path.components().next();
        let prefix = if let Some(Component::Prefix(prefix)) = first { Some(prefix.kind()) } else { None };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let fault = match prefix {
            Some(Prefix::DeviceNS(_)) => Some(DEVICE),
            // The system takes such a name as it is.
            Some(prefix) if prefix.is_verbatim() => fault(name.trim_end_matches(['.', ' '])),
            _ => fault(&name),
        };
        if name.encode_utf16().count() > MAX_NAME {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        if let Some(fault) = fault {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
        }
    }
    let _ = path;
    Ok(())
}

/// Returns why a name is not one of a file with just this name.
#[cfg(any(windows, test))]
fn fault(name: &str) -> Option<&'static str> {
    // A device keeps its name with an extension, and with spaces before it.
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ').to_lowercase();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = numbered.is_some_and(|number| number.chars().count() == 1 && "0123456789¹²³".contains(number));
    if is_port || matches!(&*stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$") {
        return Some(DEVICE);
    }
    if name.contains(':') {
        // It would be a second stream of a file, which cannot be replaced.
        return Some("a file name cannot contain a colon");
    }
    // Windows drops them.
    name.ends_with(['.', ' ']).then_some("a file name cannot end with a dot or a space")
}

#[cfg(test)]
#[path = "../tests/unit/open.rs"]
mod tests;

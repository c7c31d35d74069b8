//! File names that Windows takes for something else. The engine's `FileAccess` refuses the devices too.

use std::io;
use std::path::Path;

/// A name of a device.
#[cfg(any(windows, test))]
const DEVICE: &str = "not a regular file";

/// Returns an error for a name that is not one of a file, such as `con` on Windows.
pub fn refuse_name(path: &Path) -> io::Result<()> {
    #[cfg(windows)]
    {
        use std::path::{Component, Prefix};
        let first = path.components().next();
        let is_device =
            matches!(first, Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::DeviceNS(_)));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(fault) = if is_device { Some(DEVICE) } else { fault(&name) } {
            return Err(io::Error::other(fault));
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
    let is_port = numbered.is_some_and(|number| {
        let mut chars = number.chars();
        matches!((chars.next(), chars.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    });
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
#[path = "../tests/unit/names.rs"]
mod tests;

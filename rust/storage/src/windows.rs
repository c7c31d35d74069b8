//! What Windows does in its own way: a file that is open cannot always be replaced or removed.
//!
//! `std::fs::rename` first asks for an ordinary rename, which fails while anyone has the old file open. Then it asks for
//! one with POSIX semantics (Windows 10 and later, NTFS): that replaces a file that others have open, if they share its
//! deletion, as Rust's `File` does. The engine's `FileAccess` does not, nor do some virus scanners: those are waited for.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::open::refuse_special;

/// How long a save waits for those who have the old file open. Virus scanners take some tenths of a second.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Pauses between attempts: each is twice as long as the one before, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(8);

// Error codes of the system.
const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;
const LOCK_VIOLATION: i32 = 33;
const DELETE_PENDING: i32 = 303;
const USER_MAPPED_FILE: i32 = 1224;

// Rights and flags of `CreateFileW`.
const DELETE: u32 = 0x1_0000;
const OPEN_REPARSE_POINT: u32 = 0x20_0000;
const DELETE_ON_CLOSE: u32 = 0x400_0000;

/// A share mode: others may open the file to read it, and rename or remove it.
pub const READ_OR_REPLACE: u32 = 1 | 4;

/// Replaces or opens the file at `path` by `attempt`, repeated for [`MAX_WAIT`] while somebody has a file open. Fails
/// like the last attempt, or says that the file is open.
pub fn retry<T>(path: &Path, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    // The pauses count, not the time: a busy machine may leave little of it for attempts.
    let (mut waited, mut pause) = (Duration::ZERO, FIRST_PAUSE);
    loop {
        let error = match attempt() {
            Err(error) if may_be_in_use(&error) => error,
            done => return done,
        };
        if let Ok(metadata) = fs::metadata(path) {
            refuse_special(&metadata)?;
            if metadata.permissions().readonly() {
                return Err(error);
            }
        }
        if waited >= MAX_WAIT {
            return Err(if is_open(path) { in_use() } else { error });
        }
        thread::sleep(pause);
        (waited, pause) = (waited + pause, (2 * pause).min(MAX_PAUSE));
    }
}

fn in_use() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "the old file is open here or in another program, close it first")
}

/// True if a file cannot be replaced now, and perhaps can be a moment later.
pub fn may_be_in_use(error: &io::Error) -> bool {
    is_in_use(error) || error.raw_os_error().is_some_and(|code| matches!(code, ACCESS_DENIED | DELETE_PENDING))
}

/// True if a file is open elsewhere, without sharing what was asked for.
pub fn is_in_use(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(SHARING_VIOLATION | LOCK_VIOLATION | USER_MAPPED_FILE))
}

/// Returns an error for which [`retry`] waits if somebody has a file open: another name of it could not be removed.
pub fn refuse_open(path: &Path) -> io::Result<()> {
    if is_open(path) { Err(io::Error::from_raw_os_error(SHARING_VIOLATION)) } else { Ok(()) }
}

fn is_open(path: &Path) -> bool {
    let opened = OpenOptions::new().access_mode(DELETE).share_mode(0).custom_flags(OPEN_REPARSE_POINT).open(path);
    opened.is_err_and(|error| is_in_use(&error))
}

/// Removes a file that nobody has open. Returns true if it is gone.
pub fn remove_unopened(path: &Path) -> bool {
    let flags = OPEN_REPARSE_POINT | DELETE_ON_CLOSE;
    OpenOptions::new().access_mode(DELETE).share_mode(0).custom_flags(flags).open(path).is_ok()
}

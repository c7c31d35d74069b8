use super::Change;
use std::io;
pub(super) fn make(_: Change<'_>, act: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    act()
}

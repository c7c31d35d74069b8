//! Guards: a save to a device, which would wait for it or lose everything.

use super::{DEVICE, fault};

#[test]
fn names_of_devices_and_names_that_windows_changes_are_refused() {
    let devices = "con NUL Aux prn.txt con.tar.gz nul: COM1 lpt9.save com¹ CONIN$ conout$";
    for name in devices.split(' ').chain(["con .txt", "nul "]) {
        assert_eq!(fault(name), Some(DEVICE), "{name}");
    }
    for name in ["a:b", "save:stream", "save.", "save ", "save. ."] {
        assert!(fault(name).is_some_and(|fault| fault != DEVICE), "{name}");
    }
    let files = "save .save save.dat console com com10 comx lpt nully.con con-1 日本";
    for name in files.split(' ').chain([" con", ""]) {
        assert_eq!(fault(name), None, "{name}");
    }
}

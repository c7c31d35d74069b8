//! Guards: what is no file is refused at once, by each call, and nothing is left in its folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use varbatch_storage::{AppendError, LoadError, Loader};

use crate::file_append::{append, int};
use crate::file_save::{MEBI, assert_holds, encoded, save};
use crate::folder::Folder;

/// What saving to a path, appending to it and loading from it says.
fn errors(path: &Path) -> [io::Error; 3] {
    let saved = save(path, &encoded(&[7; 100]), MEBI, None).expect_err("saved");
    let appended = match append(path, &int(1)).expect_err("appended") {
        AppendError::System(error) => error,
        other => panic!("{other}"),
    };
    let loaded = match Loader::open(path).err().expect("loaded") {
        LoadError::Read(error) => error,
        other => panic!("{other}"),
    };
    [saved, appended, loaded]
}

/// Fails unless each call refuses the path within seconds, with an error of this kind, or of any.
#[track_caller]
fn assert_no_file(path: PathBuf, kind: Option<ErrorKind>) -> [io::Error; 3] {
    let shown = path.display().to_string();
    let (tells, told) = channel();
    std::thread::spawn(move || tells.send(errors(&path)).expect("heard"));
    let errors = told.recv_timeout(Duration::from_secs(60)).expect("it hangs");
    for error in &errors {
        assert!(kind.is_none_or(|kind| error.kind() == kind), "{shown}: {error:?}");
        assert!(!error.to_string().is_empty());
    }
    errors
}

#[test]
fn a_path_that_cannot_be_a_file_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.join("sub")).expect("a folder");
    fs::write(folder.join("plain"), "old").expect("writes");
    let before = folder.names();
    assert_no_file(PathBuf::new(), Some(ErrorKind::NotFound));
    assert_no_file(folder.join("none/save"), Some(ErrorKind::NotFound));
    let no_folder = if cfg!(unix) { ErrorKind::NotADirectory } else { ErrorKind::NotFound };
    assert_no_file(folder.join("plain/save"), Some(no_folder));
    assert_no_file(folder.join("sub/."), None);
    assert_no_file(folder.join("sub/.."), None);
    let [.., loaded] = assert_no_file(folder.join("sub"), cfg!(unix).then_some(ErrorKind::IsADirectory));
    assert_eq!(loaded.kind(), ErrorKind::IsADirectory);
    assert_holds(&folder.join("plain"), b"old");
    assert_eq!(folder.names(), before);
    assert!(fs::read_dir(folder.join("sub")).expect("a folder").next().is_none());
    match Loader::open(&folder.join("none")).err() {
        Some(LoadError::Read(error)) => assert_eq!(error.kind(), ErrorKind::NotFound),
        other => panic!("{other:?}"),
    }
}

/// Nothing waits for the other end of a pipe, and no device is opened.
#[cfg(unix)]
#[test]
fn a_pipe_a_socket_or_a_device_is_refused_at_once() {
    let folder = Folder::new();
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "no mkfifo");
    std::os::unix::fs::symlink(&pipe, folder.join("link")).expect("links");
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket");
    let before = folder.names();
    let devices = ["/dev/null", "/dev/full", "/dev/zero", "/dev/tty"].map(PathBuf::from).into_iter();
    for path in devices.filter(|path| path.exists()).chain([pipe, folder.join("link"), folder.join("socket")]) {
        for error in assert_no_file(path.clone(), None) {
            assert_eq!(error.to_string(), "not a regular file", "{}", path.display());
        }
    }
    assert_eq!(folder.names(), before);
}

#[cfg(windows)]
#[test]
fn a_name_that_windows_takes_for_something_else_is_refused_at_once() {
    let folder = Folder::new();
    let names = ["con", "NUL", "com1.txt", "lpt9", "aux.save", "CONIN$", "save:stream", "save.", "save "];
    let others = ["con", "nul", r"\\.\con", r"\\.\pipe\varbatch"].map(PathBuf::from);
    for path in names.map(|name| folder.join(name)).into_iter().chain(others) {
        for error in assert_no_file(path.clone(), None).map(|error| error.to_string()) {
            let is_told = error == "not a regular file" || error.starts_with("a file name cannot ");
            assert!(is_told, "{}: {error}", path.display());
        }
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

//! Guards: what killed saves leave behind is removed, and nothing else ever is.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Beside, SWEPT_NAMES, create, named, remove_leftover};

/// A folder of this test's own. It has no leftovers of other tests.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("varbatch-unit-{}-{name}", std::process::id()));
        fs::create_dir(&path).expect("a folder");
        Self(path)
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn leave(path: &Path) {
    fs::write(path, "half a file").expect("writes");
}

#[test]
fn the_first_save_in_a_folder_removes_all_leftovers_and_no_other_file() {
    let folder = Folder::new("sweep");
    let others = [".varbatch-", ".varbatch--1", ".varbatch-00", ".varbatch-0x", "save", "varbatch-3"];
    for name in others {
        leave(&folder.0.join(name));
    }
    // Other tests may use the lowest numbers now.
    for number in [30, 31, 40, SWEPT_NAMES - 1] {
        leave(&named(&folder.0, number));
    }
    let (file, beside) = create(&folder.0).expect("creates");
    let own = beside.path().file_name().unwrap().to_str().unwrap().to_owned();
    let mut expected: Vec<_> = others.iter().map(|name| (*name).to_owned()).chain([own]).collect();
    expected.sort();
    assert_eq!(folder.names(), expected);
    drop((file, beside));
}

/// Some file systems give a lock to everyone.
#[test]
fn a_process_never_removes_its_own_names_without_their_locks() {
    let folder = Folder::new("own");
    let (file, beside) = create(&folder.0).expect("creates");
    drop(file);
    let other = Folder::new("own-other");
    let names = [&other, &folder].map(|folder| {
        let (file, beside) = create(&folder.0).expect("creates");
        drop(file);
        beside
    });
    assert!(beside.path().exists(), "looked at again, as another folder came between");
    drop(names);
    assert!(remove_leftover(beside.path()));
}

#[test]
fn a_file_that_is_written_is_never_removed() {
    let folder = Folder::new("held");
    let held = [(); 3].map(|()| create(&folder.0).expect("creates"));
    let names = folder.names();
    assert_eq!(names.len(), 3);
    for (_, beside) in &held {
        assert!(!remove_leftover(beside.path()));
    }
    assert_eq!(folder.names(), names);
    // As after a kill: the files are closed, and their names stay.
    let paths = held.map(|(file, beside)| {
        drop(file);
        beside.path().to_owned()
    });
    for path in &paths {
        assert!(remove_leftover(path));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn leftovers_do_not_pile_up_in_a_folder_that_was_looked_at_already() {
    let folder = Folder::new("again");
    drop(create(&folder.0).expect("creates"));
    let names = folder.names();
    assert_eq!(names.len(), 1, "as after a kill");
    for _ in 0..40 {
        drop(create(&folder.0).expect("creates"));
    }
    // Other tests may have used lower numbers meanwhile.
    assert!(folder.names().len() <= 8, "{:?}", folder.names());
}

#[test]
fn what_is_no_file_is_left_alone() {
    let folder = Folder::new("special");
    fs::create_dir(named(&folder.0, 0)).expect("a folder");
    leave(&folder.0.join("victim"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("victim", named(&folder.0, 1)).expect("links");
        std::os::unix::fs::symlink("nothing", named(&folder.0, 2)).expect("links");
        let _socket = std::os::unix::net::UnixListener::bind(named(&folder.0, 3)).expect("a socket");
    }
    let before = folder.names();
    for number in 0..4 {
        assert!(!remove_leftover(&named(&folder.0, number)));
    }
    let (file, beside) = create(&folder.0).expect("creates");
    assert!(!before.contains(&beside.path().file_name().unwrap().to_str().unwrap().to_owned()));
    drop(file);
    fs::remove_file(beside.path()).expect("removes");
    assert_eq!(folder.names(), before);
    assert_eq!(fs::read(folder.0.join("victim")).expect("a file"), b"half a file");
}

#[test]
fn no_two_saves_of_a_process_have_a_number() {
    let folder = Folder::new("numbers");
    let mut all = [(); 20].map(|()| Beside::first(&folder.0, 0));
    all.sort_by_key(|beside| beside.number);
    assert!(all.windows(2).all(|pair| pair[0].number < pair[1].number));
    let above = Beside::first(&folder.0, 1000);
    assert_eq!(above.number, 1000);
    assert_eq!(above.next(&folder.0).number, 1001);
}

/// Between the creation of a file and its lock, another process can take it for a leftover.
#[cfg(unix)]
#[test]
fn a_file_that_was_taken_for_a_leftover_is_not_used() {
    use std::fs::File;

    use super::claim;

    let folder = Folder::new("claim");
    let path = named(&folder.0, 0);
    let file = File::create_new(&path).expect("creates");
    let other = File::options().write(true).open(&path).expect("opens");
    other.lock().expect("locks");
    assert!(!claim(&file, &path), "another is removing it");
    fs::remove_file(&path).expect("removes");
    drop(other);
    assert!(!claim(&file, &path), "another has removed it");
    leave(&path);
    assert!(!claim(&file, &path), "the name is that of another file");
    let file = File::options().write(true).open(&path).expect("opens");
    assert!(claim(&file, &path));
    assert!(!remove_leftover(&path));
}

//! Guards: files with a name while they are written, also on systems where `Replacement::new` makes ones without.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::{Committed, Replacement};
use crate::beside::tests::Folder;
use crate::order::Ticket;
use crate::temporary::Temporary;

fn written(path: &Path, text: &str) -> Replacement {
    let mut file = Replacement::with(path, Temporary::named).expect("begins");
    file.write_all(text.as_bytes()).expect("writes");
    file.file().sync_all().expect("flushes");
    file
}

#[test]
fn a_file_with_a_name_replaces_another_one_or_leaves_nothing() {
    let (folder, path) = Folder::with("save");
    for text in ["first", "second"] {
        let file = written(&path, text);
        assert_eq!(folder.names().len(), if text == "first" { 1 } else { 2 });
        drop(written(&path, "dropped"));
        assert!(matches!(file.commit(&Ticket::take()), Ok(Committed::InPlace(_))));
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        assert_eq!(folder.names(), ["save"]);
    }
    let (early, late) = (Ticket::take(), Ticket::take());
    let (first, second) = (written(&path, "early"), written(&path, "late"));
    assert!(matches!(second.commit(&late), Ok(Committed::InPlace(_))));
    assert!(matches!(first.commit(&early), Ok(Committed::Overtaken)));
    assert_eq!(fs::read_to_string(&path).expect("a file"), "late");
    assert_eq!(folder.names(), ["save"]);
}

#[test]
fn a_rename_that_fails_leaves_nothing_and_names_no_temporary_file() {
    let (folder, path) = Folder::with("save");
    let file = written(&path, "new");
    fs::create_dir(&path).expect("a folder");
    let error = file.commit(&Ticket::take()).expect_err("a folder is there");
    assert!(!format!("{error} {error:?}").contains("varbatch"), "{error:?}");
    assert_eq!(folder.names(), ["save"]);
    let error = Replacement::with(&folder.join("none/save"), Temporary::named).expect_err("no folder");
    assert!(!format!("{error} {error:?}").contains("varbatch"), "{error:?}");
}

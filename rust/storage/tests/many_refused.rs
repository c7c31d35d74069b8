//! Guards: what could not be looked at is taken for whole, and what could not be loaded is forgotten when it is too much to
//! remember. A process of its own, as other tests would lose what they know of their files.

use std::fs;
use std::path::{Path, PathBuf};

use varbatch_codec::{Dialect, Value};
use varbatch_storage::{Committed, Contents, Flushed, Saver, Seen, Ticket, note_unseen};
use varbatch_workers::Threads;

fn record(number: i64) -> Vec<u8> {
    Value::from(number).encode_frame().expect("encodes")
}

fn flushed(path: &Path, record: &[u8]) -> std::io::Result<Flushed> {
    let alone = Threads::alone();
    let mut saver = Saver::create(path, None)?;
    saver.stores(Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) }, false)?;
    saver.write_bytes(record, &alone)?;
    saver.flush(&alone)
}

/// Returns where the old file was set aside.
fn save(path: &Path, record: &[u8]) -> std::io::Result<Option<PathBuf>> {
    match flushed(path, record)?.commit(&Ticket::take_for(path))? {
        Committed::InPlace { aside, .. } => Ok(aside),
        Committed::Overtaken => panic!("nobody else saves"),
    }
}

#[test]
fn what_nobody_could_look_at_is_set_aside_and_unknown_files_are_checked_when_it_is_too_much() {
    #[cfg(unix)]
    look_at_a_closed_folder();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let is_set_aside = |name: &str| save(&path(name), &record(1)).expect("saves").is_some();
    let put = |name: &str, bytes: &[u8]| fs::write(path(name), bytes).expect("writes");
    put("first", &record(1));
    Seen::at(&path("first")).expect("a file").note(&path("first"), false);
    put("damaged", &record(1)[1..]);
    assert!(!is_set_aside("damaged"), "nobody has tried to load it");
    (0..70_000).for_each(|number| note_unseen(&path(&format!("none{number}"))));
    for (name, bytes, is_aside) in [
        ("first", &record(1)[..], true),
        ("unknown", &record(1), false),
        ("damaged", &record(1)[1..], true),
        ("empty", b"", false),
    ] {
        let _ = fs::remove_file(path(name));
        put(name, bytes);
        assert_eq!(is_set_aside(name), is_aside, "{name}");
        assert!(!is_set_aside(name), "{name} is known");
    }
}

/// As a drive that does not answer for a while: here, something else has the folder's name.
#[cfg(unix)]
fn look_at_a_closed_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let [inner, away] = ["inner", "away"].map(|name| folder.path().join(name));
    fs::create_dir(&inner).expect("a folder");
    let (path, link) = (inner.join("save"), folder.path().join("link"));
    std::os::unix::fs::symlink(&path, &link).expect("links");
    let close = || {
        fs::rename(&inner, &away).expect("renames");
        fs::write(&inner, b"").expect("writes");
    };
    let open = || {
        fs::remove_file(&inner).expect("removes");
        fs::rename(&away, &inner).expect("renames");
    };
    for name in [&path, &link] {
        // Though this process knows that it is whole.
        save(&path, &record(1)).expect("saves");
        close();
        assert_ne!(Seen::at(name).expect_err("nobody can").kind(), std::io::ErrorKind::NotFound);
        assert!(save(name, &record(2)).is_err());
        note_unseen(name);
        open();
        let aside = save(name, &record(2)).expect("saves").expect("set aside");
        assert_eq!(fs::read(&aside).expect("a file"), record(1));
        fs::write(&path, record(3)).expect("writes");
        assert_eq!(save(name, &record(4)).expect("saves"), None, "saved since");
    }
    // Nor when it would be replaced.
    let mut flushed = flushed(&path, &record(5)).expect("flushes");
    close();
    flushed.commit(&Ticket::take_for(&path)).expect_err("nobody can");
    open();
    assert_eq!(fs::read(&path).expect("a file"), record(4));
}

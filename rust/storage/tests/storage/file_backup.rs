//! Guards: a file that is not whole takes the place of a backup that is, or one is replaced that could not be loaded.
//! Each failure of the disk and power cuts are in the unit tests.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use varbatch_codec::{Dialect, Plan, Value};
use varbatch_storage::compressed::Compression;
use varbatch_storage::encrypted::Key;
use varbatch_storage::{Committed, Contents, Saver, Seen, Ticket, backup_of};
use varbatch_workers::Threads;

use crate::file_save::encoded;
use crate::folder::Folder;

/// How a file is stored.
#[derive(Clone, Copy, Debug)]
enum How {
    Plain,
    Headed,
    Compressed,
    Encrypted,
}

const ALL: [How; 4] = [How::Plain, How::Headed, How::Compressed, How::Encrypted];
const KEY: Key = Key::new([7; Key::LEN]);

/// Saves bytes with a backup or without. Returns where the old file was set aside.
fn save(path: &Path, how: How, plan: &Plan<'_>, keeps_backup: bool) -> io::Result<Option<PathBuf>> {
    let (alone, header) = (Threads::alone(), if let How::Headed = how { &b"head"[..] } else { b"" });
    let mut saver = match how {
        How::Encrypted => Saver::create_encrypted(path, &KEY)?,
        How::Compressed => Saver::create(path, Some((Compression::Zstd, plan.len() as u64)))?,
        How::Plain | How::Headed => Saver::create(path, None)?,
    };
    if keeps_backup {
        let key = matches!(how, How::Encrypted).then_some(KEY);
        saver.stores(Contents { key, offset: header.len() as u64, dialect: Some(Dialect::GODOT_4) }, true)?;
    }
    saver.write_bytes(header, &alone)?;
    saver.write_all(plan, &alone)?;
    match saver.flush(&alone)?.commit(&Ticket::take_for(path))? {
        Committed::InPlace { aside, .. } => Ok(aside),
        Committed::Overtaken => panic!("nobody else saves"),
    }
}

/// A value that no other number has, in so many bytes.
fn value(number: i64, len: usize) -> Vec<u8> {
    let bytes = Value::PackedByteArray(vec![number as u8; len]).encode_frame().expect("encodes");
    [Value::Int(number << 40).encode_frame().expect("encodes"), bytes].concat()
}

/// A file that no process has saved or loaded.
fn put(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).expect("writes");
}

/// A file as it is stored.
fn stored(how: How, bytes: &[u8]) -> Vec<u8> {
    let (_folder, path) = Folder::with("other");
    save(&path, how, &encoded(bytes), false).expect("saves");
    fs::read(&path).expect("a file")
}

#[test]
fn a_file_that_nobody_has_loaded_becomes_the_backup_if_it_is_whole() {
    // Of the long one, which is longer than the new file, only the lengths are read.
    for (how, len) in ALL.into_iter().flat_map(|how| [(how, 100), (how, 3 << 20)]) {
        let (folder, path) = Folder::with("save");
        let (whole, new, backup) = (stored(how, &value(1, len)), value(2, 100), backup_of(&path).expect("a name"));
        put(&path, &whole);
        assert_eq!(save(&path, how, &encoded(&new), true).expect("saves"), None, "{how:?}");
        assert!(fs::read(&backup).expect("a backup") == whole, "{how:?}");
        let cut = |at: usize| whole[..at].to_vec();
        let mut flipped = whole.clone();
        flipped[whole.len() - 30] ^= 1;
        let mut damaged = vec![cut(whole.len() - 1), cut(whole.len() / 2), cut(5), b"{\"level\": 57}".to_vec()];
        // These have a checksum.
        damaged.extend(matches!(how, How::Compressed | How::Encrypted).then_some(flipped));
        for (index, bytes) in damaged.iter().enumerate() {
            put(&path, bytes);
            let aside = save(&path, how, &encoded(&new), true).expect("saves").expect("set aside");
            let name = if index == 0 { "save.set-aside".to_owned() } else { format!("save.set-aside-{}", index + 1) };
            assert_eq!(aside, folder.join(&name), "{how:?}");
            assert!(fs::read(&aside).expect("a file") == *bytes, "{how:?}");
            assert!(fs::read(&backup).expect("a backup") == whole, "{how:?}");
        }
        put(&path, b"");
        assert_eq!(save(&path, how, &encoded(&new), true).expect("saves"), None, "nothing to keep");
        assert!(fs::read(&backup).expect("a backup") == whole, "{how:?}");
        assert_eq!(folder.names().len(), 2 + damaged.len(), "{how:?}");
    }
}

/// The check costs nothing where the file is known, and what is known is not believed of another file.
#[test]
fn what_this_process_saved_is_the_backup_until_it_is_changed() {
    let (_folder, path) = Folder::with("save");
    let backup = backup_of(&path).expect("a name");
    for number in 1..5 {
        assert_eq!(save(&path, How::Plain, &encoded(&value(number, 9)), true).expect("saves"), None);
    }
    assert_eq!(fs::read(&backup).expect("a backup"), value(3, 9));
    let old = fs::read(&path).expect("a file");
    fs::write(&path, &old[..old.len() - 1]).expect("writes");
    assert!(save(&path, How::Plain, &encoded(&value(6, 9)), true).expect("saves").is_some());
    // Not encrypted yet.
    assert_eq!(save(&path, How::Encrypted, &encoded(&value(7, 9)), true).expect("saves"), None);
    assert_eq!(fs::read(&backup).expect("a backup"), value(6, 9));
}

#[test]
fn a_file_that_could_not_be_loaded_is_set_aside_once() {
    for keeps_backup in [false, true] {
        let (folder, path) = Folder::with("save");
        save(&path, How::Plain, &encoded(&value(1, 9)), false).expect("saves");
        Seen::at(&path).expect("a file").note(&path, false);
        // As a save has left it that was killed.
        fs::hard_link(&path, folder.join("save.set-aside")).expect("links");
        let aside = save(&path, How::Plain, &encoded(&value(2, 9)), keeps_backup).expect("saves");
        assert_eq!(aside, Some(folder.join("save.set-aside")));
        assert_eq!(fs::read(folder.join("save.set-aside")).expect("a file"), value(1, 9));
        assert_eq!(save(&path, How::Plain, &encoded(&value(3, 9)), keeps_backup).expect("saves"), None);
        let names = folder.names();
        assert_eq!(
            names,
            if keeps_backup { &["save", "save.bak", "save.set-aside"][..] } else { &["save", "save.set-aside"] }
        );
        // An append changes the file, but still nobody has loaded it.
        Seen::at(&path).expect("a file").note(&path, false);
        crate::file_append::append(&path, &encoded(&value(4, 9))).expect("appends");
        assert!(save(&path, How::Plain, &encoded(&value(5, 9)), keeps_backup).expect("saves").is_some());
        // Loaded after all.
        Seen::at(&path).expect("a file").note(&path, false);
        Seen::at(&path).expect("a file").note(&path, true);
        assert_eq!(save(&path, How::Plain, &encoded(&value(6, 9)), keeps_backup).expect("saves"), None);
    }
}

/// As a game, a player or a program that synchronises folders does it: the file is another one for the system.
#[test]
fn what_could_not_be_loaded_is_set_aside_after_it_was_touched_or_moved() {
    let touch = |path: &Path| {
        let file = fs::OpenOptions::new().write(true).open(path).expect("opens");
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("touches");
    };
    let copy_back = |path: &Path| {
        let away = path.with_extension("away");
        fs::copy(path, &away).expect("copies");
        fs::remove_file(path).expect("removes");
        fs::rename(&away, path).expect("renames");
    };
    let rewrite = |path: &Path| put(path, &fs::read(path).expect("a file"));
    let changes: [&dyn Fn(&Path); 3] = [&touch, &copy_back, &rewrite];
    for (change, keeps_backup) in changes.into_iter().flat_map(|change| [(change, false), (change, true)]) {
        let (folder, path) = Folder::with("save");
        // It may be whole, and have another key or objects.
        put(&path, &value(1, 9));
        Seen::at(&path).expect("a file").note(&folder.join("./save"), false);
        change(&path);
        let aside = save(&path, How::Plain, &encoded(&value(2, 9)), keeps_backup).expect("saves").expect("set aside");
        assert_eq!(fs::read(aside).expect("a file"), value(1, 9));
        change(&path);
        assert_eq!(save(&path, How::Plain, &encoded(&value(3, 9)), keeps_backup).expect("saves"), None, "saved since");
        Seen::at(&path).expect("a file").note(&path, false);
        Seen::at(&path).expect("a file").note(&path, true);
        change(&path);
        assert_eq!(save(&path, How::Plain, &encoded(&value(4, 9)), keeps_backup).expect("saves"), None, "loaded since");
        // The game puts back what is known to be whole, or nothing is there.
        let other = folder.join("other");
        save(&other, How::Plain, &encoded(&value(5, 9)), false).expect("saves");
        Seen::at(&path).expect("a file").note(&path, false);
        fs::rename(&other, &path).expect("renames");
        assert_eq!(save(&path, How::Plain, &encoded(&value(6, 9)), keeps_backup).expect("saves"), None, "whole");
        Seen::at(&path).expect("a file").note(&path, false);
        put(&path, b"");
        assert_eq!(save(&path, How::Plain, &encoded(&value(7, 9)), keeps_backup).expect("saves"), None, "empty");
    }
}

/// As another process does it between the check of the old file and its end.
#[test]
fn what_another_process_has_put_there_is_checked_again() {
    let (alone, contents) = (Threads::alone(), Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) });
    for is_whole in [true, false] {
        let (folder, path) = Folder::with("save");
        let other = &value(2, 9)[..if is_whole { value(2, 9).len() } else { 20 }];
        put(&path, &value(1, 9));
        let mut saver = Saver::create(&path, None).expect("begins");
        saver.stores(contents.clone(), true).expect("a short name");
        saver.write_all(&encoded(&value(3, 9)), &alone).expect("writes");
        let mut flushed = saver.flush(&alone).expect("flushes");
        put(&path, other);
        let Committed::InPlace { aside, .. } = flushed.commit(&Ticket::take_for(&path)).expect("commits") else {
            panic!()
        };
        let name = if is_whole { "save.bak" } else { "save.set-aside" };
        assert_eq!((aside.is_none(), folder.names()), (is_whole, vec!["save".to_owned(), name.to_owned()]));
        assert_eq!(
            (fs::read(&path).expect("a file"), fs::read(folder.join(name)).expect("kept")),
            (value(3, 9), other.to_vec())
        );
    }
}

#[test]
fn where_no_name_is_free_the_old_file_stays() {
    let (folder, path) = Folder::with("save");
    put(&path, b"the old file");
    put(&folder.join("save.set-aside"), b"");
    (2..=99).for_each(|number| put(&folder.join(&format!("save.set-aside-{number}")), b""));
    Seen::at(&path).expect("a file").note(&path, false);
    let error = save(&path, How::Plain, &encoded(&value(1, 9)), false).expect_err("no name").to_string();
    assert!(error.contains("the old file cannot be set aside") && error.contains("99 already"), "{error}");
    assert_eq!((fs::read(&path).expect("a file"), folder.names().len()), (b"the old file".to_vec(), 100));
}

#[test]
fn a_name_without_room_for_another_behind_it_is_refused_at_once() {
    let folder = Folder::new();
    for len in [242, 243, 247, 251, 252, 255] {
        let path = folder.join(&"n".repeat(len));
        save(&path, How::Plain, &encoded(&value(1, 9)), false).expect("saves");
        for keeps_backup in [true, false] {
            if !keeps_backup {
                Seen::at(&path).expect("a file").note(&path, false);
            }
            let saved = save(&path, How::Plain, &encoded(&value(2, 9)), keeps_backup);
            assert_eq!(saved.is_ok(), len == 242, "{len} letters: {saved:?}");
            let Err(error) = saved else { continue };
            assert_eq!(error.kind(), ErrorKind::InvalidFilename, "{error}");
            assert!(error.to_string().contains("its name is too long"), "{error}");
            assert_eq!(fs::read(&path).expect("a file"), value(1, 9));
        }
    }
}

/// An append that fails has changed the file's time.
#[test]
fn what_could_not_be_loaded_is_set_aside_after_an_append_that_failed() {
    let (_folder, path) = Folder::with("save");
    let old = value(1, 9);
    put(&path, &old);
    Seen::at(&path).expect("a file").note(&path, false);
    for _ in 0..2 {
        let ticket = Ticket::take_for(&path);
        let mut saver = Saver::append(&path, &ticket, Dialect::GODOT_4).expect("opens").expect("no later save");
        saver.write_bytes(&value(2, 9), &Threads::alone()).expect("writes");
    }
    let aside = save(&path, How::Plain, &encoded(&value(3, 9)), false).expect("saves").expect("set aside");
    assert_eq!(fs::read(aside).expect("a file"), old);
}

/// Who reads the bytes of a file knows nothing of its values.
#[test]
fn bytes_that_were_read_do_not_take_back_that_values_could_not_be_loaded() {
    for is_copied in [false, true] {
        let (folder, path) = Folder::with("save");
        let note = |notes: &[(bool, bool)]| {
            let seen = Seen::at(&path).expect("a file");
            for (is_values, is_whole) in notes {
                if *is_values { seen.note(&path, *is_whole) } else { seen.note_bytes(&path, *is_whole) }
            }
            if is_copied {
                fs::copy(&path, folder.join("away")).expect("copies");
                fs::rename(folder.join("away"), &path).expect("renames");
            }
        };
        let is_set_aside = || save(&path, How::Plain, &encoded(&value(2, 9)), false).expect("saves").is_some();
        let (values, bytes) = (true, false);
        for notes in [&[(values, false)][..], &[(values, false), (bytes, false)], &[(bytes, false), (values, false)]] {
            put(&path, &value(1, 9));
            note(notes);
            note(&[(bytes, true)]);
            assert!(is_set_aside(), "copied {is_copied}");
        }
        for notes in [&[(bytes, false), (bytes, true)][..], &[(bytes, false), (values, true)]] {
            put(&path, &value(1, 9));
            note(&[]);
            note(notes);
            assert!(!is_set_aside(), "copied {is_copied}");
        }
    }
}

/// A journal beside it belongs to its name. The whole head says what it is.
#[test]
fn a_store_is_neither_replaced_nor_appended_to_nor_set_aside() {
    let (folder, path) = Folder::with("world");
    let database = [b"SQLite format 3\0".to_vec(), vec![0; 52], b"VBst".to_vec(), vec![0; 4096]].concat();
    let contents = Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) };
    let begin = |keeps_backup| {
        let mut saver = Saver::create(&path, None)?;
        saver.stores(contents.clone(), keeps_backup)?;
        saver.write_bytes(&value(2, 9), &Threads::alone())?;
        saver.flush(&Threads::alone())
    };
    let check = |error: io::Error| {
        assert_eq!(
            (error.kind(), fs::read(&path).expect("a file")),
            (ErrorKind::InvalidData, database.clone()),
            "{error}"
        );
        assert!(error.to_string().contains("a store is there"), "{error}");
        assert_eq!(folder.names(), ["world"]);
    };
    for keeps_backup in [false, true] {
        put(&path, &value(1, 9));
        // Made while the file is written.
        let mut flushed = begin(keeps_backup).expect("begins");
        put(&path, &database);
        check(flushed.commit(&Ticket::take_for(&path)).expect_err("replaced"));
        drop(flushed);
        for is_refused in [false, true] {
            if is_refused {
                Seen::at(&path).expect("a file").note(&path, false);
            }
            check(begin(keeps_backup).expect_err("begun"));
        }
        // Who has it open does not let it go.
        let open = fs::File::open(&path).expect("opens");
        open.lock().expect("locks");
        let started = std::time::Instant::now();
        match Saver::append(&path, &Ticket::take_for(&path), Dialect::GODOT_4) {
            Err(varbatch_storage::AppendError::System(error)) => check(error),
            other => panic!("{:?}", other.map(|_| ())),
        }
        assert!(started.elapsed() < std::time::Duration::from_secs(1), "it waits for the lock");
        put(&path, &database[..15]);
        begin(keeps_backup).expect("begins").commit(&Ticket::take_for(&path)).expect("no database");
        fs::remove_file(folder.join("world.set-aside")).expect("set aside");
    }
    // Who knows what to do with its journal does not say what is stored.
    put(&path, &database);
    save(&path, How::Plain, &encoded(&value(2, 9)), false).expect("saves");
}

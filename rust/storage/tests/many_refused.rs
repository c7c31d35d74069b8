//! Guards: what could not be loaded is forgotten when it is too much to remember. A process of its own, as that is for ever.

use std::fs;

use varbatch_codec::{Dialect, Value};
use varbatch_storage::{Committed, Contents, Saver, Seen, Ticket, note_unseen};
use varbatch_workers::Threads;

#[test]
fn where_too_much_could_not_be_loaded_unknown_files_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let record = Value::from("whole").encode_frame().expect("encodes");
    let save = |name: &str| {
        let (path, alone) = (path(name), Threads::alone());
        let mut saver = Saver::create(&path, None).expect("begins");
        saver.stores(Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) }, false).expect("begins");
        saver.write_bytes(&record, &alone).expect("writes");
        match saver.flush(&alone).expect("flushes").commit(&Ticket::take_for(&path)).expect("commits") {
            Committed::InPlace { aside, .. } => aside.is_some(),
            Committed::Overtaken => panic!("nobody else saves"),
        }
    };
    let put = |name: &str, bytes: &[u8]| fs::write(path(name), bytes).expect("writes");
    put("first", &record);
    Seen::at(&path("first")).expect("a file").note(&path("first"), false);
    put("damaged", &record[1..]);
    assert!(!save("damaged"), "nobody has tried to load it");
    (0..70_000).for_each(|number| note_unseen(&path(&format!("none{number}"))));
    for (name, bytes, is_aside) in [
        ("first", &record[..], true),
        ("unknown", &record, false),
        ("damaged", &record[1..], true),
        ("empty", b"", false),
    ] {
        let _ = fs::remove_file(path(name));
        put(name, bytes);
        assert_eq!(save(name), is_aside, "{name}");
        assert!(!save(name), "{name} is known");
    }
}

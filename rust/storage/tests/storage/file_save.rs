//! Guards: a file that is saved holds the plan's bytes, however they are cut, and whatever fails leaves the old file as it
//! was and nothing else. Links and permissions are in `file_unix`, a process that
//! is killed in `file_crash`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use varbatch_codec::{Borrowed, Cursor, Dialect, ElementType, Event, Kind, Mark, Plain, Plan, Text, Width, Writer};
use varbatch_storage::compressed::Compression;
use varbatch_storage::{Committed, Saver, Ticket};
use varbatch_workers::Threads;

use crate::compressed::decompress;
use crate::folder::Folder;
use crate::support::keeper::Keeper;
use crate::support::memory::taken;
use crate::support::random::Random;

pub const MEBI: usize = 1 << 20;

/// Writes all of a plan, about `most` bytes at a time.
pub fn write(saver: &mut Saver, plan: &Plan<'_>, most: usize) -> io::Result<()> {
    let mut cursor = Cursor::new();
    let mut len = 0;
    loop {
        match saver.write(plan, &mut cursor, most, &Threads::alone())? {
            0 => break,
            step => {
                // A character may take more.
                assert!(step < most.saturating_add(6), "{step} bytes for {most}");
                len += step;
            }
        }
    }
    assert_eq!(len, plan.len(), "bytes that it says");
    Ok(())
}

/// Saves a plan, with all steps.
pub fn save(path: &Path, plan: &Plan<'_>, most: usize, how: Option<Compression>) -> io::Result<()> {
    let mut saver = Saver::create(path, how.map(|how| (how, plan.len() as u64)))?;
    write(&mut saver, plan, most)?;
    saver.flush(&Threads::alone())?.commit(&Ticket::take_for(path))?;
    Ok(())
}

fn packed(bytes: &[u8]) -> Event<'_> {
    Event::Packed(Plain { kind: Kind::PackedByteArray, width: Width::Single, count: bytes.len(), bytes })
}

/// So many arrays of so many bytes, each behind its head.
fn arrays(bytes: &[u8], count: usize) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    (0..count).for_each(|_| value(&mut writer, packed(bytes)));
    writer.into_plan()
}

fn value<'a>(writer: &mut Writer<'a>, event: Event<'a>) {
    writer.write(event).expect("a value is due");
    writer.end_value(Mark::default()).expect("a value");
}

pub fn encoded(bytes: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.encoded(bytes, Borrowed).expect("a value is due");
    writer.into_plan()
}

/// A bit of all that can be in a plan.
fn mixed<'a>(bytes: &'a [u8], chars: &'a [u32]) -> Plan<'a> {
    let (keeper, mut writer) = (Keeper::new(), Writer::new(Dialect::GODOT_4));
    for len in [1, 100, 4087, 4088, 4089, 4095, 4096, 4097, 10_000].map(|len| len.min(bytes.len())) {
        writer.write(Event::Array { element: ElementType::Any, count: 4 }).expect("writes");
        writer.write(packed(&bytes[..len])).expect("writes");
        keeper.write(&mut writer, packed(&bytes[bytes.len() - len..])).expect("writes");
        let mut other = Writer::new(Dialect::GODOT_4).with_depth(1);
        other.write(Event::String(Text::Utf32(&chars[..len.min(chars.len())]))).expect("writes");
        other.write(packed(&bytes[..len])).expect("writes");
        writer.append(other, 2).expect("so many are due");
        writer.end_value(Mark::default()).expect("a value");
    }
    writer.into_plan()
}

#[track_caller]
pub fn assert_holds(path: &Path, expected: &[u8]) {
    let found = fs::read(path).expect("a file");
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!((found.len(), differs), (expected.len(), None), "length, and first byte that differs");
}

/// Drops a call at once, half-way, with a part of it flushed, and when it is complete but for its place. Checks what is
/// left each time.
pub fn drop_at_each_step(begin: impl Fn() -> Saver, is_old: impl Fn(&str)) {
    let (bytes, threads) = (vec![2; MEBI], Threads::alone());
    let half =
        |saver: &mut Saver| saver.write(&encoded(&bytes), &mut Cursor::new(), MEBI / 2, &threads).expect("writes");
    drop(begin());
    is_old("at once");
    let mut saver = begin();
    half(&mut saver);
    drop(saver);
    is_old("half-way");
    let mut saver = begin();
    half(&mut saver);
    saver.flush_written().expect("flushes");
    drop(saver);
    is_old("flushed");
    let mut saver = begin();
    write(&mut saver, &encoded(&bytes), MEBI).expect("writes");
    drop(saver.flush(&threads).expect("flushes"));
    is_old("complete");
}

/// Fails if `path` can be saved to, or the old file is not as it was, or something is left.
#[track_caller]
pub fn assert_refuses(path: &Path, kind: Option<ErrorKind>, folder: &Folder) {
    let before = folder.names();
    let error = save(path, &encoded(&[7; 100]), MEBI, None).expect_err("not to be written to");
    if let Some(kind) = kind {
        assert_eq!(error.kind(), kind, "{error}");
    }
    assert!(!error.to_string().is_empty());
    assert_eq!(folder.names(), before);
}

#[test]
fn a_file_holds_the_plan_however_it_is_cut() {
    let (folder, path) = Folder::with("save");
    let mut random = Random::new(1);
    let bytes = random.bytes(3 * MEBI);
    let chars: Vec<_> = (0..9000).map(|_| random.pick(&[0x61, 0xe9, 0x65e5, 0x1_f600, 0x7fff_ffff])).collect();
    let plans =
        [Writer::new(Dialect::GODOT_4).into_plan(), encoded(&[1, 2, 3, 4]), mixed(&bytes, &chars), arrays(&bytes, 3)];
    for plan in &plans {
        let expected = plan.to_vec();
        for most in [1, 7, 100, 4095, 4096, 4097, 10_000, MEBI, usize::MAX] {
            if expected.len() / most < 200_000 {
                save(&path, plan, most, None).expect("saves");
                assert_holds(&path, &expected);
            }
        }
    }
    assert_eq!(folder.names(), ["save"]);
}

/// Every other piece is a head, and the system takes only so many in a call.
#[test]
fn more_pieces_than_a_call_takes() {
    let (_folder, path) = Folder::with("save");
    for len in [4095, 4096, 4099, 5000] {
        let bytes = Random::new(len as u64).bytes(len);
        for count in [511, 512, 513, 1100] {
            let plan = arrays(&bytes, count);
            for most in [MEBI, usize::MAX] {
                save(&path, &plan, most, None).expect("saves");
                assert_holds(&path, &plan.to_vec());
            }
        }
    }
}

#[test]
fn memory_does_not_grow_with_the_plan() {
    let folder = Folder::new();
    let bytes = Random::new(3).bytes(MEBI);
    let mut writer = Writer::new(Dialect::GODOT_4);
    (0..2_000_000).for_each(|number| value(&mut writer, Event::Int(number)));
    for plan in [writer.into_plan(), arrays(&bytes, 30), arrays(&bytes[..1000], 20_000), arrays(&bytes[..5000], 4000)] {
        let ((_, took), saved) = taken(|| save(&folder.join("save"), &plan, MEBI, None));
        saved.expect("saves");
        assert!(took < 4 * MEBI, "{took} bytes for {}", plan.len());
    }
}

#[test]
fn a_compressed_file_holds_the_plan() {
    let (folder, path) = Folder::with("save");
    let bytes = [vec![7; 100_000], Random::new(2).bytes(200_000)].concat();
    let plan = mixed(&bytes, &[0x65e5; 5000]);
    for how in Compression::WRITTEN {
        for most in [100, 70_000, usize::MAX] {
            save(&path, &plan, most, Some(how)).expect("saves");
            let (found, error) = decompress(&fs::read(&path).expect("a file"), MEBI, &Threads::alone());
            assert!(error.is_none() && found == plan.to_vec(), "{how:?}: {error:?}");
        }
        // Other bytes than were announced: the old file stays.
        let old = fs::read(&path).expect("a file");
        for total in [0, plan.len() - 1, plan.len() + 1] {
            let mut saver = Saver::create(&path, Some((how, total as u64))).expect("begins");
            let result = write(&mut saver, &plan, MEBI).and_then(|()| saver.flush(&Threads::alone()).map(drop));
            assert_eq!(result.expect_err("other bytes").kind(), ErrorKind::InvalidInput);
            assert_holds(&path, &old);
        }
    }
    assert_eq!(folder.names(), ["save"]);
}

#[test]
fn an_old_file_is_replaced_when_the_new_one_is_complete_and_not_before() {
    let (folder, path) = Folder::with("save");
    let (old, new) = (vec![1; 2 * MEBI], vec![2; MEBI]);
    // Without an old file as well.
    for before in [None, Some(&old)] {
        if let Some(old) = before {
            fs::write(&path, old).expect("writes");
        }
        let is_old = |step: &str| {
            assert_eq!(fs::read(&path).ok().as_ref(), before, "{step}");
            assert_eq!(folder.names(), before.map_or(vec![], |_| vec!["save"]), "{step}");
        };
        for how in [None, Some((Compression::Zstd, MEBI as u64))] {
            drop_at_each_step(|| Saver::create(&path, how).expect("begins"), is_old);
        }
    }
    let mut saver = Saver::create(&path, None).expect("begins");
    // Several plans, one behind the other.
    for part in new.chunks(300_000) {
        write(&mut saver, &encoded(part), MEBI).expect("writes");
    }
    let mut flushed = saver.flush(&Threads::alone()).expect("flushes");
    assert_holds(&path, &old);
    let Committed::InPlace { old: replaced, .. } = flushed.commit(&Ticket::take_for(&path)).expect("commits") else {
        panic!("overtaken")
    };
    assert_holds(&path, &new);
    if cfg!(unix) {
        let replaced = replaced.expect("the old file").metadata().expect("a file");
        assert_eq!(replaced.len(), old.len() as u64);
    }
    assert_eq!(folder.names(), ["save"]);
}

#[test]
fn a_name_may_be_as_long_as_the_system_has_it() {
    let folder = Folder::new();
    for len in [200, 247, 248, 255] {
        let path = folder.join(&"n".repeat(len));
        if fs::write(&path, "old").is_err() {
            continue;
        }
        save(&path, &encoded(&[7; 5000]), MEBI, None).unwrap_or_else(|error| panic!("{len} letters: {error}"));
        assert_holds(&path, &[7; 5000]);
    }
}

//! Guards: an append adds exactly its records behind the whole ones, cuts off nothing but a torn record, and leaves the
//! file as it was if it fails. What else is not cut off is in `file_append_tail`, kills in `file_crash`, the order of calls in
//! `file_order`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_codec::{Borrowed, Dialect, Event, Plan, Value, Writer};
use varbatch_storage::compressed::Compression;
use varbatch_storage::{AppendError, Committed, Saver, Ticket};
use varbatch_workers::Threads;

use crate::file_save::{MEBI, assert_holds, drop_at_each_step, encoded, save, write};
use crate::folder::Folder;
use crate::support::random::Random;
use crate::support::vectors;

/// Returns the bytes of the whole frames at the start of a stream.
pub fn whole_len(bytes: &[u8]) -> usize {
    frames::read(bytes).flatten().last().map_or(0, |frame| frame.at + frame.payload.len())
}

/// Begins an append that nobody overtakes.
pub fn begin(path: &Path) -> Result<Saver, AppendError> {
    let called = Ticket::take_for(path);
    assert_eq!(called.first_before(), None);
    Ok(Saver::append(path, &called, Dialect::GODOT_4)?.expect("nobody saves"))
}

pub fn commit(saver: Saver) -> io::Result<()> {
    match saver.flush(&Threads::alone())?.commit(&Ticket::take_for(Path::new("another")))? {
        Committed::InPlace { old: None, .. } => Ok(()),
        other => panic!("{other:?}"),
    }
}

/// Appends a plan, with all steps.
pub fn append(path: &Path, plan: &Plan<'_>) -> Result<(), AppendError> {
    append_in_steps(path, plan, MEBI)
}

/// The same, about `most` bytes at a time.
pub fn append_in_steps(path: &Path, plan: &Plan<'_>, most: usize) -> Result<(), AppendError> {
    let mut saver = begin(path)?;
    write(&mut saver, plan, most)?;
    Ok(commit(saver)?)
}

/// A record with these bytes as its value.
pub fn record(value: &[u8]) -> Vec<u8> {
    [&(value.len() as u32).to_le_bytes(), value].concat()
}

/// Some values, which the engine wrote.
pub fn values() -> Vec<Vec<u8>> {
    let values: Vec<_> =
        vectors::encoded().into_iter().filter_map(|value| value.bytes).filter(|bytes| bytes.len() < 100).collect();
    assert!(values.len() > 50, "{}", values.len());
    values
}

pub fn int(value: i64) -> Plan<'static> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    frames::write(&mut writer, |writer| writer.write(Event::Int(value))).expect("writes");
    writer.into_plan()
}

/// Appends to these bytes. Returns how many of them the file has then. If it is refused, it is unchanged.
#[track_caller]
pub fn appended(path: &Path, bytes: &[u8]) -> Result<usize, AppendError> {
    fs::write(path, bytes).expect("writes");
    let added = int(7).to_vec();
    let result = append(path, &int(7)).map(|()| fs::metadata(path).expect("a file").len() as usize - added.len());
    match result {
        Ok(len) => assert_holds(path, &[&bytes[..len], &added].concat()),
        Err(_) => assert_holds(path, bytes),
    }
    result
}

/// The same for bytes of which nothing says that they are no log. Returns `None` if they are refused.
#[track_caller]
pub fn kept(path: &Path, bytes: &[u8]) -> Option<usize> {
    match appended(path, bytes) {
        Ok(len) => Some(len),
        Err(AppendError::Damaged { .. } | AppendError::OneValue) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn records_are_added_to_a_new_file_and_to_an_old_one() {
    let (folder, path) = Folder::with("log");
    let mut random = Random::new(1);
    let mut expected = Vec::new();
    for round in 0..200 {
        let size = random.below(if round % 50 == 0 { 3 * MEBI } else { 9000 });
        let bytes = random.bytes(size);
        let mut saver = begin(&path).expect("begins");
        let most = random.pick(&[1000, 4096, MEBI]);
        // Several plans, one behind the other.
        for part in bytes.chunks(bytes.len() / 2 + 1) {
            let record = record(&part[..part.len() / 4 * 4]);
            write(&mut saver, &encoded(&record), most).expect("writes");
            expected.extend(record);
        }
        commit(saver).expect("commits");
        if round % 50 < 3 {
            assert_holds(&path, &expected);
        }
        // As by another program.
        if round % 7 == 0 {
            expected.extend(record(&[2, 0, 0, 0, 7, 0, 0, 0]));
            fs::write(&path, &expected).expect("writes");
        }
    }
    assert_holds(&path, &expected);
    assert_eq!(folder.names(), ["log"]);
}

#[test]
fn a_torn_record_is_cut_off_wherever_the_file_ends_and_nothing_before_it() {
    let (_folder, path) = Folder::with("log");
    let mut ambiguous = 0;
    for value in values() {
        let last = record(&value);
        for before in [vec![], record(&[0; 4]), [record(&[]), record(&value)].concat()] {
            for len in 0..=last.len() {
                let bytes = [&before[..], &last[..len]].concat();
                if before.is_empty() && (1..2 * PREFIX_LEN).contains(&len) {
                    assert_damaged(&path, &bytes, 0);
                    continue;
                }
                let (found, is_torn) = (appended(&path, &bytes), (1..last.len()).contains(&len));
                if is_torn && matches!(Value::decode(&bytes), Ok(value) if value.encode() == Ok(bytes.clone())) {
                    assert!(matches!(found, Err(AppendError::OneValue)), "{found:?}: a Color and others");
                    ambiguous += 1;
                    continue;
                }
                // Or a version, with a record of a bool behind it.
                if bytes.len() == 16 && bytes[..12] == [20, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0] {
                    assert!(matches!(found, Err(AppendError::Damaged { at: 0 })), "{found:?}: a Rect2i");
                    continue;
                }
                let expected = if is_torn { before.len() } else { bytes.len() };
                assert!(found.as_ref().is_ok_and(|&kept| kept == expected), "{found:?}: {len} bytes of {last:?}");
            }
        }
    }
    assert!((1..60).contains(&ambiguous), "{ambiguous} can be either");
}

#[test]
fn a_long_torn_record_is_cut_off() {
    let (_folder, path) = Folder::with("log");
    // 3 MiB of bytes, and as much in many values.
    let long = Value::PackedByteArray((&[7; 3 * MEBI][..]).into());
    let many = Value::array(vec![5_i64; 300_000]);
    for value in [long, many] {
        let last = value.encode_frame().expect("encodes");
        for len in [12, 100, MEBI - 1, MEBI + 4, MEBI + 5, last.len() - 1] {
            assert_eq!(kept(&path, &[&int(1).to_vec(), &last[..len]].concat()), Some(int(1).len()));
        }
    }
}

/// Fails if it can be appended to, or is changed.
#[track_caller]
pub fn assert_damaged(path: &Path, bytes: &[u8], at: u64) {
    match appended(path, bytes) {
        Err(AppendError::Damaged { at: found }) => assert_eq!(found, at),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_is_not_of_records_stays_as_it_is() {
    let (folder, path) = Folder::with("other");
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10";
    let text = b"{\"name\": \"Ada\", \"gold\": 12}\n";
    for bytes in [&png[..], text, b"dhdhdhdhdhdh", b"RSRC\0\0\0\0\0\0\0\0", b"\x08\0\0\0\x80\0\0\0", &[0xff; 100]] {
        (8..=bytes.len()).for_each(|len| assert_damaged(&path, &bytes[..len], 0));
    }
    for bytes in [&b"hello"[..], b"abc", b"hh\n1", b"4.2\n", b"dhdhdhd", &[1], &[0, 0, 0, 0x80, 3]] {
        assert_damaged(&path, bytes, 0);
    }
    // Nothing says that this was a record.
    assert_damaged(&path, &[4, 0, 0, 0, 99, 0, 0, 0, 8], 0);
    for how in Compression::WRITTEN {
        save(&path, &encoded(&[7; 5000]), MEBI, Some(how)).expect("saves");
        let bytes = fs::read(&path).expect("a file");
        for len in [4, 5, 100.min(bytes.len()), bytes.len()] {
            let found = appended(&path, &bytes[..len]);
            assert!(matches!(found, Err(AppendError::Compressed)), "{found:?}");
        }
    }
    assert_eq!(folder.names(), ["other"]);
}

#[test]
fn any_bytes_are_kept_up_to_the_last_whole_record() {
    let (_folder, path) = Folder::with("log");
    let mut random = Random::new(5);
    let mut count = 0;
    for round in 0..3000 {
        let len = random.below(200);
        let mut bytes = random.bytes(len);
        // Lengths that lead somewhere.
        for at in (0..len.saturating_sub(4)).step_by(1 + random.below(40)) {
            bytes[at..at + 4].copy_from_slice(&(random.below(60) as u32 & !3).to_le_bytes());
        }
        if let Some(end) = kept(&path, &bytes) {
            count += 1;
            assert!(end <= whole_len(&bytes), "{round}: {end} bytes of {bytes:?}");
            assert!(end == whole_len(&bytes) || bytes[end + PREFIX_LEN..].ends_with(&[0; PREFIX_LEN]));
        }
    }
    assert!((40..2900).contains(&count), "{count} of 3000 were appended to");
}

#[test]
fn an_append_that_does_not_end_leaves_the_file_as_it_was() {
    let (_folder, path) = Folder::with("log");
    for old in [None, Some(vec![]), Some(int(1).to_vec())] {
        let _ = fs::remove_file(&path);
        old.iter().for_each(|old| fs::write(&path, old).expect("writes"));
        drop_at_each_step(|| begin(&path).expect("begins"), |step| assert_eq!(fs::read(&path).ok(), old, "{step}"));
    }
}

/// The end that was found last is only believed of a file that nobody has changed.
#[test]
fn changes_of_others_between_two_appends_are_seen() {
    let (_folder, path) = Folder::with("log");
    append(&path, &int(1)).expect("appends");
    let whole = fs::read(&path).expect("a file");
    // Torn, then another file of the same length, then none.
    fs::write(&path, [&whole[..], &whole[..7]].concat()).expect("writes");
    append(&path, &int(2)).expect("appends");
    assert_holds(&path, &[&whole[..], &int(2).to_vec()].concat());
    let len = fs::metadata(&path).expect("a file").len() as usize;
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_damaged(&path, &b"some text ".repeat(9)[..len], 0);
    fs::remove_file(&path).expect("removes");
    append(&path, &int(3)).expect("appends");
    assert_holds(&path, &int(3).to_vec());
}

/// Damaged behind the back of what is known of them: so who reads them again sees it. All are forgotten once there are too many,
/// also those of other tests: but not each time.
#[test]
fn the_ends_of_many_logs_are_known_by_any_name() {
    let are_known = |_| {
        let folder = Folder::new();
        let logs: Vec<_> = (0..100).map(|number| folder.join(&format!("log{number}"))).collect();
        for log in &logs {
            append(log, &int(1)).expect("appends");
            let (file, whole) =
                (fs::File::options().write(true).open(log).expect("opens"), fs::metadata(log).expect("a file"));
            io::Write::write_all(&mut &file, &[1; 12]).expect("writes");
            file.set_modified(whole.modified().expect("a time")).expect("touches");
        }
        let by_another_name = |log: &PathBuf| log.with_file_name(".").join(log.file_name().expect("a name"));
        logs.iter().all(|log| append(&by_another_name(log), &int(2)).is_ok())
    };
    assert!((0..3).any(are_known));
}

#[test]
fn a_plan_without_frames_is_not_looked_at() {
    // The caller's bytes are added as they are, even none.
    let (_folder, path) = Folder::with("log");
    append(&path, &Writer::new(Dialect::GODOT_4).into_plan()).expect("appends");
    assert_holds(&path, &[]);
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.encoded(&[1, 2, 3, 4], Borrowed).expect("a value is due");
    append(&path, &writer.into_plan()).expect("appends");
    assert_holds(&path, &[1, 2, 3, 4]);
}

//! Guards: an append cuts off zeros that a power cut has left, and nothing that may be whole: single values, checksums,
//! and records behind a damaged length.

use std::fs::{self, File};
use std::path::Path;

use varbatch_codec::Value;
use varbatch_codec::frames::PREFIX_LEN;
use varbatch_storage::compressed::Compression;
use varbatch_storage::{AppendError, Loader};
use varbatch_workers::Threads;

use crate::file_append::{append, assert_damaged, int, kept, record, values};
use crate::file_load::ask;
use crate::file_save::{MEBI, assert_holds, encoded, save};
use crate::folder::Folder;
use crate::support::random::Random;

/// Loads all frames from `from` on. Returns how many there are, and the error behind them.
fn loaded(path: &Path, from: i64) -> (usize, Option<String>) {
    let ((found, error), _) = ask(Loader::open(path).expect("opens"), from, None, &Threads::alone());
    (found.len(), error)
}

/// A record of a value whose bytes are of many kinds, and about `len`.
fn mixed(random: &mut Random, len: usize) -> Vec<u8> {
    let mut elements: Vec<Value> = vec![random.below(1 << 20).to_string().as_str().into()];
    for _ in 0..len / 24 {
        elements.push((random.below(100) as i64).into());
        elements.push("item".into());
    }
    Value::array(elements).encode_frame().expect("encodes")
}

/// One of fewer than `max` bytes.
fn any(random: &mut Random, max: usize) -> Vec<u8> {
    let len = random.below(max);
    mixed(random, len)
}

#[test]
fn zeros_at_the_end_are_cut_off_and_reported_once() {
    let (_folder, path) = Folder::with("log");
    let mut random = Random::new(1);
    for (round, count) in [0_usize, 1, 2, 5, 300].into_iter().cycle().take(40).enumerate() {
        let records: Vec<u8> = (0..count).flat_map(|_| any(&mut random, 9000)).collect();
        for zeros in [4, 8, 12, 4096, 70_001, 3 * MEBI + 2, 1 + random.below(5000)] {
            if round > 4 && zeros > MEBI {
                continue;
            }
            let bytes = [&records[..], &vec![0; zeros]].concat();
            assert_eq!(kept(&path, &bytes), Some(records.len()), "{zeros} zeros behind {count} records");
            fs::write(&path, &bytes).expect("writes");
            for from in [0, 1, -3] {
                let (found, error) = loaded(&path, from);
                let expected = if from < 0 { count.min(3) } else { count.saturating_sub(from as usize) };
                // Fewer than four are a length that is cut off.
                let what = match zeros {
                    1 | 2 => format!("the file is cut off, {} bytes are missing", 4 - zeros),
                    3 => "the file is cut off, 1 byte is missing".to_owned(),
                    _ => format!("expected a value, found nothing but zeros ({zeros} bytes)"),
                };
                let error_text = format!("{what}, at byte {}", records.len());
                assert_eq!((found, error), (expected, Some(error_text)), "{count} records, from {from}");
            }
        }
    }
}

/// As by a version that has appended behind zeros, or by other programs: every reading of the engine has them.
#[test]
fn empty_records_between_others_are_frames() {
    let (_folder, path) = Folder::with("log");
    let one = int(1).to_vec();
    for empty in [1, 2, 300_000] {
        let bytes = [&one[..], &vec![0; empty * PREFIX_LEN], &one, &record(&[]), &one].concat();
        assert_eq!(kept(&path, &bytes), Some(bytes.len()));
        for end in [0, 9] {
            fs::write(&path, &bytes[..bytes.len() - end]).expect("writes");
            for (from, expected) in [(0, empty + 4), (2, empty + 2), (-2, 2)] {
                let (found, error) = loaded(&path, from);
                let expected = expected - usize::from(end > 0 && from >= 0);
                assert_eq!((found, error.is_some()), (expected, end > 0), "{empty}");
            }
        }
        assert_eq!(kept(&path, &[&bytes[..], &[8, 0, 0, 0, 2]].concat()), Some(bytes.len()));
    }
}

/// The length of the file and some of the data have reached the disk.
#[test]
fn a_record_that_ends_in_zeros_is_torn() {
    let (_folder, path) = Folder::with("log");
    let mut random = Random::new(2);
    let before = [int(1).to_vec(), mixed(&mut random, 500)].concat();
    let long = mixed(&mut random, 3 * MEBI);
    for last in [mixed(&mut random, 5000), long] {
        for data in [4, 12, 512, 1024, last.len() / 8 * 4] {
            for zeros in [512, 4096, last.len() - data, last.len() - data + 4096] {
                let bytes = [&before[..], &last[..data], &vec![0; zeros]].concat();
                let found = kept(&path, &bytes);
                // Where nothing follows its announced length, it could be what somebody has written.
                let expected = if data + zeros == last.len() { bytes.len() } else { before.len() };
                assert_eq!(found, Some(expected), "{data} bytes of {}, {zeros} zeros", last.len());
            }
        }
    }
    // Its names cannot be empty: reading the zeros fails.
    let path_value = values().into_iter().find(|value| value[0] == 22 && value.len() > 16).expect("a NodePath");
    let torn = [&before[..], &record(&path_value)[..8], &[0; 4096]].concat();
    assert_eq!(kept(&path, &torn), Some(before.len()));
}

/// Some sectors of the last append have reached the disk, or the first ones of them, in a file of any length in between.
#[test]
fn a_power_cut_takes_nothing_from_before_and_the_log_goes_on() {
    const SECTOR: usize = 512;
    let (_folder, path) = Folder::with("log");
    let mut random = Random::new(6);
    let all: Vec<_> = values().iter().map(|value| record(value)).collect();
    let some = |random: &mut Random| -> Vec<u8> {
        let count = 1 + random.below(12);
        let one = |_| match random.percent(70) {
            true => all[random.below(all.len())].clone(),
            false => any(random, 4000),
        };
        (0..count).flat_map(one).collect()
    };
    let mut refused = 0;
    for round in 0..1500 {
        let (before, added) = (some(&mut random), some(&mut random));
        let mut bytes = [&before[..], &added].concat();
        let sectors = before.len() / SECTOR + 1..bytes.len().div_ceil(SECTOR);
        let whole = sectors.start + random.below(sectors.len() + 1);
        let is_prefix = round % 2 == 0;
        for sector in sectors {
            if if is_prefix { sector >= whole } else { random.percent(50) } {
                let end = bytes.len().min((sector + 1) * SECTOR);
                bytes[sector * SECTOR..end].fill(0);
            }
        }
        if random.percent(50) {
            bytes.truncate((before.len() / SECTOR + 1 + random.below(20)) * SECTOR);
        }
        let (found, flushed) = (kept(&path, &bytes), before.len());
        assert!(found.is_none_or(|kept| kept >= flushed), "{found:?} of {}, {flushed} were flushed", bytes.len());
        if is_prefix && found.is_none() {
            refused += 1;
            println!("refused: {} {} {whole}", before.len(), bytes.len());
        }
    }
    assert_eq!(refused, 0, "the log must go on");
}

#[test]
fn a_file_of_one_value_is_never_cut() {
    let (_folder, path) = Folder::with("score");
    let mut random = Random::new(3);
    let pairs =
        (0..2000).map(|_| Value::array([random.below(50) as i64, random.below(50) as i64]).encode().expect("encodes"));
    let rects =
        (0..20_000).map(|round: u32| [8, 2, round % 40, round / 40 % 40, round / 1600].map(u32::to_le_bytes).concat());
    for bytes in values().into_iter().chain(pairs.collect::<Vec<_>>()).chain(rects) {
        // Nil has nothing to keep, and an empty String is also a record of nil.
        if bytes[0] != 0 && bytes.len() > 8 {
            assert!(kept(&path, &bytes).is_none_or(|kept| kept == bytes.len()), "{bytes:?}");
        }
    }
    for bytes in values() {
        let is_refused = kept(&path, &bytes).is_none();
        let is_record = bytes == [4, 0, 0, 0, 0, 0, 0, 0];
        assert!(is_refused || bytes[0] == 0 || is_record, "{bytes:?}");
    }
    for elements in [3, 1000, 300_000] {
        let bytes = Value::array(vec![5_i64; elements]).encode().expect("encodes");
        assert_eq!(kept(&path, &bytes), None, "{elements} ints");
    }
}

/// The records behind it are worth more than a new one.
#[test]
fn one_damaged_byte_of_a_length_cuts_nothing() {
    let (_folder, path) = Folder::with("log");
    let mut random = Random::new(4);
    let (mut refused, mut rounds) = (0, 0);
    for round in 0..40 {
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for _ in 0..1 + round % 8 {
            starts.push(bytes.len());
            bytes.extend(any(&mut random, if round == 7 { 3 * MEBI } else { 600 }));
        }
        for start in starts {
            for at in start..start + PREFIX_LEN {
                for _ in 0..if bytes.len() > MEBI { 1 } else { 8 } {
                    let old = bytes[at];
                    bytes[at] ^= 1 + random.below(255) as u8;
                    let (found, len) = (kept(&path, &bytes), bytes.len());
                    assert!(found.is_none_or(|kept| kept == len), "{found:?} of {len}, {old} at {at}");
                    (refused, rounds) = (refused + usize::from(found.is_none()), rounds + 1);
                    bytes[at] = old;
                }
            }
        }
    }
    assert!(refused > rounds * 9 / 10, "{refused} of {rounds} were refused");
    for value in values() {
        let mut bytes = [record(&[0; 4]), record(&value), record(&value)].concat();
        for bit in 0..32 {
            let at = 2 * PREFIX_LEN + bit / 8;
            bytes[at] ^= 1 << (bit % 8);
            assert!(kept(&path, &bytes).is_none_or(|kept| kept == bytes.len()), "bit {bit} of {value:?}");
            bytes[at] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn what_others_write_behind_the_records_is_not_cut_off() {
    let (_folder, path) = Folder::with("log");
    let mut random = Random::new(5);
    let records = [int(1).to_vec(), mixed(&mut random, 500)].concat();
    let mut cut = 0;
    for len in [4, 8, 16, 20, 32, 64] {
        for _ in 0..2000 {
            let checksum = random.bytes(len);
            cut += usize::from(kept(&path, &[&records[..], &checksum].concat()) == Some(records.len()));
        }
    }
    // Four bytes that look like the length of a short record cannot be told apart from one.
    assert!(cut < 12, "{cut} of 12000");
    for trailer in [&b"END"[..], b"end\n", b"sha256:0123456789abcdef", &[1, 0, 0, 0], &812_u32.to_be_bytes()] {
        assert_damaged(&path, &[&records[..], trailer].concat(), records.len() as u64);
    }
    // Numbers of a format that has nothing to do with records.
    for words in [&[812][..], &[812, 2], &[812, 3, 5], &[812, 4, 5], &[100, 5, 1, 2]] {
        let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(kept(&path, &bytes), None, "{words:?}");
    }
    assert_eq!(kept(&path, b"812"), None);
}

/// A version can be taken for the length of a record that begins with the length of the real one.
#[test]
fn nothing_behind_a_header_is_cut_off() {
    let (_folder, path) = Folder::with("save");
    let level = |level: i64| Value::dictionary([("level", level.into())]);
    let mut cut = 0;
    for version in 1..=128_u32 {
        for number in 0..30 {
            let value = match number % 4 {
                0 => level(number),
                1 => Value::array((0..number).map(Value::from).collect::<Vec<_>>()),
                2 => "s".repeat(number as usize).as_str().into(),
                _ => number.into(),
            };
            let record = value.encode_frame().expect("encodes");
            for header in [&[][..], b"SAVE", b"2"] {
                let bytes = [&version.to_le_bytes()[..], header, &record].concat();
                cut += usize::from(kept(&path, &bytes).is_some_and(|kept| kept < bytes.len()));
            }
        }
    }
    assert_eq!(cut, 0, "of {}", 128 * 30 * 3);
}

/// What a count says contradicts the announced length.
#[test]
fn a_record_whose_count_fits_no_length_is_not_torn() {
    let (_folder, path) = Folder::with("log");
    for words in [&[40, 32, 27, 0][..], &[40, 32, 3, 0], &[400, 29, 30, 0, 1, 2], &[40, 29, 27, 0], &[64, 34, 40, 1]] {
        let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_damaged(&path, &[&int(1).to_vec()[..], &bytes].concat(), 12);
    }
    for words in [&[116, 32, 27, 0][..], &[20, 32, 3, 0], &[40, 29, 30, 0, 1, 2], &[36, 29, 27, 0]] {
        let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(kept(&path, &[&int(1).to_vec()[..], &bytes].concat()), Some(12), "{words:?}");
    }
}

/// No value is that long, though a file with a hole can be.
#[cfg(unix)]
#[test]
fn a_last_record_that_is_longer_than_any_value_is_refused() {
    let (_folder, path) = Folder::with("log");
    let start = [&int(1).to_vec()[..], &[0, 0, 0, 0x80, 29, 0, 0, 0]].concat();
    fs::write(&path, &start).expect("writes");
    let len = 12 + 4 + 0x8000_0000;
    File::options().write(true).open(&path).expect("opens").set_len(len).expect("a hole");
    match append(&path, &int(2)).expect_err("too long") {
        AppendError::Damaged { at } => assert_eq!(at, 12),
        other => panic!("{other}"),
    }
    assert_eq!(fs::metadata(&path).expect("a file").len(), len);
}

/// The end that an append has left is known, but the file is another one, of the same length and time.
#[test]
fn a_compressed_file_is_refused_even_if_its_end_seems_known() {
    let folder = Folder::new();
    let (path, other) = (folder.join("log"), folder.join("other"));
    save(&other, &encoded(&[7; 5000]), MEBI, Some(Compression::WRITTEN[0])).expect("saves");
    let compressed = fs::read(&other).expect("a file");
    append(&path, &encoded(&compressed)).expect("appends");
    let file = File::options().write(true).open(&path).expect("opens");
    let modified = file.metadata().expect("a file").modified().expect("a time");
    fs::write(&path, &compressed).expect("writes");
    file.set_modified(modified).expect("sets");
    drop(file);
    let error = append(&path, &int(1)).expect_err("compressed");
    assert!(matches!(error, AppendError::Compressed), "{error}");
    assert_holds(&path, &compressed);
}

//! Guards: encrypted files are those of the engine, and nothing is believed of one that was changed.

use std::fs;
use std::io::Cursor;

use varbatch_codec::{Borrowed, Dialect, Value, Writer};
use varbatch_storage::encrypted::{EncryptedError, Key};
use varbatch_storage::{AppendError, LoadError, Loader, Saver, Ticket};
use varbatch_workers::Threads;

use crate::file_load::{Found, all_at_once, read_all};
use crate::folder::Folder;

/// What Godot 4.6.3 wrote with `open_encrypted(path, FileAccess.WRITE, range(32), range(100, 116))`, `store_var("gold")` and
/// `store_var(12)`.
const ENGINE: &str = "47444543d5572488e679447e4906958355acec3c1c000000000000006465666768696a6b6c6d6e6f707172739fd81120b220bb4d7a8d\
                      bfab81d0fcb8add8ede47e5b7d59ba157f1f565cfa79";

/// What Godot 3.2.3 wrote with `open_encrypted_with_pass(path, File.WRITE, "mypass")`, `store_var({"gold": 12})` and
/// `store_var(Color(1, 0, 0))`.
const GODOT_3: &str = "4744454301000000ffa3a7feb0f9ac43c4bbe0c604dcfb5938000000000000001743df7a86e6c8b29401b42555a5f26c4664e42d9b02802c\
                       29c8b54db9c81265f5772e43e7221269f64bb56f901316b85adafd896c286e68c9008190b482c258";

fn key() -> Key {
    Key::new(std::array::from_fn(|index| index as u8))
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

fn open(file: &[u8], key: &Key) -> Result<Loader, LoadError> {
    Loader::encrypted(Box::new(Cursor::new(file.to_vec())), file.len() as u64, key)
}

/// What is found up to the end, or the error there or before.
fn load(file: &[u8], key: &Key) -> Result<Found, String> {
    let ((found, error), _) = read_all(open(file, key).map_err(|error| error.to_string())?, &Threads::alone());
    error.map_or(Ok((found, None)), Err)
}

fn save(stream: &[u8], header: &[u8], threads: &Threads) -> Vec<u8> {
    let (_folder, path) = Folder::with("save");
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.encoded(stream, Borrowed).expect("a value is due");
    let mut saver = Saver::create_encrypted(&path, &key()).expect("begins");
    saver.write_bytes(header, threads).expect("writes");
    saver.write_all(&writer.into_plan(), threads).expect("writes");
    saver.flush_written().expect("flushes");
    saver.flush(threads).expect("flushes").commit(&Ticket::take_for(&path)).expect("commits");
    fs::read(&path).expect("a file")
}

fn values(lens: &[usize]) -> Vec<u8> {
    let frame = |&len: &usize| Value::PackedByteArray((0..len).map(|at| at as u8 | 1).collect()).encode_frame();
    lens.iter().flat_map(|len| frame(len).expect("encodes")).collect()
}

#[test]
fn a_file_of_the_engine_is_read_and_one_for_it_has_all_its_parts() {
    let stream: Vec<_> =
        [Value::from("gold"), Value::Int(12)].iter().flat_map(|value| value.encode_frame().expect("encodes")).collect();
    let engine = hex(ENGINE);
    assert_eq!(load(&engine, &key()), Ok(all_at_once(&stream)));
    let ours = save(&stream, &[], &Threads::alone());
    assert_eq!((ours.len(), &ours[..28]), (engine.len(), &engine[..28]), "magic, hash and length");
    assert_ne!(ours[28..44], engine[28..44], "the vector");
    assert_ne!(ours[28..], save(&stream, &[], &Threads::alone())[28..], "the vector of another save");
}

#[test]
fn a_file_of_godot_3_is_read_and_damage_in_it_is_told() {
    let (good, key) = (hex(GODOT_3), Key::of_password("mypass"));
    // {"gold": 12} and Color(1, 0, 0), each behind its length.
    let (gold, one) = (u32::from_le_bytes(*b"gold"), 1.0f32.to_bits());
    let words = [28, 18, 1, 4, 4, gold, 2, 12, 20, 14, one, 0, 0, one];
    let stream: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    assert_eq!(load(&good, &key), Ok(all_at_once(&stream)));
    assert!(load(&good, &Key::of_password("another")).unwrap_err().contains("the key is not that of the file"));
    for at in 4..good.len() {
        assert!(load(&good[..at], &key).unwrap_err().contains("cut off"), "{at} bytes");
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(load(&bad, &key).is_err(), "byte {at}");
    }
}

#[test]
fn any_stream_comes_back_by_any_number_of_threads() {
    let small = [0, 1, 3, 5, 7, 8, 9, 12, 13];
    for lens in [&[][..], &small, &[(1 << 20) - 24], &[(1 << 20) - 12, 3], &[3 << 20, 5, 40, 5 << 20], &[700; 9000]] {
        let stream = values(lens);
        for threads in [Threads::alone(), Threads::new(3)] {
            for header in [&b""[..], b"GAME 1.0 and more"] {
                let file = save(&stream, header, &threads);
                let loader = || {
                    let mut loader = open(&file, &key()).expect("opens");
                    loader.skip(header.len() as u64).expect("it is there");
                    loader
                };
                let whole: Vec<_> =
                    all_at_once(&stream).0.into_iter().map(|(at, bytes)| (at + header.len(), bytes)).collect();
                assert_eq!(read_all(loader(), &threads), ((whole.clone(), None), lens.len() as u64), "{lens:?}");
                for (from, count) in [(0, 1), (1, 1), (-1, 1), (2, 9), (-3, 2)] {
                    let mut loader = loader();
                    loader.select(from, Some(count));
                    let start = if from < 0 { whole.len() as i64 + from } else { from };
                    let (start, end) = (start.max(0), (start + count as i64).clamp(0, whole.len() as i64));
                    let expected = whole.get(start as usize..end as usize).unwrap_or_default();
                    assert_eq!(read_all(loader, &threads).0, (expected.to_vec(), None), "{from}, {count}");
                }
            }
        }
    }
}

/// The engine does not look at the padding either.
#[test]
fn a_changed_byte_a_cut_file_and_a_wrong_key_are_told() {
    let stream = values(&[1, 2, 40]);
    let file = save(&stream, &[], &Threads::alone());
    let padding = 44 + stream.len()..file.len();
    assert!(!padding.is_empty());
    let (start, wrong_key, damaged) = (EncryptedError::Start, EncryptedError::WrongKey, EncryptedError::Damaged);
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut changed = file.clone();
            changed[at] ^= 1 << bit;
            let found = load(&changed, &key());
            if padding.contains(&at) {
                assert_eq!(found, Ok(all_at_once(&stream)));
                continue;
            }
            let error = found.expect_err("it was changed");
            let fits = match at {
                0..4 => error == start.to_string(),
                20..28 => [&damaged.to_string(), &wrong_key.to_string()].contains(&&error) || error.contains("cut off"),
                // What begins like a value is in the first block.
                28..60 => [&damaged, &wrong_key].iter().any(|fits| fits.to_string() == error),
                _ => error == damaged.to_string(),
            };
            assert!(fits, "byte {at}: {error}");
        }
    }
    for len in 0..file.len() {
        let error = load(&file[..len], &key()).expect_err("it was cut");
        assert!(error.contains("cut off"), "{len}: {error}");
    }
    for index in 0..Key::LEN {
        let mut other: [u8; Key::LEN] = std::array::from_fn(|index| index as u8);
        other[index] ^= 1;
        assert_eq!(load(&file, &Key::new(other)), Err(wrong_key.to_string()));
    }
    assert_eq!(load(&[&file[..], b"what is behind it"].concat(), &key()), Ok(all_at_once(&stream)));
}

/// Its length and its hash say that it is an array of 1 GiB.
#[test]
fn a_length_that_is_not_there_costs_no_memory() {
    let mut file = save(&values(&[9]), &[], &Threads::alone());
    for len in [1 << 30, u64::MAX, u64::MAX - 15] {
        file[20..28].copy_from_slice(&len.to_le_bytes());
        assert!(load(&file, &key()).expect_err("it is not there").contains("cut off"));
    }
}

#[test]
fn nothing_is_added_to_an_encrypted_file() {
    let (_folder, path) = Folder::with("save");
    let file = save(&values(&[9]), &[], &Threads::alone());
    fs::write(&path, &file).expect("writes");
    let refused = Saver::append(&path, &Ticket::take_for(&path), Dialect::GODOT_4).map(drop);
    assert!(matches!(refused, Err(AppendError::Encrypted)), "{refused:?}");
    assert_eq!(fs::read(&path).expect("a file"), file);
}

#[test]
fn a_key_is_never_shown() {
    assert_eq!(format!("{:?}", key()), "Key");
}

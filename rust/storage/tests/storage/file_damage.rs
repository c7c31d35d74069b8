//! Guards: of a file that is damaged, cut off or cannot be read to its end, all frames before that are loaded, and the error
//! is that of all its bytes at once. For a range, damage matters only where lengths cannot be followed or the frames are; its
//! error has the index in the file.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use varbatch_codec::Value;
use varbatch_storage::compressed::{Compression, Decoder};
use varbatch_storage::encrypted::Key;
use varbatch_storage::{Loader, ReadStep, Saver, Ticket};
use varbatch_workers::Threads;

use crate::compressed::compress;
use crate::file_load::{
    Found, Input, PIECE, all_at_once, ask, assert_found, assert_loads, bit_by_bit, in_plain_file, load, stream,
};
use crate::file_range::{ranges, slice};
use crate::folder::Folder;
use crate::support::memory::taken;
use crate::support::random::Random;

/// Checks all ranges of a file that ends with an error behind these frames: where another frame would begin, or, if only
/// the end is damaged, behind the last one.
#[track_caller]
fn assert_torn(file: &[u8], (all, error): &Found, is_end: bool, random: &mut Random) {
    let len = all.len() as u64;
    for (from, count) in ranges(all.len(), random) {
        let (found, next) = ask(load(file, 999).expect("a head"), from, count, &Threads::alone());
        let end = u64::try_from(from).ok().map(|from| from.saturating_add(count.unwrap_or(u64::MAX)));
        // Counted from the start, an end that is not reached is not looked at.
        let is_reached = count != Some(0) && end.is_none_or(|end| end > len || is_end && end == len);
        assert_found(&found, &(slice(all, from, count), error.clone().filter(|_| is_reached)));
        assert!(is_end || !is_reached || next == len, "index {next} of the damage for {count:?} from {from}");
    }
}

#[test]
fn a_stream_is_loaded_up_to_any_end() {
    let bytes = stream(&[8, 0, 3, 100, 0, 0, 4, 1]);
    for end in 0..=bytes.len() {
        for most in [1, 50, 1000] {
            assert_loads(&bytes[..end], most);
        }
    }
    // Around a piece.
    let bytes = stream(&[10, PIECE - 22, PIECE / 2, 20, 2 * PIECE, 5]);
    let ends = [PIECE, PIECE + 4, PIECE * 3 / 2 + 4, bytes.len() - 9, bytes.len()];
    for end in ends.into_iter().flat_map(|end| end - 6..(end + 6).min(bytes.len())) {
        assert_loads(&bytes[..end], 10 * PIECE);
    }
}

#[test]
fn a_length_beyond_the_end_is_damage_and_takes_no_memory_however_large() {
    let threads = Threads::alone();
    for before in [vec![], vec![4, 0], vec![100, 7], vec![PIECE, 7]] {
        for len in [7, PIECE as u32, 0x7fff_ffff, 0xffff_fffc, 0xffff_ffff_u32] {
            let bytes = [&stream(&before)[..], &len.to_le_bytes(), &[1; 6]].concat();
            assert_loads(&bytes, PIECE);
            let limit = bytes.len() * 4 + 100_000;
            let loader = Loader::new(Box::new(io::Cursor::new(bytes.clone())), 10);
            let ((_, took), _) = taken(|| bit_by_bit(loader, &threads));
            assert!(took < limit, "{took} bytes for {len}");
            let all = all_at_once(&bytes);
            for (from, count) in ranges(all.0.len(), &mut Random::new(1)) {
                let loader = load(&bytes, PIECE).expect("a head");
                let ((_, took), (found, _)) = taken(|| ask(loader, from, count, &threads));
                assert!(found.0 == slice(&all.0, from, count), "{count:?} from {from}");
                assert!(took < bytes.len() * 8 + 100_000, "{took} bytes for {len}, {count:?} from {from}");
            }
        }
    }
}

/// A file may grow or shrink while it is read: it ends where its length said, or where it ends.
#[test]
fn a_file_of_another_length_than_it_said_ends_where_either_does() {
    let bytes = stream(&[8, 100, 0, 50, PIECE, 3, PIECE / 4, 7, 7]);
    let mut random = Random::new(2);
    for threads in [1, 2].map(Threads::new) {
        for most in [1000, 2 * PIECE] {
            for _ in 0..30 {
                let said = if random.percent(50) { random.below(300) } else { random.below(bytes.len()) };
                let found = bit_by_bit(Loader::new(Input::new(&bytes, most), said as u64), &threads);
                assert_found(&found, &in_plain_file(&bytes[..said]));
                let short = &bytes[..said];
                for more in [1, 4, 100, 3 * PIECE, 100 * PIECE] {
                    let mut found = bit_by_bit(Loader::new(Input::new(short, most), (said + more) as u64), &threads);
                    let mut expected = in_plain_file(short);
                    // What ends inside a frame may be said of the length, without a look at how much there is.
                    assert!(found.1.is_some() || expected.1.is_none(), "{expected:?}");
                    (found.1, expected.1) = (None, None);
                    assert_found(&found, &expected);
                }
            }
        }
    }
}

#[test]
fn all_before_an_error_of_the_system_is_given() {
    let small = stream(&[8, 0, 3, 100, 0, 0, 4, 1]);
    let large = stream(&[100, PIECE, 3, PIECE / 4, 2 * PIECE, 7, 7]);
    let mut random = Random::new(3);
    let places = (0..small.len()).map(|at| (&small, at)).chain((0..40).map(|_| (&large, random.below(large.len()))));
    for (bytes, at) in places {
        for threads in [1, 2].map(Threads::new) {
            let mut input = Input::new(bytes, PIECE);
            input.fails = Some(at);
            let (found, error) = bit_by_bit(Loader::new(input, bytes.len() as u64), &threads);
            assert_eq!(error.as_deref(), Some("the disk is gone"), "at {at}");
            let expected = all_at_once(&bytes[..at]).0;
            assert_eq!(found.len(), expected.len(), "frames before the error at {at}");
            assert!(found == expected, "frames before the error at {at}");
        }
    }
}

/// What comes before it is given out; the error is that of the compressed file.
#[test]
fn a_compressed_stream_that_is_cut_off_gives_the_frames_of_its_whole_blocks() {
    let block_len = 1000;
    let bytes = stream(&[300; 40]);
    let file = compress(&bytes, Compression::Deflate, block_len);
    let expected = all_at_once(&bytes).0;
    let mut counts = Vec::new();
    for end in 1..file.len() {
        for threads in [1, 2].map(Threads::new) {
            let (found, error) = bit_by_bit(load(&file[..end], 999), &threads);
            let error = error.unwrap_or_else(|| panic!("no error for {end} of {}", file.len()));
            // Fewer than four bytes are a broken frame; behind them the magic, at the end or before.
            assert_eq!(error.contains("of the file"), end >= 4, "{end}: {error}");
            assert!(found == expected[..found.len()], "frames of {end} bytes");
            counts.push(found.len());
        }
    }
    assert!(counts.is_sorted(), "more of the file gave less: {counts:?}");
    // Of each block that is whole, the frames are there.
    counts.dedup();
    assert!(counts.len() > 10 && counts.last() == Some(&40), "{counts:?}");
}

#[test]
fn ranges_of_a_torn_plain_file_are_slices_of_what_is_whole() {
    let mut random = Random::new(21);
    let bytes = stream(&[8, 0, 700, 100, 0, 5000, 4, 1]);
    for end in (0..=bytes.len()).filter(|end| end % 50 < 8) {
        assert_torn(&bytes[..end], &all_at_once(&bytes[..end]), false, &mut random);
    }
    let many = stream(&[50; 3000]);
    for end in [many.len() - 1, many.len() - 52, many.len() - 100] {
        assert_torn(&many[..end], &all_at_once(&many[..end]), false, &mut random);
    }
}

#[test]
fn ranges_of_a_torn_compressed_file_are_slices_of_what_is_whole() {
    let mut random = Random::new(22);
    let bytes = stream(&[80, 0, 300, 100, 0, 120, 4, 1]);
    for compression in Compression::WRITTEN {
        let file = compress(&bytes, compression, 50);
        let head = 16 + 4 * (bytes.len() / 50 + 1);
        for end in (head..file.len()).step_by(7).chain(file.len() - 5..file.len()) {
            let torn = &file[..end];
            let all = bit_by_bit(load(torn, 999), &Threads::alone());
            assert!(all.1.is_some(), "no error for {end} of {}", file.len());
            assert_torn(torn, &all, all.0.len() == 8, &mut random);
            let decoder = Decoder::new(torn, end as u64).expect("a head");
            assert_eq!(decoder.whole_len() < bytes.len() as u64, end < file.len() - 4, "{end} of {}", file.len());
        }
        let mut file = file;
        *file.last_mut().expect("an end") ^= 1;
        let all = bit_by_bit(load(&file, 999), &Threads::alone());
        assert!(all.0.len() == 8 && all.1.is_some());
        assert_torn(&file, &all, true, &mut random);
    }
}

/// A block in the middle of frame 5 of 9.
#[test]
fn a_damaged_block_matters_only_to_its_frame() {
    let mut random = Random::new(23);
    let bytes = stream(&[2000; 9]);
    let all = all_at_once(&bytes).0;
    for compression in Compression::WRITTEN {
        let mut file = compress(&bytes, compression, 100);
        let sizes = file.as_chunks::<4>().0[4..][..bytes.len() / 100 + 1].to_vec();
        let block = (5 * 2004 + 1000) / 100;
        let before: u32 = sizes[..block].iter().map(|size| u32::from_le_bytes(*size)).sum();
        let at = 16 + 4 * sizes.len() + before as usize;
        for byte in &mut file[at + 8..at + 40] {
            *byte ^= 0x5a;
        }
        let (_, error) = bit_by_bit(load(&file, 9999), &Threads::alone());
        assert!(error.is_some(), "{compression:?} is not damaged");
        for (from, count) in ranges(all.len(), &mut random) {
            let (found, next) = ask(load(&file, 9999).expect("a head"), from, count, &Threads::alone());
            let mut expected = slice(&all, from, count);
            if let Some(damaged) = expected.iter().position(|frame| frame == &all[5]) {
                expected.truncate(damaged);
                assert_found(&found, &(expected, error.clone()));
                assert_eq!(next, 5, "index of the damage");
            } else {
                assert_found(&found, &(expected, None));
            }
        }
    }
}

/// The table has a size that no block has, or one that is wrong by a byte: what is before is found.
#[test]
fn a_wrong_table_gives_what_is_before() {
    let bytes = stream(&[2000; 9]);
    let all = all_at_once(&bytes).0;
    let threads = Threads::alone();
    for size in [0, u32::MAX, 90] {
        let mut file = compress(&bytes, Compression::Zstd, 100);
        let block = 130;
        file[16 + 4 * block..][..4].copy_from_slice(&size.to_le_bytes());
        let (_, error) = bit_by_bit(load(&file, 9999), &threads);
        for from in 0..6 {
            assert_found(
                &ask(load(&file, 9999).expect("a head"), from, Some(1), &threads).0,
                &(slice(&all, from, Some(1)), None),
            );
        }
        for from in [6, 8, -1, -20] {
            let (found, _) = ask(load(&file, 9999).expect("a head"), from, None, &threads);
            assert!(found.1.is_some(), "no error from {from}, a size of {size}");
            assert!(found.0.iter().all(|frame| all.contains(frame)), "other frames from {from}");
            if size != 90 {
                assert_eq!(found.1, error, "from {from}");
            }
        }
    }
}

/// A file may grow or shrink while it is read.
#[test]
fn ranges_of_a_file_of_another_length_than_it_said_are_of_its_frames() {
    let bytes = stream(&[8, 100, 0, 50, PIECE, 3, PIECE / 4, 7, 7]);
    let all = all_at_once(&bytes).0;
    let mut random = Random::new(24);
    for _ in 0..400 {
        let there = random.below(bytes.len());
        let lens = [random.below(300), random.below(bytes.len()), bytes.len() + random.below(100)];
        let said = random.pick(&lens);
        let (from, count) = (random.below(22) as i64 - 11, Some(random.below(11) as u64));
        let input = Input::new(&bytes[..there], PIECE);
        let loader = Loader::new(input, said as u64).expect("a head");
        let ((found, error), _) = ask(loader, from, count, &Threads::alone());
        assert!(found.iter().all(|frame| all.contains(frame)), "other frames");
        if said <= there && (from >= 0 || error.is_none()) {
            assert!(found == slice(&in_plain_file(&bytes[..said]).0, from, count), "{count:?} from {from} of {said}");
        }
    }
}

#[test]
fn an_error_of_the_system_matters_where_bytes_are_needed() {
    let bytes = stream(&[8, 0, 3000, 100, 0, 9000, 4, 1]);
    let all = all_at_once(&bytes).0;
    for at in 0..bytes.len() {
        let ask_there = |from, count| {
            let mut input = Input::new(&bytes, 999);
            input.fails = Some(at);
            Loader::new(input, bytes.len() as u64).map(|loader| ask(loader, from, count, &Threads::alone()).0)
        };
        // The last two frames are found behind the long ones, wherever the disk fails in these.
        let in_payloads = (700..3000).contains(&at) || (4000..11_000).contains(&at);
        for (from, count) in [(6, None), (-2, None), (0, Some(2)), (3, Some(1)), (5, Some(1))] {
            let Ok(found) = ask_there(from, count) else { continue };
            let expected = slice(&all, from, count);
            assert!(found.0.iter().all(|frame| all.contains(frame)), "other frames");
            assert!(found.1.as_deref().is_none_or(|error| error == "the disk is gone"), "{:?}", found.1);
            assert!(found.1.is_some() || found.0 == expected, "{count:?} from {from} at {at}: no error");
            if in_payloads && from != 5 {
                assert_found(&found, &(expected, None));
            }
        }
    }
}

#[test]
fn hostile_files_do_no_harm() {
    let mut random = Random::new(25);
    let bytes = stream(&[80, 0, 300, 100, 0, 120, 4, 1]);
    let files = Compression::WRITTEN.map(|how| compress(&bytes, how, 50));
    for round in 0..6000 {
        let mut file = if round % 4 == 3 { bytes.clone() } else { files[round % 4].clone() };
        for _ in 0..1 + random.below(4) {
            let at = random.below(file.len());
            file[at] = random.next() as u8;
        }
        if random.percent(30) {
            file.truncate(random.below(file.len()));
        }
        let Ok(loader) = load(&file, 9999) else { continue };
        let (from, count) = (random.below(24) as i64 - 12, random.pick(&[None, Some(1), Some(3), Some(u64::MAX)]));
        ask(loader, from, count, &Threads::alone());
    }
}

/// A file of any length that has no bytes but these.
struct Sparse {
    head: Vec<u8>,
    at: u64,
    /// Bytes that were read.
    read: u64,
}

impl Read for Sparse {
    fn read(&mut self, dest: &mut [u8]) -> io::Result<usize> {
        dest.fill(0);
        let head = self.head.get(self.at as usize..).unwrap_or_default();
        let len = dest.len().min(head.len());
        dest[..len].copy_from_slice(&head[..len]);
        (self.at, self.read) = (self.at + dest.len() as u64, self.read + dest.len() as u64);
        assert!(self.read < 4 * PIECE as u64, "{} bytes read", self.read);
        Ok(dest.len())
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else { return Err(ErrorKind::Unsupported.into()) };
        self.at = at;
        Ok(at)
    }
}

#[test]
fn a_length_that_no_value_has_is_refused_before_anything_is_reserved() {
    for len in [0x8000_0000, u32::MAX] {
        let head = [&stream(&[12])[..], &len.to_le_bytes()].concat();
        let error = format!("expected at most 2147483647 bytes in one value, found {len}, at byte 20");
        let load = || Loader::new(Box::new(Sparse { head: head.clone(), at: 0, read: 0 }), 5 << 30);
        let ((_, took), found) = taken(|| bit_by_bit(load(), &Threads::alone()));
        assert_found(&found, &(vec![(4, head[4..16].to_vec())], Some(error.clone())));
        assert!(took < 7 * PIECE, "{took} bytes for {len}");
        for from in [1, -1] {
            let ((found, damage), _) = ask(load().expect("a head"), from, None, &Threads::alone());
            assert_eq!((found.len(), damage), (usize::from(from < 0), Some(error.clone())), "from {from}");
        }
    }
}

/// Emptied by another program, or cut off: what is missing is told, and not what a damaged length would be.
#[test]
fn a_file_that_becomes_shorter_while_it_is_read_is_an_error() {
    let bytes: Vec<_> = (0..300_000).flat_map(|at| Value::Int(at << 33).encode_frame().expect("encodes")).collect();
    let (_folder, path) = Folder::with("save");
    let key = Key::new([7; Key::LEN]);
    for (from, is_encrypted) in [(0, false), (250_000, false), (-9, false), (0, true), (-9, true)] {
        // At the end of a value, inside one, and at nothing.
        for len in [3_200_000, 3_000_003, 0] {
            let mut saver = match is_encrypted {
                true => Saver::create_encrypted(&path, &key).expect("begins"),
                false => Saver::create(&path, None).expect("begins"),
            };
            saver.write_bytes(&bytes, &Threads::alone()).expect("writes");
            saver.flush(&Threads::alone()).expect("flushes").commit(&Ticket::take_for(&path)).expect("commits");
            let (file, file_len) = varbatch_storage::open(&path).expect("opens");
            let mut loader = match is_encrypted {
                true => Loader::encrypted(Box::new(file), file_len, &key).expect("begins"),
                false => Loader::new(Box::new(file), file_len).expect("begins"),
            };
            loader.select(from, None);
            let mut piece = Vec::new();
            loader.read_step(&mut piece, &Threads::alone()).expect("reads");
            OpenOptions::new().write(true).open(&path).expect("opens").set_len(len).expect("cuts off");
            let error = loop {
                match loader.read_step(&mut piece, &Threads::alone()) {
                    Ok(ReadStep::End) => panic!("from {from}, {len} bytes: no error"),
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_eq!(error.to_string(), "the file became shorter while it was read", "from {from}, {len} bytes");
            assert!(!error.is_damage());
        }
    }
}

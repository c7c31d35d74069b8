//! Guards: damage before and behind the frames that were asked for does not matter as long as their lengths can be
//! followed; damage in them is the error of a load of all, with its index in the file.

use std::io::Cursor;

use varbatch_storage::Loader;
use varbatch_storage::compressed::{Compression, Decoder};
use varbatch_workers::Threads;

use crate::compressed::compress;
use crate::file_load::{Found, Input, PIECE, all_at_once, assert_found, bit_by_bit, in_plain_file, stream};
use crate::file_range::{ask, ranges, slice};
use crate::support::allocator::taken;
use crate::support::random::Random;

fn load(file: &[u8], most: usize) -> Loader {
    Loader::new(Input::new(file, most), file.len() as u64).expect("a head")
}

/// Checks all ranges of a file that ends with an error behind these frames.
#[track_caller]
fn assert_torn(file: &[u8], (all, error): &Found, random: &mut Random) {
    for (from, count) in ranges(all.len(), random) {
        let (found, next) = ask(load(file, 999), from, count, &Threads::alone());
        let end = u64::try_from(from).ok().map(|from| from.saturating_add(count.unwrap_or(u64::MAX)));
        // Counted from the start, an end that is not reached is not looked at.
        let is_reached = count != Some(0) && end.is_none_or(|end| end > all.len() as u64);
        let expected = (slice(all, from, count), error.clone().filter(|_| is_reached));
        assert_found(&found, &expected);
        assert!(!is_reached || next == all.len() as u64, "index {next} of the damage for {count:?} from {from}");
    }
}

#[test]
fn torn_ends_of_plain_files() {
    let mut random = Random::new(21);
    let bytes = stream(&[8, 0, 700, 100, 0, 5000, 4, 1]);
    for end in (0..=bytes.len()).filter(|end| end % 50 < 8) {
        assert_torn(&bytes[..end], &all_at_once(&bytes[..end]), &mut random);
    }
    let many = stream(&[50; 3000]);
    for end in [many.len() - 1, many.len() - 52, many.len() - 100] {
        assert_torn(&many[..end], &all_at_once(&many[..end]), &mut random);
    }
}

#[test]
fn torn_ends_of_compressed_files() {
    let mut random = Random::new(22);
    let bytes = stream(&[80, 0, 300, 100, 0, 120, 4, 1]);
    for compression in Compression::WRITTEN {
        let file = compress(&bytes, compression, 50);
        let head = 16 + 4 * (bytes.len() / 50 + 1);
        for end in (head..file.len()).step_by(7).chain(file.len() - 5..file.len()) {
            let torn = &file[..end];
            let all = bit_by_bit(Ok(load(torn, 999)), &Threads::alone());
            assert!(all.1.is_some(), "no error for {end} of {}", file.len());
            let assert_range = if all.0.len() == 8 { assert_end_damaged } else { assert_torn };
            assert_range(torn, &all, &mut random);
            let decoder = Decoder::new(torn, end as u64).expect("a head");
            assert_eq!(decoder.whole_len() < bytes.len() as u64, end < file.len() - 4, "{end} of {}", file.len());
        }
        let mut file = file;
        *file.last_mut().expect("an end") ^= 1;
        let all = bit_by_bit(Ok(load(&file, 999)), &Threads::alone());
        assert!(all.0.len() == 8 && all.1.is_some());
        assert_end_damaged(&file, &all, &mut random);
    }
}

/// Of a file whose end alone is damaged: a range that ends with the last frame reaches it.
#[track_caller]
fn assert_end_damaged(file: &[u8], (all, error): &Found, random: &mut Random) {
    for (from, count) in ranges(all.len(), random) {
        let ((found, damage), _) = ask(load(file, 999), from, count, &Threads::alone());
        assert!(found == slice(all, from, count), "{count:?} from {from}");
        let end = u64::try_from(from).ok().map(|from| from.saturating_add(count.unwrap_or(u64::MAX)));
        match end {
            _ if count == Some(0) => assert_eq!(damage, None),
            Some(end) if end < all.len() as u64 => assert_eq!(damage, None, "{count:?} from {from}"),
            _ => assert_eq!(&damage, error, "{count:?} from {from}"),
        }
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
        let (_, error) = bit_by_bit(Ok(load(&file, 9999)), &Threads::alone());
        assert!(error.is_some(), "{compression:?} is not damaged");
        for (from, count) in ranges(all.len(), &mut random) {
            let (found, next) = ask(load(&file, 9999), from, count, &Threads::alone());
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
        let (_, error) = bit_by_bit(Ok(load(&file, 9999)), &threads);
        for from in 0..6 {
            assert_found(&ask(load(&file, 9999), from, Some(1), &threads).0, &(slice(&all, from, Some(1)), None));
        }
        for from in [6, 8, -1, -20] {
            let (found, _) = ask(load(&file, 9999), from, None, &threads);
            assert!(found.1.is_some(), "no error from {from}, a size of {size}");
            assert!(found.0.iter().all(|frame| all.contains(frame)), "other frames from {from}");
            if size != 90 {
                assert_eq!(found.1, error, "from {from}");
            }
        }
    }
}

#[test]
fn lengths_that_lie_take_no_memory() {
    let threads = Threads::alone();
    for before in [vec![], vec![4, 0], vec![100, 7]] {
        for len in [7, PIECE as u32, 0x7fff_ffff, 0xffff_fffc, 0xffff_ffff_u32] {
            let bytes = [&stream(&before)[..], &len.to_le_bytes(), &[1; 6]].concat();
            let all = all_at_once(&bytes);
            for (from, count) in ranges(all.0.len(), &mut Random::new(1)) {
                let loader = load(&bytes, PIECE);
                let ((_, took), (found, _)) = taken(|| ask(loader, from, count, &threads));
                assert!(found.0 == slice(&all.0, from, count), "{count:?} from {from}");
                assert!(took < bytes.len() * 8 + 100_000, "{took} bytes for {len}, {count:?} from {from}");
            }
        }
    }
}

/// A file may grow or shrink while it is read.
#[test]
fn a_file_of_another_length_than_it_said() {
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
    let plain = bytes.clone();
    let files = Compression::WRITTEN.map(|how| compress(&bytes, how, 50));
    for round in 0..6000 {
        let mut file = if round % 4 == 3 { plain.clone() } else { files[round % 4].clone() };
        for _ in 0..1 + random.below(4) {
            let at = random.below(file.len());
            file[at] = random.next() as u8;
        }
        if random.percent(30) {
            file.truncate(random.below(file.len()));
        }
        let len = file.len() as u64;
        let Ok(loader) = Loader::new(Box::new(Cursor::new(file)), len) else { continue };
        let (from, count) = (random.below(24) as i64 - 12, random.pick(&[None, Some(1), Some(3), Some(u64::MAX)]));
        ask(loader, from, count, &Threads::alone());
    }
}

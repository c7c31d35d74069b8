//! Guards: of a file that is damaged, cut off or cannot be read to its end, all frames before that are loaded, and the error
//! is that of all its bytes at once.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use varbatch_storage::Loader;
use varbatch_storage::compressed::Compression;
use varbatch_workers::Threads;

use crate::compressed::compress;
use crate::file_load::{Input, PIECE, all_at_once, assert_found, assert_loads, bit_by_bit, in_plain_file, stream};
use crate::file_range::ask;
use crate::support::allocator::taken;
use crate::support::random::Random;

#[test]
fn every_truncation_of_a_small_stream() {
    let bytes = stream(&[8, 0, 3, 100, 0, 0, 4, 1]);
    for end in 0..=bytes.len() {
        for most in [1, 50, 1000] {
            assert_loads(&bytes[..end], most);
        }
    }
}

#[test]
fn truncations_around_a_piece() {
    let bytes = stream(&[10, PIECE - 22, PIECE / 2, 20, 2 * PIECE, 5]);
    let ends = [PIECE, PIECE + 4, PIECE * 3 / 2 + 4, bytes.len() - 9, bytes.len()];
    for end in ends.into_iter().flat_map(|end| end - 6..(end + 6).min(bytes.len())) {
        assert_loads(&bytes[..end], 10 * PIECE);
    }
}

#[test]
fn a_length_beyond_the_end_is_damage_however_large() {
    let threads = Threads::alone();
    for before in [vec![], vec![4, 0], vec![PIECE, 7]] {
        for len in [7, PIECE as u32, 0x7fff_ffff, 0xffff_fffc, 0xffff_ffff_u32] {
            let bytes = [&stream(&before)[..], &len.to_le_bytes(), &[1; 6]].concat();
            assert_loads(&bytes, PIECE);
            let limit = bytes.len() * 4 + 100_000;
            let ((_, took), _) = taken(|| bit_by_bit(Loader::new(Box::new(io::Cursor::new(bytes)), 10), &threads));
            assert!(took < limit, "{took} bytes for {len}");
        }
    }
}

/// A file may grow or shrink while it is read: it ends where its length said, or where it ends.
#[test]
fn a_file_of_another_length_than_it_said() {
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
fn a_compressed_stream_that_is_cut_off() {
    let block_len = 1000;
    let bytes = stream(&[300; 40]);
    let file = compress(&bytes, Compression::Deflate, block_len);
    let expected = all_at_once(&bytes).0;
    let mut counts = Vec::new();
    for end in 1..file.len() {
        for threads in [1, 2].map(Threads::new) {
            let (found, error) = bit_by_bit(Loader::new(Input::new(&file[..end], 999), end as u64), &threads);
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

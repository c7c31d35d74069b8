//! Guards: reading allocates its stack of open containers and the error, whatever a buffer announces.

use std::hint::black_box;

use varbatch_codec::{CodecError, CodecErrorKind, Kind, Reader, frames, validate};

use crate::support::allocator::{most_held, taken};
use crate::support::steps::announced;
use crate::support::vectors;

/// What the Reader keeps of each container that it is inside of, in bytes, at most.
const OPEN_LEN: usize = 48;

/// The steps of a path and the texts in them, for each container that an error is inside of, in bytes, at most.
const STEP_LEN: usize = 1500;

/// What reading may take for values up to `depth` containers deep: a stack that doubles as it grows.
fn stack(depth: usize) -> usize {
    if depth == 0 { 0 } else { 2 * OPEN_LEN * depth.next_power_of_two().max(4) }
}

/// Reads to the end, or to the first error; gives how deep it was inside of containers at most as well.
fn read(mut reader: Reader<'_>) -> (usize, Result<usize, CodecError>) {
    let mut depth = 0;
    loop {
        match reader.next_event() {
            Ok(Some(_)) => depth = depth.max(reader.depth()),
            Ok(None) => return (depth, Ok(reader.position())),
            Err(error) => return (depth, Err(error)),
        }
    }
}

/// Bytes that an error takes besides its pointer, without a path.
fn error_len() -> usize {
    let ((calls, len), error) = taken(|| CodecError::new(0, CodecErrorKind::TooDeep));
    assert_eq!((calls, size_of_val(&error)), (1, size_of::<usize>()));
    len
}

/// Fails if reading takes more than its stack and an error, by events or at once.
#[track_caller]
fn assert_frugal(what: &str, bytes: &[u8], allow_objects: bool) {
    let reader = || Reader::new(bytes).with_objects(allow_objects);
    let ((calls, len), (depth, result)) = taken(|| read(reader()));
    let bound = if result.is_ok() { 0 } else { error_len() + STEP_LEN * depth };
    assert!(len <= stack(depth) + bound, "{what}: {len} bytes in {calls} calls, {depth} deep");
    let error_calls = if result.is_ok() { 0 } else { 1 + 12 * depth };
    assert!(calls <= depth.min(12) + error_calls, "{what}: {calls} calls, {depth} deep");
    let (again, validated) = taken(|| validate(reader()));
    assert_eq!((again, validated), ((calls, len), result), "{what}: not as when it is read");
    assert!(error_len() <= 128, "an error of {} bytes", error_len());
}

#[test]
fn the_counter_counts() {
    assert_eq!(taken(|| Vec::<u8>::with_capacity(100)).0, (1, 100));
    assert_eq!(taken(|| vec![0_u64; 10]).0, (1, 80));
    assert_eq!(most_held(|| (0..9).for_each(|_| drop(black_box(vec![0_u64; 10])))).0, 80);
    assert_eq!(most_held(|| vec![vec![0_u8; 50], vec![0; 30]].len()).0, 80 + 2 * size_of::<Vec<u8>>());
}

#[test]
fn a_huge_count_allocates_nothing_but_its_error() {
    for kind in Kind::ALL {
        for flag in [0, 1, 5] {
            for count in [0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0x0fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
                let head = [[kind.id(), 0, flag, 0], count.to_le_bytes()];
                for len in [0, 4, 64] {
                    // Where the first word was a type, this is a count as well.
                    let behind = count.to_le_bytes().into_iter().cycle().take(len);
                    let bytes: Vec<_> = head.as_flattened().iter().copied().chain(behind).collect();
                    assert_frugal(kind.name(), &bytes, true);
                    assert_frugal(kind.name(), &bytes, false);
                }
            }
        }
    }
}

#[test]
fn a_huge_length_of_a_text_allocates_nothing_but_its_error() {
    for len in [0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0xffff_ffff_u32] {
        for before in 0..3 {
            let good = [4, 0, 0, 0, 0x61, 0x62, 0x63, 0].repeat(before);
            let head = [34, 0, 0, 0, 3, 0, 0, 0];
            let bytes = [&head[..], &good, &len.to_le_bytes(), &[0x61; 64]].concat();
            assert_frugal("text", &bytes, false);
        }
    }
}

#[test]
fn no_vector_allocates_more_than_its_depth_asks_for() {
    for vector in vectors::buffers() {
        assert_frugal(vector.name, &vector.bytes, true);
        assert_frugal(vector.name, &vector.bytes, false);
        // Cut off, so that there is an error in the middle.
        assert_frugal(vector.name, &vector.bytes[..vector.bytes.len() / 2], vector.allow_objects);
    }
}

#[test]
fn what_is_allocated_depends_on_the_depth_and_not_on_the_size() {
    let entry = "04000000 01000000 61000000 1c000000 02000000 02000000 05000000 04000000 00000000";
    let mut seen = Vec::new();
    for count in [2_usize, 100, 50_000] {
        let word = (count as u32).to_le_bytes();
        let entries = vectors::hex(entry).repeat(count);
        let dictionary = [&[27, 0, 0, 0], &word[..], &entries].concat();
        let strings = [&[34, 0, 0, 0], &word[..], &[4, 0, 0, 0, 0x61, 0x62, 0x63, 0].repeat(count)].concat();
        let nils = [&[28, 0, 0, 0], &word[..], &[0; 4].repeat(count)].concat();
        let array = [&[28, 0, 0, 0, 3, 0, 0, 0], &dictionary[..], &strings, &nils].concat();
        let (taken, result) = taken(|| validate(Reader::new(&array)));
        assert_eq!(result, Ok(array.len()));
        seen.push(taken);
        // Its last bytes broken: one more for the error, its path and the steps.
        let broken = &array[..array.len() - 1];
        assert_frugal("broken at the end", broken, false);
    }
    assert!(seen.iter().all(|&taken| taken == seen[0] && taken.0 == 1), "{seen:?}");
}

#[test]
fn nested_counts_are_believed_no_more_often_than_there_are_bytes() {
    // Each array says that all that is left are its elements: the counts would add up to a square.
    let words = 4000;
    for form in [28_u32, 27, 34] {
        let each = if form == 27 { 2 } else { 1 };
        let heads = (0..words / 2).flat_map(|index| [28, (words - 2 * index - 2) as u32]);
        let bytes: Vec<_> = heads.chain([form, 0]).flat_map(u32::to_le_bytes).collect();
        let mut reader = Reader::new(&bytes);
        let mut parts = 0;
        let error = loop {
            match reader.next_event() {
                Ok(Some(event)) => parts += announced(&event),
                Ok(None) => panic!("not all that was announced is there"),
                Err(error) => break error,
            }
        };
        assert!(parts * 4 * each <= bytes.len() * each, "{parts} parts in {} bytes", bytes.len());
        assert!(matches!(error.kind(), CodecErrorKind::ShortCount { due: 1.., .. }), "{error}");
        assert_frugal("counts", &bytes, false);
    }
}

#[test]
fn frames_allocate_nothing_but_the_error_of_the_last() {
    let good = [8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0].repeat(100);
    let all = |bytes: &[u8]| frames::read(bytes).try_for_each(|frame| validate(Reader::new(frame?.payload)).map(drop));
    assert_eq!(taken(|| all(&good)), ((0, 0), Ok(())));
    for len in [9, 0x7fff_ffff, 0xffff_ffff_u32] {
        let bytes = [&good[..], &len.to_le_bytes(), &[0; 8]].concat();
        let (taken, result) = taken(|| all(&bytes));
        assert_eq!((taken, result.is_err()), ((1, error_len()), true));
    }
}

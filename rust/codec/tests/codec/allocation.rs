//! Guards: reading allocates its stack of open containers and the error, whatever a buffer announces.

use std::hint::black_box;

use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Engine, Reader, frames, validate};

use crate::support::agree::assert_agrees_of;
use crate::support::memory::{most_held, taken};
use crate::support::wire::words;
use crate::support::{numbers, vectors};

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
    assert_eq!(
        (calls, size_of_val(&error), size_of_val(&Err::<(), _>(error))),
        (1, size_of::<usize>(), size_of::<usize>())
    );
    len
}

/// Fails if reading takes more than its stack and an error, by events or at once.
#[track_caller]
fn assert_frugal(what: &str, reader: Reader<'_>) {
    let ((calls, len), (depth, result)) = taken(|| read(reader.clone()));
    let bound = if result.is_ok() { 0 } else { error_len() + STEP_LEN * depth };
    assert!(len <= stack(depth) + bound, "{what}: {len} bytes in {calls} calls, {depth} deep");
    let error_calls = if result.is_ok() { 0 } else { 1 + 12 * depth };
    assert!(calls <= depth.min(12) + error_calls, "{what}: {calls} calls, {depth} deep");
    let (again, validated) = taken(|| validate(reader.clone()));
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
    let mut all = Vec::new();
    for engine in Engine::ALL {
        for (id, flag) in (0..numbers::types(engine).len() as u32).flat_map(|id| [0, 1, 5].map(|flag| (id, flag))) {
            for count in [0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0x1fff_ffff, 0x0fff_ffff, 0x8000_0000, u32::MAX] {
                let head = [id | flag << 16, count];
                // Where the first word was a type, what is behind is a count as well.
                all.extend([0, 1, 16].map(|behind| (engine, words(&[&head[..], &vec![count; behind]].concat()))));
                all.push((engine, words(&[&head[..], &[2, count]].concat())));
            }
        }
    }
    for len in [0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0xffff_ffff_u32] {
        for before in 0..3 {
            let texts = [4, 0x0063_6261].repeat(before);
            all.push((Engine::Godot4, words(&[&[34, 3][..], &texts, &[len], &[0x6161_6161; 16]].concat())));
        }
    }
    for (engine, bytes) in all {
        for allow_objects in [true, false] {
            let reader = Reader::new(&bytes).with_dialect(Dialect::of(engine)).with_objects(allow_objects);
            assert_frugal(&format!("{bytes:02x?} of {}", engine.name()), reader);
        }
        assert_agrees_of(engine, &bytes, true);
    }
}

#[test]
fn no_vector_allocates_more_than_its_depth_asks_for() {
    for vector in vectors::buffers() {
        let reader = |len: usize| Reader::new(&vector.bytes[..len]).with_objects(true);
        assert_frugal(vector.name, reader(vector.bytes.len()));
        assert_frugal(vector.name, Reader::new(&vector.bytes));
        // Cut off, so that there is an error in the middle.
        assert_frugal(vector.name, reader(vector.bytes.len() / 2).with_objects(vector.allow_objects));
    }
}

#[test]
fn what_is_allocated_depends_on_the_depth_and_not_on_the_size() {
    let entry = "04000000 01000000 61000000 1c000000 02000000 02000000 05000000 04000000 00000000";
    let mut seen = Vec::new();
    for count in [2_usize, 100, 50_000] {
        let head = |id| words(&[id, count as u32]);
        let dictionary = [head(27), vectors::hex(entry).repeat(count)].concat();
        let strings = [head(34), words(&[4, 0x0063_6261]).repeat(count)].concat();
        let array = [words(&[28, 3]), dictionary, strings, head(28), words(&[0]).repeat(count)].concat();
        let (taken, result) = taken(|| validate(Reader::new(&array)));
        assert_eq!(result, Ok(array.len()));
        seen.push(taken);
        // Its last bytes broken: one more for the error, its path and the steps.
        let broken = &array[..array.len() - 1];
        assert_frugal("broken at the end", Reader::new(broken));
    }
    assert!(seen.iter().all(|&taken| taken == seen[0] && taken.0 == 1), "{seen:?}");
}

#[test]
fn nested_counts_are_believed_no_more_often_than_there_are_bytes() {
    // Each array says that all that is left are its elements: the counts would add up to a square.
    let count = 4000;
    for form in [28_u32, 27, 34] {
        let heads = (0..count / 2).flat_map(|index| [28, (count - 2 * index - 2) as u32]);
        let bytes = words(&heads.chain([form, 0]).collect::<Vec<_>>());
        assert_agrees_of(Engine::Godot4, &bytes, true);
        let error = validate(Reader::new(&bytes)).expect_err("not all that was announced is there");
        assert!(matches!(error.kind(), CodecErrorKind::ShortCount { due: 1.., .. }), "{error}");
        assert_frugal("counts", Reader::new(&bytes));
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

//! Guards: the values of a file are translated as each by itself, over any threads and in little memory; what fails first,
//! and damage, is told with its frame and byte.

use std::fs;

use varbatch_codec::frames;
use varbatch_codec::transcode::{Losses, Translation};
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Engine, Plan};
use varbatch_storage::compressed::Compression;
use varbatch_storage::transcode::{TranscodeError, file};
use varbatch_storage::{LoadError, Loader, Saver, Ticket};
use varbatch_workers::Threads;

use crate::compressed::{compress, decompress};
use crate::file_append::{record, whole_len};
use crate::file_load::Input;
use crate::folder::Folder;
use crate::support::memory::most_held;
use crate::support::random::Random;
use crate::support::steps::read;
use crate::support::wire::{doubles, string, words};
use crate::support::{nearly, vectors};

/// Values as a stream of frames.
fn framed(payloads: &[Vec<u8>]) -> Vec<u8> {
    payloads.iter().flat_map(|payload| record(payload)).collect()
}

const TO_GODOT_4: Translation = Translation::new(Dialect::GODOT_3, Dialect::GODOT_4);
const TO_GODOT_3: Translation = Translation::new(Dialect::GODOT_4, Dialect::GODOT_3);

fn count(bytes: &[u8]) -> usize {
    frames::read(bytes).count()
}

type Translated = Result<(Vec<u8>, usize, Vec<String>), (usize, CodecError)>;

/// All values as those of a file.
fn all_at_once(bytes: &[u8], translation: Translation, threads: &Threads) -> Translated {
    let (result, there) = translated(loader(bytes), translation, threads);
    match result {
        Ok((count, losses)) => Ok((there, count, lines(&losses))),
        Err(TranscodeError::Value { index, error }) => Err((index, error)),
        Err(TranscodeError::Load(LoadError::Frame(error))) => {
            assert!(
                Ok(&there) == one_by_one(&bytes[..whole_len(bytes)], translation).as_ref().map(|(there, ..)| there)
            );
            Err((count(&bytes[..whole_len(bytes)]), error))
        }
        Err(error) => panic!("{error}"),
    }
}

fn lines(losses: &Losses) -> Vec<String> {
    losses.iter().map(ToString::to_string).collect()
}

/// The frames, and each value by itself; places count from the start of the stream.
fn one_by_one(bytes: &[u8], translation: Translation) -> Translated {
    let (mut there, mut count, mut losses) = (Vec::new(), 0, Losses::default());
    for frame in frames::read(bytes) {
        let frame = frame.map_err(|error| (count, error))?;
        let mut writer = varbatch_codec::Writer::new(translation.to);
        let start = writer.mark();
        translation.value(frame.payload, frame.at, &mut writer, &mut losses).map_err(|error| (count, error))?;
        writer.end_value(start).expect("whole");
        there.extend(framed(&[writer.into_plan().to_vec()]));
        count += 1;
    }
    Ok((there, count, lines(&losses)))
}

/// Fails unless it is the same however it is done.
#[track_caller]
fn assert_alike(bytes: &[u8], translation: Translation) -> Translated {
    let expected = one_by_one(bytes, translation);
    for threads in [Threads::alone(), Threads::new(2), Threads::new(4)] {
        let found = all_at_once(bytes, translation, &threads);
        assert!(found == expected, "over {} threads: {:?}", threads.count(), found.err());
    }
    expected
}

/// Values of Godot 3 of all sizes, about `len` bytes together.
fn values(len: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(len as u64);
    let mut all = 0;
    std::iter::from_fn(|| {
        let value = match random.below(200) {
            0 => [words(&[20, 300_000]), vec![7; 300_000]].concat(),
            1..20 => string("x".repeat(random.below(5000))),
            _ => {
                let bytes = nearly::value_of(Engine::Godot3, &mut random, 3, 0);
                let mut reader = varbatch_codec::Reader::new(&bytes).with_dialect(Dialect::GODOT_3).with_objects(true);
                if reader.skip_value().is_ok() { bytes } else { words(&[16]) }
            }
        };
        all += value.len();
        (all < len).then_some(value)
    })
    .collect()
}

/// Translates a stream to a file; gives what was written as well.
fn translated(
    mut loader: Loader,
    translation: Translation,
    threads: &Threads,
) -> (Result<(usize, Losses), TranscodeError>, Vec<u8>) {
    let (_folder, path) = Folder::with("there");
    let mut saver = Saver::create(&path, None).expect("begins");
    let result = file(&mut loader, translation, threads, |_, _| {}, |plan| saver.write_all(plan, threads));
    saver.flush(threads).expect("flushes").commit(&Ticket::take_for(&path)).expect("commits");
    (result, fs::read(&path).expect("is there"))
}

fn loader(bytes: &[u8]) -> Loader {
    Loader::new(Input::new(bytes, 70_000), bytes.len() as u64).expect("a stream")
}

#[test]
fn frames_are_translated_alike_over_any_threads() {
    // A frame that is longer than a piece, between two others.
    let long = [words(&[20, 40 << 20]), vec![5; 40 << 20]].concat();
    let long = vec![string("before"), long, words(&[16])];
    for values in [0, 1, 100, 10_000, 300 << 10, (1 << 20) - 30, 12 << 20].map(values).into_iter().chain([long]) {
        let (there, count, _) = assert_alike(&framed(&values), TO_GODOT_4).expect("all are good");
        assert_eq!(count, values.len());
        for frame in frames::read(&there) {
            let payload = frame.expect("whole").payload;
            assert_eq!(read(payload).expect("a value").1, payload.len());
        }
    }
}

#[test]
fn a_frame_may_be_longer_than_its_value_but_not_empty() {
    let longer = [&words(&[2, 5])[..], &[0xff; 7]].concat();
    let stream = framed(&[longer, words(&[16])]);
    let (there, count, lines) = assert_alike(&stream, TO_GODOT_4).expect("good");
    assert_eq!((there, count), (framed(&[words(&[2, 5]), words(&[23, 0, 0])]), 2));
    assert_eq!(lines, ["1 value was followed by bytes that are none of its, at byte 12"]);
    // At the end, it would be zeros that a power cut has left.
    let (index, error) = assert_alike(&framed(&[words(&[0]), vec![], words(&[2, 5])]), TO_GODOT_4).expect_err("empty");
    assert_eq!((index, error.kind(), error.at()), (1, &CodecErrorKind::NoHeader { found: 0 }, 12));
}

#[test]
fn the_first_that_fails_is_told_with_its_frame_and_its_byte() {
    let good = framed(&values(1 << 20));
    let count = count(&good);
    // One in the first run, one in the last; between them all is good.
    let bad = framed(&[[words(&[19, 1]), words(&[99])].concat()]);
    for (before, behind) in [(0, 2), (1, 1), (2, 0), (1, 0)] {
        let bytes = [good.repeat(before), bad.clone(), good.repeat(behind), bad.clone()].concat();
        let (index, error) = assert_alike(&bytes, TO_GODOT_4).expect_err("bad");
        assert_eq!((index, error.at()), (before * count, before * good.len() + 4 + 8));
        assert_eq!(error.path().to_string(), " inside [0]");
        assert_eq!(*error.kind(), CodecErrorKind::UnknownType { id: 99, last: 26 });
    }
}

#[test]
fn a_stream_that_is_cut_off_is_an_error_behind_its_frames() {
    let bytes = framed(&[words(&[2, 5]), string("abcdef"), words(&[16])]);
    for len in 0..=bytes.len() {
        let is_whole = [0, 12, 32, 40].contains(&len);
        assert_eq!(assert_alike(&bytes[..len], TO_GODOT_4).is_ok(), is_whole, "{len} bytes");
    }
    // Damage before it comes first.
    let bytes = [framed(&[words(&[99])]), vec![1, 2]].concat();
    assert_eq!(assert_alike(&bytes, TO_GODOT_4).expect_err("damaged").0, 0);
}

#[test]
fn losses_are_counted_over_all_frames_and_placed_in_the_stream() {
    let exact = framed(&[words(&[2, 5])]).repeat(60_000);
    let wide = framed(&[[words(&[28, 1, 0x1_0005]), doubles(&[0.1, 0.0])].concat(), words(&[23, 1, 0])]);
    let bytes = [exact.clone(), wide.clone(), exact.clone(), wide.clone(), wide].concat();
    let (_, _, lines) = assert_alike(&bytes, TO_GODOT_3).expect("good");
    let first = format!("3 values were rounded to 32 bits, the first at byte {} inside [0]", exact.len() + 12);
    assert_eq!((lines.len(), &lines[0]), (2, &first));
}

#[test]
fn all_vectors_of_godot_3_become_values_of_godot_4_and_come_back() {
    let is_deep = |name: &str| name.contains(" (3.2)") && name.contains("_deep");
    let vectors = vectors::godot_3_encoded().into_iter().filter(|vector| !is_deep(vector.name));
    let all: Vec<_> = vectors.filter_map(|vector| Some((vector.name, vector.bytes?))).collect();
    let payloads: Vec<_> = all.iter().map(|(_, bytes)| bytes.clone()).collect();
    let (there, count, _) = assert_alike(&framed(&payloads), TO_GODOT_4).expect("all are good");
    assert!(count == all.len() && count > 200, "{count} of {}", all.len());
    let mut same = 0;
    for (frame, (name, bytes)) in frames::read(&there).zip(&all) {
        let payload = frame.expect("whole").payload;
        assert_eq!(read(payload).unwrap_or_else(|error| panic!("{name}: {error}")).1, payload.len(), "{name}");
        let (back, _) = TO_GODOT_3.bytes(payload).unwrap_or_else(|error| panic!("{name}: {error}"));
        // What is repaired stays so; a mark and an absolute path without names the engine itself loses.
        let is_lossy = !TO_GODOT_4.bytes(bytes).expect("good").1.is_empty();
        let documented = ["surrogate_pair", "_bom_", "node_path_root"];
        let is_same = back == *bytes;
        assert!(is_same || is_lossy || documented.iter().any(|of| name.contains(of)), "{name}: {back:02x?}");
        same += usize::from(is_same);
    }
    assert!(same > 190, "{same} came back as they were");
}

#[test]
fn a_compressed_file_is_read_and_written() {
    let bytes = framed(&values(2 << 20));
    let (expected, expected_count, _) = one_by_one(&bytes, TO_GODOT_4).expect("all are good");
    let threads = Threads::new(2);
    let compressed = compress(&bytes, Compression::Zstd, 64 << 10);
    let (_folder, path) = Folder::with("there");
    let mut saver = Saver::create(&path, Some((Compression::Deflate, expected.len() as u64))).expect("begins");
    let write = |plan: &Plan<'_>| saver.write_all(plan, &threads);
    let (count, _) = file(&mut loader(&compressed), TO_GODOT_4, &threads, |_, _| {}, write).expect("translates");
    saver.flush(&threads).expect("flushes").commit(&Ticket::take_for(&path)).expect("commits");
    let (found, error) = decompress(&fs::read(&path).expect("is there"), 1 << 20, &threads);
    assert!(error.is_none() && found == expected && count == expected_count);
}

#[test]
fn what_the_system_says_is_told() {
    let bytes = framed(&values(2 << 20));
    let mut input = Input::new(&bytes, 70_000);
    input.fails = Some(1_500_000);
    let loader = Loader::new(input, bytes.len() as u64).expect("a stream");
    let (result, _) = translated(loader, TO_GODOT_4, &Threads::alone());
    assert!(matches!(result.expect_err("failed"), TranscodeError::Load(_)));
}

#[test]
fn what_is_held_does_not_grow_with_the_file_while_progress_goes_on_to_its_end() {
    let (folder, mut most) = (Folder::new(), Vec::new());
    let (path, part) = (folder.join("all"), framed(&values(1 << 20)));
    for parts in [16, 64] {
        fs::write(&path, part.repeat(parts)).expect("writes");
        let mut loader = Loader::open(&path).expect("opens");
        let mut saver = Saver::create(&folder.join("there"), None).expect("begins");
        let (mut seen, len) = (Vec::new(), (part.len() * parts) as u64);
        let (set, alone) = (|done, all| seen.push((done, all)), Threads::alone());
        let write = |plan: &Plan<'_>| saver.write_all(plan, &alone);
        let (held, result) = most_held(|| file(&mut loader, TO_GODOT_4, &alone, set, write).map(|(count, _)| count));
        assert!(seen.iter().all(|&(done, all)| done <= all && all == len), "{seen:?}");
        assert!(seen.is_sorted() && seen.len() > 2 && seen.last() == Some(&(len, len)), "{seen:?}");
        assert_eq!(result.expect("good"), parts * count(&part));
        most.push(held);
    }
    // Some pieces of about 1 MiB, and their plans.
    assert!(most.iter().all(|&held| held < 20 << 20), "{most:?}");
    assert!(most[1] < most[0] + (1 << 20), "{most:?}");
    // A value that has no home leaves nothing behind in memory either.
    let reason = CodecErrorKind::NoSuchType { engine: Engine::Godot3, what: "Vector2i" };
    let (held, result) = most_held(|| TO_GODOT_3.bytes(&words(&[6, 0, 0])).expect_err("no home").kind() == &reason);
    assert!(result && held < 2000, "{held}");
}

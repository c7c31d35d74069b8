//! Guards: a file is translated as its frames are, in little memory however long it is, and damage is told with its
//! frame and byte.

use std::fs;

use varbatch_codec::transcode::{Losses, Translation};
use varbatch_codec::{CodecErrorKind, Dialect};
use varbatch_storage::compressed::Compression;
use varbatch_storage::transcode::{TranscodeError, file};
use varbatch_storage::{Loader, Saver};
use varbatch_workers::Threads;

use crate::compressed::compress;
use crate::file_load::Input;
use crate::folder::Folder;
use crate::support::allocator::most_held;
use crate::support::wire::{string, words};
use crate::transcode_frames::framed;

const TO_GODOT_4: Translation = Translation::new(Dialect::GODOT_3, Dialect::GODOT_4);

/// Translates a stream to a file; gives what was written as well.
fn translated(mut loader: Loader, threads: &Threads) -> (Result<(usize, Losses), TranscodeError>, Vec<u8>) {
    let folder = Folder::new();
    let path = folder.join("there");
    let mut saver = Saver::create(&path, None).expect("begins");
    let result = file(&mut loader, &mut saver, TO_GODOT_4, threads, |_, _| {});
    saver.flush(threads).expect("flushes").commit().expect("commits");
    (result, fs::read(&path).expect("is there"))
}

fn loader(bytes: &[u8]) -> Loader {
    Loader::new(Input::new(bytes, 70_000), bytes.len() as u64).expect("a stream")
}

/// A frame of Godot 3 and what becomes of it: an Array of a string, a RID and an int.
fn pair(number: u32) -> [Vec<u8>; 2] {
    let text = format!("number {number}");
    let value = |ids: [u32; 2], id: &[u32]| {
        [words(&[ids[0], 3]), string(&text), words(&[ids[1]]), words(id), words(&[2, number])].concat()
    };
    [framed(&[value([19, 16], &[])]), framed(&[value([28, 23], &[0, 0])])]
}

/// About so many bytes of frames, and what becomes of them.
fn stream(len: usize) -> [Vec<u8>; 2] {
    let (mut all, mut there) = (Vec::new(), Vec::new());
    for number in 0.. {
        if all.len() >= len {
            break;
        }
        let [old, new] = pair(number);
        all.extend(old);
        there.extend(new);
    }
    [all, there]
}

fn count(bytes: &[u8]) -> usize {
    varbatch_codec::frames::read(bytes).count()
}

#[test]
fn a_file_is_translated_as_its_frames_are() {
    for len in [0, 1, 100_000, (1 << 20) - 30, 3 << 20, 12 << 20] {
        let [bytes, expected] = stream(len);
        for threads in [Threads::alone(), Threads::new(2)] {
            let (result, found) = translated(loader(&bytes), &threads);
            let (translated, losses) = result.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((translated, losses.is_empty()), (count(&bytes), true), "{len} bytes");
            assert!(found == expected, "{len} bytes over {} threads", threads.count());
        }
    }
}

#[test]
fn a_frame_that_is_longer_than_a_piece_is_translated() {
    let long = |id| framed(&[[words(&[id, 40 << 20]), vec![5; 40 << 20]].concat()]);
    let [small, small_there] = pair(1);
    let (result, found) = translated(loader(&[&small[..], &long(20), &small].concat()), &Threads::new(2));
    assert_eq!(result.expect("good").0, 3);
    assert!(found == [&small_there[..], &long(29), &small_there].concat());
}

#[test]
fn a_compressed_file_is_read_and_written() {
    let [bytes, expected] = stream(2 << 20);
    let threads = Threads::new(2);
    let compressed = compress(&bytes, Compression::Zstd, 64 << 10);
    let loader = || Loader::new(Input::new(&compressed, 70_000), compressed.len() as u64).expect("a stream");
    let (result, found) = translated(loader(), &threads);
    assert_eq!(result.expect("good").0, count(&bytes));
    assert!(found == expected);
    let folder = Folder::new();
    let path = folder.join("there");
    let mut saver = Saver::create(&path, Some((Compression::Deflate, expected.len() as u64))).expect("begins");
    file(&mut loader(), &mut saver, TO_GODOT_4, &threads, |_, _| {}).expect("translates");
    saver.flush(&threads).expect("flushes").commit().expect("commits");
    let mut there = Loader::open(&path).expect("opens");
    let (mut found, mut piece) = (Vec::new(), Vec::new());
    while there.read(&mut piece, &threads).expect("reads").is_some() {
        found.extend_from_slice(&piece);
    }
    assert!(found == expected);
}

#[test]
fn progress_goes_on_to_the_end() {
    let [bytes, _] = stream(9 << 20);
    let folder = Folder::new();
    let threads = Threads::alone();
    let mut saver = Saver::create(&folder.join("there"), None).expect("begins");
    let mut seen = Vec::new();
    file(&mut loader(&bytes), &mut saver, TO_GODOT_4, &threads, |done, all| seen.push((done, all))).expect("good");
    let len = bytes.len() as u64;
    assert!(seen.iter().all(|&(done, all)| done <= all && all == len), "{seen:?}");
    assert!(seen.is_sorted() && seen.len() > 2, "{seen:?}");
    assert_eq!(seen.last(), Some(&(len, len)));
}

#[test]
fn a_bad_value_is_told_with_its_frame_and_the_byte_of_the_file() {
    for len in [0, 100_000, 5 << 20] {
        let [good, _] = stream(len);
        let [more, _] = stream(3 << 20);
        let bad = framed(&[words(&[19, 2, 2, 1, 99])]);
        let bytes = [&good[..], &bad, &more, &bad].concat();
        for threads in [Threads::alone(), Threads::new(2)] {
            match translated(loader(&bytes), &threads).0 {
                Err(TranscodeError::Value { index, error }) => {
                    assert_eq!((index, error.at()), (count(&good), good.len() + 4 + 16), "{len} bytes");
                    assert_eq!(error.path().to_string(), " inside [1]");
                    let line = TranscodeError::Value { index, error: error.clone() }.to_string();
                    assert_eq!(line, format!("frame {index}: {error}"));
                }
                other => panic!("{len} bytes: {:?}", other.map(|(count, _)| count)),
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_off_is_translated_up_to_there() {
    let [good, expected] = stream(2 << 20);
    for cut in [&[9][..], &[9, 0, 0, 0], &[9, 0, 0, 0, 2, 0, 0, 0]] {
        let bytes = [&good[..], cut].concat();
        let (result, found) = translated(loader(&bytes), &Threads::new(2));
        match result.expect_err("cut off") {
            TranscodeError::Load(error) => assert!(error.to_string().contains("of a frame, found"), "{error}"),
            error => panic!("{error}"),
        }
        assert!(found == expected, "what is whole is written");
    }
}

#[test]
fn what_the_system_says_is_told() {
    let [bytes, _] = stream(2 << 20);
    let mut input = Input::new(&bytes, 70_000);
    input.fails = Some(1_500_000);
    let loader = Loader::new(input, bytes.len() as u64).expect("a stream");
    let (result, _) = translated(loader, &Threads::alone());
    assert!(matches!(result.expect_err("failed"), TranscodeError::Load(_)));
}

#[test]
fn losses_are_those_of_all_pieces() {
    let lone = framed(&[string(b"\xed\xa0\xbd")]);
    let [good, _] = stream(3 << 20);
    let bytes = [&good[..], &lone, &good, &lone].concat();
    let (result, _) = translated(loader(&bytes), &Threads::new(2));
    let (_, losses) = result.expect("good");
    let lines: Vec<_> = losses.iter().map(ToString::to_string).collect();
    let at = good.len() + 4;
    assert_eq!(lines, [format!("2 texts have U+FFFD for what is no character, the first at byte {at}")]);
}

#[test]
fn what_is_held_does_not_grow_with_the_file() {
    let mut most = Vec::new();
    for len in [16 << 20, 64 << 20] {
        let path_of_all = Folder::new();
        let path = path_of_all.join("all");
        fs::write(&path, &stream(len)[0]).expect("writes");
        let mut loader = Loader::open(&path).expect("opens");
        let mut saver = Saver::create(&path_of_all.join("there"), None).expect("begins");
        let (held, result) = most_held(|| {
            file(&mut loader, &mut saver, TO_GODOT_4, &Threads::alone(), |_, _| {}).map(|(count, _)| count)
        });
        assert_eq!(result.expect("good"), count(&fs::read(&path).expect("reads")));
        most.push(held);
    }
    // Some pieces of about 1 MiB, and their plans.
    assert!(most.iter().all(|&held| held < 20 << 20), "{most:?}");
    assert!(most[1] < most[0] + (1 << 20), "{most:?}");
    // A value that has no home leaves nothing behind in memory either.
    let reason = CodecErrorKind::NoSuchType { engine: varbatch_codec::Engine::Godot3, what: "Vector2i" };
    let to_godot_3 = Translation::new(Dialect::GODOT_4, Dialect::GODOT_3);
    let (held, result) = most_held(|| to_godot_3.bytes(&words(&[6, 0, 0])).expect_err("no home").kind() == &reason);
    assert!(result && held < 2000, "{held}");
}

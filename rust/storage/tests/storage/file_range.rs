//! Guards: the frames that were asked for are a slice of all, however the file is stored, and little else is read.
//! What is damaged is in `file_damage`.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use varbatch_storage::compressed::{Compression, Decoder};
use varbatch_storage::{Loader, ReadStep};
use varbatch_workers::Threads;

use crate::compressed::{self, compress};
use crate::file_load::{PIECE, all_at_once, ask, assert_found, in_memory, load, stream};
use crate::support::memory::{most_held, taken};
use crate::support::random::Random;

/// The part of `all` that `Array.slice` would give.
pub fn slice<T: Clone>(all: &[T], from: i64, count: Option<u64>) -> Vec<T> {
    let len = all.len() as i128;
    let from = if from < 0 { len + i128::from(from) } else { from.into() };
    let end = count.map_or(len, |count| (from + i128::from(count)).clamp(0, len));
    all[from.clamp(0, end) as usize..end as usize].to_vec()
}

/// Many ranges of so many frames: all for a few, some for many.
pub fn ranges(len: usize, random: &mut Random) -> Vec<(i64, Option<u64>)> {
    let len = len as i64;
    let mut ranges = vec![(i64::MIN, None), (i64::MAX, None), (i64::MIN, Some(u64::MAX)), (i64::MAX, Some(u64::MAX))];
    if len <= 12 {
        for from in -len - 2..=len + 2 {
            ranges.push((from, None));
            ranges.extend((0..=len as u64 + 1).map(|count| (from, Some(count))));
        }
        return ranges;
    }
    for _ in 0..12 {
        let from = random.below(2 * len as usize + 4) as i64 - len - 2;
        ranges.extend([(from, None), (from, Some(1)), (from, Some(random.below(len as usize) as u64))]);
    }
    ranges.extend([(-1, None), (-1, Some(1)), (0, Some(1)), (len, None), (len - 1, Some(1)), (1, Some(len as u64))]);
    ranges
}

#[track_caller]
fn assert_ranges(file: &[u8], stream: &[u8], most: usize, random: &mut Random) {
    let all = all_at_once(stream).0;
    for (from, count) in ranges(all.len(), random) {
        let threads = Threads::new(1 + random.below(3));
        let (found, next) = ask(load(file, most).expect("a head"), from, count, &threads);
        let expected = slice(&all, from, count);
        assert_found(&found, &(expected.clone(), None));
        if let Some((at, _)) = expected.last() {
            let last = all.iter().position(|(other, _)| other == at).expect("one of them");
            assert_eq!(next, last as u64 + 1, "index behind {count:?} from {from}");
        } else if count != Some(0) {
            assert_eq!(next, all.len() as u64, "index behind none from {from}");
        }
    }
}

#[test]
fn any_range_is_a_slice_of_all() {
    let mut random = Random::new(11);
    let mut streams = vec![
        stream(&[]),
        stream(&[7]),
        stream(&[8, 0, 3, 100, 0, 0, 4, 1]),
        stream(&[600, 5000, 0, 70_000, 12, 512, 508, 504, 4092]),
        stream(&[PIECE, 5, 2 * PIECE, 0, PIECE / 3]),
        stream(&[&[0; 30_000][..], &[1]].concat()),
        stream(&(0..20_000).map(|index| index % 90).collect::<Vec<_>>()),
    ];
    for _ in 0..3 {
        let mut lens: Vec<_> = (0..random.below(3000)).map(|_| random.below(200)).collect();
        for _ in 0..6 {
            lens.insert(random.below(lens.len() + 1), random.below(PIECE));
        }
        streams.push(stream(&lens));
    }
    for stream in &streams {
        for most in [7000, 10 * PIECE] {
            assert_ranges(stream, stream, most, &mut random);
        }
        for compression in Compression::WRITTEN {
            let file = compress(stream, compression, random.pick(&[4096, 16_000, 64 << 10]));
            assert_ranges(&file, stream, 100_000, &mut random);
        }
    }
}

/// Lengths across the borders of blocks, and input that comes byte by byte.
#[test]
fn ranges_of_tiny_blocks_and_reads() {
    let mut random = Random::new(12);
    let stream = stream(&[8, 0, 3, 40, 0, 0, 4, 1, 90]);
    assert_ranges(&stream, &stream, 1, &mut random);
    for block_len in [1, 2, 3, 5, 7, 50] {
        let file = compress(&stream, Compression::Deflate, block_len);
        assert_ranges(&file, &stream, 50, &mut random);
    }
}

/// Also the engine's own files: blocks of 4096 bytes, FastLZ as well.
#[test]
fn a_stream_is_unpacked_from_any_byte() {
    let mut random = Random::new(13);
    let ours = stream(&[8, 0, 3, 100, 0, 0, 4, 1]);
    let engines = compressed::compressed().filter(|(mode, ..)| Compression::from_mode(*mode).is_some());
    let engines = engines.map(|(_, len, file)| (file, compressed::stream(len), 4096, 20));
    let ours = Compression::WRITTEN.map(|how| (compress(&ours, how, 10), ours.clone(), 10, 500));
    for (file, stream, block_len, rounds) in engines.chain(ours) {
        let mut decoder = Decoder::new(Cursor::new(&file[..]), file.len() as u64).expect("a head");
        assert_eq!(decoder.whole_len(), stream.len() as u64);
        for _ in 0..rounds {
            let (mut at, mut out) = (random.below(stream.len() + 1), b"before".to_vec());
            decoder.seek(at as u64).expect("seeks");
            loop {
                let (most, before) = (random.below(3 * block_len), out.len());
                let len = decoder.read(&mut out, most, &Threads::alone()).expect("reads");
                assert!((len > 0 || at == stream.len()) && len <= most.max(1) + block_len, "{len} bytes for {most}");
                assert!(out[before..] == stream[at..at + len], "{len} bytes from {at} of {}", stream.len());
                at += len;
                if len == 0 {
                    break;
                }
            }
            assert!(out.starts_with(b"before"));
        }
    }
}

/// Where each read began and ended.
type Reads = Arc<Mutex<Vec<(u64, u64)>>>;

/// Notes which bytes were read.
struct Watched {
    file: Cursor<Vec<u8>>,
    reads: Reads,
}

impl Watched {
    fn loader(file: &[u8]) -> (Loader, Reads) {
        let reads = Reads::default();
        let input = Self { file: Cursor::new(file.to_vec()), reads: Arc::clone(&reads) };
        (Loader::new(Box::new(input), file.len() as u64).expect("a head"), reads)
    }
}

impl Read for Watched {
    fn read(&mut self, dest: &mut [u8]) -> io::Result<usize> {
        let at = self.file.position();
        let len = self.file.read(dest)?;
        self.reads.lock().expect("no panic").push((at, at + len as u64));
        Ok(len)
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn sum(reads: &Reads) -> usize {
    reads.lock().expect("no panic").iter().map(|(from, to)| (to - from) as usize).sum()
}

#[test]
fn a_plain_file_is_read_only_where_it_must_be() {
    let (count, len) = (400, 100_000);
    let bytes = stream(&vec![len; count]);
    for (from, asked) in [(0, 1), (200, 1), (399, 1), (-1, 1), (-1, 9), (100, 20), (400, 1)] {
        let (loader, reads) = Watched::loader(&bytes);
        let ((found, _), _) = ask(loader, from, Some(asked), &Threads::alone());
        let all = found.len() * (len + 4);
        let (sum, calls) = (sum(&reads), reads.lock().expect("no panic").len());
        // A length is read with some bytes behind it.
        assert!(sum <= all + count * 512 + 2000, "{sum} bytes read for {all}");
        assert!(calls <= count + asked as usize * 8 + 9, "{calls} calls for {asked} from {from}");
    }
    // Frames of many lengths in one read.
    let (count, bytes) = (100_000, stream(&[20; 100_000]));
    for from in [0, 50_000, -1] {
        let (loader, reads) = Watched::loader(&bytes);
        ask(loader, from, Some(1), &Threads::alone());
        let calls = reads.lock().expect("no panic").len();
        assert!(calls < count / 100, "{calls} calls for a frame from {from}");
        assert!(sum(&reads) <= bytes.len() + (128 << 10), "{} bytes from {from}", sum(&reads));
    }
    let (loader, reads) = Watched::loader(&bytes);
    ask(loader, 0, Some(1), &Threads::alone());
    assert!(sum(&reads) < 1000, "{} bytes for the first frame", sum(&reads));
}

#[test]
fn only_blocks_that_are_needed_are_unpacked() {
    let (len, block_len) = (300_000, 4096);
    let stream = stream(&[len; 20]);
    for compression in Compression::WRITTEN {
        let file = compress(&stream, compression, block_len);
        let count = stream.len() / block_len + 1;
        let mut borders = vec![16 + 4 * count as u64];
        for block in 0..count {
            borders.push(borders[block] + u64::from(u32::from_le_bytes(file.as_chunks().0[4 + block])));
        }
        for (from, asked) in [(0, 1), (1, 1), (7, 2), (19, 1), (-1, 1), (-3, 2), (20, 1)] {
            let (loader, reads) = Watched::loader(&file);
            let ((found, error), _) = ask(loader, from, Some(asked), &Threads::alone());
            assert_eq!((found.len(), error), (if from == 20 { 0 } else { asked as usize }, None));
            let reads = reads.lock().expect("no panic");
            for block in 0..count {
                let is_read = reads.iter().any(|&(from, to)| from < borders[block + 1] && to > borders[block]);
                let (start, end) = (block * block_len, (block + 1) * block_len);
                let is_asked = found.iter().any(|(at, payload)| at - 4 < end && at + payload.len() > start);
                let is_length = (0..20).map(|index| index * (len + 4)).any(|at| at < end && at + 512 > start);
                assert!(is_read || !is_asked, "block {block} is not read");
                assert!(!is_read || is_asked || is_length, "block {block} is read for {asked} from {from}");
            }
        }
    }
}

#[test]
fn a_long_search_takes_steps_and_little_memory() {
    // Many short frames, and many that are jumped over.
    for (bytes, steps) in [(stream(&[20; 400_000]), 8), (stream(&[5000; 4000]), 10)] {
        for file in [bytes.clone(), compress(&bytes, Compression::Zstd, 4096)] {
            let threads = Threads::alone();
            for from in [-1, 1 << 30] {
                let mut loader = in_memory(&file);
                loader.select(from, None);
                let (mut piece, mut parts, mut before) = (Vec::new(), 0, 0);
                let (held, ()) = most_held(|| {
                    while let Some((passed, max)) = loader.passed() {
                        // Going back from the end takes no time.
                        let is_back = from < 0 && passed > max / 2;
                        assert!(is_back || passed - before <= 3 * PIECE as u64, "{} bytes in a step", passed - before);
                        before = passed;
                        assert_eq!(loader.read_step(&mut piece, &threads).expect("reads"), ReadStep::Part);
                        parts += 1;
                    }
                });
                assert!((steps..=2 * steps).contains(&parts), "{parts} parts from {from}");
                assert!(held < 400_000, "{held} bytes held");
            }
        }
    }
}

#[test]
fn a_range_takes_no_memory_for_the_rest() {
    let bytes = stream(&[100, 8 * PIECE, 100, 8 * PIECE, 100]);
    for file in [bytes.clone(), compress(&bytes, Compression::Zstd, 64 << 10)] {
        for from in [0, 2, 4, -1, -3] {
            let loader = in_memory(&file);
            let ((_, took), ((found, _), _)) = taken(|| ask(loader, from, Some(1), &Threads::alone()));
            assert_eq!(found.len(), 1);
            assert!(took < 2 * PIECE, "{took} bytes for the frame {from}");
        }
    }
}

//! Guards: frames that are loaded bit by bit are those that are read from all of the bytes at once, however they come, and
//! in little memory. What is damaged is in `file_damage`.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_storage::compressed::Compression;
use varbatch_storage::{LoadError, Loader, ReadStep};
use varbatch_workers::Threads;

use crate::compressed::compress;
use crate::folder::Folder;
use crate::support::memory::{most_held, taken};
use crate::support::random::Random;

/// `PIECE` in `file::load`, which is private. Should it change, these tests hold as before but no longer look at its edges.
pub const PIECE: usize = 1 << 20;

/// Payloads and where they are, and the error behind them.
pub type Found = (Vec<(usize, Vec<u8>)>, Option<String>);

/// What [`frames::read`] finds.
pub fn all_at_once(bytes: &[u8]) -> Found {
    let (mut found, mut error) = (Vec::new(), None);
    for frame in frames::read(bytes) {
        match frame {
            Ok(frame) => found.push((frame.at, frame.payload.to_vec())),
            Err(damage) => error = Some(LoadError::from(damage).to_string()),
        }
    }
    (found, error)
}

/// What a plain file of these bytes holds: frames, without the zeros of a power cut at its end.
pub fn in_plain_file(bytes: &[u8]) -> Found {
    let (mut found, error) = all_at_once(bytes);
    let solid = found.iter().rposition(|(_, payload)| !payload.is_empty()).map_or(0, |last| last + 1);
    let Some((at, _)) = found.get(solid) else { return (found, error) };
    let zeros = &bytes[at - PREFIX_LEN..];
    if zeros.iter().any(|&byte| byte != 0) {
        return (found, error);
    }
    let (at, len) = (at - PREFIX_LEN, zeros.len());
    found.truncate(solid);
    (found, Some(format!("expected a value, found nothing but zeros ({len} bytes), at byte {at}")))
}

/// The search ends long before the end of the file.
#[test]
fn a_long_run_of_zeros_is_not_counted_to_its_end() {
    let (_folder, path) = Folder::with("zeros");
    File::create(&path).and_then(|file| file.set_len(80 << 20)).expect("a file without blocks");
    let ((found, error), _) = read_all(Loader::open(&path).expect("opens"), &Threads::alone());
    let text = "expected a value, found nothing but zeros (at least 67108864 bytes), at byte 0";
    assert_eq!((found.len(), error.as_deref()), (0, Some(text)));
}

/// What a loader finds, to its end or first error, and the index in the file of what follows.
pub fn read_all(mut loader: Loader, threads: &Threads) -> (Found, u64) {
    // What was in it before is no frame.
    let (mut found, mut error, mut piece) = (Vec::new(), None, vec![0xff; 9]);
    let (mut next, mut passed) = (None, 0);
    loop {
        if let Some((now, max)) = loader.passed() {
            assert!(passed <= now && now <= max, "{passed}, {now} of {max} bytes passed");
            passed = now;
        }
        let (total, left) = loader.len();
        match loader.read_step(&mut piece, threads) {
            Ok(ReadStep::Frames(at)) => {
                assert!(!piece.is_empty(), "nothing was given");
                if let Some((_, next_at)) = next {
                    assert_eq!((at, at as u64), (next_at, total - left), "where it begins");
                }
                let mut index = loader.index();
                assert_eq!(next.map_or(index, |(index, _)| index), index, "index of the first frame");
                for frame in frames::read(&piece) {
                    let frame = frame.expect("only whole frames");
                    found.push((at + frame.at, frame.payload.to_vec()));
                    index += 1;
                }
                next = Some((index, at + piece.len()));
                let (total, left) = loader.len();
                assert_eq!(total - left, (at + piece.len()) as u64, "bytes that were given");
            }
            Ok(ReadStep::Part) => {}
            Ok(ReadStep::End) => break,
            Err(damage) => {
                error = Some(damage.to_string());
                break;
            }
        }
    }
    for _ in 0..2 {
        assert!(matches!(loader.read(&mut piece, threads), Ok(None)), "something behind the end");
    }
    assert!(error.is_some() || loader.len().1 == 0, "{} bytes remain", loader.len().1);
    ((found, error), loader.index())
}

/// What is found if the head may be damaged, too.
pub fn bit_by_bit(loader: Result<Loader, LoadError>, threads: &Threads) -> Found {
    match loader {
        Ok(loader) => read_all(loader, threads).0,
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}

/// The frames that were asked for and the error behind them, and the index in the file of what follows.
pub fn ask(mut loader: Loader, from: i64, count: Option<u64>, threads: &Threads) -> (Found, u64) {
    loader.select(from, count);
    read_all(loader, threads)
}

/// Loads from these bytes, at most `most` at a time.
pub fn load(file: &[u8], most: usize) -> Result<Loader, LoadError> {
    Loader::new(Input::new(file, most), file.len() as u64)
}

/// As `assert_eq!`, without printing megabytes.
#[track_caller]
pub fn assert_found(found: &Found, expected: &Found) {
    assert_eq!(found.1, expected.1, "errors");
    assert_eq!(found.0.len(), expected.0.len(), "frames");
    let differs = found.0.iter().zip(&expected.0).position(|(a, b)| a != b);
    assert_eq!(differs, None, "first frame that differs");
}

/// Loads from memory, which takes none itself.
pub fn in_memory(file: &[u8]) -> Loader {
    let len = file.len() as u64;
    Loader::new(Box::new(io::Cursor::new(file.to_vec())), len).expect("a head")
}

/// Gives bytes by rules of its own.
pub struct Input {
    bytes: Vec<u8>,
    at: usize,
    random: Random,
    /// The most bytes of a call.
    most: usize,
    /// Where it fails.
    pub fails: Option<usize>,
}

impl Input {
    pub fn new(bytes: &[u8], most: usize) -> Box<Self> {
        Box::new(Self { bytes: bytes.to_vec(), at: 0, random: Random::new(most as u64), most, fails: None })
    }
}

impl Read for Input {
    fn read(&mut self, dest: &mut [u8]) -> io::Result<usize> {
        if self.random.percent(10) {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.fails == Some(self.at) {
            return Err(io::Error::other("the disk is gone"));
        }
        let most = 1 + self.random.below(self.most);
        // Behind the byte that fails all is good again.
        let end = self.fails.filter(|&fails| self.at < fails).unwrap_or(self.bytes.len()).min(self.bytes.len());
        let len = dest.len().min(most).min(end - self.at);
        dest[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else { return Err(ErrorKind::Unsupported.into()) };
        self.at = (at as usize).min(self.bytes.len());
        Ok(at)
    }
}

/// A stream of frames with payloads of these lengths.
pub fn stream(lens: &[usize]) -> Vec<u8> {
    let mut random = Random::new(lens.len() as u64);
    let mut bytes = Vec::new();
    for &len in lens {
        bytes.extend((len as u32).to_le_bytes());
        bytes.extend(random.bytes(len));
    }
    bytes
}

#[track_caller]
pub fn assert_loads(bytes: &[u8], most: usize) {
    let expected = in_plain_file(bytes);
    for threads in [1, 2, 3].map(Threads::new) {
        let found = bit_by_bit(load(bytes, most), &threads);
        assert_found(&found, &expected);
    }
}

#[test]
fn frames_around_the_size_of_a_piece_are_loaded() {
    for edge in [PIECE / 2, PIECE, 2 * PIECE, 5 * PIECE] {
        for len in [edge - 9, edge - 8, edge - 5, edge - 4, edge - 3, edge - 1, edge, edge + 1, edge + 4] {
            assert_loads(&stream(&[len]), PIECE);
            assert_loads(&stream(&[3, len, 0, len, 7]), 3 * PIECE);
        }
    }
    // The end of a piece before, in and behind a length.
    for first in PIECE - 12..PIECE + 3 {
        assert_loads(&stream(&[first, 5, 0, 100]), 10 * PIECE);
        assert_loads(&stream(&[first, 2 * PIECE, 1]), 10 * PIECE);
    }
}

#[test]
fn many_frames_of_any_size_are_loaded() {
    let mut random = Random::new(1);
    for _ in 0..6 {
        let mut lens: Vec<_> = (0..random.below(40_000)).map(|_| random.below(70)).collect();
        for _ in 0..random.below(8) {
            lens.insert(random.below(lens.len() + 1), random.below(3 * PIECE));
        }
        assert_loads(&stream(&lens), random.pick(&[5000, PIECE, 10 * PIECE]));
    }
    assert_loads(&stream(&vec![0; PIECE]), PIECE);
    assert_loads(&stream(&[&[4][..], &vec![0; PIECE], &[1]].concat()), PIECE);
    assert_loads(&[], 1);
}

#[test]
fn compressed_streams_load_like_plain_ones() {
    let mut random = Random::new(4);
    let streams = [
        vec![],
        stream(&[8, 0, 3, 100, 0, 0, 4, 1]),
        stream(&[PIECE - 4, 5]),
        stream(&[100, PIECE, 3, PIECE / 4, 2 * PIECE, 7, 7]),
        stream(&[70; 30_000]),
        stream(&[8, 9])[..22].to_vec(),
        [&stream(&[PIECE])[..], &[0xff; 10]].concat(),
    ];
    for (bytes, how) in streams.iter().flat_map(|stream| Compression::WRITTEN.map(|how| (stream, how))) {
        let expected = all_at_once(bytes);
        let file = compress(bytes, how, random.pick(&[4096, 65_536]));
        for threads in [1, 2, 3].map(Threads::new) {
            let found = bit_by_bit(load(&file, 100_000), &threads);
            assert_found(&found, &expected);
        }
    }
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let all = [stream(&vec![100; 300_000]), stream(&[PIECE; 30]), stream(&[PIECE / 3; 90])];
    for bytes in all {
        let threads = Threads::alone();
        let mut loader = in_memory(&bytes);
        let (mut given, mut piece) = (0, Vec::new());
        let ((_, took), ()) = taken(|| {
            while loader.read(&mut piece, &threads).expect("reads").is_some() {
                given += piece.len();
            }
        });
        assert_eq!(given, bytes.len());
        assert!(took < 7 * PIECE, "{took} bytes for a file of {given}");
    }
}

/// Guards: a save that is one value, which was read in one step.
#[test]
fn a_long_frame_is_read_in_steps_and_in_no_more_memory() {
    let lens = [100, 16 * PIECE, 100, 9 * PIECE, 20, 0, 4];
    let bytes = stream(&lens);
    let packed = compress(&bytes, Compression::Zstd, 64 << 10);
    for (file, how) in [(bytes.clone(), "plain"), (packed, "compressed")] {
        let (threads, mut loader) = (Threads::alone(), in_memory(&file));
        let (mut given, mut piece, mut parts, mut unread) = (Vec::new(), Vec::new(), 0, bytes.len() as u64);
        let mut read_parts = || {
            let read = loader.read_step(&mut piece, &threads).expect("reads");
            assert!(loader.unread() <= unread && unread - loader.unread() <= 5 * PIECE as u64, "{how}");
            unread = loader.unread();
            given.extend_from_slice(if read == ReadStep::Part { &[] } else { &piece });
            parts += usize::from(read == ReadStep::Part);
            read
        };
        while read_parts() != ReadStep::End {}
        assert!(given == bytes, "{how}: {} bytes of {}", given.len(), bytes.len());
        assert!(parts >= 4, "{how}: {parts} parts");
    }
    // Grows as it is read, and not beyond the frame by much.
    let bytes = stream(&[64 * PIECE]);
    for file in [bytes.clone(), compress(&bytes, Compression::Zstd, 64 << 10)] {
        let mut loader = in_memory(&file);
        let (held, piece) = most_held(|| {
            let mut piece = Vec::new();
            loader.read(&mut piece, &Threads::alone()).expect("reads").expect("a frame");
            piece
        });
        assert!(piece == bytes);
        assert!(held < bytes.len() + 40 * PIECE, "{held} bytes for {}", bytes.len());
    }
}

//! Guards: FastLZ gives what the engine gives, block by block, and refuses what the engine's decoder refuses; what the
//! engine reads past the end of a block is refused.

use std::io::{Cursor, ErrorKind};

use varbatch_storage::compressed::{Compression, Encoder};
use varbatch_workers::Threads;

use crate::compressed::decompress;
use crate::support::vectors::hex;

const WORDS: [&str; 13] =
    ["the", "player", "has", "a", "sword", "and", "three", "keys", "of", "iron", "in", "his", "bag"];

/// The numbers of `vectors/fastlz.gd`.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = (self.0 * 1_103_515_245 + 12345) & 0x7fff_ffff;
        (self.0 >> 8) as usize % limit
    }
}

/// As the engine has it in `vectors/fastlz.txt`.
fn stream(kind: &str, len: usize) -> Vec<u8> {
    let (mut numbers, mut bytes) = (Numbers(1), Vec::new());
    while bytes.len() < len {
        match kind {
            "run" => bytes.push(7),
            "far" if bytes.len() >= 9000 => bytes.push(bytes[bytes.len() - 9000]),
            "noise" | "far" => bytes.push(numbers.below(256) as u8),
            "voxels" => {
                let voxel = numbers.below(5) as u8;
                bytes.extend(std::iter::repeat_n(voxel, 1 + numbers.below(200)));
            }
            "text" => bytes.extend(format!("{} ", WORDS[numbers.below(WORDS.len())]).into_bytes()),
            _ => panic!("no stream of {kind}"),
        }
    }
    bytes.truncate(len);
    bytes
}

/// The lines of `vectors/fastlz.txt` with so many parts.
fn rows<const N: usize>() -> impl Iterator<Item = [&'static str; N]> {
    let lines = include_str!("../vectors/fastlz.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(" | ").collect::<Vec<_>>().try_into().ok())
}

/// What the engine writes for streams: the kind and the length of each, and the block.
fn written() -> impl Iterator<Item = (&'static str, usize, Vec<u8>)> {
    rows().map(|[name, block]| {
        let (kind, len) = name.split_once(' ').expect("a kind and a length");
        (kind, len.parse().expect("a length"), hex(block))
    })
}

/// A file of one block.
fn file(block: &[u8], len: usize) -> Vec<u8> {
    let numbers = [0, len as u32 + 1, len as u32, block.len() as u32];
    [b"GCPF", &numbers.map(u32::to_le_bytes).concat()[..], block, b"GCPF"].concat()
}

fn unpack(block: &[u8], len: usize) -> Option<Vec<u8>> {
    let (stream, error) = decompress(&file(block, len), 0, &Threads::alone());
    match error.map(|error| error.to_string()) {
        None => Some(stream),
        // Already the table says that so many bytes cannot come of it.
        Some(text) if text.starts_with("expected from ") => None,
        Some(text) => {
            let damage = "in block 0 of 1, found damage, at byte 20 of the file";
            assert_eq!(text, format!("expected FastLZ of {len} bytes {damage}"));
            None
        }
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()))
}

#[test]
fn blocks_of_the_engine_are_read() {
    let mut levels = [0; 2];
    for (kind, len, block) in written() {
        let expected = stream(kind, len);
        assert!(unpack(&block, len).as_ref() == Some(&expected), "{kind} {len}");
        levels[usize::from(block[0] >> 5)] += 1;
        // In the last block of several, what the engine pads is longer than what the file has of it.
        for len in if len <= 16 { 0..len } else { 0..0 } {
            assert_eq!(unpack(&block, len).expect("padded"), expected[..len], "{kind} {len}");
        }
        if len > 16 {
            assert!(unpack(&block, len + 1).is_none() && unpack(&block, len - 1).is_none(), "{kind} {len}");
        }
    }
    assert_eq!(levels, [35, 6]);
}

#[test]
fn made_up_blocks_are_accepted_and_refused_as_by_the_engine() {
    let mut counts = [0; 3];
    // What the engine makes of any bytes: a checksum, or words.
    for [len, block, verdict] in rows() {
        let (len, block) = (len.parse().expect("a length"), hex(block));
        let found = unpack(&block, len).map(|bytes| checksum(&bytes).to_string());
        counts[match verdict {
            "-" => 0,
            "past its end" => 1,
            _ => 2,
        }] += 1;
        let expected = Some(verdict).filter(|verdict| verdict.parse::<u32>().is_ok());
        assert_eq!(found.as_deref(), expected, "{len} of {block:02x?}");
    }
    assert!(counts.iter().all(|count| *count > 5) && counts.iter().sum::<usize>() == 800, "{counts:?}");
}

#[test]
fn a_cut_or_empty_block_is_damage() {
    for (kind, len, block) in written() {
        for cut in 0..if block.len() < 5000 { block.len() } else { 0 } {
            let found = unpack(&block[..cut], len);
            // Of a short one the padding may be missing.
            assert!(found.is_none() || (len < 16 && cut > 1), "{kind} {len}, cut at {cut}");
        }
    }
    // So are levels that there are not.
    for level in 2..8 {
        assert!(unpack(&[level << 5 | 15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 16).is_none());
    }
}

#[test]
fn it_is_not_written() {
    let error = Encoder::new(Cursor::new(Vec::new()), Compression::FastLz, 1, 1).err().expect("an error");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(error.to_string(), "expected a compression that can be written, found FastLZ");
    assert_eq!(Compression::FastLz.written(), Compression::Zstd);
}

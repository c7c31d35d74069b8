//! What the engine wrote with `open_compressed`, and its verdict on blocks of FastLZ.

use crate::support::vectors::{hex, rows};

/// Compressed files of the engine: the mode, the length of the stream, and the file.
pub fn compressed() -> impl Iterator<Item = (u32, usize, Vec<u8>)> {
    rows(include_str!("../vectors/compressed.txt")).map(|[name, bytes]| {
        let (mode, len) = name.split_once(' ').expect("a mode and a length");
        (mode.parse().expect("a mode"), len.parse().expect("a length"), hex(bytes))
    })
}

/// What `vectors/fastlz.txt` has.
pub enum FastLzBlock {
    /// What the engine writes for a stream.
    Compressed { kind: &'static str, len: usize, block: Vec<u8> },
    /// What it makes of any bytes: a checksum, or words.
    MadeUp { len: usize, block: Vec<u8>, verdict: &'static str },
}

pub fn fastlz() -> impl Iterator<Item = FastLzBlock> {
    let lines = include_str!("../vectors/fastlz.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
        [name, block] => {
            let (kind, len) = name.split_once(' ').expect("a kind and a length");
            FastLzBlock::Compressed { kind, len: len.parse().expect("a length"), block: hex(block) }
        }
        [len, block, verdict] => {
            FastLzBlock::MadeUp { len: len.parse().expect("a length"), block: hex(block), verdict }
        }
        _ => panic!("not a vector: {line}"),
    })
}

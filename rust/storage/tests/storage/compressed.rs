//! Guards: what is compressed is what the engine reads, comes back as it was, and does not depend on pieces or threads.
//! What is broken is in `compressed_damage`.

use std::io::{self, Cursor, ErrorKind};

use varbatch_storage::compressed::{
    BLOCK_LEN, CompressedError, Compression, Decoder, Encoder, MAGIC, MAX_BLOCK_LEN, MAX_TOTAL, is_compressed,
};
use varbatch_workers::Threads;

use crate::support::random::Random;
use crate::support::vectors::{hex, rows};

/// As the engine has it in `vectors/compressed.txt`: easy to compress.
pub fn stream(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index / 64 * 7 + index % 5) as u8).collect()
}

/// What the engine wrote with `open_compressed`: the mode, the length of the stream, and the file.
pub fn compressed() -> impl Iterator<Item = (u32, usize, Vec<u8>)> {
    rows(include_str!("../vectors/compressed.txt")).map(|[name, bytes]| {
        let (mode, len) = name.split_once(' ').expect("a mode and a length");
        (mode.parse().expect("a mode"), len.parse().expect("a length"), hex(bytes))
    })
}

/// A file, given to the encoder in pieces.
fn compress_pieces<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    total: usize,
    compression: Compression,
    block_len: usize,
    threads: &Threads,
) -> io::Result<Vec<u8>> {
    let file = Cursor::new(Vec::new());
    let mut encoder = Encoder::new(file, compression, total as u64, block_len)?;
    pieces.into_iter().try_for_each(|piece| encoder.write(piece, threads))?;
    Ok(encoder.finish(threads)?.into_inner())
}

pub fn compress(stream: &[u8], compression: Compression, block_len: usize) -> Vec<u8> {
    compress_pieces([stream], stream.len(), compression, block_len, &Threads::alone()).expect("compresses")
}

/// The stream before the damage, and the damage.
pub fn decompress(file: &[u8], most: usize, threads: &Threads) -> (Vec<u8>, Option<CompressedError>) {
    let mut out = Vec::new();
    let mut decoder = match Decoder::new(file, file.len() as u64) {
        Ok(decoder) => decoder,
        Err(error) => return (out, Some(error)),
    };
    loop {
        let before = out.len();
        match decoder.read(&mut out, most, threads) {
            Ok(0) => break,
            Ok(len) => assert_eq!(out.len(), before + len, "bytes that were appended"),
            Err(error) => {
                assert_eq!(out.len(), before, "bytes of a call that failed");
                assert_eq!(decoder.read(&mut out, most, threads).expect("no second error"), 0, "behind an error");
                return (out, Some(error));
            }
        }
    }
    assert_eq!(decoder.read(&mut out, most, threads).expect("no error behind the end"), 0, "behind the end");
    assert_eq!(out.len() as u64, decoder.total());
    (out, None)
}

#[track_caller]
fn assert_gives(file: &[u8], stream: &[u8], most: usize, threads: &Threads) {
    let (found, error) = decompress(file, most, threads);
    assert!(error.is_none(), "{}", error.expect("an error"));
    assert!(found == stream, "other bytes: {} for {}", found.len(), stream.len());
}

#[test]
fn comes_back_whatever_the_lengths_pieces_and_threads() {
    let all_threads = [1, 2, 3].map(Threads::new);
    let mut random = Random::new(5);
    for compression in Compression::WRITTEN {
        for block_len in [1, 7, 100, 4096] {
            for len in [0, 1, 2, block_len - 1, block_len, block_len + 1, 3 * block_len, 40 * block_len + 5] {
                // Half of it noise, so that blocks differ and some do not shrink.
                let stream = [stream(len / 2), random.bytes(len - len / 2)].concat();
                let file = compress(&stream, compression, block_len);
                for threads in &all_threads {
                    let pieces = stream.chunks(1 + random.below(2 * block_len + 9));
                    let again = compress_pieces(pieces, len, compression, block_len, threads).expect("compresses");
                    assert!(file == again, "{compression:?}, {len} in {block_len}: another file");
                    for most in [0, 1, block_len + 1, usize::MAX] {
                        assert_gives(&file, &stream, most, threads);
                    }
                }
            }
        }
    }
}

/// More than the encoder gathers, in its usual blocks and in so short ones that it gathers less.
#[test]
fn long_streams_are_the_same_over_threads() {
    let mut random = Random::new(6);
    let stream = [random.bytes(300_000), stream(4 << 20), random.bytes(1_700_000)].concat();
    for (compression, block_len) in Compression::WRITTEN.into_iter().zip([BLOCK_LEN, 4096, MAX_BLOCK_LEN]) {
        let file = compress(&stream, compression, block_len);
        for threads in [2, 3].map(Threads::new) {
            let pieces = stream.chunks(random.below(1 << 20) + 1);
            let again = compress_pieces(pieces, stream.len(), compression, block_len, &threads).expect("compresses");
            assert!(file == again, "{compression:?}: another file");
            assert_gives(&file, &stream, 1 << 20, &threads);
        }
        assert!(file.len() < stream.len() / 2, "{compression:?}: {} bytes", file.len());
    }
}

#[test]
fn read_gives_whole_blocks_and_no_more_than_asked_for() {
    let file = compress(&stream(1050), Compression::Zstd, 100);
    let lens = |most| {
        let mut decoder = Decoder::new(&file[..], file.len() as u64).expect("a head");
        let mut lens = Vec::new();
        while lens.last() != Some(&0) {
            lens.push(decoder.read(&mut Vec::new(), most, &Threads::alone()).expect("reads"));
        }
        lens
    };
    assert_eq!(lens(0), [100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 50, 0]);
    assert_eq!(lens(300), [300, 300, 300, 150, 0]);
    assert_eq!(lens(301), [400, 400, 250, 0]);
    assert_eq!(lens(usize::MAX), [1050, 0]);
}

/// `FileAccessCompressed::open_after_magic` believes each of these numbers.
#[test]
fn the_file_is_laid_out_as_the_engine_has_it() {
    for compression in Compression::WRITTEN {
        for (len, blocks) in [(0, 1), (99, 1), (100, 2), (101, 2), (300, 4)] {
            let file = compress(&stream(len), compression, 100);
            assert_eq!(&file[..4], b"GCPF");
            let numbers: Vec<_> = file.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
            assert_eq!(numbers[1..4], [compression.mode(), 100, len as u32]);
            let packed = numbers[4..4 + blocks].iter().sum::<u32>() as usize;
            assert_eq!(file.len(), 16 + 4 * blocks + packed + 4, "{len} bytes");
            assert_eq!(&file[file.len() - 4..], b"GCPF");
            // The engine reads the last block even where it is empty.
            assert!(numbers[3 + blocks] > 0, "the last block of {len} bytes is missing");
        }
    }
}

#[test]
fn files_of_the_engine_are_read() {
    let mut counts = [0; 4];
    for (mode, len, file) in compressed() {
        counts[mode as usize] += 1;
        let Some(compression) = Compression::from_mode(mode) else { continue };
        for threads in [1, 2].map(Threads::new) {
            assert_gives(&file, &stream(len), 5000, &threads);
        }
        if compression == Compression::FastLz {
            continue;
        }
        let ours = compress(&stream(len), compression, 4096);
        assert_eq!(ours[..16], file[..16], "the head");
        assert!(ours.len() <= file.len() + 40, "{compression:?}, {len} bytes: {} for {}", ours.len(), file.len());
    }
    assert_eq!(counts, [8; 4]);
}

#[test]
fn frames_are_not_taken_for_compressed_files() {
    assert!(is_compressed(b"GCPF") && is_compressed(b"GCPF\x01\0\0\0"));
    assert!(!is_compressed(b"") && !is_compressed(b"GCP") && !is_compressed(b"GCPE\0\0\0\0"));
    // What `store_var` writes is padded to four bytes.
    assert_ne!(u32::from_le_bytes(MAGIC) % 4, 0);
}

#[track_caller]
fn assert_refused<T>(result: io::Result<T>, text: &str) {
    let error = result.err().expect("an error");
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidInput, text));
}

#[test]
fn the_total_must_be_true() {
    let begin = |total| Encoder::new(Cursor::new(Vec::new()), Compression::Deflate, total, BLOCK_LEN);
    let threads = Threads::alone();
    assert_refused(begin(MAX_TOTAL + 1), "expected at most 4294967295 bytes for a compressed file, found 4294967296");
    assert!(begin(MAX_TOTAL).is_ok());
    let mut encoder = begin(10).expect("begins");
    encoder.write(&[0; 9], &threads).expect("writes");
    assert_refused(encoder.finish(&threads), "expected 10 bytes for a compressed file, found 9");
    let mut encoder = begin(10).expect("begins");
    encoder.write(&[0; 9], &threads).expect("writes");
    assert_refused(encoder.write(&[0; 2], &threads), "expected 10 bytes for a compressed file, found 11");
    encoder.write(&[0; 1], &threads).expect("writes");
    assert_refused(encoder.finish(&threads), "expected no failure before the end of a compressed file, found one");
    for (block_len, text) in [(0, "found 0"), (MAX_BLOCK_LEN + 1, "found 16777217")] {
        let result = Encoder::new(Cursor::new(Vec::new()), Compression::Zstd, 1, block_len);
        assert_refused(result, &format!("expected a block size from 1 to 16777216, {text}"));
    }
}

/// Guards: whatever is written can be read, though the decoder takes no more than 64 MiB or 256 bytes for one.
#[test]
fn what_all_but_vanishes_comes_back() {
    for (compression, len) in Compression::WRITTEN.into_iter().flat_map(|how| [(how, 64 << 20), (how, 80 << 20)]) {
        let zeros = vec![0; len];
        let file = compress(&zeros, compression, BLOCK_LEN);
        assert_eq!(file.len() == len / 256, len > 64 << 20, "{} bytes for {len}", file.len());
        assert_gives(&file, &zeros, 4 << 20, &Threads::alone());
    }
}

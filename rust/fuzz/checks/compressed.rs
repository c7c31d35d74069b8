//! A compressed file gives the same stream whatever is read of it at a time, and no more than its head says. Cut off, it
//! gives a part of that.

use std::io::Cursor;

use varbatch_storage::compressed::{Decoder, Encoder, MAX_BLOCK_LEN};
use varbatch_workers::Threads;

use super::Options;

/// So much of a stream is looked at: few bytes can be many.
const ENOUGH: usize = 1 << 20;

/// Reads a compressed file. The options choose how much at a time, and where it is cut.
///
/// # Panics
/// If something does not hold.
pub fn compressed(data: &[u8]) {
    let (options, file) = Options::split(data);
    let (stream, end) = read(file, options.pick() * 50);
    let (other, other_end) = read(file, ENOUGH);
    let len = stream.len().min(other.len());
    assert_eq!(stream[..len], other[..len], "another stream");
    if stream.len().max(other.len()) >= ENOUGH {
        return;
    }
    assert_eq!((len, &end), (stream.len().max(other.len()), &other_end), "another end");

    let cut = file.len() * options.pick() / 128;
    let (part, part_end) = read(&file[..cut], ENOUGH);
    assert!(stream.starts_with(&part), "another stream of the first {cut} bytes");
    assert!(part_end.is_err() || part == stream, "no error in the first {cut} bytes");

    if end == Ok(()) {
        again(file, &stream);
    }
}

/// The stream, or the first of it that is [`ENOUGH`], and the error behind it.
fn read(file: &[u8], most: usize) -> (Vec<u8>, Result<(), String>) {
    let (mut stream, threads) = (Vec::new(), Threads::alone());
    let mut decoder = match Decoder::new(file, file.len() as u64) {
        Ok(decoder) => decoder,
        Err(error) => return (stream, Err(one_line(error.to_string()))),
    };
    let end = loop {
        let before = stream.len();
        match decoder.read(&mut stream, most, &threads) {
            Ok(0) => break Ok(()),
            Ok(len) => {
                assert_eq!(stream.len(), before + len, "bytes that were appended");
                assert!(len < most + MAX_BLOCK_LEN, "{len} bytes for {most}");
            }
            Err(error) => {
                assert_eq!(stream.len(), before, "bytes of a call that failed");
                break Err(one_line(error.to_string()));
            }
        }
        if stream.len() >= ENOUGH {
            assert!(stream.len() as u64 <= decoder.total(), "more than the head says");
            return (stream, Err("enough".into()));
        }
    };
    assert_eq!(decoder.read(&mut stream, most, &threads).ok(), Some(0), "behind the end");
    assert!(stream.len() as u64 <= decoder.total(), "more than the head says");
    assert!(end.is_err() || stream.len() as u64 == decoder.total(), "less than the head says");
    (stream, end)
}

fn one_line(text: String) -> String {
    assert!(!text.contains(char::is_control), "not one line: {text}");
    text
}

/// Writes the stream again, in blocks as long as those of the file.
fn again(file: &[u8], stream: &[u8]) {
    let decoder = Decoder::new(file, file.len() as u64).expect("was read");
    let block_len = u32::from_le_bytes(file[8..12].try_into().expect("a head")) as usize;
    let block_len = block_len.min(MAX_BLOCK_LEN).max(stream.len() / 16 + 1);
    let threads = Threads::alone();
    let out = Cursor::new(Vec::new());
    let mut encoder =
        Encoder::new(out, decoder.compression().written(), stream.len() as u64, block_len).expect("begins");
    encoder.write(stream, &threads).expect("writes");
    let file = encoder.finish(&threads).expect("finishes").into_inner();
    assert_eq!(read(&file, 0), (stream.to_vec(), Ok(())), "written again");
}

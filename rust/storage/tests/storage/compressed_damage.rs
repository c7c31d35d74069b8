//! Guards: of a damaged compressed file every whole block before the damage is given, then an error that says where it is;
//! a file that lies takes no memory for it.

use std::io::Cursor;

use varbatch_storage::Loader;
use varbatch_storage::compressed::{Compression, Decoder, MAX_BLOCK_LEN};
use varbatch_workers::Threads;

use crate::compressed::{compress, compressed, decompress, stream};
use crate::file_load::Input;
use crate::support::memory::{most_held, taken};
use crate::support::random::Random;

const LEN: usize = 250;
const BLOCK_LEN: usize = 100;

/// Three blocks: 100, 100 and 50 bytes, which begin and end at these bytes.
fn file(compression: Compression) -> (Vec<u8>, [usize; 4]) {
    let file = compress(&stream(LEN), compression, BLOCK_LEN);
    let mut borders = [28; 4];
    for block in 0..3 {
        borders[block + 1] = borders[block] + word(&file, 4 + block) as usize;
    }
    (file, borders)
}

fn word(file: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(file.as_chunks().0[index])
}

fn with_word(mut file: Vec<u8>, index: usize, word: u32) -> Vec<u8> {
    file[4 * index..][..4].copy_from_slice(&word.to_le_bytes());
    file
}

/// A file of these blocks.
fn by_hand(mode: u32, block_len: u32, total: u32, blocks: &[&[u8]]) -> Vec<u8> {
    let numbers = [mode, block_len, total].into_iter().chain(blocks.iter().map(|block| block.len() as u32));
    [b"GCPF", &numbers.flat_map(u32::to_le_bytes).collect::<Vec<_>>()[..], &blocks.concat(), b"GCPF"].concat()
}

/// The only block of a stream.
fn block(stream: &[u8], compression: Compression) -> Vec<u8> {
    let file = compress(stream, compression, stream.len() + 1);
    file[20..file.len() - 4].to_vec()
}

#[track_caller]
fn assert_error(file: &[u8], whole_len: usize, text: &str) {
    for (most, count) in [(0, 1), (usize::MAX, 1), (150, 2), (usize::MAX, 3)] {
        let (found, error) = decompress(file, most, &Threads::new(count));
        assert_eq!(error.expect("an error").to_string(), text);
        assert!(found == stream(whole_len), "{} bytes for {whole_len}", found.len());
    }
}

#[test]
fn all_whole_blocks_before_the_end_of_a_file_are_given() {
    for compression in Compression::WRITTEN {
        let (file, borders) = file(compression);
        for cut in 0..file.len() {
            let block = borders[1..].iter().take_while(|&&end| end <= cut).count();
            let short = |part: &str, at, expected| {
                format!("expected {expected} bytes for {part}, found {}, at byte {at} of the file", cut - at)
            };
            let text = match cut {
                0..16 => short("the head of a compressed file", 0, 16),
                16..28 => short("the table of a compressed file", 16, 12),
                _ if block == 3 => short("the end of a compressed file", borders[3], 4),
                _ => short(&format!("block {block} of 3"), borders[block], borders[block + 1] - borders[block]),
            };
            assert_error(&file[..cut], (block * BLOCK_LEN).min(LEN), &text);
        }
    }
}

#[test]
fn a_flipped_bit_never_gives_other_bytes() {
    for compression in Compression::WRITTEN {
        let (file, borders) = file(compression);
        for bit in 0..8 * file.len() {
            let mut file = file.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            let (found, error) = decompress(&file, 150, &Threads::alone());
            let whole = borders.iter().filter(|&&border| border > 28 && border <= bit / 8).count() * BLOCK_LEN;
            assert!(stream(LEN).starts_with(&found), "{compression:?}, bit {bit}: {} other bytes", found.len());
            assert!(found.len() >= whole.min(LEN), "{compression:?}, bit {bit}: {} bytes", found.len());
            // Some bits mean nothing, such as the time in a gzip head. Then nothing is lost.
            assert!(error.is_some() || found.len() == LEN, "{compression:?}, bit {bit}: no error");
        }
    }
}

/// Without it a file is one of any bytes. The rest of it says that it is not.
#[test]
fn damage_of_the_magic_is_known_by_the_rest() {
    for (_, len, file) in compressed() {
        let load = |file: &[u8]| Loader::new(Box::new(Cursor::new(file.to_vec())), file.len() as u64);
        assert_eq!(load(&file).unwrap().len().0, len as u64);
        for bit in 0..32 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let text = "expected \"GCPF\" for a compressed file, found other bytes, at byte 0 of the file";
            assert_eq!(load(&damaged).err().map(|error| error.to_string()).as_deref(), Some(text), "{len}, bit {bit}");
            // Of other lengths, and as a part of other bytes, it is what it is.
            damaged.insert(20, 0);
            assert!(load(&damaged).is_ok_and(|loader| loader.compression().is_none()));
            assert!(load(&damaged[..damaged.len() - 1]).is_ok());
        }
    }
}

/// The engine's Zstandard has no sum, nor has FastLZ, so that other bytes may come; nothing worse does.
#[test]
fn damaged_files_of_the_engine_do_no_harm() {
    let mut random = Random::new(8);
    for (_, len, file) in compressed() {
        for _ in 0..200 {
            let mut file = file.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(file.len());
                file[at] = random.next() as u8;
            }
            let (found, error) = decompress(&file, random.below(9000), &Threads::alone());
            assert!(error.is_some() || found.len() <= len.next_multiple_of(4096).max(256), "{} bytes", found.len());
        }
    }
}

#[test]
fn heads_that_are_not_served_are_refused_by_name() {
    let file = compress(&stream(LEN), Compression::Zstd, BLOCK_LEN);
    let modes = "expected compression mode 0 (FastLZ), 1 (DEFLATE), 2 (Zstandard) or 3 (gzip), found";
    let block_len = "expected a block size from 1 to 16777216, found";
    for (index, found, text) in [
        (0, 0x2050_4347, "expected \"GCPF\" for a compressed file, found other bytes, at byte 0 of the file"),
        (1, 4, &format!("{modes} 4 (Brotli), at byte 4 of the file")),
        (1, 5, &format!("{modes} 5 (no mode of the engine), at byte 4 of the file")),
        (2, 0, &format!("{block_len} 0, at byte 8 of the file")),
    ] {
        assert_error(&with_word(file.clone(), index, found), 0, text);
    }
    let long = |block_len: usize, total: usize| by_hand(2, block_len as u32, total as u32, &[]);
    let text = format!("{block_len} 4294967295, at byte 8 of the file");
    assert_error(&long(u32::MAX as usize, MAX_BLOCK_LEN + 1), 0, &text);
    assert_error(
        &long(MAX_BLOCK_LEN + 1, u32::MAX as usize),
        0,
        &format!("{block_len} 16777217, at byte 8 of the file"),
    );
}

#[test]
fn a_block_must_give_what_it_should() {
    for compression in Compression::WRITTEN {
        let (stream, mode) = (stream(LEN), compression.mode());
        let good = block(&stream[..100], compression);
        let (short, long) = (block(&stream[100..199], compression), block(&stream[100..201], compression));
        let other_mode = block(&stream[100..200], Compression::WRITTEN[mode as usize % 3]);
        for bad in [&short, &long, &other_mode, &vec![0; 20]] {
            let at = 28 + good.len();
            let text = format!(
                "expected {} of 100 bytes in block 1 of 3, found damage, at byte {at} of the file",
                compression.name()
            );
            assert_error(&by_hand(mode, 100, 250, &[&good, bad, b"is not reached"]), 100, &text);
        }
    }
}

/// In blocks that go to different threads.
#[test]
fn of_many_damaged_blocks_the_first_counts() {
    let good = block(&stream(1 << 16), Compression::Deflate);
    let bad = good.iter().map(|byte| !byte).collect::<Vec<_>>();
    let blocks = [0, 0, 0, 1, 0, 1, 1, 0].map(|damaged| if damaged == 1 { &bad[..] } else { &good });
    let file = by_hand(1, 1 << 16, 8 << 16, &[&blocks[..], &[&good]].concat());
    let text = format!(
        "expected DEFLATE of 65536 bytes in block 3 of 9, found damage, at byte {} of the file",
        16 + 9 * 4 + 3 * good.len()
    );
    for threads in [1, 2, 3].map(Threads::new) {
        for most in [0, 1 << 18, usize::MAX] {
            let (found, error) = decompress(&file, most, &threads);
            assert_eq!(error.expect("an error").to_string(), text);
            assert!(found == stream(1 << 16).repeat(3), "{} bytes", found.len());
        }
    }
}

#[test]
fn the_end_must_be_there_and_nothing_behind_it_matters() {
    for compression in Compression::WRITTEN {
        let (mut file, borders) = file(compression);
        let (found, error) = decompress(&[&file[..], b"more"].concat(), LEN, &Threads::alone());
        assert!(found == stream(LEN) && error.is_none());
        *file.last_mut().expect("an end") = b'f';
        let text =
            format!("expected \"GCPF\" behind the blocks, found other bytes, at byte {} of the file", borders[3]);
        assert_error(&file, LEN, &text);
    }
}

#[test]
fn sizes_that_no_block_has_take_no_memory() {
    for (mode, size, bounds) in
        [(2, 511, "512 to 33555456"), (1, 16_000, "16257 to 33555456"), (3, 33_555_457, "16257 to 33555456")]
    {
        let file = with_word(by_hand(mode, MAX_BLOCK_LEN as u32, MAX_BLOCK_LEN as u32, &[&[0; 9], &[0; 9]]), 4, size);
        let text = format!("expected from {bounds} bytes for block 0 of 2, found {size}, at byte 16 of the file");
        let ((_, bytes), ()) = taken(|| assert_error(&file, 0, &text));
        assert!(bytes < 100_000, "{bytes} bytes taken");
    }
    // Of blocks that are not there, nothing is made either.
    let file = by_hand(2, MAX_BLOCK_LEN as u32, MAX_BLOCK_LEN as u32, &[&[0; 512], &[0; 9]]);
    let ((_, bytes), (_, error)) = taken(|| decompress(&file[..400], usize::MAX, &Threads::alone()));
    let text = "expected 512 bytes for block 0 of 2, found 376, at byte 24 of the file";
    assert_eq!(error.expect("cut off").to_string(), text);
    assert!(bytes < 100_000, "{bytes} bytes taken");
}

/// A few kilobytes that would give a gigabyte: 64 MiB come out, or 256 times the file.
#[test]
fn a_small_file_does_not_fill_the_memory() {
    const LEN: usize = 8 << 20;
    let (full, empty) = (block(&vec![0; LEN], Compression::Zstd), block(&[], Compression::Zstd));
    let (blocks, total) = ([&vec![&full[..]; 128][..], &[&empty]].concat(), 128 * LEN);
    let mut file = by_hand(2, LEN as u32, total as u32, &blocks);
    for (len, whole_blocks) in [(file.len(), 8), (total / 256 - 1, 127), (total / 256, 128)] {
        file.resize(len, 0);
        let max = (64 << 20).max(256 * len);
        let text = format!(
            "expected at most {max} bytes from a compressed file of {len}, found {total}, at byte {} of the file",
            16 + 4 * whole_blocks
        );
        let mut decoder = Decoder::new(Cursor::new(&file[..]), len as u64).expect("a head");
        assert_eq!(decoder.whole_len(), (whole_blocks * LEN) as u64);
        let (held, (found, error)) = most_held(|| {
            let (mut out, mut found) = (Vec::new(), 0);
            let error = loop {
                out.clear();
                match decoder.read(&mut out, 1, &Threads::alone()) {
                    Ok(0) => break None,
                    Ok(len) => found += len,
                    Err(error) => break Some(error.to_string()),
                }
            };
            (found, error)
        });
        assert_eq!((found, error), (whole_blocks * LEN, (whole_blocks < 128).then_some(text.clone())));
        assert!(held < 3 * LEN, "{held} bytes");
        let sought = decoder.seek(total as u64 - 1).map_err(|error| error.to_string());
        assert_eq!(sought, if whole_blocks < 127 { Err(text) } else { Ok(()) });
    }
}

#[test]
fn a_table_that_is_not_there_takes_no_memory() {
    let head = by_hand(2, 1, u32::MAX, &[]);
    let text = "expected 17179869184 bytes for the table of a compressed file, found";
    let ((_, bytes), ()) = taken(|| {
        for file_len in [0, 16, 20, u64::MAX] {
            let error = Decoder::new(&head[..], file_len).err().expect("an error");
            assert_eq!(error.to_string(), format!("{text} 4, at byte 16 of the file"));
        }
    });
    assert!(bytes < 100_000, "{bytes} bytes taken");
}

#[test]
fn what_the_system_cannot_read_ends_the_file_with_its_error() {
    let (file, borders) = file(Compression::Gzip);
    for cut in 0..file.len() {
        let (mut input, mut out) = (Input::new(&file[..cut], 99), Vec::new());
        input.fails = Some(cut);
        let error = Decoder::new(input, file.len() as u64).and_then(|mut decoder| {
            while decoder.read(&mut out, 150, &Threads::alone())? > 0 {}
            Ok(())
        });
        let error = error.expect_err("an error");
        assert_eq!(error.to_string(), format!("cannot read the compressed file at byte {cut}: the disk is gone"));
        assert!(std::error::Error::source(&error).is_some());
        let whole = borders[1..].iter().take_while(|&&end| end <= cut).count() * BLOCK_LEN;
        assert!(out == stream(whole.min(LEN)), "cut at {cut}: {} bytes", out.len());
    }
}

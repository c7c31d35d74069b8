//! A block of FastLZ gives what a plain reader makes of it, byte by byte as `FORMAT.md` has it, or is refused with it.

use varbatch_storage::compressed::Decoder;
use varbatch_workers::Threads;

use super::Options;

/// Unpacks a block. The options choose how much it is to give: what it does give, or something else.
///
/// # Panics
/// If something does not hold.
pub fn fastlz(data: &[u8]) {
    let (options, block) = Options::split(data);
    let expected = unpack(block, 1 << 16);
    let len = match (options.pick(), &expected) {
        (0..96, Some(bytes)) => bytes.len(),
        (pick, _) => 16 + pick,
    };
    assert_eq!(read(block, len), unpack(block, len.max(16)).and_then(|bytes| fitting(bytes, len)), "{len} bytes");
}

/// What a block has to give, without the padding of a short one.
fn fitting(mut bytes: Vec<u8>, len: usize) -> Option<Vec<u8>> {
    let fits = if len < 16 { bytes.len() >= len } else { bytes.len() == len };
    bytes.truncate(len);
    fits.then_some(bytes)
}

/// As the only block of a file.
fn read(block: &[u8], len: usize) -> Option<Vec<u8>> {
    let numbers = [0, len as u32 + 1, len as u32, block.len() as u32].map(u32::to_le_bytes);
    let file = [b"GCPF", &numbers.concat()[..], block, b"GCPF"].concat();
    let mut stream = Vec::new();
    let mut decoder = Decoder::new(&file[..], file.len() as u64).expect("a head and a table");
    let read = decoder.read(&mut stream, 0, &Threads::alone());
    read.ok().map(|_| stream)
}

/// At most `most` bytes. `None` for what is damaged.
fn unpack(block: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut at, level) = (0, block.first()? >> 5);
    if level > 1 {
        return None;
    }
    let byte = |at: usize| block.get(at).map(|byte| usize::from(*byte));
    loop {
        let code = if at == 0 { byte(0)? & 31 } else { byte(at)? };
        at += 1;
        if code < 32 {
            for _ in 0..=code {
                out.push(byte(at)? as u8);
                at += 1;
            }
        } else {
            let (mut count, mut back) = (code / 32 + 2, code % 32 * 256 + 1);
            if count == 9 {
                loop {
                    let more = byte(at)?;
                    at += 1;
                    count += more;
                    if level == 0 || more < 255 {
                        break;
                    }
                }
            }
            let low = byte(at)?;
            at += 1;
            back += low;
            if level == 1 && back == 8192 {
                back = byte(at)? * 256 + byte(at + 1)? + 8192;
                at += 2;
                byte(at)?;
            }
            for _ in 0..count {
                if out.len() == most {
                    return None;
                }
                out.push(*out.get(out.len().checked_sub(back)?)?);
            }
        }
        if out.len() > most {
            return None;
        }
        if at + usize::from(level == 0) >= block.len() {
            return Some(out);
        }
    }
}

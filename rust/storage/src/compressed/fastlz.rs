//! FastLZ, the engine's default compression. It is only read here.
//!
//! A block is a list of instructions. The top three bits of the first byte are the level minus one; without them, the
//! first instruction is literals. Bytes are counted after the first byte of an instruction:
//!
//! | instruction | what it appends |
//! |---|---|
//! | `000nnnnn` bytes | the n + 1 bytes that follow |
//! | `nnnooooo` low | n + 2 bytes of the output, from o * 256 + low + 1 bytes back on |
//! | `111ooooo` more low | the same, of 9 + more bytes. In level 2, a byte of 255 is followed by one more, and so on |
//! | `nnn11111` (more) 255 high low | in level 2, from 8192 + high * 256 + low bytes back on |
//!
//! Accepts the same blocks as the engine's `fastlz.c` (0.5.0), which sometimes requires one byte more than it reads.

/// The engine pads shorter blocks with zeros before it compresses them, and drops the zeros afterwards.
const MIN_LEN: usize = 16;

/// The min distance of a far copy.
const FAR: usize = 8192;

/// Fills `out` with the contents of a block. `None` if the block is damaged or its contents have another length.
pub(super) fn unpack(packed: &[u8], out: &mut [u8]) -> Option<()> {
    if out.len() >= MIN_LEN {
        return (append_all(packed, out)? == out.len()).then_some(());
    }
    let mut padded = [0; MIN_LEN];
    let len = append_all(packed, &mut padded)?;
    out.copy_from_slice(padded[..len].get(..out.len())?);
    Some(())
}

/// Runs all instructions. Returns how many bytes of `out` they fill.
fn append_all(packed: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut input = packed;
    let first = *input.split_off_first()?;
    let is_level_2 = match first >> 5 {
        0 => false,
        1 => true,
        _ => return None,
    };
    // Level 1 ignores a single last byte.
    let ignored = usize::from(!is_level_2);
    let (mut code, mut len) = (first & 31, 0);
    loop {
        len = if code < 32 {
            let literals = input.split_off(..usize::from(code) + 1)?;
            out.get_mut(len..len + literals.len())?.copy_from_slice(literals);
            len + literals.len()
        } else {
            let (count, distance) = reference(code, &mut input, is_level_2)?;
            repeat(out, len, count, distance)?
        };
        if input.len() <= ignored {
            return Some(len);
        }
        code = *input.split_off_first()?;
    }
}

/// Returns how many bytes a copy appends, and its distance.
fn reference(code: u8, input: &mut &[u8], is_level_2: bool) -> Option<(usize, usize)> {
    let (mut count, high) = (usize::from(code >> 5) + 2, usize::from(code & 31));
    if count == 9 {
        loop {
            // At least the low byte follows.
            let more = *input.get(..2)?.first()?;
            *input = &input[1..];
            count = count.checked_add(more.into())?;
            if !is_level_2 || more < 255 {
                break;
            }
        }
    }
    let low = *input.split_off_first()?;
    if !is_level_2 || (high, low) != (31, 255) {
        return Some((count, 256 * high + usize::from(low) + 1));
    }
    let [high, low, _] = *input.first_chunk()?;
    *input = &input[2..];
    Some((count, FAR + 256 * usize::from(high) + usize::from(low)))
}

/// Appends `count` bytes to the first `len` of `out`; the copy may overlap itself. Returns the new length.
fn repeat(out: &mut [u8], len: usize, count: usize, distance: usize) -> Option<usize> {
    let (from, end) = (len.checked_sub(distance)?, len.checked_add(count)?);
    if end > out.len() {
        return None;
    }
    // Copies all available bytes at once, and twice as many the next time.
    let mut to = len;
    while to < end {
        let step = (to - from).min(end - to);
        out.copy_within(from..from + step, to);
        to += step;
    }
    Some(end)
}

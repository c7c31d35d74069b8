//! Any tokens give an error or what a plain reader makes of them, within the limit; what is made restores what it was
//! made of.

use varbatch_codec::change::Edit;
use varbatch_codec::change::delta::{DeltaError, DeltaErrorKind, MAX_OVERHEAD, Swap, apply, hash, make};

use super::Options;

/// Applies what is no delta, and makes one. The options say where the base ends.
///
/// # Panics
/// If something does not hold.
pub fn delta(data: &[u8]) {
    let (options, rest) = Options::split(data);
    let (before, other) = rest.split_at(rest.len() * options.pick() / 127);
    tokens(before, other);
    let all = Edit { before: 0..before.len(), after: 0..other.len() };
    restores(before, other, vec![all]);
    restores(before, other, bytewise(before, other));
}

/// Whether tokens from anywhere make what they say.
fn tokens(before: &[u8], tokens: &[u8]) {
    let with_len = |len: u64| {
        let mut delta = [&[1][..], &hash(before).to_le_bytes()].concat();
        let mut left = len;
        while left >= 0x80 {
            delta.push(left as u8 | 0x80);
            left >>= 7;
        }
        delta.push(left as u8);
        delta.extend_from_slice(tokens);
        delta
    };
    let expected = plain(before, tokens);
    let delta = with_len(expected.as_ref().map_or(1 << 30, |result| result.len() as u64));
    match (apply(before, &delta), expected) {
        (Ok(plan), Some(expected)) => {
            assert!(plan.len() <= before.len() + delta.len(), "{} bytes", plan.len());
            assert_eq!(plan.to_vec(), expected, "another result");
            let longer = apply(before, &with_len(expected.len() as u64 + 1)).err();
            assert!(
                matches!(longer, Some(DeltaError { kind: DeltaErrorKind::Len { .. }, .. })),
                "another length is taken: {longer:?}"
            );
        }
        (Err(error), None) => {
            let text = error.to_string();
            assert!(text.ends_with("of the delta") && !text.contains(char::is_control), "{text}");
        }
        (found, expected) => panic!("{found:?} where a plain reader finds {expected:?}"),
    }
}

/// What the tokens make, in the plainest way.
fn plain(before: &[u8], tokens: &[u8]) -> Option<Vec<u8>> {
    let (mut base, mut rest, mut result) = (before, tokens, Vec::new());
    while !rest.is_empty() {
        let token = number(&mut rest)?;
        result.extend_from_slice(take(&mut base, token >> 3)?);
        let (skip, insert) = match token & 7 {
            0 => (number(&mut rest)?, number(&mut rest)?),
            7 => number(&mut rest).map(|more| (more + 7, more + 7))?,
            len => (len, len),
        };
        take(&mut base, skip)?;
        result.extend_from_slice(take(&mut rest, insert)?);
    }
    result.extend_from_slice(base);
    Some(result)
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for index in 0..9 {
        let byte = take(bytes, 1)?[0];
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return (index == 0 || byte > 0).then_some(number);
        }
    }
    None
}

fn take<'a>(bytes: &mut &'a [u8], len: u64) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(usize::try_from(len).ok()?)?;
    *bytes = rest;
    Some(taken)
}

/// An edit for each byte that differs, and one for what is longer.
fn bytewise(before: &[u8], after: &[u8]) -> Vec<Edit> {
    let both = before.len().min(after.len());
    let differ = (0..both).filter(|&at| before[at] != after[at]);
    let mut edits: Vec<_> = differ.map(|at| Edit { before: at..at + 1, after: at..at + 1 }).collect();
    edits.push(Edit { before: both..before.len(), after: both..after.len() });
    edits
}

fn restores(before: &[u8], after: &[u8], edits: Vec<Edit>) {
    let mut swap = Swap::new(before, after, edits.clone());
    let mut bytes = before.to_vec();
    for expected in [after, before, after] {
        swap.apply(&mut bytes);
        assert_eq!(bytes, expected, "not swapped");
    }
    let delta = make(before, after, edits).to_vec();
    assert!(delta.len() <= after.len() + MAX_OVERHEAD, "{} bytes for {}", delta.len(), after.len());
    assert!(before != after || delta.len() < 32, "{} bytes for nothing", delta.len());
    assert_eq!(apply(before, &delta).expect("applies").to_vec(), after, "not restored");
}

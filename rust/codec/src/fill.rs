//! Copies a plan into uninitialised memory, whole or in pieces that threads share; or outputs it in chunks, over time.
//!
//! Callers rely on this: when a function here returns, it has initialised every byte of its destination.

#[cfg(feature = "internals")]
mod pieces;

use std::mem::MaybeUninit;

use crate::plan::Content;
use crate::{Mark, Part, Plain, Plan, Scalar, Width, text};

#[cfg(feature = "internals")]
pub use self::pieces::{CUT_LEN, Piece, cut, cut_bytes};

/// Writes `part` over the whole of `dest`. Panics if they differ in length.
pub fn fill(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>]) {
    assert_eq!(dest.len(), part.len(), "destination and plan differ in length");
    let mut dest = dest;
    let mut small_at = 0;
    for segment in part.segments {
        let small_end = segment.small_end - part.small_start;
        dest = put(dest, &part.small[small_at..small_end]);
        small_at = small_end;
        let content = segment.payload.content();
        let (head, tail) = dest.split_at_mut(content.len());
        match content {
            Content::Bytes(bytes) => _ = head.write_copy_of_slice(bytes),
            Content::Utf32 { chars, .. } => text::encode(chars, head),
            Content::Plan(plan) => fill(plan.whole(), head),
        }
        dest = tail;
    }
    let dest = put(dest, &part.small[small_at..]);
    assert!(dest.is_empty(), "the plan is shorter than its length says");
}

/// Writes plain data over all of `dest` in `width`, rounded as in C++; NaN stays NaN. Panics if the lengths differ.
pub fn plain(plain: Plain<'_>, width: Width, dest: &mut [MaybeUninit<u8>]) {
    if plain.has_width(width) {
        dest.write_copy_of_slice(plain.bytes);
        return;
    }
    let (from, to) = (Scalar::Real.size(plain.width), Scalar::Real.size(width));
    assert_eq!(dest.len(), plain.bytes.len() / from * to, "destination and data differ in length");
    match plain.width {
        Width::Single => {
            for (bytes, dest) in plain.bytes.as_chunks().0.iter().zip(dest.as_chunks_mut::<8>().0) {
                dest.write_copy_of_slice(&f64::from(f32::from_le_bytes(*bytes)).to_le_bytes());
            }
        }
        Width::Double => {
            for (bytes, dest) in plain.bytes.as_chunks().0.iter().zip(dest.as_chunks_mut::<4>().0) {
                dest.write_copy_of_slice(&(f64::from_le_bytes(*bytes) as f32).to_le_bytes());
            }
        }
    }
}

/// Returns the bytes of `part` as a vector.
pub fn to_vec(part: Part<'_, '_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len());
    fill(part, &mut out.spare_capacity_mut()[..part.len()]);
    // SAFETY: the capacity is at least `part.len()`, and `fill` has initialised each of these bytes, or panicked.
    unsafe { out.set_len(part.len()) };
    out
}

impl Plan<'_> {
    /// Returns the output as a vector.
    pub fn to_vec(&self) -> Vec<u8> {
        to_vec(self.whole())
    }
}

fn put<'d>(dest: &'d mut [MaybeUninit<u8>], bytes: &[u8]) -> &'d mut [MaybeUninit<u8>] {
    let (head, tail) = dest.split_at_mut(bytes.len());
    copy(bytes, head);
    tail
}

/// Writes `bytes` over the whole of `dest`; panics if they differ in length. In browsers a copy is a call, which takes a
/// tenth of the time of a small value: 4 to 32 bytes are two blocks there, which may overlap.
#[inline(always)]
pub fn copy(bytes: &[u8], dest: &mut [MaybeUninit<u8>]) {
    if !cfg!(target_arch = "wasm32") || !(ends::<16>(bytes, dest) || ends::<8>(bytes, dest) || ends::<4>(bytes, dest)) {
        dest.write_copy_of_slice(bytes);
    }
}

/// Copies N to 2N bytes. Returns `false`, and copies nothing, if there are more or fewer.
#[inline(always)]
fn ends<const N: usize>(bytes: &[u8], dest: &mut [MaybeUninit<u8>]) -> bool {
    let len = bytes.len();
    if len < N || len > 2 * N || dest.len() != len {
        return false;
    }
    dest[..N].write_copy_of_slice(&bytes[..N]);
    dest[len - N..].write_copy_of_slice(&bytes[len - N..]);
    true
}

/// Max bytes of a character.
const CHAR_LEN: usize = 6;

/// How much of a plan was output. Belongs to one plan, which must not change meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// The positions in the plan and in nested plans, around the innermost one.
    outer: Vec<Level>,
    /// The position in the innermost plan that it has entered.
    level: Level,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// Small bytes that were output.
    small: usize,
    /// Segments that were output.
    segment: usize,
    /// Bytes or characters of the next segment that were output.
    offset: usize,
}

/// A piece of a plan.
#[derive(Clone, Copy, Debug)]
pub enum Chunk<'p> {
    /// Bytes that are copied unchanged.
    Bytes(&'p [u8]),
    /// Characters that are converted to UTF-8.
    Utf32(&'p [u32]),
}

impl Cursor {
    /// Creates a cursor at the start of a plan.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a cursor at a mark of a plan.
    pub fn at(mark: Mark) -> Self {
        Self { outer: Vec::new(), level: Level { small: mark.small, segment: mark.segments, offset: 0 } }
    }

    /// Returns the next chunk, of up to `most` bytes or one character. Panics if `most` is 0, or for another plan.
    pub fn next<'p>(&mut self, plan: &'p Plan<'_>, most: usize) -> Option<Chunk<'p>> {
        assert!(most > 0, "nothing was asked for");
        let Self { outer, level } = self;
        loop {
            let plan = outer.iter().fold(plan, |plan, level| match plan.segments[level.segment].payload.content() {
                Content::Plan(inner) => inner,
                _ => unreachable!("the cursor is that of another plan"),
            });
            let segment = plan.segments.get(level.segment);
            let small_end = segment.map_or(plan.small.len(), |segment| segment.small_end);
            if level.small < small_end {
                return Some(Chunk::Bytes(stretch(&plan.small[..small_end], &mut level.small, most)));
            }
            let chunk = match segment.map(|segment| segment.payload.content()) {
                Some(Content::Bytes(bytes)) => Chunk::Bytes(stretch(bytes, &mut level.offset, most)),
                Some(Content::Utf32 { chars, .. }) => {
                    Chunk::Utf32(stretch(chars, &mut level.offset, (most / CHAR_LEN).max(1)))
                }
                Some(Content::Plan(_)) => {
                    outer.push(std::mem::take(level));
                    continue;
                }
                None => {
                    // Continue in the outer plan, after this one.
                    *level = outer.pop()?;
                    level.segment += 1;
                    continue;
                }
            };
            if !chunk.is_empty() {
                return Some(chunk);
            }
            *level = Level { segment: level.segment + 1, offset: 0, ..*level };
        }
    }
}

impl Chunk<'_> {
    /// Returns its bytes of output.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Utf32(chars) => text::utf8_len(chars),
        }
    }

    /// True if it has no output.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Utf32(chars) => chars.is_empty(),
        }
    }

    /// Writes it over the whole of `dest`. Panics if that is not [`Self::len`] bytes long.
    pub fn fill(&self, dest: &mut [MaybeUninit<u8>]) {
        match self {
            Self::Bytes(bytes) => {
                dest.write_copy_of_slice(bytes);
            }
            Self::Utf32(chars) => text::encode(chars, dest),
        }
    }

    /// Appends its bytes to a vector.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Utf32(chars) => text::append(chars, text::utf8_len(chars), out),
        }
    }
}

/// Returns up to `most` elements from `at` on, and moves `at` past them.
fn stretch<'p, T>(elements: &'p [T], at: &mut usize, most: usize) -> &'p [T] {
    let start = *at;
    *at = elements.len().min(start.saturating_add(most));
    &elements[start..*at]
}

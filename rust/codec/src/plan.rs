//! Lays out an output: its exact size, small parts written, long payloads borrowed or held; [`Mark`]s between values.

use std::fmt;

use crate::limits::{HELD_LEN, INLINE_LEN, MAX_VALUE_LEN};
use crate::text;

/// An output. Invariants: `len` is the total length of the parts, and `small_end` never decreases between segments.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(crate) small: Vec<u8>,
    pub(crate) segments: Vec<Segment<'a>>,
    len: usize,
}

/// The small bytes up to `small_end`, then a payload.
#[derive(Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) small_end: usize,
    pub(crate) payload: Payload<'a>,
}

/// A payload that is not among the plan's small bytes.
pub enum Payload<'a> {
    /// Bytes that are copied unchanged.
    Bytes(&'a [u8]),
    /// Characters that are converted to UTF-8.
    Utf32 {
        /// The characters.
        chars: &'a [u32],
        /// Their length in UTF-8, in bytes.
        len: u32,
    },
    /// A whole plan that another writer made.
    Plan(Box<Plan<'a>>),
    /// Like [`Self::Bytes`], held by a reference that keeps them alive and unchanged.
    HeldBytes(Box<dyn AsRef<[u8]> + Send + Sync>),
    /// Like [`Self::Utf32`], held by a reference that keeps the characters alive and unchanged.
    HeldUtf32 {
        /// The characters.
        chars: Box<dyn AsRef<[u32]> + Send + Sync>,
        /// Their length in UTF-8, in bytes.
        len: u32,
    },
}

/// Decides how a plan keeps a payload that lives for `'e`: [`Borrowed`], [`Copied`], or held by a type of yours. That
/// takes a counted reference: it returns the bytes or characters that it is given, in a box that outlives `'e`.
pub trait Keep<'e, 'a> {
    /// Payloads up to this length, in bytes, are copied into the plan instead.
    const COPIED_LEN: usize = HELD_LEN;

    /// Keeps bytes of plain data or UTF-8.
    fn bytes(self, bytes: &'e [u8]) -> Payload<'a>;

    /// Keeps characters that take `len` bytes of UTF-8.
    fn utf32(self, chars: &'e [u32], len: u32) -> Payload<'a>;
}

/// Keeps long payloads by reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Borrowed;

impl<'e: 'a, 'a> Keep<'e, 'a> for Borrowed {
    const COPIED_LEN: usize = INLINE_LEN;

    #[inline]
    fn bytes(self, bytes: &'e [u8]) -> Payload<'a> {
        Payload::Bytes(bytes)
    }

    #[inline]
    fn utf32(self, chars: &'e [u32], len: u32) -> Payload<'a> {
        Payload::Utf32 { chars, len }
    }
}

/// Copies every payload immediately.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied;

impl<'a> Keep<'_, 'a> for Copied {
    const COPIED_LEN: usize = usize::MAX;

    fn bytes(self, _: &[u8]) -> Payload<'a> {
        unreachable!("no payload is too long to copy")
    }

    fn utf32(self, _: &[u32], _: u32) -> Payload<'a> {
        unreachable!("no payload is too long to copy")
    }
}

/// The content of a payload, independent of how it is kept.
pub(crate) enum Content<'p, 'a> {
    Bytes(&'p [u8]),
    Utf32 { chars: &'p [u32], len: usize },
    Plan(&'p Plan<'a>),
}

impl Content<'_, '_> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Utf32 { len, .. } => *len,
            Self::Plan(plan) => plan.len(),
        }
    }
}

impl<'a> Payload<'a> {
    #[inline]
    pub(crate) fn content(&self) -> Content<'_, 'a> {
        match self {
            Self::Bytes(bytes) => Content::Bytes(bytes),
            Self::Utf32 { chars, len } => Content::Utf32 { chars, len: *len as usize },
            Self::Plan(plan) => Content::Plan(plan),
            Self::HeldBytes(bytes) => Content::Bytes((**bytes).as_ref()),
            Self::HeldUtf32 { chars, len } => Content::Utf32 { chars: (**chars).as_ref(), len: *len as usize },
        }
    }
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = if matches!(self, Self::HeldBytes(_) | Self::HeldUtf32 { .. }) { "held " } else { "" };
        match self.content() {
            Content::Plan(plan) => plan.fmt(f),
            content => write!(f, "{held}payload of {} bytes", content.len()),
        }
    }
}

/// True where no plan is longer than a `usize` counts.
const IS_WIDE: bool = usize::BITS >= 64;

/// The length from which segments add no more to that of a plan, elsewhere: more than any value or memory has. Small
/// bytes, which are in memory, still do.
const MAX_LEN: usize = 1 << (usize::BITS - 1);

/// A position between two values of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    pub(crate) small: usize,
    pub(crate) segments: usize,
    len: usize,
}

impl Mark {
    /// Returns the bytes of output before this mark.
    pub fn position(self) -> usize {
        self.len
    }
}

/// The part of a plan between two marks.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p, 'a> {
    pub(crate) small: &'p [u8],
    pub(crate) segments: &'p [Segment<'a>],
    /// The offset of `small` in the plan, from which the `small_end` of the segments counts.
    pub(crate) small_start: usize,
    pub(crate) len: usize,
}

impl<'p> From<&'p [u8]> for Part<'p, '_> {
    fn from(small: &'p [u8]) -> Self {
        Self { small, segments: &[], small_start: 0, len: small.len() }
    }
}

impl Part<'_, '_> {
    /// Returns the bytes that this part takes in its destination.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Default for Plan<'_> {
    /// Creates an empty plan with room for a value or two: one allocation instead of several small ones.
    fn default() -> Self {
        Self { small: Vec::with_capacity(2 * INLINE_LEN), segments: Vec::new(), len: 0 }
    }
}

impl<'a> Plan<'a> {
    /// Returns an empty plan in the memory of this one, if that is at most `max` bytes.
    #[inline]
    pub fn emptied(mut self, max: usize) -> Option<Plan<'static>> {
        if self.small.capacity() + self.segments.capacity() * size_of::<Segment<'_>>() > max {
            return None;
        }
        self.small.clear();
        self.segments.clear();
        // Of another lifetime, but in the same memory: the standard library collects in place.
        let segments = self.segments.into_iter().map(|_| unreachable!("all are removed")).collect();
        Some(Plan { small: self.small, segments, len: 0 })
    }

    /// Returns the output, if the plan holds all of it itself.
    #[inline]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        self.segments.is_empty().then_some(&self.small)
    }

    /// Returns the output as a vector, without a copy of what the plan holds itself.
    pub fn into_vec(self) -> Vec<u8> {
        if self.segments.is_empty() { self.small } else { self.to_vec() }
    }

    /// Returns the bytes of the whole output.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True if the length may no longer be right: the last value is too large, or the plan on a 32-bit platform.
    pub(crate) fn is_full(&self) -> bool {
        !IS_WIDE && self.len >= MAX_LEN
    }

    /// Returns the longest that the output can be after another value, less than [`Self::is_full`].
    #[inline]
    pub(crate) fn max_end(&self) -> usize {
        self.len.saturating_add(MAX_VALUE_LEN).min(MAX_LEN - 1)
    }

    /// Returns the end of the output so far.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { small: self.small.len(), segments: self.segments.len(), len: self.len }
    }

    /// Returns the part between two marks of this plan. Panics if `from` is after `to`, or one is of another plan.
    pub fn part(&self, from: Mark, to: Mark) -> Part<'_, 'a> {
        Part {
            small: &self.small[from.small..to.small],
            segments: &self.segments[from.segments..to.segments],
            small_start: from.small,
            len: to.len - from.len,
        }
    }

    /// Returns the whole plan.
    pub fn whole(&self) -> Part<'_, 'a> {
        self.part(Mark::default(), self.mark())
    }

    pub(crate) fn append(&mut self, other: Self) {
        let len = other.len;
        self.segment(Payload::Plan(Box::new(other)), len);
    }

    #[inline]
    pub(crate) fn small(&mut self, bytes: &[u8]) {
        self.small.extend_from_slice(bytes);
        self.len += bytes.len();
    }

    #[inline]
    pub(crate) fn words<const N: usize>(&mut self, words: [u32; N]) {
        let words = words.map(u32::to_le_bytes);
        self.small(words.as_flattened());
    }

    /// Overwrites the word that was written at this offset of the small bytes.
    pub(crate) fn patch(&mut self, at: usize, word: u32) {
        self.small[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    pub(crate) fn rollback(&mut self, mark: Mark) {
        self.small.truncate(mark.small);
        self.segments.truncate(mark.segments);
        self.len = mark.len;
    }

    #[inline]
    pub(crate) fn bytes<'e, K: Keep<'e, 'a>>(&mut self, bytes: &'e [u8], keep: K) {
        if cfg!(target_arch = "wasm32") && bytes.len() == 16 {
            // A copy of a known length needs no call: see `fill::copy`.
            self.small(&bytes[..16]);
        } else if bytes.len() <= K::COPIED_LEN {
            self.small(bytes);
        } else {
            self.segment(keep.bytes(bytes), bytes.len());
        }
    }

    /// Appends a text of up to [`text::SHORT_CHARS`] characters with its length, padded. The length counts `nul`.
    #[inline]
    pub(crate) fn short_text(&mut self, chars: &[u32], nul: usize) {
        let start = self.small.len();
        text::append_short(chars, nul, &mut self.small);
        self.len += self.small.len() - start;
    }

    /// Appends more than [`text::SHORT_CHARS`] characters; `len` is their length in UTF-8.
    #[inline]
    pub(crate) fn utf32<'e, K: Keep<'e, 'a>>(&mut self, chars: &'e [u32], len: u32, keep: K) {
        if len as usize <= K::COPIED_LEN {
            text::append(chars, len as usize, &mut self.small);
            self.len += len as usize;
        } else {
            self.segment(keep.utf32(chars, len), len as usize);
        }
    }

    /// Appends characters, and returns their length in UTF-8.
    #[cold]
    pub(crate) fn chars(&mut self, chars: impl Iterator<Item = char>) -> usize {
        let start = self.len;
        chars.for_each(|char| self.small(char.encode_utf8(&mut [0; 4]).as_bytes()));
        self.len - start
    }

    /// Appends zeros after `len` bytes, up to a multiple of four.
    #[inline]
    pub(crate) fn pad(&mut self, len: usize) {
        let count = len.wrapping_neg() % 4;
        self.small.resize(self.small.len() + count, 0);
        self.len += count;
    }

    fn segment(&mut self, payload: Payload<'a>, len: usize) {
        self.segments.push(Segment { small_end: self.small.len(), payload });
        // The same memory in many segments can be more than 32 bits count.
        self.len = if IS_WIDE { self.len + len } else { self.len.saturating_add(len).min(MAX_LEN.max(self.len)) };
    }
}

//! What an output will be: its exact size, the small parts already written, the large payloads borrowed.
//!
//! A plan is made in one pass over the values. It holds one or many values end to end; a [`Mark`] between two of them
//! lets each go to a destination of its own.

use std::fmt;

use crate::fill;
use crate::limits::{HELD_LEN, INLINE_LEN};
use crate::text;

/// Bytes of room that are made at once because somebody guesses that they will be needed: what follows may be smaller than
/// what came before.
const MOST_ROOM: usize = 4 << 20;

/// The output of one or many values, ready to be filled in.
///
/// Invariant: `len` is what the parts add up to, `small_end` never falls from one segment to the next.
#[derive(Debug)]
pub struct Plan<'a> {
    small: Vec<u8>,
    segments: Vec<Segment<'a>>,
    len: usize,
}

/// Small bytes up to `small_end`, then a payload.
#[derive(Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) small_end: usize,
    pub(crate) payload: Payload<'a>,
}

/// What keeps a payload alive and unchanged as long as it exists, instead of a borrow: a reference that is counted.
pub type Held<T> = Box<dyn AsRef<[T]> + Send + Sync>;

/// Bytes that are not among the plan's small ones.
pub(crate) enum Payload<'a> {
    /// Copied as they are.
    Bytes(&'a [u8]),
    /// Turned into `len` bytes of UTF-8.
    Utf32 { chars: &'a [u32], len: u32 },
    /// All of a plan that another writer made.
    Plan(Box<Plan<'a>>),
    /// As `Bytes`.
    HeldBytes(Held<u8>),
    /// As `Utf32`.
    HeldUtf32 { chars: Held<u32>, len: u32 },
}

/// A payload, whoever keeps it.
pub(crate) enum Content<'p, 'a> {
    Bytes(&'p [u8]),
    Utf32 { chars: &'p [u32], len: usize },
    Plan(&'p Plan<'a>),
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

    pub(crate) fn len(&self) -> usize {
        match self.content() {
            Content::Bytes(bytes) => bytes.len(),
            Content::Utf32 { len, .. } => len,
            Content::Plan(plan) => plan.len(),
        }
    }
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = if matches!(self, Self::HeldBytes(_) | Self::HeldUtf32 { .. }) { "held " } else { "" };
        match self.content() {
            Content::Plan(plan) => plan.fmt(f),
            _ => write!(f, "{held}payload of {} bytes", self.len()),
        }
    }
}

/// A place between two values of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    small: usize,
    segments: usize,
    len: usize,
}

impl Mark {
    /// Bytes of output before this place.
    pub fn position(self) -> usize {
        self.len
    }
}

/// A run of a plan between two marks.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p, 'a> {
    pub(crate) small: &'p [u8],
    pub(crate) segments: &'p [Segment<'a>],
    /// How far the `small_end` of the segments counts from the start of `small`.
    pub(crate) small_start: usize,
    pub(crate) len: usize,
}

impl Part<'_, '_> {
    /// Bytes that this part takes in its destination.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a> Plan<'a> {
    /// An empty plan, with room for a value or two: one allocation instead of several small ones.
    pub(crate) fn new() -> Self {
        Self { small: Vec::with_capacity(2 * INLINE_LEN), segments: Vec::new(), len: 0 }
    }

    /// Bytes of the whole output.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The end of what was written so far.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { small: self.small.len(), segments: self.segments.len(), len: self.len }
    }

    /// What lies between two marks of this plan.
    ///
    /// # Panics
    /// If `from` lies behind `to`, or either is not of this plan.
    pub fn part(&self, from: Mark, to: Mark) -> Part<'_, 'a> {
        Part {
            small: &self.small[from.small..to.small],
            segments: &self.segments[from.segments..to.segments],
            small_start: from.small,
            len: to.len - from.len,
        }
    }

    /// The whole plan.
    pub fn whole(&self) -> Part<'_, 'a> {
        self.part(Mark::default(), self.mark())
    }

    /// Bytes of memory that the plan itself holds: what an encoding costs besides its output.
    pub fn overhead(&self) -> usize {
        let inner = self.segments.iter().map(|segment| match segment.payload.content() {
            Content::Plan(plan) => plan.overhead(),
            _ => 0,
        });
        self.small.capacity() + self.segments.capacity() * size_of::<Segment<'_>>() + inner.sum::<usize>()
    }

    /// The output as a vector.
    pub fn to_vec(&self) -> Vec<u8> {
        fill::to_vec(self.whole())
    }

    pub(crate) fn segments(&self) -> &[Segment<'a>] {
        &self.segments
    }

    pub(crate) fn small_bytes(&self) -> &[u8] {
        &self.small
    }

    pub(crate) fn reserve(&mut self, times: usize) {
        self.reserve_bytes(self.small.len().saturating_mul(times));
        let most = MOST_ROOM / size_of::<Segment<'_>>();
        self.segments.reserve(self.segments.len().saturating_mul(times).min(most));
    }

    pub(crate) fn inline_len(&self) -> usize {
        self.small.len()
    }

    pub(crate) fn reserve_bytes(&mut self, len: usize) {
        self.small.reserve(len.min(MOST_ROOM));
    }

    /// Adds the whole of another plan behind this one.
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

    /// Overwrites a word that was written at `mark`.
    pub(crate) fn patch(&mut self, mark: Mark, word: u32) {
        self.small[mark.small..mark.small + 4].copy_from_slice(&word.to_le_bytes());
    }

    pub(crate) fn rollback(&mut self, mark: Mark) {
        self.small.truncate(mark.small);
        self.segments.truncate(mark.segments);
        self.len = mark.len;
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &'a [u8]) {
        if bytes.len() <= INLINE_LEN {
            self.small(bytes);
        } else {
            self.segment(Payload::Bytes(bytes), bytes.len());
        }
    }

    /// Bytes that `hold` keeps, or a copy if they are few.
    #[inline]
    pub(crate) fn held_bytes(&mut self, bytes: &[u8], hold: impl FnOnce() -> Held<u8>) {
        if bytes.len() <= HELD_LEN {
            self.small(bytes);
        } else {
            self.segment(Payload::HeldBytes(hold()), bytes.len());
        }
    }

    /// As [`Self::utf32`], of characters that `hold` keeps, or of a copy if they are few.
    pub(crate) fn held_utf32(&mut self, chars: &[u32], len: u32, hold: impl FnOnce() -> Held<u32>) {
        if len as usize <= HELD_LEN {
            self.utf32_now(chars, len);
        } else {
            self.segment(Payload::HeldUtf32 { chars: hold(), len }, len as usize);
        }
    }

    /// Up to [`text::SHORT_CHARS`] characters; gives their length in UTF-8.
    #[inline]
    pub(crate) fn short_utf32(&mut self, chars: &[u32]) -> usize {
        let start = self.small.len();
        text::append_short(chars, &mut self.small);
        let len = self.small.len() - start;
        self.len += len;
        len
    }

    /// More characters than these; `len` is their length in UTF-8.
    pub(crate) fn utf32(&mut self, chars: &'a [u32], len: u32) {
        self.segment(Payload::Utf32 { chars, len }, len as usize);
    }

    /// As [`Self::utf32`], copied.
    pub(crate) fn utf32_now(&mut self, chars: &[u32], len: u32) {
        text::append(chars, len as usize, &mut self.small);
        self.len += len as usize;
    }

    /// Characters; gives their length in UTF-8.
    #[cold]
    pub(crate) fn chars(&mut self, chars: impl Iterator<Item = char>) -> usize {
        let start = self.len;
        chars.for_each(|char| self.small(char.encode_utf8(&mut [0; 4]).as_bytes()));
        self.len - start
    }

    /// Zeros behind `len` bytes, up to a multiple of four.
    #[inline]
    pub(crate) fn pad(&mut self, len: usize) {
        let count = len.wrapping_neg() % 4;
        // All four are written, as their number is known then.
        self.small.extend_from_slice(&[0; 4]);
        self.small.truncate(self.small.len() - 4 + count);
        self.len += count;
    }

    fn segment(&mut self, payload: Payload<'a>, len: usize) {
        self.segments.push(Segment { small_end: self.small.len(), payload });
        self.len += len;
    }
}

//! Finds where values end, without events, for callers that have compared the bytes. Skips values with the layout of
//! the one before, as Array elements usually have: comparing a few words is several times faster than each length.

use super::{HIGH_BIT, ReadNext, Reader, width};
use crate::{
    ARRAY_TYPE, CodecError, CodecErrorKind, DICTIONARY_TYPES, Extent, FLAG_64, Kinds, MAX_DEPTH, Shape, WORD, padded,
};

impl<'a> Reader<'a> {
    /// Restarts at the value that begins at `at`, as if it were in no container.
    fn restart(&mut self, at: usize) {
        self.at = at;
        self.due = WORD;
        self.next = ReadNext::Value;
        self.open.clear();
    }

    /// Skips the next `count` values, which take `len` bytes together. They must be in the same container.
    #[inline]
    pub(crate) fn pass_values(&mut self, count: usize, len: usize) {
        debug_assert!(self.next == ReadNext::Value && count > 0, "values are due");
        self.at += len;
        self.due -= count * WORD;
        if let Some(top) = self.open.last_mut() {
            top.index += count - 1;
        }
        self.end_value();
    }

    /// Creates a search for the ends of values in the same bytes.
    pub(crate) fn skim(&self) -> Skim<'a> {
        let (reader, template) = (self.clone(), Template::default());
        let (stack, lanes) = (Vec::new(), Vec::new());
        Skim { reader, at: 0, remaining: 0, stack, lanes, depth: 0, begun: 0, template, count: 0, last: 0, end: 0 }
    }
}

/// Finds the ends of consecutive values by lengths and counts. Checks no UTF-8, and allocates nothing for a count.
#[derive(Debug)]
pub(crate) struct Skim<'a> {
    reader: Reader<'a>,
    /// The offset that the search has reached.
    pub at: usize,
    /// Values remaining in the innermost container.
    remaining: usize,
    /// The same for those around it, outermost first: two numbers for a long Array, the one around it and its own.
    stack: Vec<usize>,
    /// The long Arrays that the search is in.
    lanes: Vec<Lane>,
    /// The number of containers that enclose the values.
    depth: usize,
    /// Where the current value begins, or that of the innermost long Array, and its layout.
    begun: usize,
    template: Template,
    /// The number of values that have ended, and the start and end of the last of them.
    pub count: usize,
    pub last: usize,
    pub end: usize,
}

/// A long Array, whose elements are compared with the layout of the one before them.
#[derive(Debug)]
struct Lane {
    /// The length of the stack between its elements.
    depth: usize,
    /// Where the value that contains it begins, and the mismatches before it.
    outer_begun: usize,
    outer_misses: usize,
}

impl Skim<'_> {
    /// Starts at the value that begins at `at`, inside `depth` containers.
    #[inline]
    pub fn start(&mut self, at: usize, depth: usize) {
        (self.at, self.last, self.end, self.begun, self.depth) = (at, at, at, at, depth);
        (self.remaining, self.count) = (1, 0);
        self.stack.clear();
        self.lanes.clear();
        self.template.restart(0, false);
    }

    /// Returns the end of the value that begins at `at`, at most the length of the bytes. Fails if there is no value.
    #[inline]
    pub fn end_of(&mut self, at: usize) -> Result<usize, CodecError> {
        if let Some(end) = self.flat_end(at) {
            return Ok(end);
        }
        self.start(at, 0);
        self.search(usize::MAX, 1, Kinds::ANY)?;
        Ok(self.end.min(self.reader.bytes.len()))
    }

    /// Returns the end of a value whose first two words give its length, if it is whole and not the last few bytes.
    #[inline]
    fn flat_end(&self, at: usize) -> Option<usize> {
        let (bytes, rows) = (self.reader.bytes, &self.reader.rules.rows);
        let words = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        let row = rows[usize::from(words as u8)];
        let len = match row.shape.extent(width(words as u32 & row.flags)) {
            Extent::Fixed(len) => WORD + len,
            Extent::Counted(unit) => {
                2 * WORD + padded(((words >> 32) as usize).checked_mul(unit)?.min(i32::MAX as usize))
            }
            Extent::Parts => return None,
        };
        (len <= bytes.len() - at).then_some(at + len)
    }

    /// Continues until `max` values have ended, the offset `limit` is passed (a later call counts the value that ends
    /// there), or a value is of none of these kinds, except the first. Fails if there is none, or it is too deep.
    pub fn search(&mut self, limit: usize, max: usize, kinds: Kinds) -> Result<(), CodecError> {
        let (bytes, rows) = (self.reader.bytes, &self.reader.rules.rows);
        let (mut at, mut remaining) = (self.at, self.remaining);
        while at <= limit {
            if remaining == 0 {
                if self.lanes.last().is_some_and(|lane| lane.depth == self.stack.len()) {
                    (at, remaining) = self.end_element(at, limit);
                    continue;
                }
                match self.stack.pop() {
                    Some(outer) => remaining = outer,
                    None => {
                        self.count += 1;
                        let len = at - self.end;
                        (self.last, self.end) = (self.end, at);
                        let (repeats, last, end) = self.template.repeats(bytes, at, len, limit, max - self.count);
                        if repeats > 0 {
                            self.count += repeats;
                            (self.last, self.end, at) = (last, end, end);
                        }
                        if self.count == max || !kinds.has(bytes.get(at)) {
                            break;
                        }
                        remaining = 1;
                        self.begun = at;
                    }
                }
                continue;
            }
            let Some(&words) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
                // Either a header without a payload at the very end, or no value.
                at += self.read(at)?;
                remaining -= 1;
                continue;
            };
            let words = u64::from_le_bytes(words);
            let (header, second) = (words as u32, (words >> 32) as u32);
            let row = rows[usize::from(header as u8)];
            let flags = header & row.flags;
            let offset = at - self.begun;
            let (len, mask, may) = match (row.shape.extent(width(flags)), row.shape) {
                (Extent::Fixed(len), Shape::Int | Shape::Float) => (WORD + len, FIRST, May::BeWide),
                (Extent::Fixed(len), _) => (WORD + len, FIRST, May::Nothing),
                // A count that is too large moves past the end.
                (Extent::Counted(unit), _) => {
                    let len = (second as usize).saturating_mul(unit).min(isize::MAX as usize);
                    (2 * WORD + padded(len), BOTH, May::Count(unit))
                }
                (_, Shape::Array | Shape::Dictionary) => {
                    let is_array = matches!(row.shape, Shape::Array);
                    let types = if is_array { flags & ARRAY_TYPE } else { flags & DICTIONARY_TYPES } >> 16;
                    // The form of each element type: none, a type id that follows, or a text.
                    let (first, other) = (types & 3, types >> 2);
                    let head = 2 * WORD + WORD * (first + other) as usize;
                    // The last two words of the head; the second is the count.
                    let end = bytes.get(at + head - 2 * WORD..).and_then(<[u8]>::first_chunk);
                    match end.map(|&end| u64::from_le_bytes(end)) {
                        Some(end) if first < 2 && other < 2 => {
                            let count = (end >> 32) as u32;
                            if self.depth + self.stack.len() - self.lanes.len() >= MAX_DEPTH && count != 0 {
                                return Err(CodecError::new(at, CodecErrorKind::TooDeep));
                            }
                            self.template.note(Words { at: offset, words, mask: FIRST, may: May::Nothing });
                            let count_at = offset + head - 2 * WORD;
                            self.template.note(Words { at: count_at, words: end, mask: SECOND, may: May::Nothing });
                            self.stack.push(remaining - 1);
                            remaining = ((count & !HIGH_BIT) as usize).saturating_mul(if is_array { 1 } else { 2 });
                            at += head;
                            if is_array && remaining >= MAX_TEMPLATE {
                                self.enter_lane(at, remaining);
                                remaining = 1;
                            }
                            continue;
                        }
                        _ => (self.read(at)?, FIRST, May::Nothing),
                    }
                }
                _ => (self.read(at)?, FIRST, May::Nothing),
            };
            self.template.note(Words { at: offset, words, mask, may });
            at += if len <= bytes.len() - at { len } else { self.read(at)? };
            remaining -= 1;
        }
        (self.at, self.remaining) = (at, remaining);
        Ok(())
    }

    #[cold]
    fn enter_lane(&mut self, at: usize, count: usize) {
        self.stack.push(count);
        let (outer_begun, outer_misses) = (self.begun, self.template.misses);
        self.lanes.push(Lane { depth: self.stack.len(), outer_begun, outer_misses });
        self.begun = at;
        self.template.restart(0, false);
    }

    /// Ends an element of a long Array, and skips those like it. Returns the next value's start, and how many remain.
    fn end_element(&mut self, at: usize, limit: usize) -> (usize, usize) {
        let left = self.stack.pop().map_or(0, |left| left - 1);
        let (repeats, _, end) = self.template.repeats(self.reader.bytes, at, at - self.begun, limit, left);
        if left > repeats {
            self.stack.push(left - repeats);
            self.begun = end;
            return (end, 1);
        }
        if let Some(lane) = self.lanes.pop() {
            self.begun = lane.outer_begun;
            self.template.restart(lane.outer_misses, true);
        }
        (end, 0)
    }

    /// Returns the length of a value of a rare shape, or the error of a broken one.
    #[cold]
    fn read(&mut self, at: usize) -> Result<usize, CodecError> {
        self.template.is_broken = true;
        self.reader.restart(at);
        while self.reader.pass_text()? || self.reader.next_event()?.is_some() {}
        Ok(self.reader.position() - at)
    }
}

/// Max words in a template. Values with more are read in full.
const MAX_TEMPLATE: usize = 512;

/// Consecutive mismatches after which templates are no longer tried.
const MAX_MISSES: usize = 16;

/// The layout of a value: the words that determine the lengths of its parts, and their offsets.
#[derive(Debug, Default)]
struct Template {
    words: Vec<Words>,
    /// True if the words do not determine the length of a part, or are too many.
    is_broken: bool,
    /// How many values in a row had another layout than the one before them.
    misses: usize,
}

/// Eight bytes. Their bits under the mask must match.
#[derive(Clone, Copy, Debug)]
struct Words {
    /// Their offset in the value.
    at: usize,
    /// The masked bits.
    words: u64,
    mask: u64,
    may: May,
}

/// How the masked words of another value may still differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    Nothing,
    /// In the bit that makes a number twice as wide.
    BeWide,
    /// In the second word, the count of elements of this many bytes.
    Count(usize),
}

/// Masks for both of two words, or one of them.
const BOTH: u64 = u64::MAX;
const FIRST: u64 = u32::MAX as u64;
const SECOND: u64 = !FIRST;

impl Template {
    /// Begins another value, after so many of other layouts. If `is_broken`, it has too many words for a template.
    #[inline]
    fn restart(&mut self, misses: usize, is_broken: bool) {
        self.words.clear();
        (self.misses, self.is_broken) = (misses, is_broken);
    }

    #[inline(always)]
    fn note(&mut self, words: Words) {
        if self.misses >= MAX_MISSES {
            return;
        }
        match self.words.len() < MAX_TEMPLATE {
            true => self.words.push(Words { words: words.words & words.mask, ..words }),
            false => self.is_broken = true,
        }
    }

    /// Ends the current value, which took `len` bytes, and skips up to `max` values from `at` on that have its layout
    /// and end at `limit` or before. Returns how many these are, and the start and end of the last one.
    #[inline]
    fn repeats(&mut self, bytes: &[u8], at: usize, len: usize, limit: usize, max: usize) -> (usize, usize, usize) {
        if self.misses >= MAX_MISSES {
            return (0, at, at);
        }
        let (mut count, mut last, mut end) = (0, at, at);
        if !self.is_broken {
            while count < max
                && let Some(next) = self.end(bytes, end, len).filter(|&next| next <= limit)
            {
                (count, last, end) = (count + 1, end, next);
            }
        }
        self.restart(if count > 0 { 0 } else { self.misses + 1 }, false);
        (count, last, end)
    }

    /// Returns the end of the value at `start` if only lengths of texts and packed arrays and widths of numbers differ.
    fn end(&self, bytes: &[u8], start: usize, len: usize) -> Option<usize> {
        // Where the value would begin if all its parts so far had the template's lengths. May wrap around.
        let mut base = start;
        for words in &self.words {
            let at = base.wrapping_add(words.at);
            let found = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
            if found & words.mask != words.words {
                base = base.wrapping_add(words.longer(found)?);
            }
        }
        Some(base.wrapping_add(len)).filter(|&end| end <= bytes.len())
    }
}

impl Words {
    /// Returns how much longer a part with the words `found` is; less wraps around. `None` if the layout differs.
    #[inline]
    fn longer(&self, found: u64) -> Option<usize> {
        match self.may {
            May::BeWide if (found ^ self.words) & self.mask == u64::from(FLAG_64) => {
                Some(if found & u64::from(FLAG_64) == 0 { WORD.wrapping_neg() } else { WORD })
            }
            May::Count(unit) if found as u32 == self.words as u32 && found >> 32 <= i32::MAX as u64 => {
                // No memory is longer; in 32 bits, the sum of two such lengths does not wrap around.
                let fits = |len: &usize| *len <= isize::MAX as usize / 2;
                let len = |words: u64| ((words >> 32) as usize).checked_mul(unit).filter(fits).map(padded);
                Some(len(found)?.wrapping_sub(len(self.words)?))
            }
            _ => None,
        }
    }
}

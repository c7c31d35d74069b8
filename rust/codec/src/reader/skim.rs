//! Finds where values end without producing events, for callers that have already compared the bytes.

use super::template::{BOTH, FIRST, May, SECOND, Template, Words};
use super::{HIGH_BIT, ReadNext, Reader, width};
use crate::error::{CodecError, CodecErrorKind};
use crate::kind::{ARRAY_TYPE, DICTIONARY_TYPES, Extent, Shape, WORD, padded};
use crate::limits::MAX_DEPTH;

/// The bits of a header that give the form of an element type: none, a type id that follows, or a text.
const TYPE_BITS: u32 = 3;

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
        Skim { reader, at: 0, remaining: 0, stack: Vec::new(), depth: 0, template, count: 0, last: 0, end: 0 }
    }
}

/// Finds the ends of consecutive values.
///
/// It follows lengths and counts as far as there are bytes, and uses the Reader for rare shapes. It does not check that
/// texts are UTF-8, and allocates nothing for a count.
#[derive(Debug)]
pub(crate) struct Skim<'a> {
    /// Reads rare shapes.
    reader: Reader<'a>,
    at: usize,
    /// Values remaining in the innermost container.
    remaining: usize,
    /// Values remaining in the containers around it, outermost first.
    stack: Vec<usize>,
    /// The number of containers that enclose the values.
    depth: usize,
    /// The layout of the current value.
    template: Template,
    /// The number of values that have ended, and the start and end of the last of them.
    pub count: usize,
    pub last: usize,
    pub end: usize,
}

impl Skim<'_> {
    /// Starts at the value that begins at `at`, inside `depth` containers.
    #[inline]
    pub fn start(&mut self, at: usize, depth: usize) {
        (self.at, self.last, self.end, self.depth) = (at, at, at, depth);
        (self.remaining, self.count) = (1, 0);
        self.stack.clear();
        self.template.restart();
    }

    /// Returns the offset that the search has reached.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the end of the value that begins at `at`, but no more than the length of the bytes.
    ///
    /// # Errors
    /// If there is no value.
    pub fn end_of(&mut self, at: usize) -> Result<usize, CodecError> {
        self.start(at, 0);
        self.search(usize::MAX, 1)?;
        Ok(self.end.min(self.reader.bytes.len()))
    }

    /// Continues until `max` values have ended or the search has passed the offset `limit`. A value that ends after
    /// `limit` is counted by a later call with a higher limit.
    ///
    /// # Errors
    /// If there is no value, or it is nested too deep.
    pub fn search(&mut self, limit: usize, max: usize) -> Result<(), CodecError> {
        let (bytes, rows) = (self.reader.bytes, self.reader.rows);
        let (mut at, mut remaining) = (self.at, self.remaining);
        while at <= limit {
            if remaining == 0 {
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
                        if self.count == max {
                            break;
                        }
                        remaining = 1;
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
            let offset = at - self.end;
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
                    let (first, other) = (types & TYPE_BITS, types >> 2);
                    let head = 2 * WORD + WORD * (first + other) as usize;
                    // The last two words of the head; the second is the count.
                    let end = bytes.get(at + head - 2 * WORD..).and_then(<[u8]>::first_chunk);
                    match end.map(|&end| u64::from_le_bytes(end)) {
                        Some(end) if first < 2 && other < 2 => {
                            let count = (end >> 32) as u32;
                            if self.depth + self.stack.len() >= MAX_DEPTH && count != 0 {
                                return Err(CodecError::new(at, CodecErrorKind::TooDeep));
                            }
                            self.template.note(Words { at: offset, words, mask: FIRST, may: May::Nothing });
                            let count_at = offset + head - 2 * WORD;
                            self.template.note(Words { at: count_at, words: end, mask: SECOND, may: May::Nothing });
                            self.stack.push(remaining - 1);
                            remaining = ((count & !HIGH_BIT) as usize).saturating_mul(if is_array { 1 } else { 2 });
                            at += head;
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

    /// Returns the length of a value of a rare shape, or the error of a broken one.
    #[cold]
    fn read(&mut self, at: usize) -> Result<usize, CodecError> {
        self.template.give_up();
        self.reader.restart(at);
        while self.reader.next != ReadNext::End {
            match self.reader.next {
                ReadNext::Text => self.reader.pass()?,
                _ => _ = self.reader.next_event()?,
            }
        }
        Ok(self.reader.position() - at)
    }
}

//! Skips values that have the layout of the one before them. Array elements usually share a layout, and comparing a few
//! words is several times faster than following each length.

use crate::kind::{FLAG_64, WORD, padded};

/// Max words in a template. Values with more are read in full.
pub(super) const MAX_TEMPLATE: usize = 512;

/// Consecutive mismatches after which templates are no longer tried.
const MAX_MISSES: usize = 16;

/// The layout of a value: the words that determine the lengths of its parts, and their offsets.
#[derive(Debug, Default)]
pub(super) struct Template {
    words: Vec<Words>,
    is_broken: bool,
    misses: usize,
}

/// Eight bytes. Their bits under the mask must match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// Their offset in the value.
    pub at: usize,
    /// The masked bits.
    pub words: u64,
    pub mask: u64,
    pub may: May,
}

/// How the masked words of another value may still differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum May {
    Nothing,
    /// In the bit that makes a number twice as wide.
    BeWide,
    /// In the second word, the count of elements of this many bytes.
    Count(usize),
}

/// Masks for both of two words, or one of them.
pub(super) const BOTH: u64 = u64::MAX;
pub(super) const FIRST: u64 = u32::MAX as u64;
pub(super) const SECOND: u64 = !FIRST;

impl Template {
    /// Restarts for other values.
    #[inline]
    pub fn restart(&mut self) {
        self.misses = 0;
        self.forget();
    }

    /// Returns how many values in a row had another layout than the one before them.
    pub fn misses(&self) -> usize {
        self.misses
    }

    /// Returns to a value with too many words, after as many mismatches.
    pub fn resume_broken(&mut self, misses: usize) {
        self.misses = misses;
        self.forget();
        self.is_broken = true;
    }

    fn forget(&mut self) {
        self.words.clear();
        self.is_broken = false;
    }

    /// Notes words of the current value.
    #[inline(always)]
    pub fn note(&mut self, words: Words) {
        if self.misses < MAX_MISSES {
            self.put(words);
        }
    }

    #[inline]
    fn put(&mut self, words: Words) {
        match self.words.len() < MAX_TEMPLATE {
            true => self.words.push(Words { words: words.words & words.mask, ..words }),
            false => self.is_broken = true,
        }
    }

    /// Notes that the words do not determine the length of a part.
    pub fn give_up(&mut self) {
        self.is_broken = true;
    }

    /// Ends the current value, which took `len` bytes, and skips up to `max` values from `at` on that have its layout
    /// and end at `limit` or before. Returns how many these are, and the start and end of the last one.
    #[inline]
    pub fn repeats(&mut self, bytes: &[u8], at: usize, len: usize, limit: usize, max: usize) -> (usize, usize, usize) {
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
        self.misses = if count > 0 { 0 } else { self.misses + 1 };
        self.forget();
        (count, last, end)
    }

    /// Returns the end of the value at `start` if it has this layout. Lengths of texts and packed arrays, and widths of
    /// numbers, may differ.
    fn end(&self, bytes: &[u8], start: usize, len: usize) -> Option<usize> {
        // Where the value would begin if all its parts so far had the template's lengths. May wrap around.
        let mut base = start;
        for words in &self.words {
            let at = base.wrapping_add(words.at);
            let found = bytes.get(at..at.wrapping_add(2 * WORD))?.first_chunk()?;
            let found = u64::from_le_bytes(*found);
            if found & words.mask != words.words {
                base = base.wrapping_add(words.longer(found)?);
            }
        }
        Some(base.wrapping_add(len)).filter(|&end| end <= bytes.len())
    }
}

impl Words {
    /// Returns how much longer a part with the words `found` is than this one; a shorter one wraps around. `None` if
    /// the layout differs.
    #[inline]
    fn longer(&self, found: u64) -> Option<usize> {
        match self.may {
            May::BeWide if (found ^ self.words) & self.mask == u64::from(FLAG_64) => {
                Some(if found & u64::from(FLAG_64) == 0 { WORD.wrapping_neg() } else { WORD })
            }
            May::Count(unit) if found as u32 == self.words as u32 && found >> 32 <= i32::MAX as u64 => {
                let len = |words: u64| ((words >> 32) as usize).checked_mul(unit).map(padded);
                Some(len(found)?.wrapping_sub(len(self.words)?))
            }
            _ => None,
        }
    }
}

//! Passes values that have the layout of the one before them. Elements of an array usually do, and comparing a few words is
//! several times faster than following one length after the other.

use crate::kind::{FLAG_64, WORD, padded};
use crate::limits::{MAX_MISSES, MAX_TEMPLATE};

/// The layout of a value: the words in it that say how long its parts are, and their offsets.
#[derive(Debug, Default)]
pub(super) struct Template {
    words: Vec<Words>,
    is_broken: bool,
    misses: usize,
}

/// Eight bytes, of which those of the mask have to be the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// Where they are in the value.
    pub at: usize,
    /// What they are.
    pub words: u64,
    pub mask: u64,
    pub may: May,
}

/// How the words of another value may differ otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum May {
    Nothing,
    /// The bit that makes a number twice as wide.
    BeWide,
    /// The second word, a count of so many bytes each.
    Count(usize),
}

/// Of two words, both; and either.
pub(super) const BOTH: u64 = u64::MAX;
pub(super) const FIRST: u64 = u32::MAX as u64;
pub(super) const SECOND: u64 = !FIRST;

impl Template {
    /// Begins with the first of other values.
    #[inline]
    pub fn restart(&mut self) {
        self.misses = 0;
        self.forget();
    }

    fn forget(&mut self) {
        self.words.clear();
        self.is_broken = false;
    }

    /// Takes note of words of the value that is passed.
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

    /// Takes note that the words do not say how long a part is.
    pub fn give_up(&mut self) {
        self.is_broken = true;
    }

    /// A value was passed, and took `len` bytes. How many of those behind it, which begin at `at`, are laid out like it and end before
    /// `limit`, up to `max` of them; and where the last of them begins, and ends.
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

    /// Where the value at `start` ends, if it is laid out like this one, but for how long texts and packed arrays are and how wide
    /// numbers.
    fn end(&self, bytes: &[u8], start: usize, len: usize) -> Option<usize> {
        // Where the value would begin if all parts so far were as long as here. It may wrap around.
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
    /// How much longer a part is that has other words than here; `None` if it is another part. Shorter wraps around.
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

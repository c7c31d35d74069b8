//! Passes properties of objects whose bytes are known: most objects of a class have the same names, and many values, in the same
//! order.

use super::{ReadNext, Reader, WORD};
use crate::limits::MAX_DEPTH;

impl Reader<'_> {
    /// True if the name of a property comes next.
    pub fn is_at_name(&self) -> bool {
        self.next == ReadNext::Name
    }

    /// Skips the name of a property if it has these bytes: those of a name that a Reader has read. Returns `false` if others
    /// come next, or no name.
    #[doc(hidden)]
    #[inline]
    pub fn pass_name(&mut self, name: &[u8]) -> bool {
        let is_next = self.next == ReadNext::Name && self.has_next(name);
        if is_next {
            self.at += name.len();
            self.due -= WORD;
            self.next = ReadNext::Value;
        }
        is_next
    }

    /// Skips a property if it has these bytes: those of one that a Reader has read, whose value is a single event.
    #[doc(hidden)]
    #[inline]
    pub fn pass_property(&mut self, property: &[u8]) -> bool {
        let is_next = self.next == ReadNext::Name && self.open.len() <= MAX_DEPTH && self.has_next(property);
        if is_next {
            self.at += property.len();
            self.due -= 2 * WORD;
            self.end_value();
        }
        is_next
    }

    /// True if these words come next. They are so few that no call is worth it.
    #[inline]
    fn has_next(&self, words: &[u8]) -> bool {
        let next = self.rest().get(..words.len());
        next.is_some_and(|next| next.as_chunks::<WORD>().0.iter().eq(words.as_chunks::<WORD>().0))
    }
}

//! What the addon writes at once: a value of one event, without the state that a [`Writer`] keeps for containers and texts;
//! and texts that several threads write.

use std::mem::MaybeUninit;

use super::{WriteNext, Writer};
use crate::plan::Segment;
use crate::{CodecError, Dialect, Event, FLAG_64, Kind, MAX_VALUE_LEN, Plain, WORD, Width, padded};

/// Max bytes that are reserved at once for values that may follow, as they may be smaller than those before.
const MAX_ROOM: usize = 4 << 20;

/// A value of Godot 4 without texts or other values in it, ready to be written in a fraction of a Writer's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat<'a> {
    head: [u32; 3],
    head_words: usize,
    data: &'a [u8],
}

impl<'a> Flat<'a> {
    /// Returns `None` for another event. Plain data must be as long as its count says.
    #[inline(always)]
    pub fn of(event: Event<'a>) -> Option<Self> {
        let head = |kind: Kind, flags| u32::from(kind.id()) | flags;
        let wide = |head, bits: u64| Self::words([head, bits as u32, (bits >> 32) as u32], 3);
        Some(match event {
            Event::Nil | Event::ObjectId(0) => Self::words([head(Kind::Nil, 0), 0, 0], 1),
            Event::Callable => Self::words([head(Kind::Callable, 0), 0, 0], 1),
            Event::Bool(value) => Self::words([head(Kind::Bool, 0), value.into(), 0], 2),
            Event::Int(value) => match i32::try_from(value) {
                Ok(short) => Self::words([head(Kind::Int, 0), short as u32, 0], 2),
                Err(_) => wide(head(Kind::Int, FLAG_64), value as u64),
            },
            Event::Float(value) if f64::from(value as f32) == value => {
                Self::words([head(Kind::Float, 0), (value as f32).to_bits(), 0], 2)
            }
            Event::Float(value) => wide(head(Kind::Float, FLAG_64), value.to_bits()),
            Event::Rid(id) => wide(head(Kind::Rid, 0), id),
            Event::ObjectId(id) => wide(head(Kind::Object, FLAG_64), id),
            Event::Components(Plain { kind, width, bytes, .. }) => {
                Self { head: [head(kind, flag_of(kind, width)), 0, 0], head_words: 1, data: bytes }
            }
            Event::Packed(Plain { kind, width, count, bytes }) if bytes.len() <= MAX_VALUE_LEN - 3 * WORD => {
                Self { head: [head(kind, flag_of(kind, width)), count as u32, 0], head_words: 2, data: bytes }
            }
            _ => return None,
        })
    }

    fn words(head: [u32; 3], head_words: usize) -> Self {
        Self { head, head_words, data: &[] }
    }

    /// Returns the length of the value in bytes.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.head_words * WORD + padded(self.data.len())
    }

    /// Returns the bytes after those of the value, whatever is in its padding. `None` if they begin with another one.
    #[inline(always)]
    pub fn strip<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (value, rest) = bytes.split_at_checked(self.size())?;
        let (head, data) = value.split_at(self.head_words * WORD);
        let is_head = head.as_chunks().0.iter().zip(&self.head).all(|(word, own)| u32::from_le_bytes(*word) == *own);
        // Word by word, as components were often just written in parts: `memcmp` would wait for them.
        let is_data = match (self.data.as_chunks::<WORD>(), data.as_chunks::<WORD>().0) {
            ((own, []), data) if own.len() <= 16 => own.iter().zip(data).all(|(own, word)| own == word),
            _ => data.starts_with(self.data),
        };
        (is_head && is_data).then_some(rest)
    }

    /// Writes the value over the whole of `dest`. Panics if that is not exactly as long as the value.
    #[inline(always)]
    pub fn fill(self, dest: &mut [MaybeUninit<u8>]) {
        assert_eq!(dest.len(), self.size(), "destination and value differ in length");
        let (head, rest) = dest.split_at_mut(self.head_words * WORD);
        for (word, dest) in self.head.iter().zip(head.as_chunks_mut::<WORD>().0) {
            dest.write_copy_of_slice(&word.to_le_bytes());
        }
        if !self.data.is_empty() {
            let (data, padding) = rest.split_at_mut(self.data.len());
            crate::fill::copy(self.data, data);
            padding.fill(MaybeUninit::new(0));
        }
    }
}

/// Returns the header's flag for components of this width.
#[inline(always)]
fn flag_of(kind: Kind, width: Width) -> u32 {
    if kind.shape().is_real() && width == Width::Double { FLAG_64 } else { 0 }
}

impl Writer<'_> {
    /// Creates a writer of `count` texts for the PackedStringArray of another writer: see [`Self::append_texts`].
    pub fn for_texts(dialect: Dialect, count: usize) -> Self {
        let mut writer = Self::new(dialect);
        writer.begin_texts(count, true);
        writer
    }

    /// Appends `count` texts of a writer [`for_texts`](Self::for_texts). Fails if fewer are due or written.
    pub fn append_texts(&mut self, other: Self, count: usize) -> Result<(), CodecError> {
        if !other.is_complete() || self.next != WriteNext::Text || !self.texts_have_nul || count > self.texts_left {
            return Err(self.out_of_order("as many texts as were announced"));
        }
        self.texts_left -= count;
        if self.texts_left == 0 {
            self.close_value();
        }
        self.plan.append(other.plan);
        Ok(())
    }

    /// Reserves room for `times` times the output so far, up to a limit.
    pub fn reserve(&mut self, times: usize) {
        self.reserve_bytes(self.plan.small.len().saturating_mul(times));
        let max = MAX_ROOM / size_of::<Segment<'_>>();
        self.plan.segments.reserve(self.plan.segments.len().saturating_mul(times).min(max));
    }

    /// Returns how many bytes so far are not borrowed.
    pub fn inline_len(&self) -> usize {
        self.plan.small.len()
    }

    /// Reserves room for `len` bytes that are not borrowed, up to a limit.
    pub fn reserve_bytes(&mut self, len: usize) {
        self.plan.small.reserve(len.min(MAX_ROOM));
    }

    /// Returns the memory that is reserved for bytes that are not borrowed.
    pub fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        self.plan.small.spare_capacity_mut()
    }
}

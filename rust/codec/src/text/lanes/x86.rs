//! Lanes of SSE2. Only `pick`, `earlier` and `join` are of SSSE3.

use std::arch::x86_64::*;
use std::mem::transmute;

/// An intrinsic of SSE2, which every x86-64 has, or of SSSE3.
macro_rules! sse {
    ($call:expr) => {
        // SAFETY: every x86-64 has SSE2; the others have SSSE3, by the terms of `lanes`.
        unsafe { $call }
    };
}

#[derive(Clone, Copy)]
pub(in crate::text) struct Lanes(__m128i);

impl Lanes {
    #[inline(always)]
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        // SAFETY: both are 16 bytes without padding, and any bytes are values of both.
        Self(unsafe { transmute::<[u8; 16], __m128i>(bytes) })
    }

    #[inline(always)]
    pub fn of_words(words: [u32; 4]) -> Self {
        // SAFETY: as in `of_bytes`.
        Self(unsafe { transmute::<[u32; 4], __m128i>(words) })
    }

    #[inline(always)]
    pub fn bytes(self) -> [u8; 16] {
        // SAFETY: as in `of_bytes`.
        unsafe { transmute::<__m128i, [u8; 16]>(self.0) }
    }

    #[inline(always)]
    pub fn words(self) -> [u32; 4] {
        // SAFETY: as in `of_bytes`.
        unsafe { transmute::<__m128i, [u32; 4]>(self.0) }
    }

    #[inline(always)]
    pub fn all_bytes(byte: u8) -> Self {
        Self(sse!(_mm_set1_epi8(byte as i8)))
    }

    #[inline(always)]
    pub fn all_words(word: u32) -> Self {
        Self(sse!(_mm_set1_epi32(word as i32)))
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self(sse!(_mm_and_si128(self.0, other.0)))
    }

    #[inline(always)]
    pub fn and_not(self, other: Self) -> Self {
        Self(sse!(_mm_andnot_si128(other.0, self.0)))
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(sse!(_mm_or_si128(self.0, other.0)))
    }

    #[inline(always)]
    pub fn xor(self, other: Self) -> Self {
        Self(sse!(_mm_xor_si128(self.0, other.0)))
    }

    /// Each word shifted to the left.
    #[inline(always)]
    pub fn shl<const BITS: i32>(self) -> Self {
        Self(sse!(_mm_slli_epi32::<BITS>(self.0)))
    }

    /// Each word shifted to the right.
    #[inline(always)]
    pub fn shr<const BITS: i32>(self) -> Self {
        Self(sse!(_mm_srli_epi32::<BITS>(self.0)))
    }

    /// All bits of each word that is above `limit`. Both are compared as signed numbers.
    #[inline(always)]
    pub fn above(self, limit: i32) -> Self {
        Self(sse!(_mm_cmpgt_epi32(self.0, _mm_set1_epi32(limit))))
    }

    /// The upper bit of each word.
    #[inline(always)]
    pub fn signs(self) -> usize {
        sse!(_mm_movemask_ps(_mm_castsi128_ps(self.0))) as usize
    }

    /// All bits of each byte that is 0.
    #[inline(always)]
    pub fn zero_bytes(self) -> Self {
        Self(sse!(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())))
    }

    /// A bit for each byte of text that is no continuation byte.
    #[inline(always)]
    pub fn leads(self) -> usize {
        sse!(_mm_movemask_epi8(_mm_cmpgt_epi8(self.0, _mm_set1_epi8(-65)))) as usize
    }

    /// Without the first four bytes; zeros behind the others.
    #[inline(always)]
    pub fn skip_word(self) -> Self {
        Self(sse!(_mm_srli_si128::<4>(self.0)))
    }

    /// The bytes of each word, the lowest of 7 bits, each above it of 6, as one number.
    #[inline(always)]
    pub fn join(self) -> Self {
        let pairs = sse!(_mm_maddubs_epi16(self.0, _mm_set1_epi16(0x4001)));
        Self(sse!(_mm_madd_epi16(pairs, _mm_set1_epi32(0x1000_0001))))
    }

    /// Whether all bits are 0.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        sse!(_mm_movemask_epi8(self.zero_bytes().0)) == 0xffff
    }

    /// Each byte less `other`'s, at least 0.
    #[inline(always)]
    pub fn less(self, other: Self) -> Self {
        Self(sse!(_mm_subs_epu8(self.0, other.0)))
    }

    /// The lower byte of each word, if all are below 0x80.
    #[inline(always)]
    pub fn narrow(parts: [Self; 4]) -> Self {
        let [a, b, c, d] = parts;
        Self(sse!(_mm_packus_epi16(_mm_packs_epi32(a.0, b.0), _mm_packs_epi32(c.0, d.0))))
    }

    /// Each byte as a word.
    #[inline(always)]
    pub fn widen(self) -> [Self; 4] {
        let none = sse!(_mm_setzero_si128());
        let (low, high) = sse!((_mm_unpacklo_epi8(self.0, none), _mm_unpackhi_epi8(self.0, none)));
        [
            Self(sse!(_mm_unpacklo_epi16(low, none))),
            Self(sse!(_mm_unpackhi_epi16(low, none))),
            Self(sse!(_mm_unpacklo_epi16(high, none))),
            Self(sse!(_mm_unpackhi_epi16(high, none))),
        ]
    }

    /// The bytes at these indices; 0 where an index is 0x80 or more.
    #[inline(always)]
    pub fn pick(self, indices: Self) -> Self {
        Self(sse!(_mm_shuffle_epi8(self.0, indices.0)))
    }

    /// The bytes that lie one, two and three places before these, which follow `before`.
    #[inline(always)]
    pub fn earlier(self, before: Self) -> [Self; 3] {
        [
            Self(sse!(_mm_alignr_epi8::<15>(self.0, before.0))),
            Self(sse!(_mm_alignr_epi8::<14>(self.0, before.0))),
            Self(sse!(_mm_alignr_epi8::<13>(self.0, before.0))),
        ]
    }
}

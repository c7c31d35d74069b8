//! Lanes of SSE2; `pick`, `earlier` and `join` are SSSE3.

use std::arch::x86_64::*;
use std::mem::transmute;

/// Calls an intrinsic of SSE2 or SSSE3.
macro_rules! sse {
    ($call:expr) => {
        // SAFETY: every x86-64 has SSE2. For intrinsics of SSSE3, `lanes` requires that callers ensure it is present.
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

    /// Shifts each word to the left.
    #[inline(always)]
    pub fn shl<const BITS: i32>(self) -> Self {
        Self(sse!(_mm_slli_epi32::<BITS>(self.0)))
    }

    /// Shifts each word to the right.
    #[inline(always)]
    pub fn shr<const BITS: i32>(self) -> Self {
        Self(sse!(_mm_srli_epi32::<BITS>(self.0)))
    }

    /// All ones in each word above `limit`, zeros in the others. Compares signed numbers.
    #[inline(always)]
    pub fn above(self, limit: i32) -> Self {
        Self(sse!(_mm_cmpgt_epi32(self.0, _mm_set1_epi32(limit))))
    }

    /// Returns the high bit of each word, the first lowest.
    #[inline(always)]
    pub fn signs(self) -> usize {
        sse!(_mm_movemask_ps(_mm_castsi128_ps(self.0))) as usize
    }

    /// All ones in each byte that is 0, zeros in the others.
    #[inline(always)]
    pub fn zero_bytes(self) -> Self {
        Self(sse!(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())))
    }

    /// Returns a bit for each byte of UTF-8, the first lowest: 0 for continuation bytes.
    #[inline(always)]
    pub fn leads(self) -> usize {
        sse!(_mm_movemask_epi8(_mm_cmpgt_epi8(self.0, _mm_set1_epi8(-65)))) as usize
    }

    /// Drops the first four bytes and appends zeros.
    #[inline(always)]
    pub fn skip_word(self) -> Self {
        Self(sse!(_mm_srli_si128::<4>(self.0)))
    }

    /// Joins the bytes of each word to one number, the lowest at bit 0 and the others at bits 6, 12 and 18.
    #[inline(always)]
    pub fn join(self) -> Self {
        let pairs = sse!(_mm_maddubs_epi16(self.0, _mm_set1_epi16(0x4001)));
        Self(sse!(_mm_madd_epi16(pairs, _mm_set1_epi32(0x1000_0001))))
    }

    /// True if all bits are 0.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        sse!(_mm_movemask_epi8(self.zero_bytes().0)) == 0xffff
    }

    /// Subtracts the bytes of `other`; 0 instead of less.
    #[inline(always)]
    pub fn less(self, other: Self) -> Self {
        Self(sse!(_mm_subs_epu8(self.0, other.0)))
    }

    /// Returns the low byte of each word, in the order of `parts`. Words must be below 0x80.
    #[inline(always)]
    pub fn narrow(parts: [Self; 4]) -> Self {
        let [a, b, c, d] = parts;
        Self(sse!(_mm_packus_epi16(_mm_packs_epi32(a.0, b.0), _mm_packs_epi32(c.0, d.0))))
    }

    /// Returns each byte as a word.
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

    /// Returns the byte at each index; 0 if the index is 0x80 or more.
    #[inline(always)]
    pub fn pick(self, indices: Self) -> Self {
        Self(sse!(_mm_shuffle_epi8(self.0, indices.0)))
    }

    /// Returns the bytes one, two and three offsets before each of these, which follow `before`.
    #[inline(always)]
    pub fn earlier(self, before: Self) -> [Self; 3] {
        [
            Self(sse!(_mm_alignr_epi8::<15>(self.0, before.0))),
            Self(sse!(_mm_alignr_epi8::<14>(self.0, before.0))),
            Self(sse!(_mm_alignr_epi8::<13>(self.0, before.0))),
        ]
    }
}

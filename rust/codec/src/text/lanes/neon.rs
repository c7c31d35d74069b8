//! Lanes of NEON.

use std::arch::aarch64::*;
use std::mem::transmute;

/// Calls an intrinsic of NEON.
macro_rules! neon {
    ($call:expr) => {
        // SAFETY: every aarch64 that an engine runs on has NEON; see `lanes`.
        unsafe { $call }
    };
}

#[derive(Clone, Copy)]
pub(in crate::text) struct Lanes(uint8x16_t);

impl Lanes {
    #[inline(always)]
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        // SAFETY: both are 16 bytes without padding, and any bytes are values of both.
        Self(unsafe { transmute::<[u8; 16], uint8x16_t>(bytes) })
    }

    #[inline(always)]
    pub fn of_words(words: [u32; 4]) -> Self {
        // SAFETY: as in `of_bytes`.
        Self(unsafe { transmute::<[u32; 4], uint8x16_t>(words) })
    }

    #[inline(always)]
    pub fn bytes(self) -> [u8; 16] {
        // SAFETY: as in `of_bytes`.
        unsafe { transmute::<uint8x16_t, [u8; 16]>(self.0) }
    }

    #[inline(always)]
    pub fn words(self) -> [u32; 4] {
        // SAFETY: as in `of_bytes`.
        unsafe { transmute::<uint8x16_t, [u32; 4]>(self.0) }
    }

    #[inline(always)]
    fn as_words(self) -> uint32x4_t {
        neon!(vreinterpretq_u32_u8(self.0))
    }

    #[inline(always)]
    fn from_words(words: uint32x4_t) -> Self {
        Self(neon!(vreinterpretq_u8_u32(words)))
    }

    #[inline(always)]
    pub fn all_bytes(byte: u8) -> Self {
        Self(neon!(vdupq_n_u8(byte)))
    }

    #[inline(always)]
    pub fn all_words(word: u32) -> Self {
        Self::from_words(neon!(vdupq_n_u32(word)))
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self(neon!(vandq_u8(self.0, other.0)))
    }

    #[inline(always)]
    pub fn and_not(self, other: Self) -> Self {
        Self(neon!(vbicq_u8(self.0, other.0)))
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(neon!(vorrq_u8(self.0, other.0)))
    }

    #[inline(always)]
    pub fn xor(self, other: Self) -> Self {
        Self(neon!(veorq_u8(self.0, other.0)))
    }

    /// Shifts each word to the left.
    #[inline(always)]
    pub fn shl<const BITS: i32>(self) -> Self {
        Self::from_words(neon!(vshlq_n_u32::<BITS>(self.as_words())))
    }

    /// Shifts each word to the right.
    #[inline(always)]
    pub fn shr<const BITS: i32>(self) -> Self {
        Self::from_words(neon!(vshrq_n_u32::<BITS>(self.as_words())))
    }

    /// All ones in each word above `limit`, zeros in the others. Compares signed numbers.
    #[inline(always)]
    pub fn above(self, limit: i32) -> Self {
        Self::from_words(neon!(vcgtq_s32(vreinterpretq_s32_u8(self.0), vdupq_n_s32(limit))))
    }

    /// Returns the high bit of each word, the first lowest.
    #[inline(always)]
    pub fn signs(self) -> usize {
        let weights = Self::of_words([1, 2, 4, 8]);
        let signs = Self::from_words(neon!(vreinterpretq_u32_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u8(self.0)))));
        neon!(vaddvq_u32(signs.and(weights).as_words())) as usize
    }

    /// All ones in each byte that is 0, zeros in the others.
    #[inline(always)]
    pub fn zero_bytes(self) -> Self {
        Self(neon!(vceqzq_u8(self.0)))
    }

    /// Returns a bit for each byte of UTF-8, the first lowest: 0 for continuation bytes.
    #[inline(always)]
    pub fn leads(self) -> usize {
        let weights = Self::of_bytes([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
        let leads = Self(neon!(vcgtq_s8(vreinterpretq_s8_u8(self.0), vdupq_n_s8(-65)))).and(weights);
        let low = neon!(vaddv_u8(vget_low_u8(leads.0)));
        let high = neon!(vaddv_u8(vget_high_u8(leads.0)));
        usize::from(low) | usize::from(high) << 8
    }

    /// Drops the first four bytes and appends zeros.
    #[inline(always)]
    pub fn skip_word(self) -> Self {
        Self(neon!(vextq_u8::<4>(self.0, vdupq_n_u8(0))))
    }

    /// Joins the bytes of each word to one number, the lowest at bit 0 and the others at bits 6, 12 and 18.
    #[inline(always)]
    pub fn join(self) -> Self {
        let part = |lanes: Self, mask| lanes.and(Self::all_words(mask));
        let pairs = part(self, 0x00ff_00ff).or(part(self, 0xff00_ff00).shr::<2>());
        part(pairs, 0xffff).or(part(pairs, 0xffff_0000).shr::<4>())
    }

    /// True if all bits are 0.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        neon!(vmaxvq_u32(self.as_words())) == 0
    }

    /// Subtracts the bytes of `other`; 0 instead of less.
    #[inline(always)]
    pub fn less(self, other: Self) -> Self {
        Self(neon!(vqsubq_u8(self.0, other.0)))
    }

    /// Returns the low byte of each word, in the order of `parts`. Words must be below 0x80.
    #[inline(always)]
    pub fn narrow(parts: [Self; 4]) -> Self {
        let halves = |a: Self, b: Self| Self(neon!(vuzp1q_u8(a.0, b.0)));
        let [a, b, c, d] = parts;
        halves(halves(a, b), halves(c, d))
    }

    /// Returns each byte as a word.
    #[inline(always)]
    pub fn widen(self) -> [Self; 4] {
        let none = neon!(vdupq_n_u8(0));
        let halves = |lanes: uint8x16_t| neon!((vzip1q_u8(lanes, none), vzip2q_u8(lanes, none)));
        let words = |lanes: uint8x16_t| {
            let (lanes, none) = neon!((vreinterpretq_u16_u8(lanes), vreinterpretq_u16_u8(none)));
            let (low, high) = neon!((vzip1q_u16(lanes, none), vzip2q_u16(lanes, none)));
            neon!([Self(vreinterpretq_u8_u16(low)), Self(vreinterpretq_u8_u16(high))])
        };
        let (low, high) = halves(self.0);
        let ([a, b], [c, d]) = (words(low), words(high));
        [a, b, c, d]
    }

    /// Returns the byte at each index; 0 if the index is 0x80 or more.
    #[inline(always)]
    pub fn pick(self, indices: Self) -> Self {
        Self(neon!(vqtbl1q_u8(self.0, indices.0)))
    }

    /// Returns the bytes one, two and three offsets before each of these, which follow `before`.
    #[inline(always)]
    pub fn earlier(self, before: Self) -> [Self; 3] {
        [
            Self(neon!(vextq_u8::<15>(before.0, self.0))),
            Self(neon!(vextq_u8::<14>(before.0, self.0))),
            Self(neon!(vextq_u8::<13>(before.0, self.0))),
        ]
    }
}

//! Sixteen bytes, or four characters, at once: the few operations that the compiler does not vectorize by itself.
//!
//! Each is one to four instructions of x86-64, of aarch64 and of Wasm, so that all algorithms are written once.
//!
//! Required of the processor: on x86-64, `pick`, `earlier` and `join` need SSSE3. `load`, `encode` and `decode`
//! use them, so only the sets in `kernels` may call these. The rest needs SSE2 or NEON, which every x86-64 and every
//! aarch64 that an engine runs on has. A browser that lacks Wasm's vectors refuses the whole library.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::*;
#[cfg(target_arch = "wasm32")]
use std::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::mem::{MaybeUninit, transmute};

#[cfg(target_arch = "x86_64")]
type Block = __m128i;
#[cfg(target_arch = "aarch64")]
type Block = uint8x16_t;
#[cfg(target_arch = "wasm32")]
type Block = v128;

/// Calls intrinsics: the first of SSE2 or SSSE3, the second of NEON, the third of Wasm.
macro_rules! any_of {
    ($sse:expr, $neon:expr, $wasm:expr) => {{
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 has SSE2. For intrinsics of SSSE3, this module requires that callers ensure it is present.
        let result = unsafe { $sse };
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every aarch64 that an engine runs on has NEON.
        let result = unsafe { $neon };
        #[cfg(target_arch = "wasm32")]
        let result = $wasm;
        result
    }};
}

/// Operations on two blocks, each an intrinsic of SSE2 or SSSE3, one of NEON and one of Wasm.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $sse:ident $neon:ident $wasm:ident;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        pub fn $name(self, other: Self) -> Self {
            Self(any_of!($sse(self.0, other.0), $neon(self.0, other.0), $wasm(self.0, other.0)))
        })*
    };
}

#[derive(Clone, Copy)]
pub(in crate::text) struct Lanes(Block);

impl Lanes {
    operations! {
        and _mm_and_si128 vandq_u8 v128_and;
        or _mm_or_si128 vorrq_u8 v128_or;
        xor _mm_xor_si128 veorq_u8 v128_xor;
        /// Subtracts the bytes of `other`; 0 instead of less.
        less _mm_subs_epu8 vqsubq_u8 u8x16_sub_sat;
        /// Returns the byte at each index in `other`; 0 if the index is 0x80 or more.
        pick _mm_shuffle_epi8 vqtbl1q_u8 i8x16_swizzle;
    }

    #[inline(always)]
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        // SAFETY: both are 16 bytes without padding, and any bytes are values of both.
        Self(unsafe { transmute::<[u8; 16], Block>(bytes) })
    }

    #[inline(always)]
    pub fn of_words(words: [u32; 4]) -> Self {
        // SAFETY: as in `of_bytes`.
        Self(unsafe { transmute::<[u32; 4], Block>(words) })
    }

    #[inline(always)]
    pub fn bytes(self) -> [u8; 16] {
        // SAFETY: as in `of_bytes`.
        unsafe { transmute::<Block, [u8; 16]>(self.0) }
    }

    #[inline(always)]
    pub fn words(self) -> [u32; 4] {
        // SAFETY: as in `of_bytes`.
        unsafe { transmute::<Block, [u32; 4]>(self.0) }
    }

    #[inline(always)]
    pub fn all_bytes(byte: u8) -> Self {
        Self::of_bytes([byte; 16])
    }

    #[inline(always)]
    pub fn all_words(word: u32) -> Self {
        Self::of_words([word; 4])
    }

    /// Shifts each word to the left.
    #[inline(always)]
    pub fn shl<const BITS: i32>(self) -> Self {
        Self(any_of!(
            _mm_slli_epi32::<BITS>(self.0),
            vreinterpretq_u8_u32(vshlq_n_u32::<BITS>(vreinterpretq_u32_u8(self.0))),
            i32x4_shl(self.0, BITS as u32)
        ))
    }

    /// Shifts each word to the right.
    #[inline(always)]
    pub fn shr<const BITS: i32>(self) -> Self {
        Self(any_of!(
            _mm_srli_epi32::<BITS>(self.0),
            vreinterpretq_u8_u32(vshrq_n_u32::<BITS>(vreinterpretq_u32_u8(self.0))),
            u32x4_shr(self.0, BITS as u32)
        ))
    }

    /// All ones in each word above `limit`, zeros in the others. Compares signed numbers.
    #[inline(always)]
    pub fn above(self, limit: i32) -> Self {
        Self(any_of!(
            _mm_cmpgt_epi32(self.0, _mm_set1_epi32(limit)),
            vreinterpretq_u8_u32(vcgtq_s32(vreinterpretq_s32_u8(self.0), vdupq_n_s32(limit))),
            i32x4_gt(self.0, i32x4_splat(limit))
        ))
    }

    /// Returns the high bit of each word, the first lowest.
    #[inline(always)]
    pub fn signs(self) -> usize {
        any_of!(
            _mm_movemask_ps(_mm_castsi128_ps(self.0)) as usize,
            {
                let signs = Self(vreinterpretq_u8_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u8(self.0))));
                vaddvq_u32(vreinterpretq_u32_u8(signs.and(Self::of_words([1, 2, 4, 8])).0)) as usize
            },
            usize::from(i32x4_bitmask(self.0))
        )
    }

    /// All ones in each byte that is 0, zeros in the others.
    #[inline(always)]
    pub fn zero_bytes(self) -> Self {
        let none = Self::all_bytes(0).0;
        Self(any_of!(_mm_cmpeq_epi8(self.0, none), vceqq_u8(self.0, none), i8x16_eq(self.0, none)))
    }

    /// Returns a bit for each byte of UTF-8, the first lowest: 0 for continuation bytes.
    #[inline(always)]
    pub fn leads(self) -> usize {
        any_of!(
            _mm_movemask_epi8(_mm_cmpgt_epi8(self.0, _mm_set1_epi8(-65))) as usize,
            {
                let weights = Self::of_bytes([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
                let leads = Self(vcgtq_s8(vreinterpretq_s8_u8(self.0), vdupq_n_s8(-65))).and(weights).0;
                usize::from(vaddv_u8(vget_low_u8(leads))) | usize::from(vaddv_u8(vget_high_u8(leads))) << 8
            },
            usize::from(i8x16_bitmask(i8x16_gt(self.0, i8x16_splat(-65))))
        )
    }

    /// Drops the first four bytes and appends zeros.
    #[inline(always)]
    pub fn skip_word(self) -> Self {
        Self(any_of!(
            _mm_srli_si128::<4>(self.0),
            vextq_u8::<4>(self.0, vdupq_n_u8(0)),
            i32x4_shuffle::<1, 2, 3, 4>(self.0, i32x4_splat(0))
        ))
    }

    /// Joins the bytes of each word to one number, the lowest at bit 0 and the others at bits 6, 12 and 18.
    #[inline(always)]
    pub fn join(self) -> Self {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `any_of`.
        return Self(unsafe {
            _mm_madd_epi16(_mm_maddubs_epi16(self.0, _mm_set1_epi16(0x4001)), _mm_set1_epi32(0x1000_0001))
        });
        #[cfg(not(target_arch = "x86_64"))]
        {
            let part = |lanes: Self, mask| lanes.and(Self::all_words(mask));
            let pairs = part(self, 0x00ff_00ff).or(part(self, 0xff00_ff00).shr::<2>());
            part(pairs, 0xffff).or(part(pairs, 0xffff_0000).shr::<4>())
        }
    }

    #[inline(always)]
    pub fn is_zero(self) -> bool {
        any_of!(
            _mm_movemask_epi8(self.zero_bytes().0) == 0xffff,
            vmaxvq_u32(vreinterpretq_u32_u8(self.0)) == 0,
            !v128_any_true(self.0)
        )
    }

    /// Returns the low byte of each word, in the order of `parts`. Words must be below 0x80.
    #[inline(always)]
    pub fn narrow([a, b, c, d]: [Self; 4]) -> Self {
        Self(any_of!(
            _mm_packus_epi16(_mm_packs_epi32(a.0, b.0), _mm_packs_epi32(c.0, d.0)),
            vuzp1q_u8(vuzp1q_u8(a.0, b.0), vuzp1q_u8(c.0, d.0)),
            u8x16_narrow_i16x8(u16x8_narrow_i32x4(a.0, b.0), u16x8_narrow_i32x4(c.0, d.0))
        ))
    }

    /// Returns each byte as a word.
    #[inline(always)]
    pub fn widen(self) -> [Self; 4] {
        let [low, high] = any_of!(
            [_mm_unpacklo_epi8(self.0, _mm_setzero_si128()), _mm_unpackhi_epi8(self.0, _mm_setzero_si128())],
            [vmovl_u8(vget_low_u8(self.0)), vmovl_high_u8(self.0)],
            [u16x8_extend_low_u8x16(self.0), u16x8_extend_high_u8x16(self.0)]
        );
        let words = |half| {
            any_of!(
                [_mm_unpacklo_epi16(half, _mm_setzero_si128()), _mm_unpackhi_epi16(half, _mm_setzero_si128())],
                [vreinterpretq_u8_u32(vmovl_u16(vget_low_u16(half))), vreinterpretq_u8_u32(vmovl_high_u16(half))],
                [u32x4_extend_low_u16x8(half), u32x4_extend_high_u16x8(half)]
            )
        };
        let ([a, b], [c, d]) = (words(low), words(high));
        [Self(a), Self(b), Self(c), Self(d)]
    }

    /// Returns the 16 bytes from offset `AT` on of `before` and these.
    #[inline(always)]
    pub fn earlier<const AT: i32>(self, before: Self) -> Self {
        Self(any_of!(
            _mm_alignr_epi8::<AT>(self.0, before.0),
            vextq_u8::<AT>(before.0, self.0),
            match AT {
                13 => i8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before.0, self.0),
                14 => i8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before.0, self.0),
                15 => i8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before.0, self.0),
                _ => unreachable!("no other is needed"),
            }
        ))
    }
}

/// Indices for `pick`: those from N on move the bytes of a block N bytes to the front, with zeros after them.
const LAST: [u8; 32] = {
    let mut indices = [0x80; 32];
    let mut index = 0;
    while index < 16 {
        indices[index] = index as u8;
        index += 1;
    }
    indices
};

/// Loads the 16 bytes from `at` on, with zeros after the end. Panics if `at` is past the end.
#[inline(always)]
pub(in crate::text) fn load(bytes: &[u8], at: usize) -> Lanes {
    let rest = &bytes[at..];
    match (rest.first_chunk(), bytes.last_chunk()) {
        (Some(&block), _) => Lanes::of_bytes(block),
        (None, Some(&last)) => {
            let indices = LAST[16 - rest.len()..].first_chunk().expect("16 indices or more");
            Lanes::of_bytes(last).pick(Lanes::of_bytes(*indices))
        }
        (None, None) => Lanes::of_bytes(padded(rest)),
    }
}

/// Loads fewer than 16 bytes, with zeros after them.
#[inline(always)]
fn padded(bytes: &[u8]) -> [u8; 16] {
    let len = bytes.len();
    let word = if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(first)) | u128::from(u64::from_le_bytes(last)) << (8 * (len - 8))
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_le_bytes(first)) | u128::from(u32::from_le_bytes(last)) << (8 * (len - 4))
    } else {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
    };
    word.to_le_bytes()
}

/// Writes the low byte of each character. True if all are ASCII; otherwise the bytes are meaningless.
#[inline(always)]
pub(in crate::text) fn narrow<const N: usize>(chars: &[u32; N], dest: &mut [MaybeUninit<u8>; N]) -> bool {
    let mut seen = Lanes::all_words(0);
    let mut four = |chars: &[u32; 4]| {
        let chars = Lanes::of_words(*chars);
        seen = seen.or(chars);
        chars
    };
    let (runs, rest) = chars.as_chunks::<16>();
    let (places, last) = dest.as_chunks_mut::<16>();
    for (run, place) in runs.iter().zip(places) {
        let [a, b, c, d] = run.as_chunks().0 else { unreachable!("four of four") };
        place.write_copy_of_slice(&Lanes::narrow([four(a), four(b), four(c), four(d)]).bytes());
    }
    for (a, place) in rest.as_chunks().0.iter().zip(last.as_chunks_mut::<4>().0) {
        place.write_copy_of_slice(&Lanes::narrow([four(a); 4]).bytes()[..4]);
    }
    seen.shr::<7>().is_zero()
}

/// Writes each byte as a character. True if all are ASCII.
#[inline(always)]
pub(in crate::text) fn widen<const N: usize>(bytes: &[u8; N], dest: &mut [MaybeUninit<u32>; N]) -> bool {
    let mut seen = Lanes::all_bytes(0);
    let (runs, rest) = bytes.as_chunks::<16>();
    let (places, last) = dest.as_chunks_mut::<16>();
    for (run, place) in runs.iter().zip(places) {
        let run = Lanes::of_bytes(*run);
        seen = seen.or(run);
        let chars = run.widen();
        for (chars, place) in chars.into_iter().zip(place.as_chunks_mut::<4>().0) {
            place.write_copy_of_slice(&chars.words());
        }
    }
    for (run, place) in rest.as_chunks::<4>().0.iter().zip(last.as_chunks_mut::<4>().0) {
        let run = Lanes::of_words([u32::from_le_bytes(*run), 0, 0, 0]);
        seen = seen.or(run);
        place.write_copy_of_slice(&run.widen()[0].words());
    }
    seen.and(Lanes::all_bytes(0x80)).is_zero()
}

/// True if all are ASCII and none is a NUL.
#[inline(always)]
pub(in crate::text) fn is_plain(bytes: &[u8; 16]) -> bool {
    let bytes = Lanes::of_bytes(*bytes);
    bytes.or(bytes.zero_bytes()).and(Lanes::all_bytes(0x80)).is_zero()
}

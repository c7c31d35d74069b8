//! The kernels, once for each set of instructions that is worth it, and the one place that chooses between them.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use super::scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::{pack, unpack, vector};

/// One implementation of each kernel. Those of one set are called together or not at all.
#[doc(hidden)]
#[derive(Debug)]
pub struct Kernels {
    pub name: &'static str,
    pub utf8_len: fn(&[u32]) -> usize,
    pub encode: fn(&[u32], &mut [MaybeUninit<u8>]),
    /// Up to [`RUN`] characters to the start of a place of [`pack_room`] bytes; gives the length. `None` if it cannot.
    pub pack: fn(&[u32], &mut [MaybeUninit<u8>]) -> Option<usize>,
    pub is_text: fn(&[u8]) -> bool,
    pub utf32_len: fn(&str) -> usize,
    pub write_utf32: fn(&str, &mut [MaybeUninit<u32>]),
}

/// Characters that are encoded at a time.
pub(super) const RUN: usize = 64;

/// Bytes of room that `pack` needs for that many characters.
pub(super) const fn pack_room(count: usize) -> usize {
    4 * count + 16
}

const SCALAR: Kernels = Kernels {
    name: "scalar",
    utf8_len: scalar::utf8_len,
    encode: scalar::encode,
    pack: |_, _| None,
    is_text: scalar::is_text,
    utf32_len: scalar::utf32_len,
    write_utf32: scalar::write_utf32,
};

/// A kernel, compiled for processors with these features.
macro_rules! kernel {
    ($features:literal, $function:path, $($name:ident: $type:ty),+ => $result:ty) => {{
        #[target_feature(enable = $features)]
        fn kernel($($name: $type),+) -> $result {
            $function($($name),+)
        }
        // SAFETY: only `available` gives it out, where the processor has the features.
        |$($name: $type),+| unsafe { kernel($($name),+) }
    }};
}

/// All kernels, compiled for processors with these features: at least those that `lanes` asks for.
macro_rules! kernels {
    ($name:literal, $features:literal) => {
        Kernels {
            name: $name,
            utf8_len: kernel!($features, vector::utf8_len, chars: &[u32] => usize),
            encode: kernel!($features, vector::encode, chars: &[u32], dest: &mut [MaybeUninit<u8>] => ()),
            pack: kernel!($features, pack::pack, chars: &[u32], dest: &mut [MaybeUninit<u8>] => Option<usize>),
            is_text: kernel!($features, vector::is_text, bytes: &[u8] => bool),
            utf32_len: kernel!($features, vector::utf32_len, text: &str => usize),
            write_utf32: kernel!($features, unpack::unpack, text: &str, dest: &mut [MaybeUninit<u32>] => ()),
        }
    };
}

#[cfg(target_arch = "x86_64")]
const V2: Kernels = kernels!("x86-64-v2", "ssse3,sse4.1,popcnt");
#[cfg(target_arch = "x86_64")]
const V3: Kernels = kernels!("x86-64-v3", "avx2,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "aarch64")]
const NEON: Kernels = kernels!("neon", "neon");

/// All that this processor has, best last.
#[doc(hidden)]
pub fn available() -> impl Iterator<Item = &'static Kernels> {
    #[cfg(target_arch = "x86_64")]
    let vectors = {
        use std::arch::is_x86_feature_detected as has;
        let v2 = has!("ssse3") && has!("sse4.1") && has!("popcnt");
        let v3 = v2 && has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt");
        [v2.then_some(&V2), v3.then_some(&V3)]
    };
    #[cfg(target_arch = "aarch64")]
    let vectors = [std::arch::is_aarch64_feature_detected!("neon").then_some(&NEON)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let vectors: [Option<&Kernels>; 0] = [];
    std::iter::once(&SCALAR).chain(vectors.into_iter().flatten())
}

/// The best that this processor has, found at the first call.
#[inline]
pub(super) fn best() -> &'static Kernels {
    static BEST: OnceLock<&Kernels> = OnceLock::new();
    BEST.get_or_init(|| available().last().unwrap_or(&SCALAR))
}

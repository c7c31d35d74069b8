//! Defines the sets of kernels, one for each useful instruction set, and chooses between them.

#![cfg_attr(target_arch = "wasm32", allow(unused_unsafe, reason = "any feature may be called there"))]

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use super::scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32"))]
use super::vector::{decode, encode};

/// One implementation of each kernel, all for the same instruction set.
#[allow(missing_docs, reason = "named as the functions of this room")]
#[derive(Debug)]
pub struct Kernels {
    #[cfg_attr(not(feature = "internals"), expect(dead_code, reason = "for tests"))]
    pub name: &'static str,
    pub utf8_len: fn(&[u32]) -> usize,
    pub encode: fn(&[u32], &mut [MaybeUninit<u8>]),
    /// Encodes characters at the start of `scalar::pack_room` bytes, may write anything after them, and returns their
    /// length. `None` if it cannot: plain code never can, vector code if a character takes more than four bytes.
    pub pack: fn(&[u32], &mut [MaybeUninit<u8>]) -> Option<usize>,
    pub is_text: fn(&[u8]) -> bool,
    pub utf32_len: fn(&str) -> usize,
    pub write_utf32: fn(&str, &mut [MaybeUninit<u32>]),
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

/// Compiles a function for processors with these features.
macro_rules! kernel {
    ($features:literal, $function:path, $($name:ident: $type:ty),+ => $result:ty) => {{
        #[target_feature(enable = $features)]
        fn kernel($($name: $type),+) -> $result {
            $function($($name),+)
        }
        // SAFETY: `available` returns a set only if the processor has its features.
        |$($name: $type),+| unsafe { kernel($($name),+) }
    }};
}

/// Compiles all kernels for processors with these features, which include those that `lanes` requires.
macro_rules! kernels {
    ($name:literal, $features:literal) => {
        Kernels {
            name: $name,
            utf8_len: kernel!($features, encode::utf8_len, chars: &[u32] => usize),
            encode: kernel!($features, encode::encode, chars: &[u32], dest: &mut [MaybeUninit<u8>] => ()),
            pack: kernel!($features, encode::pack, chars: &[u32], dest: &mut [MaybeUninit<u8>] => Option<usize>),
            is_text: kernel!($features, decode::is_text, bytes: &[u8] => bool),
            utf32_len: kernel!($features, decode::utf32_len, text: &str => usize),
            write_utf32: kernel!($features, decode::unpack, text: &str, dest: &mut [MaybeUninit<u32>] => ()),
        }
    };
}

#[cfg(target_arch = "x86_64")]
const V2: Kernels = kernels!("x86-64-v2", "ssse3,sse4.1,popcnt");
#[cfg(target_arch = "x86_64")]
const V3: Kernels = kernels!("x86-64-v3", "avx2,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "aarch64")]
const NEON: Kernels = kernels!("neon", "neon");

/// The set that every processor can run.
#[cfg(target_arch = "wasm32")]
const BASE: Kernels = kernels!("simd128", "simd128");
#[cfg(not(target_arch = "wasm32"))]
const BASE: Kernels = SCALAR;

/// The sets that this processor can run, the best last.
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
    let vectors = [Some(&BASE)];
    std::iter::once(&SCALAR).chain(vectors.into_iter().flatten())
}

/// The best set that this processor can run. The first call detects it.
#[inline]
pub(super) fn best() -> &'static Kernels {
    static BEST: OnceLock<&Kernels> = OnceLock::new();
    // With a constant, the compiler calls the kernels themselves.
    if cfg!(target_arch = "wasm32") { &BASE } else { BEST.get_or_init(|| available().last().unwrap_or(&BASE)) }
}

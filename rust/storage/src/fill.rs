//! Fills destinations with several threads where that is faster. [`varbatch_codec::fill`] defines what is written.

use std::mem::MaybeUninit;

use varbatch_codec::fill;
use varbatch_codec::limits::PIECE_LEN;
use varbatch_codec::{Part, Plain, Width};
use varbatch_workers::Threads;

use crate::limits::PARALLEL_AWAKE_FROM;
pub use crate::limits::PARALLEL_FROM;

/// Fills all of `dest` with `part`, using `threads` if it is large.
///
/// # Panics
/// In the same cases as [`fill::fill`].
pub fn fill_parallel(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
    if !is_shared(dest.len(), threads) {
        return fill::fill(part, dest);
    }
    threads.for_each(fill::pieces(part, dest), fill::Piece::fill);
}

/// Fills all of `dest` with plain data with components of `width`. Uses `threads` if `dest` is large and the data
/// already has that width.
///
/// # Panics
/// In the same cases as [`fill::plain`].
pub fn plain(plain: Plain<'_>, width: Width, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
    if !plain.has_width(width) || !is_shared(dest.len(), threads) {
        return fill::plain(plain, width, dest);
    }
    assert_eq!(dest.len(), plain.bytes.len(), "destination and data differ in length");
    let pieces: Vec<_> = plain.bytes.chunks(PIECE_LEN).zip(dest.chunks_mut(PIECE_LEN)).collect();
    threads.for_each(pieces, |(bytes, dest)| {
        dest.write_copy_of_slice(bytes);
    });
}

/// True if several threads fill `len` bytes.
fn is_shared(len: usize, threads: &Threads) -> bool {
    threads.count() > 1 && len >= if threads.are_awake() { PARALLEL_AWAKE_FROM } else { PARALLEL_FROM }
}

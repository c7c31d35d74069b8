//! Fills destinations over threads, where that pays. [`varbatch_codec::fill`] says what is written.

use std::mem::MaybeUninit;

use varbatch_codec::fill;
use varbatch_codec::limits::PIECE_LEN;
use varbatch_codec::{Part, Plain, Width};
use varbatch_workers::Threads;

/// From this many bytes on, one call's output is filled by several threads. Below, waking them costs more than it gains.
///
/// `scripts/bench-storage.sh` prints the crossing point. On two cores it lay at 0.5 to 1 MiB where calls follow each
/// other and the helping thread is awake, and at 4 to 8 MiB where it sleeps and comes after some 40 µs.
pub const PARALLEL_FROM: usize = 8 << 20;

/// The same for threads that are [awake](Threads::awake).
const PARALLEL_AWAKE_FROM: usize = 1 << 20;

/// Writes `part` over the whole of `dest`, over `threads` where the part is large.
///
/// # Panics
/// As [`fill::fill`].
pub fn fill_parallel(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
    if !is_shared(dest.len(), threads) {
        return fill::fill(part, dest);
    }
    threads.for_each(fill::pieces(part, dest), fill::Piece::fill);
}

/// Writes plain data with components of `width` over the whole of `dest`; over `threads` where it is large and has that
/// width already.
///
/// # Panics
/// As [`fill::plain`].
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

/// Whether several threads fill so many bytes.
fn is_shared(len: usize, threads: &Threads) -> bool {
    threads.count() > 1 && len >= if threads.are_awake() { PARALLEL_AWAKE_FROM } else { PARALLEL_FROM }
}

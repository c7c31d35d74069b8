//! Reports the progress of building a long value, which tasks show while they decode.

use std::mem::MaybeUninit;

use varbatch_codec::Plain;
use varbatch_storage::fill;
use varbatch_workers::Threads;

use crate::engine::REAL;

/// Takes how many more bytes of values were built. Called on any thread.
pub type OnBuilt<'t> = &'t (dyn Fn(usize) + Sync);

/// Bytes between reports, approximately: about a millisecond of work.
const STEP: usize = 1 << 20;

/// Plain data of at least `LONG` bytes is reported separately, and filled in pieces of `PIECE` bytes.
const LONG: usize = 64 << 10;
const PIECE: usize = 8 << 20;

/// The progress reported for a value.
pub(super) struct Progress<'t> {
    pub(super) on_built: Option<OnBuilt<'t>>,
    /// The position of the next report; unreachable if there is nothing to report to.
    next: usize,
}

impl<'t> Progress<'t> {
    /// Reports the progress of a value that begins at `start`.
    #[inline]
    pub(super) fn new(on_built: Option<OnBuilt<'t>>, start: usize) -> Self {
        Self { on_built, next: on_built.map_or(usize::MAX, |_| start.saturating_add(STEP)) }
    }

    /// Reports if the build, now at `position`, has reached the next step.
    #[inline(always)]
    pub(super) fn look(&mut self, position: usize) {
        if position >= self.next {
            self.report(position);
        }
    }

    /// Reports all bytes up to `position`.
    #[cold]
    pub(super) fn report(&mut self, position: usize) {
        if let Some(on_built) = self.on_built {
            on_built((position + STEP).saturating_sub(self.next));
            self.next = position.saturating_add(STEP);
        }
    }

    /// Skips `len` bytes that were already reported.
    pub(super) fn skip(&mut self, len: usize) {
        self.next = self.next.saturating_add(len);
    }

    /// Fills in plain data like [`fill::plain`], and reports it if it is long.
    #[inline(always)]
    pub(super) fn fill(&mut self, plain: Plain<'_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        match self.on_built {
            Some(on_built) if plain.bytes.len() >= LONG => self.fill_long(on_built, plain, dest, threads),
            _ => fill::plain(plain, REAL, dest, threads),
        }
    }

    #[cold]
    fn fill_long(&mut self, on_built: OnBuilt<'_>, plain: Plain<'_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        let len = plain.bytes.len();
        // If the width of components changes, source and destination differ in length, so there is one piece.
        let piece = if len == dest.len() { PIECE } else { len };
        let dest_piece = if len == dest.len() { PIECE } else { dest.len() };
        for (bytes, dest) in plain.bytes.chunks(piece).zip(dest.chunks_mut(dest_piece)) {
            fill::plain(Plain { bytes, ..plain }, REAL, dest, threads);
            on_built(bytes.len());
        }
        self.skip(len);
    }
}

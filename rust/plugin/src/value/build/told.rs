//! How far a long value is built: what tasks show while they decode it.

use std::mem::MaybeUninit;

use varbatch_codec::Plain;
use varbatch_storage::fill;
use varbatch_workers::Threads;

use crate::engine::REAL;

/// Takes how many more bytes of values were built, on any thread.
pub type Tell<'t> = &'t (dyn Fn(usize) + Sync);

/// Bytes after which it is told, about: a millisecond or so of work.
const STEP: usize = 1 << 20;

/// Plain data from this many bytes on is told by itself, and filled in as many at a time if it is longer.
const LONG: usize = 64 << 10;
const PIECE: usize = 8 << 20;

/// What was told of a value.
pub(super) struct Told<'t> {
    tell: Option<Tell<'t>>,
    /// Where it is told next. Nobody gets there if there is nobody to tell.
    next: usize,
}

impl<'t> Told<'t> {
    /// Tells nobody.
    #[inline]
    pub(super) const fn nobody() -> Self {
        Self { tell: None, next: usize::MAX }
    }

    /// Of a value that begins at `start`.
    pub(super) fn new(tell: Option<Tell<'t>>, start: usize) -> Self {
        Self { tell, next: tell.map_or(usize::MAX, |_| start.saturating_add(STEP)) }
    }

    pub(super) fn tell(&self) -> Option<Tell<'t>> {
        self.tell
    }

    /// The build has come to `position`.
    #[inline(always)]
    pub(super) fn look(&mut self, position: usize) {
        if position >= self.next {
            self.tell_all(position);
        }
    }

    /// The build has come to `position`, and is looked at by somebody else from there on.
    #[cold]
    pub(super) fn tell_all(&mut self, position: usize) {
        if let Some(tell) = self.tell {
            tell((position + STEP).saturating_sub(self.next));
            self.next = position.saturating_add(STEP);
        }
    }

    /// So many bytes were told already.
    pub(super) fn pass(&mut self, len: usize) {
        self.next = self.next.saturating_add(len);
    }

    /// Fills in plain data as [`fill::plain`] does.
    #[inline(always)]
    pub(super) fn fill(&mut self, plain: Plain<'_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        match self.tell {
            Some(tell) if plain.bytes.len() >= LONG => self.fill_long(tell, plain, dest, threads),
            _ => fill::plain(plain, REAL, dest, threads),
        }
    }

    #[cold]
    fn fill_long(&mut self, tell: Tell<'_>, plain: Plain<'_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        let len = plain.bytes.len();
        // Where components change their width, pieces would differ in length.
        let piece = if len == dest.len() { PIECE } else { len };
        let dest_piece = if len == dest.len() { PIECE } else { dest.len() };
        for (bytes, dest) in plain.bytes.chunks(piece).zip(dest.chunks_mut(dest_piece)) {
            fill::plain(Plain { bytes, ..plain }, REAL, dest, threads);
            tell(bytes.len());
        }
        self.pass(len);
    }
}

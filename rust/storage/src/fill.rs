//! Fills destinations with several threads where that is faster. [`varbatch_codec::fill`] defines what is written.

use std::mem::MaybeUninit;

use varbatch_codec::fill::{self, CUT_LEN, Piece};
use varbatch_codec::{Part, Plain, Width};
use varbatch_workers::Threads;

/// Min bytes of a call's output that several threads fill. Below, waking them costs more than it gains, as seen by
/// `scripts/bench.sh --rust -- threads`. Two cores: 0.5 to 1 MiB with an awake helper, 4 to 8 MiB if it sleeps.
pub const PARALLEL_FROM: usize = 8 << 20;

/// The same for threads that are [awake](Threads::awake), in bytes.
const PARALLEL_AWAKE_FROM: usize = 1 << 20;

/// Min bytes that are copied in pieces, by one thread too: the C library copies many MiB at once past the cache, which is
/// slower where the destination is in it.
pub const CUT_FROM: usize = 1 << 20;

/// Runs of consecutive pieces that each thread fills, at least, and max bytes of a run: a huge page.
const RUNS_A_THREAD: usize = 4;
const MAX_RUN_LEN: usize = 2 << 20;

/// Fills all of `dest` with `part`, using `threads` if it is large. Panics in the same cases as [`fill::fill`].
pub fn fill_parallel(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
    if dest.len() < CUT_FROM || threads.count() == 1 {
        return fill::fill(part, dest);
    }
    let mut fills = Fills::default();
    fills.part(part, dest);
    fills.fill_some(threads);
}

/// Fills `dest` with plain data in `width`. Large data of that width uses `threads`. Panics like [`fill::plain`].
pub fn plain(plain: Plain<'_>, width: Width, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
    if dest.len() < CUT_FROM {
        return fill::plain(plain, width, dest);
    }
    let mut fills = Fills::default();
    fills.plain(plain, width, dest);
    fills.fill_some(threads);
}

/// Destinations to fill together, so that several threads share the bytes of all of them.
#[derive(Debug, Default)]
pub struct Fills<'w, 'a> {
    pieces: Vec<Piece<'w, 'a>>,
    len: usize,
}

impl<'w, 'a> Fills<'w, 'a> {
    /// Adds a destination for `part`. Panics in the same cases as [`fill::fill`], here or in [`Self::fill`].
    pub fn part(&mut self, part: Part<'w, 'a>, dest: &'w mut [MaybeUninit<u8>]) {
        self.len += dest.len();
        fill::cut(part, dest, &mut self.pieces);
    }

    /// Adds a destination for plain data; that of another width is written at once. Panics like [`fill::plain`].
    pub fn plain(&mut self, plain: Plain<'w>, width: Width, dest: &'w mut [MaybeUninit<u8>]) {
        if !plain.has_width(width) {
            return fill::plain(plain, width, dest);
        }
        self.len += dest.len();
        fill::cut_bytes(plain.bytes, dest, &mut self.pieces);
    }

    /// Fills all of them, with several threads only if they are many bytes.
    fn fill_some(self, threads: &Threads) {
        let from = if threads.are_awake() { PARALLEL_AWAKE_FROM } else { PARALLEL_FROM };
        if self.len >= from { self.fill(threads) } else { self.fill(&Threads::alone()) }
    }

    /// Fills all of them. Each thread takes consecutive pieces: if two touched a huge page first, both would clear it.
    pub fn fill(self, threads: &Threads) {
        let run_len = (self.len / threads.count() / RUNS_A_THREAD).clamp(CUT_LEN, MAX_RUN_LEN);
        let mut pieces = self.pieces.into_iter();
        let runs = std::iter::from_fn(|| {
            let (mut run, mut len) = (Vec::new(), 0);
            while len < run_len {
                let Some(piece) = pieces.next() else { break };
                len += piece.len();
                run.push(piece);
            }
            (!run.is_empty()).then_some(run)
        });
        threads.for_each(runs, |run| run.into_iter().for_each(Piece::fill));
    }
}

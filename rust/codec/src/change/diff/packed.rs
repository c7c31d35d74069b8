//! Packed arrays in lockstep.

use std::ops::Range;

use super::align::{Hunk, Offsets, Parts, one_sided};
use super::lockstep::{AFTER, BEFORE, DiffError, Lockstep, of};
use super::report::{BYTES_A_CHANGE, Unit};
use crate::event::Plain;
use crate::kind::{Kind, WORD, Width};

/// Runs of elements in one packed array that are always reported, plus one per [`BYTES_A_CHANGE`] bytes.
const MAX_RUNS: usize = 10_000;

impl<'a> Lockstep<'a> {
    /// Compares two packed arrays of the same kind that begin at `start`, which both Readers have passed.
    pub fn packed(&mut self, plain: [Plain<'a>; 2], start: [usize; 2]) {
        let (kind, width) = (plain[BEFORE].kind, plain[BEFORE].width);
        let size = kind.shape().element_len(width).unwrap_or(1);
        let parts = [BEFORE, AFTER].map(|side| {
            let offsets = Offsets::Every { at: start[side] + 2 * WORD, size };
            Parts { bytes: self.bytes[side], count: plain[side].count, offsets }
        });
        self.elements(kind, width, parts);
        let end = self.at();
        let padding = [BEFORE, AFTER].map(|side| parts[side].range().end..end[side]);
        if self.bytes[BEFORE][padding[BEFORE].clone()] != self.bytes[AFTER][padding[AFTER].clone()] {
            self.derived(padding);
        }
    }

    /// Compares two PackedStringArrays that begin at `start`. The Readers are at the first text.
    pub fn texts(&mut self, counts: [usize; 2], start: [usize; 2]) -> Result<(), DiffError> {
        let mut offsets = start.map(|start| vec![start + 2 * WORD]);
        for side in [BEFORE, AFTER] {
            offsets[side].reserve_exact(counts[side]);
            for _ in 0..counts[side] {
                self.readers[side].pass_text().map_err(of(side))?;
                offsets[side].push(self.readers[side].position());
            }
        }
        let parts = |side: usize| {
            let offsets = Offsets::Each { offsets: &offsets[side], values: 1 };
            Parts { bytes: self.bytes[side], count: counts[side], offsets }
        };
        self.elements(Kind::PackedStringArray, Width::Single, [parts(BEFORE), parts(AFTER)]);
        Ok(())
    }

    /// Compares the elements of two packed arrays, and their counts.
    fn elements(&mut self, kind: Kind, width: Width, [old, new]: [Parts<'_>; 2]) {
        let mut hunks = Vec::new();
        if old.count != new.count {
            self.derived([old, new].map(|parts| parts.range().start - WORD..parts.range().start));
            hunks = one_sided(old, new, |old, new| old == new);
        }
        hunks.push(Hunk { before: old.count..old.count, after: new.count..new.count });
        let mut done = (0, 0);
        for Hunk { before, after } in hunks {
            let unit = |first, counts| Unit::Elements { kind, width, first, counts };
            self.pairs(unit, done.1, old.slice(done.0..before.start), new.slice(done.1..after.start));
            if before.len() != after.len() {
                let parts = [old.slice(before.clone()), new.slice(after.clone())];
                self.report(unit(after.start, parts.map(|parts| parts.count)), parts.map(|parts| parts.range()));
            }
            done = (before.end, after.end);
        }
    }

    /// Compares as many elements of both. `first` is the index of the first of them.
    fn pairs(&mut self, unit: impl Fn(usize, [usize; 2]) -> Unit, first: usize, old: Parts<'_>, new: Parts<'_>) {
        let count = old.count;
        let ranges = |run: Range<usize>| [old, new].map(|parts| parts.slice(run.clone()).range());
        let mut max = usize::MAX;
        if let Offsets::Every { .. } = old.offsets {
            if !self.has_paths() {
                if old.bytes[old.range()] != new.bytes[new.range()] {
                    self.report(unit(first, [count, count]), ranges(0..count));
                }
                return;
            }
            max = MAX_RUNS + old.range().len() / BYTES_A_CHANGE;
        }
        let known = self.changes.counts();
        let (mut at, mut first_changed) = (0, None);
        loop {
            at += old.slice(at..count).common_prefix(new.slice(at..count));
            if at == count {
                return;
            }
            let mut start = at;
            at += old.slice(at..count).differing_prefix(new.slice(at..count));
            let from = *first_changed.get_or_insert(start);
            if self.changes.counts().1 - known.1 == max {
                // Too many runs: one run replaces them all.
                self.restore(known);
                (start, at) = (from, count);
            }
            self.report(unit(first + start, [at - start; 2]), ranges(start..at));
        }
    }
}

//! Collects changes with their paths.

use std::ops::Range;

use super::sink::{Checkpoint, Difference, Sink, Slice, Trail, Unit};
use crate::change::bytes::common_prefix;
use crate::change::model::{Change, ChangePart, ChangePath, Changes, Op};
use crate::event::Plain;
use crate::kind::Width;
use crate::path::PathStep;

/// Changes that are always reported, plus one per [`BYTES_A_CHANGE`] input bytes. A change takes about as much memory in the engine.
const MAX_CHANGES: usize = 100_000;
const BYTES_A_CHANGE: usize = 256;

/// The same limits for the runs of elements in one packed array.
const MAX_RUNS: usize = 10_000;

/// The changes between two values, in order.
pub(super) struct Collector<'a> {
    before: &'a [u8],
    after: &'a [u8],
    real: Width,
    max: usize,
    changes: Changes<'a>,
}

impl<'a> Collector<'a> {
    pub fn new(before: &'a [u8], after: &'a [u8], real: Width) -> Self {
        let max = MAX_CHANGES + (before.len() + after.len()) / BYTES_A_CHANGE;
        Self { before, after, real, max, changes: Changes::default() }
    }

    /// Returns all changes, or one that replaces everything if there are too many.
    pub fn finish(mut self) -> Changes<'a> {
        if self.is_full() {
            self.changes = Changes::default();
            let whole = |bytes| Some(ChangePart::Value { at: 0, bytes });
            let (old, new) = (whole(self.before), whole(self.after));
            self.changes.push(0, Change { path: ChangePath::default(), op: Op::Set, index: None, old, new });
        }
        self.changes
    }

    /// Returns the number of the last step of a trail. Adds steps that have no number.
    fn number(&mut self, trail: &mut Trail<'a>) -> u32 {
        let known = trail.levels.iter().rposition(|level| level.number > 0);
        let mut last = known.map_or(0, |at| trail.levels[at].number);
        for level in &mut trail.levels[known.map_or(0, |at| at + 1)..] {
            last = self.changes.push_step(last, level.step);
            level.number = last;
            if let PathStep::Key(key) = level.step {
                level.keys.push(key);
            }
        }
        last
    }
}

/// Returns the part of one side; `None` if there is none.
fn part<'a>(bytes: &'a [u8], range: Range<usize>, unit: &Unit<'_>, side: usize) -> Option<ChangePart<'a>> {
    let of = |range: Range<usize>| &bytes[range.start.min(bytes.len())..range.end.min(bytes.len())];
    if range.is_empty() {
        return None;
    }
    Some(match *unit {
        Unit::Value => ChangePart::Value { at: range.start, bytes: of(range) },
        Unit::Entry { key_len, .. } => ChangePart::Value { at: range.start + key_len, bytes: &of(range)[key_len..] },
        Unit::Texts { counts } => ChangePart::Texts { count: counts[side], bytes: of(range) },
        Unit::Elements(Plain { kind, width, .. }) => {
            let count = range.len() / kind.shape().element_len(width).unwrap_or(1);
            ChangePart::Elements(Plain { kind, width, count, bytes: of(range) })
        }
    })
}

impl<'a> Sink<'a> for Collector<'a> {
    const HAS_PATHS: bool = true;

    fn real(&self) -> Option<Width> {
        Some(self.real)
    }

    fn is_full(&self) -> bool {
        self.changes.counts().1 > self.max
    }

    fn change(&mut self, trail: &mut Trail<'a>, difference: Difference<'a>) {
        let last = self.number(trail);
        let op = difference.op();
        let Difference { unit, before, after } = difference;
        let index = if let Unit::Entry { index, .. } = unit { Some(index) } else { None };
        let (old, new) = (part(self.before, before, &unit, 0), part(self.after, after, &unit, 1));
        self.changes.push(last, Change { path: ChangePath::default(), op, index, old, new });
    }

    fn checkpoint(&self) -> Checkpoint {
        self.changes.counts()
    }

    fn restore(&mut self, trail: &mut Trail<'a>, checkpoint: Checkpoint) {
        self.changes.truncate(checkpoint);
        for level in &mut trail.levels {
            if level.number as usize > checkpoint.0 {
                level.number = 0;
            }
        }
    }

    fn elements(&mut self, trail: &mut Trail<'a>, first: usize, old: Slice<'a>, new: Slice<'a>) {
        let (size, count) = (old.size(), old.plain.count);
        let (a, b) = (old.plain.bytes, new.plain.bytes);
        let max = MAX_RUNS + a.len() / BYTES_A_CHANGE;
        let is_same = |at: usize| a[at * size..][..size] == b[at * size..][..size];
        self.number(trail);
        let checkpoint = self.checkpoint();
        let mut put = |this: &mut Self, run: Range<usize>| {
            let (before, after) = (old.part(&run).range(), new.part(&run).range());
            trail.enter();
            trail.to(PathStep::Index(first + run.start));
            this.change(trail, Difference { unit: Unit::Elements(old.plain), before, after });
            trail.leave();
        };
        let mut at = 0;
        let mut first_changed = None;
        loop {
            at += common_prefix(&a[at * size..], &b[at * size..]) / size;
            if at >= count {
                return;
            }
            let start = at;
            while at < count && !is_same(at) {
                at += 1;
            }
            let from = *first_changed.get_or_insert(start);
            if self.changes.counts().1 - checkpoint.1 == max {
                // Too many runs: one run replaces them all.
                self.changes.truncate(checkpoint);
                return put(self, from..count);
            }
            put(self, start..at);
        }
    }

    fn derived(&mut self, _: Range<usize>, _: Range<usize>) {}
}

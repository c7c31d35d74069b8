//! Packed arrays in lockstep.

use std::ops::Range;

use super::align::{Fixed, Hunk, Parts, Ranges, align, gap};
use super::changes::Step;
use super::found::{Found, Sink, Slice, What};
use super::lockstep::{Failed, Lockstep, Side, WORD, of};
use crate::patch::Op;
use crate::reader::Reader;

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// Two packed arrays of the same kind, which both Readers have passed.
    pub fn packed(&mut self, old: Slice<'a>, new: Slice<'a>) {
        let size = old.kind.shape().element_len(old.width).unwrap_or(1);
        let part = |slice: Slice<'a>, range: Range<usize>| Slice {
            at: slice.at + range.start * size,
            bytes: &slice.bytes[range.start * size..range.end * size],
            ..slice
        };
        if old.bytes.len() == new.bytes.len() {
            if old.bytes != new.bytes {
                self.sink.elements(&mut self.trail, 0, old, new);
            }
        } else {
            self.sink.derived(old.at - WORD..old.at, new.at - WORD..new.at);
            let (before, after) = (Fixed { bytes: old.bytes, size }, Fixed { bytes: new.bytes, size });
            let alike = |i, j| before.part(i) == after.part(j);
            for Hunk { before, after } in pieces(&before, &after, alike) {
                if before.len() == after.len() {
                    let (old, new) = (part(old, before), part(new, after.clone()));
                    if old.bytes != new.bytes {
                        self.sink.elements(&mut self.trail, after.start, old, new);
                    }
                    continue;
                }
                let what = What::Elements { kind: old.kind, width: old.width };
                let bytes =
                    |slice: Slice<'a>, range: &Range<usize>| slice.at + range.start * size..slice.at + range.end * size;
                self.part(after.start, what, bytes(old, &before), bytes(new, &after));
            }
        }
        self.padding(old.at + old.bytes.len(), new.at + new.bytes.len());
    }

    /// What stands behind the elements, up to where both are now.
    fn padding(&mut self, before: usize, after: usize) {
        let (before, after) = (before..self.before.position(), after..self.after.position());
        let len = |range: &Range<usize>, of: &[u8]| range.end.min(of.len()) - range.start;
        let (old, new) = (len(&before, self.bytes.0), len(&after, self.bytes.1));
        let (before, after) = (before.start..before.start + old, after.start..after.start + new);
        if self.bytes.0[before.clone()] != self.bytes.1[after.clone()] {
            self.sink.derived(before, after);
        }
    }

    /// Tells a change of elements of an array from this index on.
    fn part(&mut self, index: usize, what: What, before: Range<usize>, after: Range<usize>) {
        let op = match (before.is_empty(), after.is_empty()) {
            (true, _) => Op::Insert,
            (_, true) => Op::Remove,
            _ => Op::Set,
        };
        self.trail.enter();
        self.trail.to(Step::Index(index));
        self.sink.change(&mut self.trail, Found { op, what, before, after });
        self.trail.leave();
    }

    /// Two PackedStringArrays with so many texts, which begin at `start`. The Readers stand before the first.
    pub fn texts(&mut self, counts: (usize, usize), start: (usize, usize)) -> Result<(), Failed> {
        if counts.0 != counts.1 {
            let count = |start: usize| start + WORD..start + 2 * WORD;
            self.sink.derived(count(start.0), count(start.1));
        }
        let old = Ranges { bytes: self.bytes.0, ranges: texts(&mut self.before, counts.0).map_err(of(Side::Before))? };
        let new = Ranges { bytes: self.bytes.1, ranges: texts(&mut self.after, counts.1).map_err(of(Side::After))? };
        let alike = |i, j| old.part(i) == new.part(j);
        let hunks = if counts.0 == counts.1 {
            vec![Hunk { before: 0..counts.0, after: 0..counts.1 }]
        } else {
            pieces(&old, &new, alike)
        };
        // Where the texts of a range are, which may be none.
        let bytes = |of: &Ranges<'_>, range: &Range<usize>, first: usize| {
            let end = |index: usize| if index == 0 { first } else { of.ranges[index - 1].end };
            end(range.start)..end(range.end)
        };
        for Hunk { before, after } in hunks {
            let mut put = |before: Range<usize>, after: Range<usize>| {
                let what = What::Texts { old: before.len(), new: after.len() };
                let at = (start.0 + 2 * WORD, start.1 + 2 * WORD);
                self.part(after.start, what, bytes(&old, &before, at.0), bytes(&new, &after, at.1));
            };
            if before.len() != after.len() {
                put(before, after);
                continue;
            }
            let (count, mut at) = (before.len(), 0);
            let differs = |at: usize| at < count && !alike(before.start + at, after.start + at);
            while at < count {
                let first = at;
                while differs(at) {
                    at += 1;
                }
                if at > first {
                    put(before.start + first..before.start + at, after.start + first..after.start + at);
                }
                at += 1;
            }
        }
        Ok(())
    }
}

/// Where the next texts of a value are, with their lengths and paddings.
fn texts(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Range<usize>>, crate::error::CodecError> {
    let mut ranges = Vec::with_capacity(count);
    for _ in 0..count {
        let start = reader.position();
        reader.pass_text()?;
        ranges.push(start..reader.position());
    }
    Ok(ranges)
}

/// Two arrays of different sizes as runs of which either both have as many, or one has none.
fn pieces<P: Parts>(before: &P, after: &P, alike: impl Fn(usize, usize) -> bool) -> Vec<Hunk> {
    let prefix = before.common_prefix(after);
    let suffix = before.common_suffix(after).min(before.len().min(after.len()) - prefix);
    let mut pieces = Vec::new();
    let mut done = (0, 0);
    for hunk in align(before, after, prefix, suffix) {
        let Hunk { before: old, after: new } = &hunk;
        let pairs = old.len().min(new.len());
        let first = gap(&hunk, &alike);
        let last = pairs - first;
        // What was found to be the same goes with the pairs around it: it is compared again.
        pieces.push(Hunk { before: done.0..old.start + first, after: done.1..new.start + first });
        if old.len() != new.len() {
            done = (old.end - last, new.end - last);
            pieces.push(Hunk { before: old.start + first..done.0, after: new.start + first..done.1 });
        } else {
            done = (old.start + first, new.start + first);
        }
    }
    pieces.push(Hunk { before: done.0..before.len(), after: done.1..after.len() });
    pieces
}

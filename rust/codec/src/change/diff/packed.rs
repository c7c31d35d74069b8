//! Packed arrays in lockstep.

use std::ops::Range;

use super::align::{Fixed, Hunk, Parts, Ranges, align, gap};
use super::lockstep::{AFTER, BEFORE, DiffError, Lockstep};
use super::sink::{Difference, Sink, Slice, Unit};
use crate::error::CodecError;
use crate::kind::WORD;
use crate::path::PathStep;
use crate::reader::Reader;

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// Compares two packed arrays of the same kind, which both Readers have passed.
    pub fn packed(&mut self, old: Slice<'a>, new: Slice<'a>) {
        let (a, b) = (old.plain.bytes, new.plain.bytes);
        let size = old.size();
        let whole = [Hunk { before: 0..old.plain.count, after: 0..new.plain.count }];
        let cut;
        let hunks: &[Hunk] = if a.len() == b.len() {
            &whole
        } else {
            self.sink.derived(old.at - WORD..old.at, new.at - WORD..new.at);
            let (before, after) = (Fixed { bytes: a, size }, Fixed { bytes: b, size });
            cut = pieces(&before, &after, |i, j| before.part(i) == after.part(j));
            &cut
        };
        for Hunk { before, after } in hunks {
            let (old, new) = (old.part(before), new.part(after));
            if before.len() != after.len() {
                self.part(after.start, Unit::Elements(old.plain), old.range(), new.range());
            } else if old.plain.bytes != new.plain.bytes {
                self.sink.elements(&mut self.trail, after.start, old, new);
            }
        }
        self.padding(old.range().end, new.range().end);
    }

    /// Compares what follows the elements, up to the current positions.
    fn padding(&mut self, old: usize, new: usize) {
        let end = self.at();
        let (before, after) = (old..end[0], new..end[1]);
        if self.bytes[BEFORE][before.clone()] != self.bytes[AFTER][after.clone()] {
            self.sink.derived(before, after);
        }
    }

    /// Reports changed elements of an array; `index` is that of the first.
    fn part(&mut self, index: usize, unit: Unit<'a>, before: Range<usize>, after: Range<usize>) {
        self.trail.enter();
        self.trail.to(PathStep::Index(index));
        self.sink.change(&mut self.trail, Difference { unit, before, after });
        self.trail.leave();
    }

    /// Compares two PackedStringArrays that begin at `start`. The Readers are at the first text.
    pub fn texts(&mut self, counts: [usize; 2], start: [usize; 2]) -> Result<(), DiffError> {
        let first = start.map(|start| start + 2 * WORD);
        if counts[0] != counts[1] {
            self.sink.derived(first[0] - WORD..first[0], first[1] - WORD..first[1]);
        }
        let [old, new] = &mut self.readers;
        let old = texts(old, counts[0]).map_err(DiffError::before)?;
        let new = texts(new, counts[1]).map_err(DiffError::after)?;
        let (old, new) =
            (Ranges { bytes: self.bytes[BEFORE], ranges: old }, Ranges { bytes: self.bytes[AFTER], ranges: new });
        let alike = |i, j| old.part(i) == new.part(j);
        let hunks = if counts[0] == counts[1] {
            vec![Hunk { before: 0..counts[0], after: 0..counts[1] }]
        } else {
            pieces(&old, &new, alike)
        };
        // Returns the byte range of some texts, which may be empty.
        let bytes = |of: &Ranges<'_>, range: &Range<usize>, first: usize| {
            let end = |index: usize| if index == 0 { first } else { of.ranges[index - 1].end };
            end(range.start)..end(range.end)
        };
        for Hunk { before, after } in hunks {
            let mut put = |before: Range<usize>, after: Range<usize>| {
                let unit = Unit::Texts { counts: [before.len(), after.len()] };
                self.part(after.start, unit, bytes(&old, &before, first[0]), bytes(&new, &after, first[1]));
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

/// Passes the next texts of a value. Returns their ranges, including lengths and padding.
fn texts(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Range<usize>>, CodecError> {
    let mut ranges = Vec::with_capacity(count);
    for _ in 0..count {
        let start = reader.position();
        reader.pass_text()?;
        ranges.push(start..reader.position());
    }
    Ok(ranges)
}

/// Cuts two arrays of different lengths into runs. In each, both sides have as many elements, or one side has none.
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
        // Elements that `align` matched go with the pairs around them: they are compared again.
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

//! Makes Dictionaries for scripts: of modifications, or of changes element by element, as `VarBatch.diff` does.
//!
//! For those the codec compares the bytes of both states. Bytes do not show all that a state keeps: first the names are written
//! into them, and a change of anything else that they do not show is reported as one change of the whole property.

use std::ops::Range;

use foldhash::HashMap;
use godot::builtin::{Array, VarDictionary};
use varbatch_codec::change::{self, Change, ChangePart, DiffOptions};
use varbatch_codec::{Copied, Event, Kind, Mark, PathStep, Shape};

use super::changes::{Changes, Modification};
use super::narrow::Narrowed;
use crate::engine::{self, REAL, Slot, Value};
use crate::value::change_rows::{ChangeRow, RowKeys, text};
use crate::value::states::{State, is_exact_name, is_same_kept, kept_count};
use crate::value::string_cache::Texts;
use crate::value::walk::{Copying, walk};

/// Min modifications for which several threads make the Dictionaries, in engines that do not count allocations.
const PARALLEL_FROM: usize = 1000;

/// Modifications that a thread makes at a time.
const RUN: usize = 500;

pub fn to_array(changes: &Changes, with_op: bool) -> Array<VarDictionary> {
    let is_large = changes.len() >= PARALLEL_FROM && engine::allocates_in_parallel();
    engine::new_dictionaries(changes.len(), |slots| {
        crate::jobs::pool::with(is_large, |threads| {
            if threads.count() == 1 {
                return make_all(changes.iter(), with_op, slots);
            }
            // The threads only read what they share.
            let rows: Vec<_> = changes.iter().collect();
            threads.for_each(rows.chunks(RUN).zip(slots.chunks_mut(RUN)), |(rows, slots)| {
                make_all(rows.iter().copied(), with_op, slots);
            });
        });
    })
}

/// Makes Dictionaries on one thread. They share their keys and repeated paths.
fn make_all<'c>(changes: impl Iterator<Item = Modification<'c>>, with_op: bool, slots: &mut [Slot]) {
    let (keys, mut texts) = (RowKeys::default(), Texts::for_bytes(usize::MAX));
    let mut paths: HashMap<(*const u8, Option<Narrowed>), Slot> = HashMap::default();
    for (change, slot) in changes.zip(slots) {
        let path = paths.entry((change.text.as_ptr(), change.narrowed)).or_insert_with(|| text(&change.path()));
        let mut dictionary = slot.set_dictionary();
        keys.put_property(change.object, path, &mut dictionary);
        if with_op {
            keys.put_op(change.op, &mut dictionary);
        }
        change.build(change.old, dictionary.entry(&keys.old), &mut texts);
        change.build(change.new, dictionary.entry(&keys.new), &mut texts);
    }
}

/// Returns the changes for scripts, those inside values each for itself.
pub fn deep_to_array(changes: &Changes) -> Array<VarDictionary> {
    let keys = RowKeys::default();
    let rows_of = |change: Modification<'_>| {
        inner_rows(change.old, change.new).unwrap_or_else(|| {
            let [old, new] = change.values();
            vec![ChangeRow::whole(change.op, old, new)]
        })
    };
    let found: Vec<_> = changes.iter().map(|change| (change.object, text(&change.path()), rows_of(change))).collect();
    engine::new_dictionaries(found.iter().map(|(.., rows)| rows.len()).sum(), |slots| {
        let mut slots = slots.iter_mut();
        for (object, path, rows) in found {
            for (row, slot) in rows.into_iter().zip(&mut slots) {
                let mut dictionary = slot.set_dictionary();
                keys.put_property(object, &path, &mut dictionary);
                keys.put(row, &mut dictionary);
            }
        }
    })
}

pub fn has_parts(kind: Kind) -> bool {
    matches!(kind.shape(), Shape::Array | Shape::Dictionary | Shape::Packed { .. } | Shape::PackedStrings)
}

/// Finds the changes inside two values. `None` if these may not be all that differs, or there are no parts of one kind.
fn inner_rows(old: State<'_>, new: State<'_>) -> Option<Vec<ChangeRow>> {
    if !has_parts(old.kind()) || old.kind() != new.kind() {
        return None;
    }
    let sides = [Side::of(old)?, Side::of(new)?];
    // The states hold ids of objects, and no objects in full. Only these options allow ids in the keys of paths.
    let options = DiffOptions { allow_objects: false, real: REAL };
    let changes = change::diff(&sides[0].bytes, &sides[1].bytes, options).ok()?;
    if changes.iter().len() == 0 || !is_all(&sides, &changes) || !changes.steps().iter().all(|step| lives(&sides, step))
    {
        return None;
    }
    let build = |_, bytes: &[u8]| -> Result<_, std::convert::Infallible> {
        let kept = kept_of(&sides, bytes).unwrap_or_default();
        Ok(Slot::with(|slot| State { bytes, kept }.build(slot, &mut Texts::for_bytes(0))))
    };
    ChangeRow::all(&changes, build).ok()
}

/// True if what differs is in the changes: outside of them, both states keep the same values.
fn is_all(sides: &[Side<'_>; 2], changes: &change::Changes<'_>) -> bool {
    let [old, new] = [0, 1].map(|index| {
        let side = &sides[index];
        let mut is_outside = vec![true; side.kept.len()];
        let ranges = changes.iter().filter_map(|change| range_of(&change, index, changes.steps()));
        ranges.for_each(|range| is_outside[side.kept_in(range)].fill(false));
        let kept = Slot::values(&side.kept).iter().zip(is_outside);
        kept.filter_map(|(kept, is_outside)| is_outside.then_some(kept)).collect::<Vec<_>>()
    });
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| is_same_kept(old, new))
}

/// Returns the bytes of one side that a change removes or adds, with the key of an entry. `None` if they keep nothing.
fn range_of(change: &Change<'_>, side: usize, steps: &[PathStep<'_>]) -> Option<Range<usize>> {
    let part = if side == 0 { change.old } else { change.new };
    let Some(ChangePart::Value { at, bytes }) = part else { return None };
    let key_len = match change.path.indices().next().map(|last| steps[last]) {
        Some(PathStep::Key(key)) if change.index.is_some() => key.len(),
        _ => 0,
    };
    Some(at.saturating_sub(key_len)..at + bytes.len())
}

/// True if a step leads to the same value when it is built: a freed object becomes null, which may be another key.
fn lives(sides: &[Side<'_>; 2], step: &PathStep<'_>) -> bool {
    let PathStep::Key(bytes) = step else { return true };
    let is_alive = |kept: &Value| kept.view().kind() != Kind::Object || kept.object_id() != 0;
    kept_of(sides, bytes).is_some_and(|kept| kept.iter().all(is_alive))
}

/// Returns the values that are kept for a part of one of the sides.
fn kept_of<'s>(sides: &'s [Side<'_>; 2], part: &[u8]) -> Option<&'s [Value]> {
    let first = part.first()?;
    let (side, at) = sides.iter().find_map(|side| Some((side, side.bytes.element_offset(first)?)))?;
    Some(&Slot::values(&side.kept)[side.kept_in(at..at + part.len())])
}

/// One of two states, with its StringNames and NodePaths in its bytes, and where its other kept values belong.
struct Side<'a> {
    bytes: std::borrow::Cow<'a, [u8]>,
    kept: Vec<Slot>,
    /// For each kept value, the offset of the event that it is kept for.
    offsets: Vec<usize>,
}

impl<'a> Side<'a> {
    fn of(state: State<'a>) -> Option<Self> {
        let mut side = Self { bytes: state.bytes.into(), kept: Vec::new(), offsets: Vec::new() };
        if state.kept.is_empty() {
            return Some(side);
        }
        let (mut reader, mut left, mut target) = (state.reader(), state.kept, Copying::new());
        while let Some(event) = reader.next_event().ok()? {
            let (taken, rest) = left.split_at_checked(kept_count(event))?;
            left = rest;
            match (event, taken) {
                (Event::Callable, [name]) if is_exact_name(name.view()) => walk(name, &mut target).ok()?,
                _ => {
                    side.offsets.extend(taken.iter().map(|_| target.writer.mark().position()));
                    side.kept.extend(taken.iter().map(Slot::of));
                    target.writer.write_as(event, Copied).ok()?;
                }
            }
        }
        target.writer.end_value(Mark::default()).ok()?;
        side.bytes = target.writer.into_plan().into_vec().into();
        Some(side)
    }

    /// Returns the indices of the values that are kept for a range of the bytes.
    fn kept_in(&self, range: Range<usize>) -> Range<usize> {
        let before = |at| self.offsets.partition_point(|&offset| offset < at);
        before(range.start)..before(range.end)
    }
}

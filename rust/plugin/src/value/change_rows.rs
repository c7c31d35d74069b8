//! Builds the changes that the codec finds, and turns them into Dictionaries for scripts.

use std::cell::LazyCell;

use godot::prelude::*;
use varbatch_codec::PathStep;
use varbatch_codec::change::{Change, ChangePart, Changes, Op};
use varbatch_storage::fill;
use varbatch_workers::Threads;

use crate::engine::{DictionarySlot, REAL, Slot, Value};

pub struct ChangeRow {
    path: Slot,
    op: Op,
    old: Slot,
    new: Slot,
    index: Option<usize>,
}

impl ChangeRow {
    pub fn whole(op: Op, old: Slot, new: Slot) -> Self {
        Self { path: Slot::with(|path| _ = path.set_array(0)), op, old, new, index: None }
    }

    /// Builds all changes. `value` builds an encoded value; it also gets the offset, for messages.
    pub fn all<E>(
        changes: &Changes<'_>,
        mut value: impl FnMut(usize, &[u8]) -> Result<Slot, E>,
    ) -> Result<Vec<Self>, E> {
        let step = |step: &PathStep<'_>| match *step {
            PathStep::Index(index) => Ok(int(index)),
            PathStep::Key(bytes) => value(0, bytes),
            PathStep::Property(name) => Ok(Slot::from(StringName::from(&*name.to_utf8()).to_variant())),
        };
        let steps: Vec<Slot> = changes.steps().iter().map(step).collect::<Result<_, _>>()?;
        let row = |change: Change<'_>| {
            let (old, new) = (part(change.old, &mut value)?, part(change.new, &mut value)?);
            let (mut path, indices) = (Slot::new(), change.path.indices().collect::<Vec<_>>());
            for (slot, &index) in path.set_array(indices.len()).iter_mut().zip(indices.iter().rev()) {
                slot.set_copy(steps[index].value());
            }
            Ok(Self { path, op: change.op, old, new, index: change.index })
        };
        changes.iter().map(row).collect()
    }
}

/// The keys and operations that all rows share. Each String is made when a row needs it: most need half of these.
pub struct RowKeys {
    object: LazyCell<Slot>,
    property: LazyCell<Slot>,
    path: LazyCell<Slot>,
    op: LazyCell<Slot>,
    pub old: LazyCell<Slot>,
    pub new: LazyCell<Slot>,
    index: LazyCell<Slot>,
    ops: [LazyCell<Slot>; 3],
}

impl Default for RowKeys {
    fn default() -> Self {
        Self {
            object: LazyCell::new(|| text("object")),
            property: LazyCell::new(|| text("property")),
            path: LazyCell::new(|| text("path")),
            op: LazyCell::new(|| text("op")),
            old: LazyCell::new(|| text("old")),
            new: LazyCell::new(|| text("new")),
            index: LazyCell::new(|| text("index")),
            ops: [|| text(Op::Set.name()), || text(Op::Insert.name()), || text(Op::Remove.name())].map(LazyCell::new),
        }
    }
}

impl RowKeys {
    pub fn put(&self, row: ChangeRow, dictionary: &mut DictionarySlot<'_>) {
        *dictionary.entry(&self.path) = row.path;
        self.put_op(row.op, dictionary);
        *dictionary.entry(&self.old) = row.old;
        *dictionary.entry(&self.new) = row.new;
        if let Some(found) = row.index {
            *dictionary.entry(&self.index) = int(found);
        }
    }

    pub fn put_property(&self, object: &Value, property: &Slot, dictionary: &mut DictionarySlot<'_>) {
        dictionary.entry(&self.object).set_copy(object);
        dictionary.entry(&self.property).set_copy(property.value());
    }

    pub fn put_op(&self, op: Op, dictionary: &mut DictionarySlot<'_>) {
        dictionary.entry(&self.op).set_copy(self.ops[op as usize].value());
    }
}

/// Builds the old or new value of a change; null if there is none.
fn part<E>(part: Option<ChangePart<'_>>, value: &mut impl FnMut(usize, &[u8]) -> Result<Slot, E>) -> Result<Slot, E> {
    match part {
        None => Ok(Slot::new()),
        Some(ChangePart::Value { at, bytes }) => value(at, bytes),
        Some(ChangePart::Elements(plain)) => Ok(Slot::with(|slot| {
            crate::jobs::pool::with(plain.bytes.len() >= fill::PARALLEL_FROM, |threads: &Threads| {
                fill::plain(plain, REAL, slot.set_packed(plain.kind, plain.count), threads);
            });
        })),
        Some(texts @ ChangePart::Texts { .. }) => value(0, &texts.to_value()),
    }
}

pub fn text(text: &str) -> Slot {
    Slot::with(|slot| slot.set_string(text))
}

fn int(index: usize) -> Slot {
    Slot::with(|slot| slot.set_int(i64::try_from(index).unwrap_or(i64::MAX)))
}

//! Builds the changes that the codec finds, and turns them into Dictionaries for scripts.

use std::cell::OnceCell;

use godot::builtin::StringName;
use godot::meta::ToGodot;
use varbatch_codec::PathStep;
use varbatch_codec::change::{ChangePart, ChangePath, Changes, Op};
use varbatch_storage::fill;
use varbatch_workers::Threads;

use crate::engine::{DictionarySlot, REAL, Slot, Value};
use crate::jobs::pool;

/// One change, with its path and its values built.
pub struct ChangeRow {
    path: Slot,
    op: Op,
    old: Slot,
    new: Slot,
    index: Option<usize>,
}

impl ChangeRow {
    /// Makes the change of a whole value.
    pub fn whole(op: Op, old: Slot, new: Slot) -> Self {
        let mut path = Slot::new();
        path.set_array(0);
        Self { path, op, old, new, index: None }
    }

    /// Builds all changes. `value` builds an encoded value; it also gets the offset, for messages.
    pub fn all<E>(
        changes: &Changes<'_>,
        mut value: impl FnMut(usize, &[u8]) -> Result<Slot, E>,
    ) -> Result<Vec<Self>, E> {
        let mut steps = Vec::with_capacity(changes.steps().len());
        for &step in changes.steps() {
            steps.push(match step {
                PathStep::Index(index) => int(index),
                PathStep::Key(bytes) => value(0, bytes)?,
                PathStep::Property(name) => Slot::from(StringName::from(&*name.to_utf8()).to_variant()),
            });
        }
        let mut rows = Vec::with_capacity(changes.iter().len());
        for change in changes.iter() {
            let (old, new) = (part(change.old, &mut value)?, part(change.new, &mut value)?);
            rows.push(Self { path: path_of(change.path, &steps), op: change.op, old, new, index: change.index });
        }
        Ok(rows)
    }
}

/// A String that rows share, made when the first of them needs it: most changes need half of these.
pub struct Shared(&'static str, OnceCell<Slot>);

impl Shared {
    const fn new(text: &'static str) -> Self {
        Self(text, OnceCell::new())
    }

    pub fn slot(&self) -> &Slot {
        self.1.get_or_init(|| text(self.0))
    }
}

/// The keys that all rows share, and the names of the operations.
pub struct RowKeys {
    object: Shared,
    property: Shared,
    path: Shared,
    op: Shared,
    pub old: Shared,
    pub new: Shared,
    index: Shared,
    ops: [Shared; 3],
}

impl Default for RowKeys {
    fn default() -> Self {
        let keys = ["object", "property", "path", "op", "old", "new", "index"];
        let [object, property, path, op, old, new, index] = keys.map(Shared::new);
        Self { object, property, path, op, old, new, index, ops: Op::ALL.map(|op| Shared::new(op.name())) }
    }
}

impl RowKeys {
    /// Adds the entries of a change to a Dictionary.
    pub fn put(&self, row: ChangeRow, dictionary: &mut DictionarySlot<'_>) {
        *dictionary.entry(self.path.slot()) = row.path;
        self.put_op(row.op, dictionary);
        *dictionary.entry(self.old.slot()) = row.old;
        *dictionary.entry(self.new.slot()) = row.new;
        if let Some(found) = row.index {
            *dictionary.entry(self.index.slot()) = int(found);
        }
    }

    /// Adds the entries that say which property a change is in.
    pub fn put_property(&self, object: &Value, property: &Slot, dictionary: &mut DictionarySlot<'_>) {
        dictionary.entry(self.object.slot()).set_copy(object);
        dictionary.entry(self.property.slot()).set_copy(property.value());
    }

    /// Adds the entry of an operation.
    pub fn put_op(&self, op: Op, dictionary: &mut DictionarySlot<'_>) {
        dictionary.entry(self.op.slot()).set_copy(self.ops[op as usize].slot().value());
    }
}

/// Builds the old or new value of a change; null if there is none.
fn part<E>(part: Option<ChangePart<'_>>, value: &mut impl FnMut(usize, &[u8]) -> Result<Slot, E>) -> Result<Slot, E> {
    match part {
        None => Ok(Slot::new()),
        Some(ChangePart::Value { at, bytes }) => value(at, bytes),
        Some(ChangePart::Elements(plain)) => {
            let mut slot = Slot::new();
            pool::with(plain.bytes.len() >= fill::PARALLEL_FROM, |threads: &Threads| {
                fill::plain(plain, REAL, slot.set_packed(plain.kind, plain.count), threads);
            });
            Ok(slot)
        }
        Some(texts @ ChangePart::Texts { .. }) => value(0, &texts.to_value()),
    }
}

/// Makes the Array of a path from its steps.
fn path_of(path: ChangePath<'_>, steps: &[Slot]) -> Slot {
    let mut made = Slot::new();
    let indices: Vec<_> = path.indices().collect();
    for (slot, &index) in made.set_array(indices.len()).iter_mut().zip(indices.iter().rev()) {
        slot.set_copy(steps[index].value());
    }
    made
}

/// Makes a String.
pub fn text(text: &str) -> Slot {
    let mut slot = Slot::new();
    slot.set_string(text);
    slot
}

fn int(index: usize) -> Slot {
    let mut slot = Slot::new();
    slot.set_int(i64::try_from(index).unwrap_or(i64::MAX));
    slot
}

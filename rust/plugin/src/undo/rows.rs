//! Makes the Dictionaries of modifications for scripts.

use foldhash::HashMap;
use godot::builtin::{Array, VarDictionary};

use super::changes::{Changes, Modification};
use super::narrow::Narrowed;
use crate::engine::{self, OwnDictionary, Slot};
use crate::jobs::pool;
use crate::value::change_rows::{RowKeys, text};
use crate::value::string_cache::Texts;

/// Min modifications for which several threads make the Dictionaries, in engines that do not count allocations.
const PARALLEL_FROM: usize = 1000;

/// Modifications that a thread makes at a time.
const RUN: usize = 500;

/// Returns the modifications for scripts.
pub fn to_array(changes: &Changes, with_op: bool) -> Array<VarDictionary> {
    let is_large = changes.len() >= PARALLEL_FROM && engine::allocates_in_parallel();
    engine::new_dictionaries(changes.len(), |slots| {
        pool::with(is_large, |threads| {
            if threads.count() == 1 {
                return RowMaker::new(with_op).make_all(changes.iter(), slots);
            }
            // The threads only read what they share.
            let rows: Vec<_> = changes.iter().collect();
            threads.for_each(rows.chunks(RUN).zip(slots.chunks_mut(RUN)), |(rows, slots)| {
                RowMaker::new(with_op).make_all(rows.iter().copied(), slots);
            });
        });
    })
}

/// Makes Dictionaries on one thread. They share their keys and repeated paths.
struct RowMaker<'c> {
    keys: RowKeys,
    with_op: bool,
    paths: HashMap<(*const u8, Option<Narrowed>), Slot>,
    texts: Texts<'c>,
}

impl<'c> RowMaker<'c> {
    fn new(with_op: bool) -> Self {
        Self { keys: RowKeys::default(), with_op, paths: HashMap::default(), texts: Texts::for_bytes(usize::MAX) }
    }

    fn make_all(&mut self, changes: impl Iterator<Item = Modification<'c>>, slots: &mut [OwnDictionary]) {
        let Self { keys, with_op, paths, texts } = self;
        for (change, slot) in changes.zip(slots) {
            let path = paths.entry((change.text.as_ptr(), change.narrowed)).or_insert_with(|| text(&change.path()));
            let mut dictionary = slot.slot();
            keys.put_property(change.object, path, &mut dictionary);
            if *with_op {
                keys.put_op(change.op, &mut dictionary);
            }
            change.build(change.old, dictionary.entry(&keys.old), texts);
            change.build(change.new, dictionary.entry(&keys.new), texts);
        }
    }
}

//! What a save changes, and the pieces in which it is changed.

use godot::global::Error as EngineError;
use varbatch_codec::fill::to_vec;
use varbatch_store::{Packed, Store};
use varbatch_workers::Threads;

use super::ranges::KeyBytes;
use super::{StoreFile, shown};
use crate::calls::encode::{Batch, Plans};
use crate::jobs::task::{STEP, VALUE};
use crate::report::{Failure, Line};

/// Keys that a step erases.
const ERASED: usize = 1000;

/// The keys of the values, in their order, and those to erase.
#[derive(Default)]
pub struct Keys {
    pub saved: Vec<Vec<u8>>,
    pub erased: Vec<Vec<u8>>,
    pub range: Option<KeyBytes>,
}

/// The changes of one call. `K` says whether long values are borrowed or held.
pub struct Changes<'p, K> {
    /// Keys in their order, with the index of the value.
    pub saved: Vec<(Vec<u8>, usize)>,
    erased: Vec<Vec<u8>>,
    pub range: Option<KeyBytes>,
    pub plans: Plans<'p, K>,
}

impl<'p, K> Changes<'p, K> {
    /// Also returns a warning if something is lost. Fails if a value cannot be encoded.
    pub fn new(
        file: &StoreFile,
        keys: Keys,
        plans: Plans<'p, K>,
        batch: &Batch,
    ) -> Result<(Self, Option<Line>), Failure> {
        let Keys { saved, mut erased, range } = keys;
        if let Some((index, report)) = plans.reports.first_error() {
            let text = file.text(format_args!("{}: {report}", shown(&saved[index])));
            return Err(Failure::new(EngineError::ERR_INVALID_DATA, text));
        }
        let name = |index: usize| shown(&saved[index]);
        let lost = batch.lost(plans.is_lossy).map(|lost| Line::warning(file.text(lost.text(Some(&name)))));
        let mut saved: Vec<_> = saved.into_iter().enumerate().map(|(index, key)| (key, index)).collect();
        // In the order of the tree. Of two values for a key, the last is saved.
        saved.sort_by(|(key, index), (other, other_index)| key.cmp(other).then(other_index.cmp(index)));
        saved.dedup_by(|(key, _), (before, _)| key == before);
        erased.sort();
        erased.dedup();
        erased.retain(|key| saved.binary_search_by(|(saved, _)| saved.cmp(key)).is_err());
        Ok((Self { saved, erased, range, plans }, lost))
    }

    /// Returns each key from an index on with the index of its value, or `None` if it is erased.
    pub fn keys(&self, from: usize) -> impl Iterator<Item = (&[u8], Option<usize>)> {
        let erased = self.erased.get(from..).unwrap_or_default().iter().map(|key| (&**key, None));
        let saved = &self.saved[from.saturating_sub(self.erased.len()).min(self.saved.len())..];
        erased.chain(saved.iter().map(|(key, index)| (&**key, Some(*index))))
    }

    /// Makes some of the changes, from `at` on. Returns how many bytes of values these have.
    pub fn make_some(
        &self,
        at: &mut At,
        file: &StoreFile,
        store: &mut Store,
        threads: &Threads,
    ) -> Result<usize, Failure>
    where
        K: Sync,
    {
        match *at {
            At::Range => {
                let erase = |range: &KeyBytes| store.erase_range(&range.from, range.to.as_deref());
                let is_more = self.range.as_ref().map_or(Ok(false), erase).map_err(|error| file.failure(&error))?;
                *at = if is_more { At::Range } else { At::Erased(0) };
                Ok(0)
            }
            At::Erased(from) => {
                let to = self.erased.len().min(from + ERASED);
                for key in &self.erased[from..to] {
                    store.erase(key).map_err(|error| file.failure_of(&error, key))?;
                }
                *at = if to < self.erased.len() { At::Erased(to) } else { At::Saved(0) };
                Ok(0)
            }
            At::Saved(from) => {
                let mut len = 0;
                let parts =
                    self.saved[from..].iter().map_while(|(key, index)| Some((&**key, self.plans.part(*index)?)));
                let some = parts.take_while(|(_, part)| {
                    let is_next = len < STEP;
                    len += VALUE + part.len();
                    is_next
                });
                let packed = threads.map(some, |(key, part)| (key, Packed::new(key, to_vec(part), file.compresses)));
                for (key, value) in &packed {
                    store.put(key, value).map_err(|error| file.failure_of(&error, key))?;
                }
                let to = from + packed.len();
                *at = if packed.is_empty() { At::End } else { At::Saved(to) };
                Ok(len)
            }
            At::End => Ok(0),
        }
    }
}

/// What is done next.
#[derive(Clone, Copy, PartialEq)]
pub enum At {
    Range,
    Erased(usize),
    Saved(usize),
    End,
}

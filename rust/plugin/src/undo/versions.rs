//! Stores the bytes of states that undo histories keep. States of one property share what they have in common.
//!
//! A chain holds states of one property of one object in a row. The root, the last one that was read or added, is stored
//! whole, and a swap between each two neighbours makes the one from the other. Reading a state moves the root to it, with
//! one swap per step on the way, which is one step when a history is undone or redone in order. So a chain takes the
//! memory of one state plus the changes.
//!
//! States hold no objects, so nothing here runs a script, and chains may be locked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use varbatch_codec::change::delta::Swap;
use varbatch_codec::change::edits;

use crate::jobs::lock;

/// Min bytes of a state in a chain.
const CHAINED_FROM: usize = 4096;

/// A swap may take at most 1/`MAX_SHARE` of a state's bytes. A larger one saves little memory, and if it has very many
/// small parts, applying it takes several times as long as building the value.
const MAX_SHARE: usize = 2;

/// The instance id of an object, and the name of its property.
type Key = (u64, Box<str>);

/// The chains that have versions.
static CHAINS: Mutex<BTreeMap<Key, Weak<Mutex<Chain>>>> = Mutex::new(BTreeMap::new());

pub enum Version {
    /// A short state, stored whole.
    Own(Box<[u8]>),
    /// A state in a chain, which keeps the state as long as this lives.
    In(Arc<Mutex<Chain>>, Id),
}

/// Identifies a state by its address. Counts its versions, and the chain.
type Id = Arc<()>;

/// States of one property.
pub struct Chain {
    key: Key,
    /// The bytes of the root. While a reader shares them, they are copied before they change.
    bytes: Arc<Vec<u8>>,
    /// The index of the root.
    root: usize,
    states: VecDeque<Id>,
    /// Between each state and the next one.
    swaps: VecDeque<Swap>,
}

impl Version {
    /// Keeps a state of a property.
    pub fn new(object: u64, property: &str, bytes: &[u8]) -> Self {
        if bytes.len() < CHAINED_FROM {
            return Self::Own(bytes.into());
        }
        let key = (object, property.into());
        // Unlock before a chain is dropped, because that locks `CHAINS`.
        let known = lock(&CHAINS).get(&key).and_then(Weak::upgrade);
        if let Some(chain) = known {
            let id = lock(&chain).add(bytes);
            if let Some(id) = id {
                return Self::In(chain, id);
            }
        }
        let (id, bytes) = (Id::default(), Arc::new(bytes.to_vec()));
        let states = VecDeque::from([Arc::clone(&id)]);
        let chain = Chain { key: key.clone(), bytes, root: 0, states, swaps: VecDeque::new() };
        let chain = Arc::new(Mutex::new(chain));
        lock(&CHAINS).insert(key, Arc::downgrade(&chain));
        Self::In(chain, id)
    }

    /// Calls `work` with the bytes. Nothing is locked during the call.
    pub fn with<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Own(bytes) => work(bytes),
            Self::In(chain, id) => {
                let bytes = lock(chain).bytes(id);
                work(&bytes)
            }
        }
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        let mut chains = lock(&CHAINS);
        // A new chain may have replaced this one.
        if chains.get(&self.key).is_some_and(|chain| chain.strong_count() == 0) {
            chains.remove(&self.key);
        }
    }
}

impl Chain {
    /// Adds a version of a state and makes it the root. `None` if it has too little in common with the root, or the root
    /// has neighbours on both sides: then another history still has the states on one of them.
    fn add(&mut self, bytes: &[u8]) -> Option<Id> {
        self.drop_unused();
        if *self.bytes == bytes {
            return Some(Arc::clone(&self.states[self.root]));
        }
        let is_last = self.root + 1 == self.states.len();
        if !is_last && self.root > 0 {
            return None;
        }
        let swap = Swap::new(bytes, &self.bytes, edits(bytes, &self.bytes));
        if swap.len() > self.bytes.len() / MAX_SHARE {
            return None;
        }
        let whole = Arc::make_mut(&mut self.bytes);
        whole.clear();
        whole.reserve_exact(bytes.len());
        whole.extend_from_slice(bytes);
        let id = Id::default();
        if is_last {
            self.states.push_back(Arc::clone(&id));
            self.swaps.push_back(swap);
            self.root += 1;
        } else {
            self.states.push_front(Arc::clone(&id));
            self.swaps.push_front(swap);
        }
        Some(id)
    }

    /// Makes a state the root and returns its bytes.
    fn bytes(&mut self, id: &Id) -> Arc<Vec<u8>> {
        let index = self.states.iter().position(|state| Arc::ptr_eq(state, id));
        self.move_root(index.expect("a version keeps its state"));
        Arc::clone(&self.bytes)
    }

    /// Drops the states at both ends that have no versions. Histories drop the oldest steps and those that were undone, and
    /// that merge actions the states in between. One between others that have versions leads to them.
    fn drop_unused(&mut self) {
        let is_used = |state: &Id| Arc::strong_count(state) > 1;
        let first = self.states.iter().position(is_used).unwrap_or(self.root);
        let last = self.states.iter().rposition(is_used).unwrap_or(self.root);
        self.move_root(self.root.clamp(first, last));
        self.states.truncate(last + 1);
        self.swaps.truncate(last);
        self.states.drain(..first);
        self.swaps.drain(..first);
        self.root -= first;
    }

    /// Makes the state at an index the root.
    fn move_root(&mut self, index: usize) {
        while self.root != index {
            let is_next = self.root < index;
            let swap = if is_next { self.root } else { self.root - 1 };
            self.swaps[swap].apply(Arc::make_mut(&mut self.bytes));
            self.root = if is_next { self.root + 1 } else { swap };
        }
    }
}

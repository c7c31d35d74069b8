//! States of large properties that share what they have in common.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use varbatch_codec::change::delta::Swap;

use crate::jobs::lock;

/// Min bytes of a state in a chain.
const CHAINED_FROM: usize = 4096;

/// A swap may take at most 1/`MAX_SHARE` of a state: a larger one saves little, and may take longer than building it.
const MAX_SHARE: usize = 2;

/// The instance id of an object, and the name of its property.
type Key = (u64, Box<str>);

static CHAINS: Mutex<BTreeMap<Key, Weak<Mutex<Chain>>>> = Mutex::new(BTreeMap::new());

pub enum Version {
    /// A short state, stored whole.
    Own(Box<[u8]>),
    /// A state in a chain, which keeps the state as long as this lives.
    In(Arc<Mutex<Chain>>, Id),
}

/// Identifies a state by its address. Counts its versions, and the chain.
pub type Id = Arc<()>;

/// States of one property of one object in a row. The root, the last one that was read or added, is stored whole, and a
/// swap between each two neighbours makes the one from the other. Reading a state moves the root to it, by one swap if
/// in order. States hold no objects, so nothing here runs a script, and chains may be locked.
pub struct Chain {
    key: Key,
    /// The bytes of the root. While a reader shares them, they are copied before they change.
    bytes: Arc<Vec<u8>>,
    root: usize,
    states: VecDeque<Id>,
    /// Between each state and the next one.
    swaps: VecDeque<Swap>,
}

impl Version {
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
    /// Adds a state as the root. `None` if it has too little in common with it, or that has neighbours on both sides.
    fn add(&mut self, bytes: &[u8]) -> Option<Id> {
        self.drop_unused();
        if *self.bytes == bytes {
            return Some(Arc::clone(&self.states[self.root]));
        }
        let is_last = self.root + 1 == self.states.len();
        if !is_last && self.root > 0 {
            return None;
        }
        let swap = Swap::new(bytes, &self.bytes, varbatch_codec::change::edits(bytes, &self.bytes));
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

    /// Drops states without versions at both ends. One between others that have versions is needed to lead to them.
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

    fn move_root(&mut self, index: usize) {
        while self.root != index {
            let is_next = self.root < index;
            let swap = if is_next { self.root } else { self.root - 1 };
            self.swaps[swap].apply(Arc::make_mut(&mut self.bytes));
            self.root = if is_next { self.root + 1 } else { swap };
        }
    }
}

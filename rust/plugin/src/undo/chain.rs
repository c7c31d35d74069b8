//! States of large properties that share what they have in common.

use std::iter::successors;
use std::sync::{Arc, Mutex, Weak};

use varbatch_codec::change::delta::Swap;

use super::swept::Swept;
use crate::jobs::lock;

/// Min bytes of a state in a chain.
const CHAINED_FROM: usize = 4096;

/// A swap may take at most 1/`MAX_SHARE` of a state: a larger one saves little, and may take longer than building it.
const MAX_SHARE: usize = 2;

/// The instance id of an object, and the name of its property.
type Key = (u64, Box<str>);

/// The last state of each property that was read or added: a whole one. Locked while anything here looks into a link.
static CHAINS: Mutex<Swept<Key, Weak<Link>>> = Mutex::new(Swept::new());

pub enum Version {
    /// A short state, stored whole.
    Own(Box<[u8]>),
    In(Key, Arc<Link>),
}

/// A state in a chain. Reading it makes it the whole one, by one swap if states are read in order. States hold no objects,
/// so nothing here runs a script, and links may be locked.
pub struct Link(Mutex<State>);

#[derive(Default)]
struct State {
    /// Empty if there is a base.
    bytes: Vec<u8>,
    /// The next state on the way to the whole one, and a swap that makes either of the other.
    base: Option<(Swap, Arc<Link>)>,
}

impl Version {
    pub fn new(object: u64, property: &str, bytes: &[u8]) -> Self {
        if bytes.len() < CHAINED_FROM {
            return Self::Own(bytes.into());
        }
        let (key, mut chains) = ((object, property.into()), lock(&CHAINS));
        let known = chains.get(&key).and_then(Weak::upgrade);
        let link = known.and_then(|link| link.add(bytes)).unwrap_or_else(|| Link::whole(bytes.to_vec()));
        chains.insert(key.clone(), Arc::downgrade(&link));
        chains.sweep(|link| link.strong_count() > 0);
        Self::In(key, link)
    }

    /// Calls `work` with the bytes. Other states may not be read or added meanwhile.
    pub fn with<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Own(bytes) => work(bytes),
            Self::In(key, link) => {
                let mut chains = lock(&CHAINS);
                link.make_whole();
                chains.insert(key.clone(), Arc::downgrade(link));
                work(&lock(&link.0).bytes)
            }
        }
    }
}

impl Link {
    fn whole(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { bytes, base: None })))
    }

    /// Adds a state to the chain of a whole one, and makes it the whole one. `None` if they have too little in common.
    fn add(self: Arc<Self>, bytes: &[u8]) -> Option<Arc<Self>> {
        let mut last = lock(&self.0);
        if last.bytes == bytes {
            drop(last);
            return Some(self);
        }
        let swap = Swap::new(bytes, &last.bytes, varbatch_codec::change::edits(bytes, &last.bytes));
        if swap.len() > last.bytes.len() / MAX_SHARE {
            return None;
        }
        let mut whole = std::mem::take(&mut last.bytes);
        whole.clear();
        whole.reserve_exact(bytes.len());
        whole.extend_from_slice(bytes);
        let link = Self::whole(whole);
        last.base = Some((swap, Arc::clone(&link)));
        Some(link)
    }

    fn make_whole(self: &Arc<Self>) {
        let base = |link: &Arc<Self>| lock(&link.0).base.as_ref().map(|(_, base)| Arc::clone(base));
        let way: Vec<_> = successors(Some(Arc::clone(self)), base).collect();
        for links in way.windows(2).rev() {
            let (mut state, mut whole) = (lock(&links[0].0), lock(&links[1].0));
            let Some((mut swap, _)) = state.base.take() else { continue };
            state.bytes = std::mem::take(&mut whole.bytes);
            swap.apply(&mut state.bytes);
            whole.base = Some((swap, Arc::clone(&links[0])));
        }
    }
}

impl Drop for Link {
    /// Drops what only this link has kept, in a loop: a long chain would take all of the stack.
    fn drop(&mut self) {
        let base = |link: &mut Self| link.0.get_mut().ok().and_then(|state| state.base.take());
        let mut next = base(self);
        while let Some(mut link) = next.and_then(|(_, link)| Arc::into_inner(link)) {
            next = base(&mut link);
        }
    }
}

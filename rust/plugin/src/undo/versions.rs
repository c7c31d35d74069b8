//! Stores the bytes of states that undo histories keep. States of one property share what they have in common.
//!
//! A chain holds the states of one property of one object as a tree. Its root, the last state that was read or added,
//! is stored whole; each other state is stored as a swap that makes it from the next state towards the root. Reading a
//! state makes it the root, with one swap per step on its path, which is one step when a history is undone or redone in
//! order. So a chain takes the memory of one state plus the changes.
//!
//! States hold no objects, so nothing here runs a script, and chains may be locked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use foldhash::{HashMap, HashMapExt};
use varbatch_codec::change::delta::Swap;
use varbatch_codec::change::edits;

use super::lock;

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
    In(ChainVersion),
}

/// A state in a chain. The chain keeps the state as long as this lives.
pub struct ChainVersion {
    chain: Arc<Mutex<Chain>>,
    id: u64,
}

/// The states of one property, as a tree whose root is whole.
struct Chain {
    key: Key,
    /// The bytes of the root. While a reader shares them, they are copied before they change.
    bytes: Arc<Vec<u8>>,
    root: u64,
    next_id: u64,
    nodes: HashMap<u64, Node>,
}

struct Node {
    /// The next node on the path to the root, and the swap that makes this state from that one. `None` for the root.
    way: Option<(u64, Swap)>,
    /// Number of nodes whose next node is this one.
    child_count: usize,
    /// Number of versions of this state. A node without versions only serves its children.
    version_count: usize,
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
                return Self::In(ChainVersion { chain, id });
            }
        }
        let (chain, id) = Chain::new(key.clone(), bytes);
        let chain = Arc::new(Mutex::new(chain));
        lock(&CHAINS).insert(key, Arc::downgrade(&chain));
        Self::In(ChainVersion { chain, id })
    }

    /// Calls `work` with the bytes. Nothing is locked during the call.
    pub fn with<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Own(bytes) => work(bytes),
            Self::In(version) => {
                let bytes = lock(&version.chain).bytes(version.id);
                work(&bytes)
            }
        }
    }
}

impl Drop for ChainVersion {
    fn drop(&mut self) {
        lock(&self.chain).release(self.id);
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
    /// Makes a chain of one state with one version.
    fn new(key: Key, bytes: &[u8]) -> (Self, u64) {
        let mut nodes = HashMap::new();
        nodes.insert(0, Node { way: None, child_count: 0, version_count: 1 });
        (Self { key, bytes: Arc::new(bytes.to_vec()), root: 0, next_id: 1, nodes }, 0)
    }

    /// Adds a version of a state and makes it the root. `None` if it has too little in common with the root.
    fn add(&mut self, bytes: &[u8]) -> Option<u64> {
        self.leave_unused_root();
        if *self.bytes != bytes {
            let swap = Swap::new(bytes, &self.bytes, edits(bytes, &self.bytes));
            if swap.len() > self.bytes.len() / MAX_SHARE {
                return None;
            }
            let (old, new) = (self.root, self.next_id);
            self.node(old).way = Some((new, swap));
            self.nodes.insert(new, Node { way: None, child_count: 1, version_count: 0 });
            (self.root, self.next_id) = (new, new + 1);
            match Arc::get_mut(&mut self.bytes) {
                Some(whole) => {
                    whole.clear();
                    whole.reserve_exact(bytes.len());
                    whole.extend_from_slice(bytes);
                }
                None => self.bytes = Arc::new(bytes.to_vec()),
            }
        }
        let root = self.root;
        self.node(root).version_count += 1;
        Some(root)
    }

    /// Makes a state the root and returns its bytes.
    fn bytes(&mut self, id: u64) -> Arc<Vec<u8>> {
        let (mut ways, mut at) = (Vec::new(), id);
        while let Some((next, _)) = &self.node(at).way {
            let next = *next;
            ways.push(at);
            at = next;
        }
        for &next in ways.iter().rev() {
            self.move_root(next);
        }
        self.prune(at);
        Arc::clone(&self.bytes)
    }

    fn release(&mut self, id: u64) {
        self.node(id).version_count -= 1;
        self.prune(id);
    }

    /// Replaces a root without versions by its only child, until the root is used: histories that merge actions drop
    /// the states in between.
    fn leave_unused_root(&mut self) {
        let mut root = self.root;
        while let Node { version_count: 0, child_count: 1, .. } = self.node(root) {
            let is_child = |node: &Node| node.way.as_ref().is_some_and(|(next, _)| *next == root);
            let child = self.nodes.iter().find(|(_, node)| is_child(node)).map(|(&id, _)| id);
            self.move_root(child.expect("it has one child"));
            self.prune(root);
            root = self.root;
        }
    }

    /// Makes a child of the root the new root.
    fn move_root(&mut self, child: u64) {
        let (old, mut swap) = self.node(child).way.take().expect("it is a child");
        debug_assert_eq!(old, self.root);
        swap.apply(Arc::make_mut(&mut self.bytes));
        let node = self.node(old);
        node.way = Some((child, swap));
        node.child_count -= 1;
        self.node(child).child_count += 1;
        self.root = child;
    }

    /// Removes an unused node, and then the nodes on its path to the root that become unused.
    fn prune(&mut self, id: u64) {
        let mut id = id;
        while let Node { version_count: 0, child_count: 0, way: Some((next, _)) } = self.node(id) {
            let next = *next;
            self.nodes.remove(&id);
            self.node(next).child_count -= 1;
            id = next;
        }
    }

    fn node(&mut self, id: u64) -> &mut Node {
        self.nodes.get_mut(&id).expect("a version keeps its node, and each node those on its way")
    }
}

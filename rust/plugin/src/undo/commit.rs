//! Registers modifications with an undo history of the engine. States of one property share what they have in common.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use godot::prelude::*;
use varbatch_codec::Kind;
use varbatch_codec::change::delta::Swap;

use super::changes::{Changes, Modification};
use super::rows::has_parts;
use super::states::State;
use crate::engine::{self, Slot, Value};
use crate::jobs::lock;
use crate::objects::{alive, metadata_name};
use crate::value::string_cache::Texts;

/// Min bytes of a state in a chain.
const CHAINED_FROM: usize = 4096;

/// A swap may take at most 1/`MAX_SHARE` of a state: a larger one saves little, and may take longer than building it.
const MAX_SHARE: usize = 2;

/// The instance id of an object, and the name of its property.
type Key = (u64, Box<str>);

static CHAINS: Mutex<BTreeMap<Key, Weak<Mutex<Chain>>>> = Mutex::new(BTreeMap::new());

pub struct History {
    object: Gd<Object>,
    is_editor: bool,
}

impl History {
    /// Accepts an object of one of the engine's two history classes.
    pub fn new(value: &Value) -> Result<Self, String> {
        let object = alive(value).map(|_| value.variant().try_to::<Gd<Object>>());
        let found = match object {
            Err(found) => found.into(),
            Ok(Ok(object)) if object.is_class("UndoRedo") => return Ok(Self { object, is_editor: false }),
            Ok(Ok(object)) if object.is_class("EditorUndoRedoManager") => return Ok(Self { object, is_editor: true }),
            Ok(_) => engine::class_of(value).to_string(),
        };
        Err(format!("expected an UndoRedo or EditorUndoRedoManager, found {found}"))
    }

    /// Registers all modifications as one action, without executing it.
    pub fn register(mut self, name: &GString, changes: &Changes) {
        let Some(first) = changes.iter().next() else { return };
        // With `UndoRedo.MERGE_DISABLE`.
        let mut args = vec![name.to_variant(), 0.to_variant()];
        if self.is_editor {
            // The first object selects the history for all modifications, even those of other scenes.
            args.push(first.object.variant().clone());
        }
        self.object.call("create_action", &args);
        let mut last = None;
        for change in changes.iter() {
            match change.whole {
                None => self.add(&change),
                Some(whole) if last == Some(whole) => {}
                Some(whole) => {
                    let property = |(name, text, old, new)| StepProperty::new(change.object, name, text, old, new);
                    let properties = changes.whole(whole).map(property).collect();
                    self.add_step(VarBatchUndoStep::new(change.object, properties, true));
                }
            }
            last = change.whole;
        }
        self.object.call("commit_action", &[false.to_variant()]);
    }

    fn add(&mut self, change: &Modification<'_>) {
        let object = change.object.variant();
        // Scripts may change it, or objects in it may be freed.
        let is_shared = |kind| kind == Kind::Object || has_parts(kind);
        if is_shared(change.old.kind()) || is_shared(change.new.kind()) {
            let property = StepProperty::new(change.object, change.name, change.text, change.old, change.new);
            return self.add_step(VarBatchUndoStep::new(change.object, [property].into(), false));
        }
        let [old, new] = change.values().map(|value| value.value().variant().clone());
        if change.narrowed.is_none() {
            let name = change.name.to_variant();
            self.object.call("add_do_property", &[object.clone(), name.clone(), new]);
            self.object.call("add_undo_property", &[object.clone(), name, old]);
            return;
        }
        let path = change.path().to_variant();
        self.add_method("add_do_method", object, "set_indexed", &[path.clone(), new]);
        self.add_method("add_undo_method", object, "set_indexed", &[path, old]);
    }

    fn add_step(&mut self, step: Gd<VarBatchUndoStep>) {
        let step = step.upcast::<Object>().to_variant();
        self.add_method("add_do_method", &step, "redo", &[]);
        self.add_method("add_undo_method", &step, "undo", &[]);
    }

    /// Calls a method that the two classes declare differently.
    fn add_method(&mut self, add: &str, object: &Variant, method: &str, args: &[Variant]) {
        if self.is_editor {
            let mut all = vec![object.clone(), StringName::from(method).to_variant()];
            all.extend_from_slice(args);
            self.object.call(add, &all);
        } else if let Ok(object) = object.try_to::<Gd<Object>>() {
            let args: VarArray = args.iter().cloned().collect();
            self.object.call(add, &[Callable::from_object_method(&object, method).bindv(&args).to_variant()]);
        }
    }
}

/// What an undo history calls; not for users. Scripts could change a kept Array, so this builds a new one each time.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    object: Slot,
    /// The script first, if it is one of them.
    properties: Box<[StepProperty]>,
    /// True if they are all that the object has.
    is_whole: bool,
}

struct StepProperty {
    name: StringName,
    /// Both states: their bytes, and what is kept beside them.
    states: [(Version, Arc<[Slot]>); 2],
}

#[godot_api]
impl VarBatchUndoStep {
    #[func]
    fn redo(&self) {
        self.set(1);
    }

    #[func]
    fn undo(&self) {
        self.set(0);
    }
}

impl VarBatchUndoStep {
    fn new(object: &Value, properties: Box<[StepProperty]>, is_whole: bool) -> Gd<Self> {
        let object = Slot::of(object);
        Gd::from_init_fn(|_| Self { object, properties, is_whole })
    }

    // A setter may run and call `undo` or `redo` again. That is safe: the step only reads itself.
    fn set(&self, side: usize) {
        if self.is_whole {
            // All of it, so that what comes back is in order.
            let metadata = self.properties.iter().filter_map(|property| metadata_name(&property.name.to_string()));
            metadata.for_each(|name| engine::remove_meta(self.object.value(), &name));
        }
        let mut left: Vec<_> = self.properties.iter().collect();
        let mut count = usize::MAX;
        // A property may only be there once another one is set, such as those that a mesh brings with it.
        while left.len() < count {
            count = left.len();
            left.retain(|property| !property.set(self.object.value(), side));
        }
    }
}

impl StepProperty {
    /// Makes the property of its old and its new state, which share data.
    fn new(object: &Value, name: &StringName, text: &str, old: State<'_>, new: State<'_>) -> Self {
        let kept = |state: State<'_>| state.kept.iter().map(Slot::of).collect::<Arc<[Slot]>>();
        let old_kept = kept(old);
        let is_same = old.kept.len() == new.kept.len() && old.keeps_same(new);
        let new_kept = if is_same { Arc::clone(&old_kept) } else { kept(new) };
        let bytes = |state: State<'_>| Version::new(object.object_id(), text, state.bytes);
        Self { name: name.clone(), states: [(bytes(old), old_kept), (bytes(new), new_kept)] }
    }

    /// Sets the property to one of its states. Returns `false` if the object does not have it, but should.
    fn set(&self, object: &Value, side: usize) -> bool {
        let (bytes, kept) = &self.states[side];
        let mut value = Slot::new();
        let is_none = bytes.with(|bytes| {
            let state = State { bytes, kept: Slot::values(kept) };
            state.build(&mut value, &mut Texts::for_bytes(0));
            state.is_none()
        });
        // What is not there goes with the script, or with the property that brought it.
        is_none || engine::with_property(object, &self.name, value.value()).is_some()
    }
}

enum Version {
    /// A short state, stored whole.
    Own(Box<[u8]>),
    /// A state in a chain, which keeps the state as long as this lives.
    In(Arc<Mutex<Chain>>, Id),
}

/// Identifies a state by its address. Counts its versions, and the chain.
type Id = Arc<()>;

/// States of one property of one object in a row. The root, the last one that was read or added, is stored whole, and a
/// swap between each two neighbours makes the one from the other. Reading a state moves the root to it, by one swap if
/// in order. States hold no objects, so nothing here runs a script, and chains may be locked.
struct Chain {
    key: Key,
    /// The bytes of the root. While a reader shares them, they are copied before they change.
    bytes: Arc<Vec<u8>>,
    root: usize,
    states: VecDeque<Id>,
    /// Between each state and the next one.
    swaps: VecDeque<Swap>,
}

impl Version {
    fn new(object: u64, property: &str, bytes: &[u8]) -> Self {
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
    fn with<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
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

//! Objects that are encoded with class and properties.
//!
//! First the objects in the values are found and their properties read, then those in these; scripts may run. Then all
//! is walked like plain data, over threads, and no script runs: whatever a getter changes, one whole value is written.

use std::ops::ControlFlow;

use foldhash::HashMap;
use varbatch_codec::Kind;
use varbatch_codec::limits::{MAX_DEPTH, MAX_VALUE_LEN};

use super::SCRIPT;
use super::lists::{List, Lists};
use crate::engine::{self, Slot, Value};

/// How often values are searched for objects that getters put into them. Those that come later are refused.
const MAX_SEARCHES: usize = 100;

#[derive(Default)]
pub struct FullObjects {
    search: Search,
    values: Vec<Slot>,
    /// Keeps the objects alive.
    objects: Vec<Slot>,
    /// False if nobody has looked for objects yet.
    pub is_searched: bool,
}
#[derive(Default)]
struct Search {
    /// By instance id.
    states: HashMap<u64, State>,
    /// Objects whose properties are to be read, with their ids, the next one last.
    found: Vec<(Slot, u64)>,
    /// How many more values there may be in a value that can be encoded.
    left: usize,
}

struct State {
    /// How many containers enclose it.
    depth: usize,
    /// `None` until its properties are read.
    list: Option<std::sync::Arc<List>>,
    /// The index of its first value.
    first: usize,
}

impl FullObjects {
    /// Returns the list and the values of an object. `None` if it cannot be encoded, or was not found.
    pub fn get(&self, id: u64) -> Option<(&List, &[Value])> {
        let State { list, first, .. } = self.search.states.get(&id)?;
        let list = list.as_deref().filter(|list| !list.is_refused)?;
        Some((list, Slot::values(&self.values).get(*first..)?.get(..list.names.len())?))
    }

    /// Returns what a save leaves out of objects, as it is not exported: each script once.
    pub fn not_exported(&self) -> Option<String> {
        let mut found: Vec<_> = self.search.states.values().filter_map(|state| state.list.as_ref()?.tell()).collect();
        found.sort_unstable();
        (!found.is_empty()).then(|| found.join("; "))
    }

    /// Returns the script of an object that cannot be loaded, as its `_init` needs arguments.
    pub fn unloadable(&self) -> Option<&str> {
        let lists = self.search.states.values().filter_map(|state| state.list.as_deref());
        lists.filter(|list| list.needs_arguments).filter_map(|list| list.script.as_deref()).min()
    }

    /// Finds the objects in values. No script runs.
    pub fn found_in(values: &[Value]) -> Self {
        let mut objects = Self { is_searched: true, ..Self::default() };
        _ = objects.search.roots(values);
        objects
    }

    pub fn are_found(&self) -> bool {
        !self.search.found.is_empty()
    }

    /// Reads the properties of found objects, and of those in them. Scripts may run and change what `roots` returns.
    pub fn read<'r>(&mut self, roots: impl Fn() -> &'r [Value]) {
        let mut lists = Lists::take();
        for _ in 0..MAX_SEARCHES {
            match self.read_found(&mut lists) {
                ControlFlow::Continue(true)
                    if self.search.roots(roots()).is_continue() && self.search_again().is_continue() => {}
                _ => break,
            }
        }
        lists.give_back();
    }

    /// Reads properties until no object is left. True if a script may have run. Breaks if values cannot be encoded.
    fn read_found(&mut self, lists: &mut Lists) -> ControlFlow<(), bool> {
        let mut runs_scripts = false;
        while let Some((object, id)) = self.search.found.pop() {
            let (list, may_run) = lists.of(object.value());
            runs_scripts |= may_run;
            let (first, found) = (self.values.len(), self.search.found.len());
            if !list.is_refused {
                self.values.resize_with(first + list.names.len(), Slot::new);
                for (name, slot) in list.names.iter().zip(&mut self.values[first..]) {
                    engine::read_property(object.value(), name, slot);
                }
                // Its path is written, so nothing is read of it.
                let slots = list.texts.iter().zip(&mut self.values[first..]);
                slots.filter(|(text, _)| *text == SCRIPT).for_each(|(_, slot)| slot.clear());
            }
            self.objects.push(object);
            let state = self.search.states.get_mut(&id).expect("it was added when it was found");
            (state.list, state.first) = (Some(list), first);
            let depth = state.depth;
            self.search.all(Slot::values(&self.values[first..]), depth + 1)?;
            // Depth first, in the order of the walk: whatever is too deep for it ends this too.
            self.search.found[found..].reverse();
        }
        ControlFlow::Continue(runs_scripts)
    }

    fn search_again(&mut self) -> ControlFlow<()> {
        let states = self.search.states.values();
        let read: Vec<_> = states.map(|state| (state.first, state.depth, state.list.clone())).collect();
        for (first, depth, list) in read {
            let count = list.map_or(0, |list| if list.is_refused { 0 } else { list.names.len() });
            self.search.all(Slot::values(&self.values[first..][..count]), depth + 1)?;
        }
        ControlFlow::Continue(())
    }
}

/// Bytes of the shortest value.
const MIN_LEN: usize = 4;

impl Search {
    fn roots(&mut self, values: &[Value]) -> ControlFlow<()> {
        let found = self.found.len();
        self.all(values, 0)?;
        self.found[found..].reverse();
        ControlFlow::Continue(())
    }

    /// Finds the objects in values that are enclosed by `depth` containers. Breaks if the values cannot be encoded.
    fn all(&mut self, values: &[Value], depth: usize) -> ControlFlow<()> {
        values.iter().try_for_each(|value| {
            self.left = MAX_VALUE_LEN / MIN_LEN;
            self.value(value, depth)
        })
    }

    fn value(&mut self, value: &Value, depth: usize) -> ControlFlow<()> {
        if depth > MAX_DEPTH || self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        let view = value.view();
        match view.kind() {
            Kind::Object => {
                let id = value.object_id();
                if id != 0 && !self.states.contains_key(&id) {
                    self.states.insert(id, State { depth, list: None, first: 0 });
                    self.found.push((Slot::of(value), id));
                }
            }
            Kind::Array => view.elements().iter().try_for_each(|element| self.value(element, depth + 1))?,
            Kind::Dictionary => view.try_entries(|(key, value)| {
                self.value(key, depth + 1)?;
                self.value(value, depth + 1)
            })?,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

//! The objects without counted references that a call has made. Those that nothing in its values leads to are freed, as nobody
//! else could: a setter has refused them, or the same property or key came twice.

use std::ops::ControlFlow;

use foldhash::{HashMap, HashSet};
use godot::builtin::StringName;
use godot::classes::Node;
use godot::obj::Gd;
use varbatch_codec::Kind;

use super::listed::Listed;
use crate::engine::{self, NewObject, Slot, Value};

/// Containers within each other, in which objects are sought: more than bytes have. A script may make more.
const MAX_DEPTH: usize = 2048;

#[derive(Default)]
pub struct Made {
    /// Those that nobody has yet, and how many of them are of earlier values.
    objects: Vec<Slot>,
    kept: usize,
    /// The properties of the current value in which some were made, by the ids of their objects.
    holders: HashMap<u64, Vec<StringName>>,
}

/// Frees the objects that nobody got.
impl Drop for Made {
    fn drop(&mut self) {
        self.objects.drain(..).for_each(|object| engine::free_later(object.value()));
    }
}

impl Made {
    pub fn begin_value(&mut self) {
        self.kept = self.objects.len();
        self.holders.clear();
    }

    pub fn add(&mut self, object: &NewObject) {
        self.objects.push(Slot::of(object.value()));
    }

    pub fn count(&self) -> usize {
        self.objects.len()
    }

    /// Notes that some were made for a property.
    #[cold]
    pub fn hold(&mut self, object: &NewObject, name: &StringName) {
        self.holders.entry(object.value().object_id()).or_default().push(name.clone());
    }

    /// Frees those of the current value, which has failed.
    #[cold]
    pub fn free_value(&mut self) {
        self.objects.drain(self.kept..).for_each(|object| engine::free(object.value()));
    }

    #[cold]
    pub fn free_all(&mut self) {
        self.kept = 0;
        self.free_value();
    }

    /// Leaves the objects of all values to who gets these.
    pub fn keep_all(&mut self) {
        self.objects.clear();
    }

    /// Frees those of the current value to which nothing in it leads, and that have no parent. Getters may run.
    #[inline]
    pub fn free_unreached(&mut self, value: &Value) {
        if self.objects.len() > self.kept {
            self.seek(value);
        }
    }

    #[cold]
    fn seek(&mut self, value: &Value) {
        let unreached: HashSet<u64> =
            self.objects[self.kept..].iter().map(|object| object.value().object_id()).collect();
        let holders = std::mem::take(&mut self.holders);
        let mut search = Search { unreached, holders, ..Search::default() };
        search.look(value, 0);
        if !search.unreached.is_empty() {
            search.take_children();
            search.look_in_properties();
        }
        for id in search.unreached {
            engine::free(engine::object_of_id(id).value());
        }
    }
}

/// Seeks objects from a value on.
#[derive(Default)]
struct Search {
    unreached: HashSet<u64>,
    holders: HashMap<u64, Vec<StringName>>,
    /// The objects in whose properties is to be looked, and those in which is to be looked in all that they list.
    found: Vec<u64>,
    passed: Vec<u64>,
    /// True if any object may hold others: a script has put them there.
    is_anywhere: bool,
    /// Containers and objects, by address or id.
    seen: HashSet<(Kind, u64)>,
}

impl Search {
    fn look(&mut self, value: &Value, depth: usize) {
        let view = value.view();
        let (kind, id) = match view.kind() {
            _ if self.unreached.is_empty() || depth > MAX_DEPTH => return,
            kind @ (Kind::Array | Kind::Dictionary) => (kind, view.address()),
            Kind::Object => (Kind::Object, engine::id_in(value)),
            _ => return,
        };
        if id == 0 || !self.seen.insert((kind, id)) {
            return;
        }
        match kind {
            Kind::Array => view.elements().iter().for_each(|element| self.look(element, depth + 1)),
            Kind::Dictionary => {
                _ = view.try_entries(|(key, value)| {
                    self.look(key, depth + 1);
                    self.look(value, depth + 1);
                    ControlFlow::Continue(())
                });
            }
            _ => {
                let is_made = self.unreached.remove(&id);
                // Bit 63 marks the ids of RefCounted objects.
                if self.holders.contains_key(&id) || self.is_anywhere && (is_made || id >> 63 != 0) {
                    self.found.push(id);
                }
            }
        }
    }

    /// Takes those that scripts have given a parent, which frees them.
    fn take_children(&mut self) {
        let ids: Vec<_> = self.unreached.iter().copied().collect();
        for id in ids {
            let object = engine::object_of_id(id);
            let node = object.value().variant().try_to::<Gd<Node>>().ok();
            if node.is_some_and(|node| node.get_parent().is_some()) {
                self.look(object.value(), 0);
            }
        }
    }

    /// Looks first where they were set; then, if a script may have put them elsewhere, in all that objects list.
    fn look_in_properties(&mut self) {
        while let Some(id) = self.found.pop() {
            let object = engine::object_of_id(id);
            for name in self.holders.remove(&id).unwrap_or_default() {
                self.look_in(&object, &name);
            }
            self.passed.push(id);
        }
        while !self.unreached.is_empty()
            && let Some(id) = self.passed.pop()
        {
            let object = engine::object_of_id(id);
            if self.is_anywhere || engine::script_id(object.value()) != 0 {
                self.is_anywhere = true;
                Listed::of(object.value()).all().for_each(|(name, _)| self.look_in(&object, &name));
                self.passed.append(&mut self.found);
            }
        }
    }

    fn look_in(&mut self, object: &Slot, name: &StringName) {
        if let Some(value) = engine::property(object.value(), name) {
            self.look(value.value(), 0);
        }
    }
}

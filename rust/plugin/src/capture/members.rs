//! The objects of a state, and which of their properties are captured.

use std::sync::{Arc, Mutex};

use foldhash::HashSet;
use godot::builtin::{AnyArray, PackedStringArray, StringName, VarArray};
use varbatch_codec::Kind;

use crate::engine::{self, Slot, Value};
use crate::objects::{Listed, Lists, PropertyPath, SCRIPT, alive, distinct, shown};
use crate::report::Reports;

/// Properties of an object that were added together.
pub struct Member {
    /// Keeps a RefCounted alive.
    pub object: Slot,
    id: u64,
    class: StringName,
    pub paths: Arc<[PropertyPath]>,
}

impl Member {
    /// Returns a property as messages name it. A getter may run.
    pub fn shown(&self, property: usize) -> String {
        format!("{}, property \"{}\"", shown(self.object.value(), &self.class, self.id), self.paths[property])
    }
}

/// The members of a state, in the order of adding. A call that is going on keeps those that there were.
#[derive(Clone, Default)]
pub struct Members {
    pub list: Vec<Arc<Member>>,
    /// The number of all properties: of the values in a capture.
    pub count: usize,
    ids: HashSet<u64>,
}

impl Members {
    /// Returns the place of a value in a capture: the member, and which of its properties it is.
    pub fn place(&self, mut value: usize) -> Option<(&Member, usize)> {
        self.list.iter().find_map(|member| match value.checked_sub(member.paths.len()) {
            None => Some((&**member, value)),
            Some(rest) => {
                value = rest;
                None
            }
        })
    }
    pub fn objects(&self) -> VarArray {
        let mut known = HashSet::default();
        let new = self.list.iter().filter(|member| known.insert(member.id));
        new.map(|member| member.object.value().variant().clone()).collect()
    }

    fn push(&mut self, mut member: Member) {
        if self.ids.contains(&member.id) {
            let known = self.list.iter().filter(|known| known.id == member.id);
            let known: Vec<_> = known.flat_map(|known| &*known.paths).collect();
            if member.paths.iter().any(|path| known.contains(&path)) {
                member.paths = member.paths.iter().filter(|path| !known.contains(path)).cloned().collect();
            }
        }
        if member.paths.is_empty() {
            return;
        }
        self.ids.insert(member.id);
        self.count += member.paths.len();
        self.list.push(member.into());
    }

    /// Removes the properties of an object, which may have been freed, and returns them.
    pub fn remove(&mut self, object: &Value) -> Vec<Arc<Member>> {
        let id = engine::id_in(object);
        if !self.ids.remove(&id) {
            return Vec::new();
        }
        let gone: Vec<_> = self.list.extract_if(.., |member| member.id == id).collect();
        self.count -= gone.iter().map(|member| member.paths.len()).sum::<usize>();
        gone
    }
}

/// Adds properties of objects; all that they store, if there are no names. Getters may run.
pub fn add(members: &Mutex<Arc<Members>>, objects: &AnyArray, names: &PackedStringArray) -> Reports {
    let names = distinct(names.as_slice().iter().map(StringName::from));
    let objects: Vec<_> = engine::values(objects).iter().map(Slot::of).collect();
    let is_batch = objects.len() > 1;
    let mut adding = Adding { names, lists: Lists::take(), last: Arc::default(), reports: Reports::default() };
    let mut found = Vec::with_capacity(objects.len());
    for (index, object) in objects.into_iter().enumerate() {
        let named = if is_batch { format!("object {index}: ") } else { String::new() };
        match adding.member(object, |text| format!("{named}{text}"), index) {
            // Here, as its object may end, and its script run.
            Ok(member) if member.paths.is_empty() => drop(member),
            Ok(member) => found.push(member),
            Err(why) => adding.reports.push_error(index, || format!("{named}{why}")),
        }
    }
    adding.lists.give_back();
    let mut members = crate::jobs::lock(members);
    let members = Arc::make_mut(&mut members);
    found.into_iter().for_each(|member| members.push(member));
    adding.reports
}

struct Adding {
    /// The names that the caller gave. None for all stored properties.
    names: Vec<StringName>,
    lists: Lists,
    /// The paths of the last object: others of its class have the same.
    last: Arc<[PropertyPath]>,
    reports: Reports,
}

impl Adding {
    /// Finds the properties of an object, or returns why it is not added. `named` begins the text of an error.
    fn member(&mut self, object: Slot, named: impl Fn(String) -> String, index: usize) -> Result<Member, String> {
        let id = alive(object.value()).map_err(|found| format!("expected an object, found {found}"))?;
        let class = engine::class_name(object.value());
        let (paths, missing) = match self.names.is_empty() {
            true => (self.stored(object.value()), Vec::new()),
            false => self.named(object.value()),
        };
        let shown = || shown(object.value(), &class, id);
        if object.value().object_id() == 0 {
            return Err(format!("{} was freed by one of its getters", shown()));
        }
        for name in missing {
            self.reports.push_error(index, || named(format!("{} has no property \"{name}\"", shown())));
        }
        if *self.last != *paths {
            self.last = paths.into();
        }
        Ok(Member { object, id, class, paths: Arc::clone(&self.last) })
    }

    fn stored(&mut self, object: &Value) -> Vec<PropertyPath> {
        let (list, _) = self.lists.of(object);
        let names = list.names.iter().zip(&list.texts).filter(|(_, text)| *text != SCRIPT);
        names.map(|(name, _)| PropertyPath::from(name.clone())).collect()
    }

    /// Returns those of the caller's names that lead to something, and the others.
    fn named(&self, object: &Value) -> (Vec<PropertyPath>, Vec<StringName>) {
        let (mut paths, mut missing, mut listed) = (Vec::with_capacity(self.names.len()), Vec::new(), None::<Listed>);
        for name in &self.names {
            // Methods and signals can be read as well.
            let is_method = |found: &Slot| matches!(found.value().view().kind(), Kind::Callable | Kind::Signal);
            let mut is_listed = || listed.get_or_insert_with(|| Listed::of(object)).has(name);
            let is_whole = engine::property(object, name).is_some_and(|found| !is_method(&found) || is_listed());
            let part = || {
                let (part, mut found) = (PropertyPath::into_value(name)?, Slot::new());
                (part.read(object, &mut found) && !is_method(&found)).then_some(part)
            };
            match if is_whole { Some(name.clone().into()) } else { part() } {
                Some(path) => paths.push(path),
                None => missing.push(name.clone()),
            }
        }
        (paths, missing)
    }
}

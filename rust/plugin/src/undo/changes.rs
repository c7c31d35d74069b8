//! Finds the changes since the objects were recorded.

use std::sync::Arc;

use foldhash::HashSet;
use varbatch_codec::change::Op;

use super::narrow::Narrowed;
use super::recording::{Part, Recording};
use crate::engine::{self, Slot, Value};
use crate::objects::{List, Listed, Lists, METADATA, Names, PropertyPath, SCRIPT, United};
use crate::report::Reports;
use crate::value::states::{BATCH, Span, State, States};
use crate::value::string_cache::Texts;

pub struct Changes {
    pub parts: Vec<Part>,
    pub old: States,
    /// The new values of the properties in `changes`.
    new: States,
    changes: Vec<Change>,
    /// The parts of which a step sets more, as their objects now have other properties: all metadata, which comes back in
    /// order; all properties, if they have another script.
    wholes: HashSet<usize>,
}

/// A property of a part that a step sets.
pub struct Change {
    part: usize,
    pub property: usize,
    /// Its old and its new value; `None` if the object did not have it.
    spans: [Option<Span>; 2],
    /// Whether the object stored it before, and does now.
    pub is_stored: [bool; 2],
    /// True if only that has changed: the object has the same value.
    pub has_value: bool,
    /// `None` if it did not change.
    op: Option<Op>,
    /// The changed part of the value, if it is not the whole value.
    pub narrowed: Option<Narrowed>,
}

/// One modification. Any thread may read it.
#[derive(Clone, Copy)]
pub struct Modification<'c> {
    pub object: &'c Value,
    pub text: &'c str,
    pub op: Op,
    pub narrowed: Option<Narrowed>,
    pub old: State<'c>,
    pub new: State<'c>,
}

impl Changes {
    pub fn of(parts: Vec<Part>, old: States) -> Self {
        Self { parts, old, new: States::default(), changes: Vec::new(), wholes: HashSet::default() }
    }

    /// Compares objects with their recorded states. Their getters run.
    pub fn find(mut recording: Recording) -> (Self, Reports) {
        let mut found = Self::of(std::mem::take(&mut recording.parts), std::mem::take(&mut recording.states));
        let (mut reports, mut values, mut read_parts) = (Reports::default(), Vec::new(), Vec::new());
        let mut lists = Lists::take();
        for index in 0..found.parts.len() {
            let (start, part) = (values.len(), &found.parts[index]);
            match read(part, &mut lists, &mut values) {
                Ok((names, list)) => read_parts.push((index, names, list)),
                Err(why) => {
                    values.truncate(start);
                    reports.push_warning(index, || format!("skipped {}: {why}", part.shown()));
                }
            }
            if values.len() < BATCH && index + 1 < found.parts.len() {
                continue;
            }
            let (mut states, mut spans, mut first) = (States::default(), Vec::with_capacity(values.len()), 0);
            let mut errors = states.encode(&values, &mut spans).into_iter().peekable();
            for (index, names, list) in read_parts.drain(..) {
                let end = first + names.paths.len();
                while let Some((at, error)) = errors.next_if(|&(at, _)| at < end) {
                    let (part, name) = (&found.parts[index], &names.texts[at - first]);
                    reports.push_error(index, || part.failure(name, &error));
                }
                let part = &mut found.parts[index];
                let (united, old) = (United::of(&part.names, &names), &recording.spans[part.first_span..]);
                part.names = Arc::clone(&united.names);
                let lists = part.list.clone().zip(list);
                found.compare_part(index, &united, old, (&states, &spans[first..end]), lists.as_ref(), true);
                first = end;
            }
            values.clear();
        }
        lists.give_back();
        (found, reports)
    }

    /// Compares the recorded values of a part with those of now, of which each property has one. `united` are the properties of
    /// both, and `lists` those that they come from. Of an edit a change of what is stored now, or was, is one that sets it; of two
    /// objects, what only one of them stores is added or removed. Where no value has changed, the lists alone tell.
    pub fn compare_part(
        &mut self,
        index: usize,
        united: &United,
        recorded: &[Span],
        (states, now): (&States, &[Span]),
        lists: Option<&(Arc<List>, Arc<List>)>,
        is_edit: bool,
    ) {
        let part = &self.parts[index];
        let (first, mut is_whole) = (self.changes.len(), !united.is_same());
        let has_other_list = lists.is_some_and(|(was, now)| !Arc::ptr_eq(was, now));
        let spans = || united.places().map(|[old, new]| (old.map(|at| recorded[at]), new.map(|at| now[at])));
        let mut has_edit = false;
        for (property, (old_span, new)) in spans().enumerate() {
            let (old, new) = (old_span.map(|old| self.old.get(old)), new.map(|new| states.get(new)));
            let has_changed = has_changed(old, new);
            if !has_changed && !has_other_list {
                continue;
            }
            let (path, text) = (&part.names.paths[property], &part.names.texts[property]);
            let is_stored = lists.map_or([true; 2], |(was, now)| [was, now].map(|list| list.stores(path, text)));
            let either = [is_stored[0] || is_stored[1]; 2];
            let [was, is] = if has_changed && is_edit { either } else { is_stored };
            let (op, narrowed) = match (old.filter(|_| was), new.filter(|_| is)) {
                (Some(_), Some(_)) if !has_changed => continue,
                (Some(old), Some(new)) => (Op::Set, Narrowed::of_change(old, new).filter(|_| is_plain_name(text))),
                (None, Some(_)) => (Op::Insert, None),
                (Some(_), None) => (Op::Remove, None),
                (None, None) => continue,
            };
            is_whole |= has_changed && text == SCRIPT;
            has_edit |= has_changed;
            let has_value = !has_changed;
            let keeps = |at: usize| has_changed || is_stored[at];
            let spans = [old_span.filter(|_| keeps(0)), new.filter(|_| keeps(1)).map(|new| self.new.add(new))];
            let op = has_changed.then_some(op);
            self.changes.push(Change { part: index, property, spans, is_stored, has_value, op, narrowed });
        }
        // Nothing else tells of it.
        if !has_edit {
            for change in &mut self.changes[first..] {
                change.op = Some(if change.is_stored[0] { Op::Remove } else { Op::Insert });
            }
        }
        if is_whole && part.is_complete && first < self.changes.len() {
            let texts = &part.names.texts;
            let has_other_script = self.changes[first..].iter().any(|of| texts[of.property] == SCRIPT);
            let mut changed = self.changes.split_off(first).into_iter().peekable();
            for (property, (old, new)) in spans().enumerate() {
                if let Some(change) = changed.next_if(|of| of.property == property) {
                    self.changes.push(change);
                } else if has_other_script || texts[property].starts_with(METADATA) {
                    let (spans, is_stored) = ([old, new.map(|new| self.new.add(states.get(new)))], [true; 2]);
                    let (has_value, op, narrowed) = (false, None, None);
                    self.changes.push(Change { part: index, property, spans, is_stored, has_value, op, narrowed });
                }
            }
            self.wholes.insert(index);
        }
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns the modifications, in the order in which the objects were recorded.
    pub fn iter(&self) -> impl Iterator<Item = Modification<'_>> {
        self.changes.iter().filter_map(|change| {
            let (part, op, [old, new]) =
                (&self.parts[change.part], change.op?, change.spans.map(Option::unwrap_or_default));
            // Even if the object had a value that it did not store.
            let stored = |span, otherwise| if op == otherwise { Span::default() } else { span };
            Some(Modification {
                object: part.object.value(),
                text: &part.names.texts[change.property],
                op,
                narrowed: change.narrowed,
                old: self.old.get(stored(old, Op::Insert)),
                new: self.new.get(stored(new, Op::Remove)),
            })
        })
    }

    /// Returns each part of a changed object with what undoes it, and whether it has other properties now.
    pub fn by_part(&self) -> impl Iterator<Item = (&Part, &[Change], bool)> {
        let changed: HashSet<_> = self.changes.iter().map(|change| self.parts[change.part].id).collect();
        let mut rest = &*self.changes;
        let parts = self.parts.iter().enumerate().map(move |(index, part)| {
            let count = rest.iter().take_while(|change| change.part == index).count();
            let edits = rest.split_off(..count).expect("they are in the order of the parts");
            (part, edits, self.wholes.contains(&index))
        });
        parts.filter(move |(part, ..)| changed.contains(&part.id))
    }

    /// Returns the old and the new value.
    pub fn states(&self, change: &Change) -> [Option<State<'_>>; 2] {
        let [old, new] = change.spans;
        [old.map(|old| self.old.get(old)), new.map(|new| self.new.get(new))]
    }
}

impl<'c> Modification<'c> {
    /// Returns the path of the change, in the syntax of NodePath subnames.
    pub fn path(&self) -> String {
        let mut path = self.text.to_string();
        if let Some(part) = self.narrowed {
            part.add_to(&mut path);
        }
        path
    }

    pub fn values(&self) -> [Slot; 2] {
        [self.old, self.new].map(|state| Slot::with(|slot| self.build(state, slot, &mut Texts::for_bytes(0))))
    }

    pub fn build(&self, state: State<'c>, slot: &mut Slot, texts: &mut Texts) {
        match self.narrowed {
            Some(part) => part.build(state, slot),
            None => state.build(slot, texts),
        }
    }
}

/// Reads the current property values of a part. Returns their names and list, or why the part must be skipped.
fn read(part: &Part, lists: &mut Lists, values: &mut Vec<Slot>) -> Result<(Arc<Names>, Option<Arc<List>>), String> {
    let object = part.object.value();
    if !part.is_alive() {
        return Err("it was freed".into());
    }
    let (mut names, mut list) = (Arc::clone(&part.names), None);
    if let Some(was) = &part.list {
        let now = lists.of_edited(object);
        if part.is_complete {
            // Without those that were left out.
            let recorded: HashSet<&str> = part.names.texts.iter().map(String::as_str).collect();
            let mut found = now.complete().filter(|text| recorded.contains(text) || !was.records(text));
            // A script may list only what has no default, and tell it in any case.
            if engine::script_id(object) != 0 {
                let unlisted = part.names.filter(|text| text != SCRIPT && !now.records(text));
                let is_told = |path: &PropertyPath| path.read(object, &mut Slot::new());
                let told: Vec<_> = (0..unlisted.paths.len()).filter(|&at| is_told(&unlisted.paths[at])).collect();
                let Names { paths, texts } = unlisted.at(&told);
                found.paths.extend(paths);
                found.texts.extend(texts);
            }
            names = Arc::new(found);
        } else if !Arc::ptr_eq(was, &now)
            && let Some(why) = was.difference(&now)
        {
            return Err(format!("{why}: record it with record_complete()"));
        }
        list = Some(now);
    }
    let missing = names.read(object, values);
    if !part.is_alive() {
        return Err("it was freed by one of its getters".into());
    }
    if list.is_none() && !missing.is_empty() {
        let listed = Listed::of(object);
        let is_gone = |&&index: &&usize| !listed.has(&names.paths[index].name);
        if let Some(&gone) = missing.iter().find(is_gone) {
            return Err(format!("its property \"{}\" is gone", names.texts[gone]));
        }
    }
    Ok((names, list))
}

/// True if a property changed. A value that could not be encoded is not compared.
fn has_changed(old: Option<State<'_>>, new: Option<State<'_>>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => !old.is_same(new) && !old.is_none() && !new.is_none(),
        (Some(one), None) | (None, Some(one)) => !one.is_none(),
        (None, None) => false,
    }
}

/// True if a path can begin with the name: a path splits names at colons, and drops empty ones.
fn is_plain_name(name: &str) -> bool {
    !name.contains(':') && name.split('/').all(|part| !part.is_empty())
}

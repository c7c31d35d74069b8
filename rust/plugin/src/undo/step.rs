//! A step of an undo history: it sets properties to what they were before or after an edit.
//!
//! A setter may change other properties: a Control's anchor moves its offsets, a maximum clamps a value. So after a step has
//! set what the edit has changed, it compares all that was recorded of these objects, and settles what still differs: the
//! changed properties have their state then, and the others keep what they had before the step. What the edit has changed only in
//! whether it is stored is one of the others, unless it is missing then. Of native objects it only compares what the setters move
//! that it calls, if that is known of all: see [`moved_by`].

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use godot::prelude::*;

use super::changed::Changed;
use super::changes::{Change, Changes};
use super::recording::Part;
use crate::capture::settle::{Place, Settling, Why};
use crate::engine::{self, Slot};
use crate::objects::{Listed, Names, PropertyPath, SCRIPT, metadata_name, moved_by, told_by};
use crate::value::states::{BATCH, Span, State, States};
use crate::value::string_cache::Texts;

/// Classes whose objects only lose parts by a method, and the ends of names by which a part is what it is for as long as it is there.
const CLEARED: [(&str, &str, Option<&str>); 4] = [
    ("Animation", "clear", Some("/type")),
    ("MeshLibrary", "clear", None),
    ("Skeleton3D", "clear_bones", Some("/name")),
    ("Theme", "clear", None),
];
const ADDED: Why = "the edit has added it, and nothing removes it";
const GONE: Why = "the edit has removed it, and nothing adds it";
const LOST: Why = "the edit has added or removed it, and its value could not be recorded";

/// All that an edit has changed. Scripts could change a kept Array, so values are built anew each time.
pub struct Step {
    targets: Vec<Target>,
    /// True if the setters of the edit change nothing else, unless somebody listens to them.
    is_alone: bool,
}

/// An object with what was recorded and what was changed of it.
struct Target {
    object: Slot,
    id: u64,
    class: StringName,
    names: Arc<Names>,
    /// The place of the first of them among those of all objects.
    first: usize,
    /// In the order of the properties.
    changed: Vec<Changed>,
    /// The properties that may change: those of which another part is changed, and those that the object does not store, as it
    /// has the value by another name. The others keep their values.
    free: Vec<usize>,
    /// Those of the others that only change if others of them are set: as long as none was, they have their values.
    far: Arc<[usize]>,
    /// The signals that the setters of the edit emit.
    signals: Arc<[StringName]>,
    /// True if the object had other properties.
    is_whole: bool,
}

impl Step {
    pub fn new(changes: &Changes) -> Self {
        let parts: Vec<_> = changes.by_part().collect();
        let key = |part: &Part, edits: &[Change]| {
            let edited: Vec<_> = edits.iter().map(|edit| (edit.property, edit.has_value)).collect();
            (Arc::as_ptr(&part.names), part.class.clone(), edited)
        };
        // For each kind of edit what to compare, if that is known, and where each name of it was. Parts of an object move each other.
        let (mut kinds, mut ids) = (HashMap::default(), HashSet::default());
        let mut is_known = parts.iter().all(|(part, ..)| ids.insert(part.id));
        for (part, edits, is_whole) in &parts {
            let kind = kinds.entry(key(part, edits)).or_insert_with_key(|(_, class, edited)| {
                let texts = &part.names.texts;
                let set = || edited.iter().filter(|(_, has_value)| !has_value).map(|&(at, _)| &*texts[at]);
                let [near, all] = moved_by(class, set())?;
                let signals: Arc<[_]> = told_by(class, set()).into_iter().map(|(_, signal)| signal).collect();
                let is_edited = |at: usize| edited.iter().any(|(edited, _)| *edited == at);
                let is_kept = |at: &usize| is_edited(*at) || all.contains(&*texts[*at]);
                let kept: Vec<_> = (0..texts.len()).filter(is_kept).collect();
                let is_far = |at: &usize| !is_edited(kept[*at]) && !near.contains(&*texts[kept[*at]]);
                let far: Arc<[_]> = (0..kept.len()).filter(is_far).collect();
                Some((Arc::new(part.names.at(&kept)), far, signals, kept, near.is_empty()))
            });
            let object = part.object.value();
            let is_unheard = |signals: &[StringName]| !signals.iter().any(|signal| engine::is_heard(object, signal));
            is_known &= kind.as_ref().is_some_and(|(_, _, signals, ..)| is_unheard(signals))
                && !is_whole
                && engine::script_id(object) == 0;
        }
        // Only the caller's names lead into values, or come apart.
        let key_of = |part: &Part, path: &PropertyPath| (part.id, path.name.clone());
        let mut apart = HashSet::default();
        if parts.iter().any(|(part, ..)| part.list.is_none()) {
            let keys = |(part, edits, _): &(&Part, &[Change], bool)| {
                edits.iter().map(|edit| key_of(part, &part.names.paths[edit.property])).collect::<Vec<_>>()
            };
            apart.extend(parts.iter().flat_map(keys));
        }
        let mut first = 0;
        let target = |(part, edits, is_whole): &(&Part, &[Change], bool)| {
            let changed = |edit: &Change| {
                let narrowed = edit.narrowed.filter(|_| !is_whole);
                Changed::new(part, edit, narrowed, changes.states(edit))
            };
            let mut changed: Vec<_> = edits.iter().map(changed).collect();
            let (mut names, mut far, mut signals) = (Arc::clone(&part.names), Arc::default(), Arc::default());
            if is_known && let Some((compared, others, told, kept, _)) = &kinds[&key(part, edits)] {
                changed.iter_mut().for_each(|of| of.property = kept.binary_search(&of.property).expect("it is kept"));
                (names, far, signals) = (Arc::clone(compared), Arc::clone(others), Arc::clone(told));
            }
            let is_free = |at: &usize| {
                let path = &names.paths[*at];
                let may_change = part.list.as_ref().is_some_and(|list| !list.stores(path, &names.texts[*at]))
                    || !apart.is_empty() && apart.contains(&key_of(part, path));
                may_change && changed_at(&changed, *at).is_none()
            };
            let free = (0..names.paths.len()).filter(is_free).collect();
            let (object, class) = (Slot::of(part.object.value()), part.class.clone());
            first += names.paths.len();
            let first = first - names.paths.len();
            Target { object, id: part.id, class, names, first, changed, free, far, signals, is_whole: *is_whole }
        };
        let is_alone = is_known && kinds.values().all(|kind| matches!(kind, Some((.., true))));
        Self { targets: parts.iter().map(target).collect(), is_alone }
    }

    /// Sets all to one side. Returns the warning about what then still differs.
    pub fn set(&self, side: usize) -> Option<String> {
        let is_alone = self.is_alone && !self.targets.iter().any(Target::is_heard);
        let is_read = !is_alone || self.targets.iter().flat_map(|of| &of.changed).any(|of| of.narrowed.is_some());
        let (mut states, mut goals) =
            self.read(|target, at, _| is_read && target.keeps(at) && !target.is_set(at) && !target.is_far(at));
        for target in &self.targets {
            let own = &mut goals[target.first..];
            for of in target.set() {
                own[of.property] = of.goal(side, own[of.property], &mut states);
            }
        }
        // Empty where any will do.
        let mut goals: Vec<_> = goals.iter().map(|&span| states.get(span)).collect();
        let is_whole = |target: &&Target| target.set_changed(side, &goals[target.first..]);
        let wholes: Vec<_> = self.targets.iter().filter(is_whole).collect();
        let far;
        let mut settling = Settling::new(
            |now, goal: State<'_>| goal.is_of(now),
            |_, goal: State<'_>, _, new| {
                goal.build(new, &mut Texts::for_bytes(0));
                Ok(None)
            },
        );
        if !is_alone && !self.has(&goals) {
            let spans;
            (far, spans) = self.read(|target, at, _| target.is_far(at) && target.keeps(at));
            let unread = goals.iter_mut().zip(spans).filter(|(goal, _)| goal.is_none());
            unread.for_each(|(goal, span)| *goal = far.get(span));
            settling.set_count = 1;
            let is_wanted = |(place, goal): &(Place<'_>, State<'_>)| place.object.object_id() != 0 && !goal.is_none();
            let places = self.all().map(|(target, at)| target.place(at));
            settling.places = places.zip(goals).filter(is_wanted).collect();
            settling.settle();
        }
        for target in wholes {
            target.added(side).into_iter().for_each(|at| settling.skipped.add(target.place(at), ADDED));
        }
        for target in &self.targets {
            target.missing(side).for_each(|of| settling.skipped.add(target.place(of.property), GONE));
        }
        // What stays as it is, or does not come back.
        for target in self.targets.iter().filter(|_| side == 0) {
            let is_lost = |of: &&Changed| of.is_lost && of.states.iter().any(Option::is_none);
            let lost = target.changed.iter().filter(is_lost);
            lost.for_each(|of| settling.skipped.add(target.place(of.property), LOST));
        }
        settling.skipped.text("skipped")
    }

    /// Makes one step of this and the one that follows it, of which the old states are left. False if it sets anything else.
    pub fn fold(&mut self, next: &mut Self) -> bool {
        let pairs = || self.targets.iter().zip(&next.targets);
        if self.targets.len() != next.targets.len() || !pairs().all(|(one, other)| one.sets_same(other)) {
            return false;
        }
        self.is_alone &= next.is_alone;
        let old = self.targets.iter_mut().flat_map(|of| &mut of.changed);
        let new = next.targets.iter_mut().flat_map(|of| &mut of.changed);
        old.zip(new).for_each(|(of, next)| of.fold(next));
        true
    }

    /// True if all properties have these states: most setters change nothing else.
    fn has(&self, goals: &[State<'_>]) -> bool {
        let (now, spans) = self.read(|_, _, at| !goals[at].is_none());
        spans.iter().zip(goals).all(|(&span, goal)| goal.is_none() || goal.is_same(now.get(span)))
    }

    /// All that may be compared, in order.
    fn all(&self) -> impl Iterator<Item = (&Target, usize)> {
        self.targets.iter().flat_map(|target| (0..target.names.paths.len()).map(move |at| (target, at)))
    }

    /// Reads what is wanted, by its object, its property and its place among all.
    fn read(&self, is_wanted: impl Fn(&Target, usize, usize) -> bool) -> (States, Vec<Span>) {
        let (mut states, mut spans, mut values) = (States::default(), Vec::new(), Vec::new());
        let (mut all, mut wanted) = (Vec::new(), Vec::new());
        for (place, (target, at)) in self.all().enumerate() {
            all.push(Span::default());
            if is_wanted(target, at, place) {
                wanted.push(place);
                values.push(Slot::new());
                target.names.paths[at].read(target.object.value(), values.last_mut().expect("it was just added"));
            }
            if values.len() >= BATCH {
                states.encode(&values, &mut spans);
                values.clear();
            }
        }
        states.encode(&values, &mut spans);
        wanted.into_iter().zip(spans).for_each(|(place, span)| all[place] = span);
        (states, all)
    }
}

impl Target {
    fn place(&self, property: usize) -> Place<'_> {
        let object = self.object.value();
        Place { object, class: &self.class, id: self.id, path: &self.names.paths[property] }
    }

    /// True if another edit has set the same properties of the same object.
    fn sets_same(&self, other: &Self) -> bool {
        let are_same_names = Arc::ptr_eq(&self.names, &other.names) || self.names.texts == other.names.texts;
        self.id == other.id
            && are_same_names
            && self.changed.iter().map(Changed::key).eq(other.changed.iter().map(Changed::key))
            && (&self.free, &self.far) == (&other.free, &other.far)
            && !(self.is_whole || other.is_whole)
    }

    /// Sets what the edit has changed, all metadata in order, and removes what it has added. Returns true if there was any.
    fn set_changed(&self, side: usize, goals: &[State<'_>]) -> bool {
        if self.is_whole {
            // Not what would not come back.
            let known = self.changed.iter().filter(|of| !of.is_lost);
            let metadata = known.filter_map(|of| metadata_name(&self.names.texts[of.property]));
            metadata.for_each(|name| engine::remove_meta(self.object.value(), &name));
        }
        let cleared = CLEARED.iter().find(|(class, ..)| self.class == *class);
        let is_part = |of: &Changed, end: &str| self.names.texts[of.property].ends_with(end);
        let is_other = |end: Option<&str>| end.is_some_and(|end| self.set().any(|of| is_part(of, end)));
        // Nothing that was not recorded.
        if let Some((_, clear, end)) = cleared
            && (is_other(*end) || !self.added(side).is_empty())
            && self.has_all()
        {
            engine::call(self.object.value(), clear);
            self.write(0..self.names.paths.len(), goals);
            return true;
        }
        self.write(self.set().map(|of| of.property), goals);
        let mut states = States::default();
        for of in self.missing(side) {
            let span = of.goal(side, Span::default(), &mut states);
            let value = Slot::with(|slot| states.get(span).build(slot, &mut Texts::for_bytes(0)));
            self.names.paths[of.property].write(self.object.value(), value.value());
        }
        let added = self.added(side);
        // What was not there. What was there, but was not stored, has its value.
        let mut gone = added.clone();
        gone.retain(|&at| {
            cleared.is_none() && changed_at(&self.changed, at).is_some_and(|of| of.states[side].is_none())
        });
        let object = self.object.value();
        let before = |at: &usize| Slot::with(|slot| _ = self.names.paths[*at].read(object, slot));
        let before: Vec<_> = gone.iter().map(before).collect();
        for at in &gone {
            self.names.paths[*at].write(object, Slot::new().value());
        }
        // What null does not remove it makes into something else.
        let left: HashSet<_> =
            if gone.is_empty() { HashSet::default() } else { self.added(side).into_iter().collect() };
        for (at, value) in gone.iter().zip(&before).filter(|(at, _)| left.contains(at)) {
            self.names.paths[*at].write(object, value.value());
        }
        !added.is_empty()
    }

    fn write(&self, properties: impl Iterator<Item = usize>, goals: &[State<'_>]) {
        // With another script only what differs is set: a Control without a parent tells another layout than it stores.
        let is_new = self.changed.iter().any(|of| self.names.texts[of.property] == SCRIPT);
        for property in properties.filter(|&at| !goals[at].is_none()) {
            let mut value = Slot::new();
            if is_new && self.place(property).read(&mut value).is_some_and(|now| goals[property].is_of(now)) {
                continue;
            }
            goals[property].build(&mut value, &mut Texts::for_bytes(0));
            self.names.paths[property].write(self.object.value(), value.value());
        }
    }

    /// What is set in any case.
    fn set(&self) -> impl Iterator<Item = &Changed> {
        self.changed.iter().filter(|of| !of.has_value)
    }

    /// What the object had on this side, and does not store now.
    fn missing(&self, side: usize) -> impl Iterator<Item = &Changed> {
        let mut had = self.changed.iter().filter(move |of| of.has_value && of.is_stored[side]).peekable();
        let stored: HashSet<_> = match had.peek() {
            Some(_) => Listed::of(self.object.value()).stored().into_iter().collect(),
            None => HashSet::default(),
        };
        had.filter(move |of| !stored.contains(&self.names.paths[of.property].name))
    }

    /// True if all of a property is set.
    fn is_set(&self, property: usize) -> bool {
        changed_at(&self.changed, property).is_some_and(|of| of.narrowed.is_none() && !of.has_value)
    }

    fn is_far(&self, property: usize) -> bool {
        self.far.binary_search(&property).is_ok()
    }

    /// True if somebody is connected to a signal that is emitted.
    fn is_heard(&self) -> bool {
        self.signals.iter().any(|signal| engine::is_heard(self.object.value(), signal))
    }

    /// False if any value will do.
    fn keeps(&self, property: usize) -> bool {
        self.free.binary_search(&property).is_err()
    }

    /// True if these are all that the object stores.
    fn has_all(&self) -> bool {
        let known: HashSet<_> = self.names.paths.iter().map(|path| &path.name).collect();
        Listed::of(self.object.value()).stored().iter().all(|name| known.contains(name))
    }

    /// Returns the properties that the object stores, and did not on this side.
    fn added(&self, side: usize) -> Vec<usize> {
        let gone = self.changed.iter().filter(|of| of.states[side].is_none() || !of.is_stored[side]);
        // Metadata is removed in any case.
        let is_other = |of: &&Changed| metadata_name(&self.names.texts[of.property]).is_none();
        let mut gone: Vec<_> = gone.filter(is_other).map(|of| of.property).collect();
        if !gone.is_empty() {
            let stored: HashSet<_> = Listed::of(self.object.value()).stored().into_iter().collect();
            gone.retain(|&at| stored.contains(&self.names.paths[at].name));
        }
        gone
    }
}

fn changed_at(changed: &[Changed], property: usize) -> Option<&Changed> {
    changed.binary_search_by_key(&property, |of| of.property).ok().map(|at| &changed[at])
}

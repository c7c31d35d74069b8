//! What an undo history calls: steps that set properties to what they were before or after an edit.
//!
//! A setter may change other properties: a Control's anchor moves its offsets, a maximum clamps a value. So after a step has
//! set what the edit has changed, it compares all that was recorded of these objects, and sets what still differs: the
//! changed properties have their state then, and the others keep what they had before the step. Where all classes are known and
//! no object has a script, it leaves out what no setter changes that it calls, see [`Setters`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use foldhash::{HashMap, HashSet};
use godot::prelude::*;

use super::chain::Version;
use super::changes::{Changes, Edit};
use super::narrow::Narrowed;
use super::recording::Part;
use super::states::{BATCH, Span, State, States};
use crate::engine::{self, Slot};
use crate::jobs::lock;
use crate::objects::{Names, Setters, metadata_name, setters};
use crate::value::string_cache::Texts;

/// How often a step compares and sets what differs: setters that change each other's properties may never agree.
const MAX_PASSES: usize = 8;

/// What an undo history calls; not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    step: Arc<Step>,
    line: Arc<Mutex<Line>>,
}

#[godot_api]
impl VarBatchUndoStep {
    #[func(gd_self)]
    fn redo(this: Gd<Self>) {
        Self::go(&this, 1);
    }

    #[func(gd_self)]
    fn undo(this: Gd<Self>) {
        Self::go(&this, 0);
    }
}

impl VarBatchUndoStep {
    /// Adds a step to a history's line, as the last one.
    pub fn add_to(history: Key, step: Step) -> Gd<Self> {
        let (step, line) = (Arc::new(step), Line::of(history));
        // Scripts may run when objects of earlier steps are freed.
        let gone = lock(&line).add(Arc::clone(&step));
        drop(gone);
        Gd::from_init_fn(|_| Self { step, line })
    }

    // A setter may run and call `undo` or `redo` again. So nothing is borrowed or locked, and a step only reads itself.
    fn go(this: &Gd<Self>, side: usize) {
        let (step, line) = (Arc::clone(&this.bind().step), Arc::clone(&this.bind().line));
        loop {
            let next = lock(&line).next(&step, side);
            let Some(next) = next else { break };
            next.set(side);
        }
    }
}

impl Drop for VarBatchUndoStep {
    /// Drops an undone step, which the history has discarded. Scripts may run when its objects are freed.
    fn drop(&mut self) {
        let mut line = lock(&self.line);
        let undone = line.steps.iter().rposition(|step| Arc::ptr_eq(step, &self.step)).filter(|at| *at >= line.done);
        let gone = undone.and_then(|at| line.steps.remove(at));
        drop(line);
        drop(gone);
    }
}

/// The steps of a history, in order. An action may have many, of which the engine undoes the first one first, or with
/// `MERGE_ENDS` calls only the ends. So a step is only undone after those that follow it, and only done again after those
/// before it; what was done on the way is not done once more.
#[derive(Default)]
pub struct Line {
    steps: VecDeque<Arc<Step>>,
    /// How many of them are done. The others were undone.
    done: usize,
}

/// A history: the instance id of an UndoRedo or EditorUndoRedoManager, and which one of the editor's.
pub type Key = (i64, i64);

static LINES: Mutex<BTreeMap<Key, Weak<Mutex<Line>>>> = Mutex::new(BTreeMap::new());

impl Line {
    fn of(history: Key) -> Arc<Mutex<Self>> {
        let mut lines = lock(&LINES);
        lines.retain(|_, line| line.strong_count() > 0);
        let known = lines.get(&history).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::default();
            lines.insert(history, Arc::downgrade(&new));
            new
        })
    }

    /// Adds a step. Returns the first ones, if the history has dropped them, and any that are undone.
    fn add(&mut self, step: Arc<Step>) -> Vec<Arc<Step>> {
        let mut gone: Vec<_> = self.steps.drain(self.done..).collect();
        let is_used = |step: &Arc<Step>| Arc::strong_count(step) > 1;
        self.steps.push_back(step);
        // One between others leads to them.
        let first = self.steps.iter().position(is_used).unwrap_or(0);
        gone.extend(self.steps.drain(..first));
        self.done = self.steps.len();
        gone
    }

    /// Returns the next step to set on the way to where this one is done or undone, and counts it. `None` if it is there.
    fn next(&mut self, step: &Arc<Step>, side: usize) -> Option<Arc<Step>> {
        let is_step = |index: &usize| self.steps.get(*index).is_some_and(|other| Arc::ptr_eq(other, step));
        let near = (self.done + side).wrapping_sub(1);
        let index = Some(near).filter(is_step).or_else(|| (0..self.steps.len()).find(is_step))?;
        match side {
            0 if self.done > index => self.done -= 1,
            1 if self.done <= index => self.done += 1,
            _ => return None,
        }
        self.steps.get(self.done - side).cloned()
    }
}

/// All that an edit has changed. Scripts could change a kept Array, so values are built anew each time.
pub struct Step(Vec<Target>);

/// An object with what was recorded and what was changed of it.
struct Target {
    object: Slot,
    names: Arc<Names>,
    changed: Vec<Changed>,
    /// True if these are all properties that the object has, the script first.
    is_whole: bool,
}

struct Changed {
    property: usize,
    narrowed: Option<Narrowed>,
    /// Both states: their bytes, and what is kept beside them.
    states: [(Version, Arc<[Slot]>); 2],
}

impl Step {
    pub fn new(changes: &Changes) -> Self {
        let (mut classes, mut known, mut is_native, mut is_alone) =
            (HashMap::default(), HashMap::default(), true, true);
        for (part, edits, is_whole) in changes.by_part() {
            let of: &Option<Setters> = classes.entry(part.class.clone()).or_insert_with_key(setters);
            let is_own =
                |edit: &Edit<'_>| of.as_ref().is_some_and(|of| of.alone.contains(&*part.names.texts[edit.property]));
            is_native &= of.is_some() && !is_whole && engine::script_id(part.object.value()) == 0;
            is_alone &= edits.iter().all(is_own);
        }
        let target = |(part, edits, is_whole): (&Part, Vec<Edit<'_>>, bool)| {
            let mut changed: Vec<_> = edits.into_iter().map(|edit| Changed::new(part, edit)).collect();
            let mut names = Arc::clone(&part.names);
            if let Some(of) = classes[&part.class].as_ref().filter(|_| is_native) {
                let edited: Vec<_> = changed.iter().map(|of| of.property).collect();
                let key = (Arc::as_ptr(&part.names), part.class.clone(), edited);
                let (kept, shared) = known.entry(key).or_insert_with_key(|(.., edited)| {
                    let may_change = |at: &usize| !is_alone && !of.steady.contains(&*names.texts[*at]);
                    let is_kept = |at: &usize| edited.binary_search(at).is_ok() || may_change(at);
                    let kept: Vec<_> = (0..names.texts.len()).filter(is_kept).collect();
                    let shared = Arc::new(names.at(&kept));
                    (kept, shared)
                });
                changed.iter_mut().for_each(|of| of.property = kept.binary_search(&of.property).expect("it is kept"));
                names = Arc::clone(shared);
            }
            Target { object: Slot::of(part.object.value()), names, changed, is_whole }
        };
        Self(changes.by_part().map(target).collect())
    }

    /// Sets all to one side.
    fn set(&self, side: usize) {
        let (states, mut goals) = self.goals(side);
        let mut left: Vec<_> = self.0.iter().zip(&mut goals).collect();
        left.iter().for_each(|(target, goal)| target.set_changed(goal, &states));
        for pass in 0..MAX_PASSES {
            let is_reversed = pass % 2 == 0;
            left.reverse();
            let mut has_set = false;
            // Each of them, as one object's setter may change another object.
            for (target, goal) in &mut left {
                has_set |= target.settle(goal, &states, is_reversed);
            }
            if !has_set {
                break;
            }
        }
    }

    /// Returns what the properties are to have.
    fn goals(&self, side: usize) -> (States, Vec<Goal>) {
        let (mut states, mut spans, mut values) = (States::default(), Vec::new(), Vec::new());
        for target in &self.0 {
            target.names.read(target.object.value(), &mut values);
            if values.len() >= BATCH {
                states.encode(&values, &mut spans);
                values.clear();
            }
        }
        states.encode(&values, &mut spans);
        let key = |target: &Target, property: usize| {
            (target.object.value().object_id(), target.names.paths[property].name.clone())
        };
        let changed = self.0.iter().flat_map(|target| target.changed.iter().map(|of| key(target, of.property)));
        let (changed, mut spans) = (changed.collect::<HashSet<_>>(), spans.into_iter());
        let goal = |target: &Target| {
            let before: Vec<_> = spans.by_ref().take(target.names.paths.len()).collect();
            // Beside a changed part, the whole is not kept.
            let kept =
                |(property, &span)| if changed.contains(&key(target, property)) { Span::default() } else { span };
            let mut spans: Vec<_> = before.iter().enumerate().map(kept).collect();
            for of in &target.changed {
                spans[of.property] = of.goal(side, before[of.property], &mut states);
            }
            Goal { spans, last: States::default() }
        };
        let goals = self.0.iter().map(goal).collect();
        (states, goals)
    }
}

/// The state that each property of a target is to have, empty where any will do; and what they had in the last pass.
struct Goal {
    spans: Vec<Span>,
    last: States,
}

impl Target {
    fn set_changed(&self, goal: &Goal, states: &States) {
        if self.is_whole {
            // All of it, so that what comes back is in order.
            let metadata = self.names.texts.iter().filter_map(|text| metadata_name(text));
            metadata.for_each(|name| engine::remove_meta(self.object.value(), &name));
        }
        for of in &self.changed {
            self.write(of.property, states.get(goal.spans[of.property]));
        }
    }

    /// Sets what differs from the goal, unless that did not change anything the last time. True if anything was set.
    fn settle(&self, goal: &mut Goal, states: &States, is_reversed: bool) -> bool {
        let (mut now, mut spans, mut values) = (States::default(), Vec::new(), Vec::new());
        self.names.read(self.object.value(), &mut values);
        now.encode(&values, &mut spans);
        drop(values);
        if self.object.value().object_id() == 0 || now.has_same_bytes(&goal.last) {
            return false;
        }
        let differs = |&property: &usize| !states.get(goal.spans[property]).is_same(now.get(spans[property]));
        let mut left: Vec<_> = (0..spans.len()).filter(differs).collect();
        if is_reversed {
            left.reverse();
        }
        goal.last = now;
        let mut has_set = false;
        for property in left {
            has_set |= self.write(property, states.get(goal.spans[property]));
        }
        has_set
    }

    /// Sets a property. `false` if there is no state, or the object does not have the property or refuses the state.
    fn write(&self, property: usize, state: State<'_>) -> bool {
        let mut value = Slot::new();
        state.build(&mut value, &mut Texts::for_bytes(0));
        !state.is_none() && self.names.paths[property].write(self.object.value(), value.value())
    }
}

impl Changed {
    /// Keeps the old and the new state, which share data.
    fn new(part: &Part, edit: Edit<'_>) -> Self {
        let Edit { property, states: [old, new], narrowed } = edit;
        let kept = |state: State<'_>| state.kept.iter().map(Slot::of).collect::<Arc<[Slot]>>();
        let old_kept = kept(old);
        let is_same = old.kept.len() == new.kept.len() && old.keeps_same(new);
        let new_kept = if is_same { Arc::clone(&old_kept) } else { kept(new) };
        let bytes = |state: State<'_>| Version::new(part.id, &part.names.texts[property], state.bytes);
        Self { property, narrowed, states: [(bytes(old), old_kept), (bytes(new), new_kept)] }
    }

    /// Adds the state of one side. If a part of the value changed, the rest of it stays as it is.
    fn goal(&self, side: usize, before: Span, states: &mut States) -> Span {
        let (bytes, kept) = &self.states[side];
        bytes.with(|bytes| {
            let state = State { bytes, kept: Slot::values(kept) };
            match self.narrowed {
                Some(part) if states.get(before).kind() == state.kind() => {
                    let mut whole = states.get(before).bytes.to_vec();
                    part.copy(state, &mut whole);
                    states.add(State { bytes: &whole, kept: &[] })
                }
                _ => states.add(state),
            }
        })
    }
}

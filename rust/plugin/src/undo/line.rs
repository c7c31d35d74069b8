//! What an undo history calls: a step, at its place in the line of those of its action.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use godot::prelude::*;

use super::step::Step;
use crate::jobs::lock;
use crate::report::{self, PRINTS};

/// What an undo history calls; not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    step: Arc<Step>,
    /// Its line, and its index there, once its action is known.
    place: OnceLock<(Arc<Mutex<Line>>, usize)>,
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
    pub fn new(step: Step) -> Gd<Self> {
        Gd::from_init_fn(|_| Self { step: Arc::new(step), place: OnceLock::new() })
    }

    /// Adds it to the line of the action that has it, in a history of this version before that. Scripts may run.
    pub fn add_to(this: &Gd<Self>, key: Key, history: &mut Gd<Object>, before: i64) {
        let line = Line::of(key, before, history);
        let (index, gone) = lock(&line).add(&this.bind().step);
        drop(gone);
        let _ = this.bind().place.set((line, index));
    }

    // A setter may run, and call `undo` or `redo` again, or commit. So nothing is borrowed or locked, and a step only reads itself.
    fn go(this: &Gd<Self>, side: usize) {
        let (step, place) = (Arc::clone(&this.bind().step), this.bind().place.get().cloned());
        loop {
            let next = match &place {
                Some((line, index)) => lock(line).next(&step, *index, side),
                None => Some(Arc::clone(&step)),
            };
            let Some(next) = next else { break };
            let lines: Vec<_> = next.set(side).map(report::Line::warning).into_iter().collect();
            report::print(PRINTS.get(), "VarBatchUndoRecorder", ["undo", "redo"][side], &lines);
            if Arc::ptr_eq(&next, &step) {
                break;
            }
        }
    }
}

impl Drop for VarBatchUndoStep {
    /// Drops an undone step, which the history has discarded, and those behind it. Scripts may run when their objects are freed.
    fn drop(&mut self) {
        let Some((line, index)) = self.place.take() else { return };
        let mut steps = lock(&line);
        let is_undone = index >= steps.done && steps.has(&self.step, index);
        let gone = is_undone.then(|| steps.steps.split_off(index));
        drop(steps);
        drop(gone);
    }
}

/// The steps of an action, in order. An action may have many, of which the engine undoes the first one first, or with
/// `MERGE_ENDS` calls only the ends. So a step is only undone after those that follow it, and only done again after those
/// before it; what was done on the way is not done once more. The line ends when the history has dropped all of them.
struct Line {
    steps: Vec<Arc<Step>>,
    /// How many of them are done. The others were undone.
    done: usize,
    /// The first and the last version that the history may have with its action as the last one: one that is open may yet be
    /// merged. So the line of such actions is that of those that they may be merged with.
    versions: [i64; 2],
}

/// A history: the instance id of an UndoRedo or EditorUndoRedoManager, and which one of the editor's.
pub type Key = (i64, i64);

/// The lines of each history, in the order of their actions.
static LINES: Mutex<BTreeMap<Key, VecDeque<Weak<Mutex<Line>>>>> = Mutex::new(BTreeMap::new());

/// The version of an UndoRedo: each action makes it one more, unless it is merged with the last one.
pub fn version(history: &mut Gd<Object>) -> i64 {
    history.call("get_version", &[]).try_to().unwrap_or(0)
}

impl Line {
    /// Returns the line of what was just added to a history, an UndoRedo, which had this version before.
    fn of(key: Key, before: i64, history: &mut Gd<Object>) -> Arc<Mutex<Self>> {
        let after = version(history);
        // An action is still open if there is one to redo: all others were dropped.
        let is_open = history.call("has_redo", &[]).booleanize();
        let last = Self::last(key);
        let is_of = |line: &Self| (line.versions[0]..=line.versions[1]).contains(&before);
        let last = last.filter(|line| (is_open || after == before) && is_of(&lock(line)));
        let line = last.unwrap_or_else(|| {
            let new = Arc::new(Mutex::new(Self { steps: Vec::new(), done: 0, versions: [after; 2] }));
            lock(&LINES).entry(key).or_default().push_back(Arc::downgrade(&new));
            new
        });
        if is_open {
            lock(&line).versions[1] = before + 1;
        }
        line
    }

    /// Returns the last line of a history, and forgets those that have ended. A history drops its first and its last actions.
    fn last(key: Key) -> Option<Arc<Mutex<Self>>> {
        let mut lines = lock(&LINES);
        let has_ended = |line: &mut Weak<_>| line.strong_count() == 0;
        lines.retain(|_, of| {
            while of.pop_front_if(has_ended).or_else(|| of.pop_back_if(has_ended)).is_some() {}
            !of.is_empty()
        });
        lines.get(&key)?.back()?.upgrade()
    }

    /// Adds a step, which is done as those before it are. Returns its index, and the steps that were undone.
    fn add(&mut self, step: &Arc<Step>) -> (usize, Vec<Arc<Step>>) {
        let gone = self.steps.split_off(self.done);
        self.steps.push(Arc::clone(step));
        self.done = self.steps.len();
        (self.done - 1, gone)
    }

    fn has(&self, step: &Arc<Step>, index: usize) -> bool {
        self.steps.get(index).is_some_and(|other| Arc::ptr_eq(other, step))
    }

    /// Returns the next step to set on the way to where one is done or undone, and counts it. `None` if it is there.
    fn next(&mut self, step: &Arc<Step>, index: usize, side: usize) -> Option<Arc<Step>> {
        if !self.has(step, index) {
            // A setter has committed while it was undone.
            return Some(Arc::clone(step));
        }
        match side {
            0 if self.done > index => self.done -= 1,
            1 if self.done <= index => self.done += 1,
            _ => return None,
        }
        self.steps.get(self.done - side).cloned()
    }
}

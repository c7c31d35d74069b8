//! What an undo history calls: a step, at its place in the history's line of them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use godot::prelude::*;

use super::step::Step;
use crate::jobs::lock;
use crate::report::{self, PRINTS};

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
            let lines: Vec<_> = next.set(side).map(report::Line::warning).into_iter().collect();
            report::print(PRINTS.get(), "VarBatchUndoRecorder", ["undo", "redo"][side], &lines);
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

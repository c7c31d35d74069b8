//! What an undo history calls: a step, at its place in the line of those of its action.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

use godot::prelude::*;

use super::step::Step;
use super::swept::Swept;
use crate::jobs::lock;
use crate::report::{self, PRINTS};

/// What an undo history calls; not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    step: Arc<Step>,
    place: Mutex<(Arc<Mutex<Line>>, u64)>,
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
    /// Makes the last step of the action that has begun in a history, of this version. Scripts may run.
    pub fn add_to(history: Key, version: i64, step: Step) -> Gd<Self> {
        let (step, line) = (Arc::new(step), Line::of(history, version));
        let (number, gone) = lock(&line).add(&step);
        drop(gone);
        Gd::from_init_fn(|_| Self { step, place: Mutex::new((line, number)) })
    }

    /// Gives it a line of its own if its action turns out to be a new one, now that it is committed: the history has the version
    /// `after`, and `is_last` if nothing can be done again.
    pub fn settle(this: &Gd<Self>, history: Key, [before, after]: [i64; 2], is_last: bool) {
        let this = this.bind();
        // Kept until nothing is locked: scripts may run when the objects of its steps are freed.
        let line = Arc::clone(&lock(&this.place).0);
        let last = Line::last(history);
        // If not, who listens to the history has gone on with it: then the steps are in one line, which is right in most cases.
        if is_last && last.is_some_and(|last| Arc::ptr_eq(&last, &line)) && after == before + 1 {
            let split = lock(&line).split_last(&this.step, before);
            if let Some(step) = split {
                *lock(&this.place) = (Line::add_line(history, Some(step), [after; 2]), 0);
            }
        }
    }

    // A setter may run, and call `undo` or `redo` again, or commit. So nothing is borrowed or locked, and a step only reads itself.
    fn go(this: &Gd<Self>, side: usize) {
        let step = Arc::clone(&this.bind().step);
        let (line, number) = lock(&this.bind().place).clone();
        loop {
            let next = lock(&line).next(&step, number, side);
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
        let (line, number) = lock(&self.place).clone();
        let gone = lock(&line).discard(&self.step, number);
        drop(gone);
    }
}

/// The steps of an action, in order. An action may have many, of which the engine undoes the first one first, or with
/// `MERGE_ENDS` calls only the ends. So a step is only undone after those that follow it, and only done again after those
/// before it; what was done on the way is not done once more.
///
/// An action that has begun may yet be merged with the last one. So its steps are in the line of that, until it is committed; for
/// ever if somebody else commits it, or an action that is the next one begins before anybody has looked.
struct Line {
    steps: VecDeque<Arc<Step>>,
    /// The number of the first of them, and how many of them are done. The others were undone.
    first: u64,
    done: usize,
    /// The first and the last version that the history may have with its actions as the last ones.
    versions: [i64; 2],
}

/// A history: the instance id of an UndoRedo or EditorUndoRedoManager, and which one of the editor's.
pub type Key = (i64, i64);

/// The lines of each history, in the order of their actions.
static LINES: Mutex<Swept<Key, VecDeque<Weak<Mutex<Line>>>>> = Mutex::new(Swept::new());

impl Line {
    /// Returns the line of an action that has begun in a history of this version.
    fn of(history: Key, version: i64) -> Arc<Mutex<Self>> {
        if let Some(line) = Self::last(history) {
            let mut last = lock(&line);
            if (last.versions[0]..=last.versions[1]).contains(&version) {
                last.versions[1] = last.versions[1].max(version + 1);
                drop(last);
                return line;
            }
        }
        Self::add_line(history, None, [version, version + 1])
    }

    fn add_line(history: Key, step: Option<Arc<Step>>, versions: [i64; 2]) -> Arc<Mutex<Self>> {
        let (done, steps) = (usize::from(step.is_some()), step.into_iter().collect());
        let new = Arc::new(Mutex::new(Self { steps, first: 0, done, versions }));
        let mut lines = lock(&LINES);
        lines.entry(history).or_default().push_back(Arc::downgrade(&new));
        lines.sweep(|of| of.iter().any(|line| line.strong_count() > 0));
        new
    }

    /// Returns the last line of a history, and forgets those that have ended. A history drops its first and its last actions.
    fn last(history: Key) -> Option<Arc<Mutex<Self>>> {
        let mut lines = lock(&LINES);
        let of = lines.get_mut(&history)?;
        let has_ended = |line: &mut Weak<_>| line.strong_count() == 0;
        while of.pop_front_if(has_ended).or_else(|| of.pop_back_if(has_ended)).is_some() {}
        of.back()?.upgrade()
    }

    /// Adds a step, which is done as those before it are. Returns its number, and those that can neither be done nor undone now.
    fn add(&mut self, step: &Arc<Step>) -> (u64, Vec<Arc<Step>>) {
        let is_used = |step: &Arc<Step>| Arc::strong_count(step) > 1;
        // A setter may be what commits, while a step is undone: then that stays.
        let (undone, mut gone): (Vec<_>, Vec<_>) = self.steps.drain(self.done..).partition(is_used);
        // One between others leads to them.
        let unused = self.steps.iter().position(is_used).unwrap_or(self.steps.len());
        gone.extend(self.steps.drain(..unused));
        self.first += unused as u64;
        if undone.is_empty() {
            gone.extend(self.fold_last());
        }
        self.steps.extend(undone);
        self.steps.push_back(Arc::clone(step));
        self.done = self.steps.len();
        (self.first + self.done as u64 - 1, gone)
    }

    /// Makes one step of the last two, if both only lead to others: those of a drag that is merged frame by frame. Returns what is left.
    fn fold_last(&mut self) -> Option<Arc<Step>> {
        let mut last = self.steps.pop_back()?;
        let both = self.steps.back_mut().and_then(Arc::get_mut).zip(Arc::get_mut(&mut last));
        let is_folded = both.is_some_and(|(step, last)| step.fold(last));
        if is_folded {
            return Some(last);
        }
        self.steps.push_back(last);
        None
    }

    /// Takes this step out, whose action is the one behind this version, unless there is no other or one was merged with it.
    fn split_last(&mut self, step: &Arc<Step>, version: i64) -> Option<Arc<Step>> {
        if !self.steps.back().is_some_and(|last| Arc::ptr_eq(last, step)) {
            return None;
        }
        if self.steps.len() == 1 {
            self.versions = [version + 1; 2];
            return None;
        }
        self.versions[1] = version.max(self.versions[0]);
        self.done = self.done.min(self.steps.len() - 1);
        self.steps.pop_back()
    }

    /// Takes out an undone step and those behind it.
    fn discard(&mut self, step: &Arc<Step>, number: u64) -> VecDeque<Arc<Step>> {
        let undone = self.index_of(step, number).filter(|index| *index >= self.done);
        undone.map_or_else(VecDeque::new, |index| self.steps.split_off(index))
    }

    fn index_of(&self, step: &Arc<Step>, number: u64) -> Option<usize> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.steps.get(index).filter(|other| Arc::ptr_eq(other, step)).map(|_| index)
    }

    /// Returns the next step to set on the way to where one is done or undone, and counts it. `None` if it is there.
    fn next(&mut self, step: &Arc<Step>, number: u64, side: usize) -> Option<Arc<Step>> {
        // A setter has committed while it was undone.
        let Some(index) = self.index_of(step, number) else { return Some(Arc::clone(step)) };
        match side {
            0 if self.done > index => self.done -= 1,
            1 if self.done <= index => self.done += 1,
            _ => return None,
        }
        self.steps.get(self.done - side).cloned()
    }
}

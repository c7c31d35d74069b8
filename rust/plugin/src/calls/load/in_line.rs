//! Loads of tasks: each opens its file when it is the first in one of a few lines, so that few are open at a time.

use std::path::Path;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use crate::calls::line::{WriteTicket, room_for, tries_again};
use crate::engine::Slot;
use crate::jobs::task::Job;
use crate::report::{Failure, Outcome};

pub trait Opens: Job {
    /// The file, unless it is in a pack, or none is opened.
    fn at(&self) -> Option<&Path>;

    /// Opens it. Returns why that failed.
    fn open(&mut self) -> Option<&Failure>;

    /// True if it is closed again, before the last step.
    fn is_read(&self) -> bool {
        false
    }
}

pub struct InLine<L> {
    load: L,
    is_open: bool,
    room: Option<WriteTicket>,
}

impl<L: Opens> InLine<L> {
    /// Opens the file now if it is the first, so that it is that of this moment.
    pub fn new(load: L) -> Self {
        let room = load.at().map(room_for);
        let mut this = Self { load, is_open: false, room };
        this.open();
        this
    }

    /// Returns how to go on if the file cannot be opened yet.
    fn open(&mut self) -> Option<NextStep> {
        if self.is_open {
            return None;
        }
        if self.room.as_ref().is_some_and(|room| !room.is_first()) {
            return Some(NextStep::Parked);
        }
        self.is_open = !tries_again(self.load.open());
        (!self.is_open).then_some(NextStep::Blocking)
    }
}

impl<L: Opens> Work for InLine<L> {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        if let Some(next) = self.open() {
            return next;
        }
        let next = self.load.step(threads, report);
        if next == NextStep::Done || self.load.is_read() {
            // Scripts may run in the next step, and must not wait for this load.
            self.room = None;
        }
        next
    }

    fn unblock(&mut self, threads: &Threads) {
        self.room.iter().for_each(|room| room.wait(threads));
    }

    fn progress(&self) -> f32 {
        self.load.progress()
    }
}

impl<L: Opens> Job for InLine<L> {
    fn tickets(&self) -> Vec<u64> {
        self.room.iter().map(WriteTicket::number).collect()
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        self.load.outcome()
    }
}

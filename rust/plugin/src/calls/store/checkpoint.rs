//! Puts the journal of a store into its file in the background, when the call that made it due has left.

use std::sync::{Arc, Weak};

use godot::global::Error as EngineError;
use varbatch_store::Store;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::StoreFile;
use crate::calls::line::{WriteTicket, add_task};
use crate::engine::Slot;
use crate::jobs::task::Job;
use crate::jobs::{dispatch, pool};
use crate::report::Outcome;

/// Puts the journal into the file in the background. No object tells of it, and closing the file does it as well.
pub fn checkpoint(file: &Arc<StoreFile>) {
    let ticket = file.ticket();
    let number = ticket.0.number();
    let checkpoint = Checkpoint { file: Arc::downgrade(file), ticket, waits: false };
    dispatch::start_alone(Box::new(checkpoint), |task| add_task(&[number], task));
}

/// Puts the journal into the file, unless that is closed before.
struct Checkpoint {
    file: Weak<StoreFile>,
    ticket: WriteTicket,
    /// True once it is on a thread that may wait.
    waits: bool,
}

impl Work for Checkpoint {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        if self.ticket.0.first_before().is_some() {
            return NextStep::Parked;
        }
        if !std::mem::replace(&mut self.waits, true) {
            return NextStep::Blocking;
        }
        if let Some(file) = self.file.upgrade() {
            let _ = file.act(Store::checkpoint);
        }
        self.ticket.end();
        NextStep::Done
    }

    fn unblock(&mut self, _: &Threads) {
        self.ticket.wait(&pool::threads());
    }

    fn progress(&self) -> f32 {
        0.0
    }
}

impl Job for Checkpoint {
    fn tickets(&self) -> Vec<u64> {
        vec![self.ticket.0.number()]
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        Outcome::new(EngineError::OK, Vec::new()).into_slot()
    }
}

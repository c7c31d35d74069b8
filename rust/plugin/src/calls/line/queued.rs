//! Calls of tasks that wait in line one behind the other. The first can do what those behind it will do together with its own:
//! saves of a store in one commit, appends to a file with one flush.

use std::sync::{Arc, Mutex};

use crate::jobs::lock;
use crate::report::Failure;

/// Bytes that are written together from which on no other call joins them.
pub const JOINED: usize = 8 << 20;

/// Max bytes of an append that others may write: they are copied at the call.
pub const SHORT: usize = 64 << 10;

/// A call that waits. Its state is only changed while the queue that it is in is locked.
pub struct Queued<C> {
    pub ticket: u64,
    pub changes: C,
    state: Mutex<State>,
}

#[derive(Clone)]
enum State {
    Waiting,
    /// The disk is about to have it: it can be cancelled no more.
    Committing,
    Ended(Result<(), Failure>),
    Cancelled,
}

impl<C> Queued<C> {
    pub fn new(ticket: u64, changes: C) -> Arc<Self> {
        Arc::new(Self { ticket, changes, state: Mutex::new(State::Waiting) })
    }

    /// Returns how it ended, if it has.
    pub fn end(&self) -> Option<Result<(), Failure>> {
        if let State::Ended(result) = &*lock(&self.state) { Some(result.clone()) } else { None }
    }

    /// True if the disk has it, or is about to.
    pub fn is_committed(&self) -> bool {
        matches!(&*lock(&self.state), State::Committing | State::Ended(Ok(())))
    }

    /// True if its changes will be made, or are.
    #[cfg(feature = "store")]
    pub fn is_valid(&self) -> bool {
        !matches!(&*lock(&self.state), State::Ended(Err(_)) | State::Cancelled)
    }

    pub fn is_waiting(&self) -> bool {
        matches!(&*lock(&self.state), State::Waiting)
    }

    pub fn set_end(&self, result: Result<(), Failure>) {
        *lock(&self.state) = State::Ended(result);
    }

    /// Cancels it if it waits. Returns true if it did.
    pub fn cancel(&self) -> bool {
        let is_waiting = self.is_waiting();
        if is_waiting {
            *lock(&self.state) = State::Cancelled;
        }
        is_waiting
    }

    /// From now on they cannot be cancelled. Returns false if one of them was.
    pub fn commit(calls: &[Arc<Self>]) -> bool {
        let is_all = calls.iter().all(|call| call.is_waiting());
        if is_all {
            calls.iter().for_each(|call| *lock(&call.state) = State::Committing);
        }
        is_all
    }

    /// Lets calls wait again whose commit failed.
    pub fn wait(calls: &[Arc<Self>]) {
        let is_cancelled = |call: &Arc<Self>| matches!(&*lock(&call.state), State::Cancelled);
        calls.iter().filter(|call| !is_cancelled(call)).for_each(|call| *lock(&call.state) = State::Waiting);
    }
}

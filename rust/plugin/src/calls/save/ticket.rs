//! The position of a call among those that write the same file, and the task that it may be.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use varbatch_storage::Ticket;
use varbatch_workers::Threads;
use varbatch_workers::tasks::Task;

use crate::jobs::job::AnyJob;
use crate::jobs::lock;

/// The tasks that write files, by the numbers of their tickets.
static TASKS: Mutex<BTreeMap<u64, Weak<Task<AnyJob>>>> = Mutex::new(BTreeMap::new());

/// How often a waiting thread looks who is the first in line: an earlier call may have become a task meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// The ticket of a call. When it ends, the task that is the next one in line continues.
pub struct WriteTicket(Ticket);

impl WriteTicket {
    /// Takes the ticket of a call that writes `path`.
    pub fn take(path: &Path) -> Self {
        Self(Ticket::take_for(path))
    }

    pub fn ticket(&self) -> &Ticket {
        &self.0
    }

    /// True if no earlier call that writes the same file is in progress.
    pub fn is_first(&self) -> bool {
        self.0.first_before().is_none()
    }

    /// Returns when this call is the first in line. Works on the tasks before it; other calls end on their own threads.
    pub fn wait(&self, threads: &Threads) {
        while let Some(before) = self.0.first_before() {
            let is_over = task(before).is_none_or(|task| task.is_done() || !task.wait(threads));
            if is_over && self.0.wait(LOOK) {
                return;
            }
        }
    }

    /// Ends the call before this is dropped.
    pub fn end(&self) {
        if let Some(next) = self.0.end().and_then(task) {
            next.unpark();
        }
    }
}

impl Drop for WriteTicket {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns the task with this ticket, if it has not ended.
fn task(ticket: u64) -> Option<Arc<Task<AnyJob>>> {
    lock(&TASKS).get(&ticket).and_then(Weak::upgrade)
}

/// Adds a task that was started, for calls that wait for it.
pub fn add_task(ticket: u64, task: &Arc<Task<AnyJob>>) {
    lock(&TASKS).insert(ticket, Arc::downgrade(task));
    if task.is_done() {
        remove_task(ticket);
    } else {
        // Its turn may have come before it was here.
        task.unpark();
    }
}

/// Removes a task that has ended.
pub fn remove_task(ticket: u64) {
    lock(&TASKS).remove(&ticket);
}

//! The tasks that write files, by the numbers of their tickets: for calls that wait for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use varbatch_workers::tasks::Task;

use super::job::AnyJob;
use super::lock;

static TASKS: Mutex<BTreeMap<u64, Weak<Task<AnyJob>>>> = Mutex::new(BTreeMap::new());

/// Returns the task with this ticket, if it has not ended.
pub fn task(ticket: u64) -> Option<Arc<Task<AnyJob>>> {
    lock(&TASKS).get(&ticket).and_then(Weak::upgrade)
}

/// Adds a task that was started.
pub fn add(ticket: u64, task: &Arc<Task<AnyJob>>) {
    lock(&TASKS).insert(ticket, Arc::downgrade(task));
    if task.is_done() {
        remove(ticket);
    } else {
        // Its turn may have come before it was here.
        task.unpark();
    }
}

/// Removes a task that has ended.
pub fn remove(ticket: u64) {
    lock(&TASKS).remove(&ticket);
}

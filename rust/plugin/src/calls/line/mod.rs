//! The lines in which calls that write a file wait, and tasks that have one open; and what waits there, so that the first one does
//! the work of all.

mod appends;
mod queued;
mod room;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use varbatch_storage::Ticket;
use varbatch_workers::Threads;
use varbatch_workers::tasks::Task;

pub use self::appends::{Append, add_append, cancel_append, commit_appends, end_appends, next_append};
pub use self::queued::{JOINED, Queued, SHORT};
pub use self::room::{room_line, tries_again};
use crate::jobs::lock;
use crate::jobs::task::AnyJob;

/// The tasks that write files, by the numbers of their tickets, which have not ended.
static TASKS: Mutex<BTreeMap<u64, Weak<Task<AnyJob>>>> = Mutex::new(BTreeMap::new());

/// Takes the ticket of a task that has to have this file open: it opens it when it is the first in line.
pub fn room_for(path: &Path) -> WriteTicket {
    WriteTicket(Ticket::take_in(room_line(path)))
}

/// How often a waiting thread looks who is the first in line: an earlier call may have become a task meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// The ticket of a call. When it ends, the task that is the next one in line continues.
pub struct WriteTicket(pub Ticket);

impl WriteTicket {
    /// Returns when this call is the first in line. Works on tasks before it; other calls end on their own threads.
    pub fn wait(&self, threads: &Threads) {
        while let Some(before) = self.0.first_before() {
            let is_next = || self.0.first_before() != Some(before);
            let is_over = task(before).is_none_or(|task| task.is_done() || !task.wait_until(threads, &is_next));
            if is_over && self.0.wait(LOOK) {
                return;
            }
        }
    }

    pub fn number(&self) -> u64 {
        self.0.number()
    }

    pub fn is_first(&self) -> bool {
        self.0.first_before().is_none()
    }

    /// Ends the call before this is dropped.
    pub fn end(&self) {
        let next = self.0.end();
        let _ended = lock(&TASKS).remove(&self.0.number());
        appends::end(self.0.number());
        if let Some(next) = next.and_then(task) {
            next.unpark();
        }
    }
}

impl Drop for WriteTicket {
    fn drop(&mut self) {
        self.end();
    }
}

fn task(ticket: u64) -> Option<Arc<Task<AnyJob>>> {
    lock(&TASKS).get(&ticket).and_then(Weak::upgrade)
}

/// Adds a started task, for calls that wait for it: by its tickets, of which it waits for the first one first.
pub fn add_task(tickets: &[u64], task: &Arc<Task<AnyJob>>) {
    lock(&TASKS).extend(tickets.iter().map(|ticket| (*ticket, Arc::downgrade(task))));
    // It may have ended before it was there, or its turn may have come.
    for (index, ticket) in tickets.iter().enumerate() {
        match Ticket::is_first(*ticket) {
            None => _ = lock(&TASKS).remove(ticket),
            Some(true) if index == 0 => task.unpark(),
            _ => {}
        }
    }
}

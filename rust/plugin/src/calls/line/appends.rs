//! Short appends of tasks that wait for their file: whoever is the first writes them all.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use varbatch_storage::Ticket;

use super::queued::Queued;
use crate::engine::HeldBytes;
use crate::jobs::lock;

/// The paths and bytes of short appends that wait, and of the one that writes, by their tickets.
static APPENDS: Mutex<BTreeMap<u64, Arc<Append>>> = Mutex::new(BTreeMap::new());

pub type Append = Queued<(PathBuf, HeldBytes)>;

/// Lets the call before it write an append as well.
pub fn add_append(append: &Arc<Append>) {
    lock(&APPENDS).insert(append.ticket, Arc::clone(append));
}

/// Returns the append that waits right behind the last one of these, if it may be flushed together with them.
pub fn next_append(appends: &[Arc<Append>]) -> Option<Arc<Append>> {
    let last = appends.last()?;
    let queue = lock(&APPENDS);
    // Not if they could not be written together.
    let is_joined = |next: &&Arc<Append>| queue.contains_key(&last.ticket) && next.changes.0 == last.changes.0;
    queue.get(Ticket::behind(last.ticket, 1).first()?).filter(is_joined).filter(|next| next.is_waiting()).cloned()
}

/// Cancels an append that waits. Returns false if another call has written it, or is about to.
pub fn cancel_append(append: &Append) -> bool {
    let _queue = lock(&APPENDS);
    append.cancel();
    !append.is_committed()
}

/// From now on these appends cannot be cancelled. Returns false if one of them was.
pub fn commit_appends(appends: &[Arc<Append>]) -> bool {
    let _queue = lock(&APPENDS);
    // The one that was about to write the first may have panicked.
    Append::wait(&appends[..1]);
    Append::commit(appends)
}

/// Ends the appends that were written together with the first of these, or lets each be written alone.
pub fn end_appends(appends: &[Arc<Append>], are_written: bool) {
    let mut queue = lock(&APPENDS);
    if are_written {
        appends.iter().for_each(|append| append.set_end(Ok(())));
    } else {
        Append::wait(appends);
        appends.iter().for_each(|append| _ = queue.remove(&append.ticket));
    }
}

/// Forgets an append whose ticket has ended.
pub fn end(ticket: u64) {
    let mut queue = lock(&APPENDS);
    queue.remove(&ticket).iter().for_each(|append| _ = append.cancel());
}

//! Room among the open files of the process: few tasks have a file open at a time, and they wait while there is no room.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use godot::global::Error as EngineError;
use varbatch_storage::LineName;

use crate::jobs::lock;
use crate::report::Failure;

/// Tasks that have their file open, or are about to, at most: each waits in one of so many lines. A process may have 256 or 1024
/// open files, and each task opens the new file, the old one and their folder.
const MAX_OPEN: u64 = 32;

/// The line of a file: one that is slow holds up only those.
pub fn room_line(path: &Path) -> LineName {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    (hasher.finish() % MAX_OPEN).to_string().into()
}

/// How long tasks try to open their files while the system has room for none, together, and how long one waits between.
const PATIENCE: Duration = Duration::from_secs(2);
const FULL_PAUSE: Duration = Duration::from_millis(5);

/// Since when no task found room, and when the last one found none.
static FULL: Mutex<Option<[Instant; 2]>> = Mutex::new(None);

/// True if a task should try again, after a while, as too many files are open. Called with the error of each try, or none.
pub fn tries_again(failure: Option<&Failure>) -> bool {
    let is_full = failure.is_some_and(|failure| failure.code == EngineError::ERR_CANT_ACQUIRE_RESOURCE);
    let (now, mut full) = (Instant::now(), lock(&FULL));
    let since = full.filter(|[_, last]| now - *last < PATIENCE).map_or(now, |[since, _]| since);
    *full = is_full.then_some([since, now]);
    drop(full);
    let tries = is_full && now - since < PATIENCE;
    if tries {
        std::thread::sleep(FULL_PAUSE);
    }
    tries
}

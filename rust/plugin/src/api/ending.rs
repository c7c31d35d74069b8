//! Ends a call: prints what it reports, and keeps its error for `get_last_error`.
//!
//! Every method of the class ends here, except the ones that only look something up. The error is kept last, because
//! printing runs Loggers, which may call the class themselves.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::global::Error as EngineError;

use crate::engine;
use crate::jobs::outcome::Outcome;
use crate::report::Line;

thread_local! {
    /// The error and message of this thread's last call; `None` if that succeeded.
    static LAST: RefCell<Option<(EngineError, String)>> = const { RefCell::new(None) };
}

/// Number of threads whose last call failed, including threads that have ended. While it is 0, a successful call costs
/// one load.
static FAILED: AtomicUsize = AtomicUsize::new(0);

/// Ends a call and returns its value. The error's message is the first error line, or the engine's text for the code if
/// there is none.
pub fn end<T>(method: &str, outcome: impl Into<Outcome<T>>) -> T {
    let Outcome { value, lines, code, .. } = outcome.into();
    if lines.is_empty() && code == EngineError::OK {
        succeeded();
    } else {
        report(method, lines, code);
    }
    value
}

/// Ends a call that reports one line. Not inlined, as its stack would cost a call that succeeds time.
#[cold]
#[inline(never)]
pub fn end_with(method: &str, line: Line) {
    end(method, Outcome::new((), vec![line]));
}

#[inline]
pub fn succeeded() {
    if FAILED.load(Ordering::Relaxed) > 0 {
        set_last(None);
    }
}

pub fn last_error() -> EngineError {
    LAST.with_borrow(|last| last.as_ref().map_or(EngineError::OK, |(code, _)| *code))
}

pub fn last_message() -> String {
    LAST.with_borrow(|last| last.as_ref().map_or_else(String::new, |(_, message)| message.clone()))
}

/// Prints the lines and records the error.
#[cold]
fn report(method: &str, lines: Vec<Line>, code: EngineError) {
    lines.iter().for_each(|line| line.print("VarBatch", method));
    let first = lines.into_iter().find(|line| !line.is_warning);
    let message = || first.map_or_else(|| engine::error_text(code), |line| line.text);
    set_last((code != EngineError::OK).then(|| (code, message())));
}

#[cold]
fn set_last(new: Option<(EngineError, String)>) {
    let is_failure = new.is_some();
    let old = LAST.replace(new);
    // Relaxed is enough: only this thread depends on its own count.
    match (old.is_some(), is_failure) {
        (false, true) => FAILED.fetch_add(1, Ordering::Relaxed),
        (true, false) => FAILED.fetch_sub(1, Ordering::Relaxed),
        _ => return,
    };
}

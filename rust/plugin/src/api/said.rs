//! Prints the lines of a call and keeps its error for `get_last_error`.
//!
//! Every method of the class ends here, except the ones that only look something up. The error is kept last, because
//! printing runs Loggers, which may call the class themselves.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::global::Error as EngineError;
use godot::obj::Gd;

use crate::api::task::{self, VarBatchTask};
use crate::calls::files::Failure;
use crate::engine;
use crate::jobs::job::{Job, Outcome, Product};
use crate::report::Line;

/// The error of a failed call.
struct LastError {
    code: EngineError,
    message: String,
}

thread_local! {
    /// The error of this thread's last call; `None` if that succeeded.
    static LAST: RefCell<Option<LastError>> = const { RefCell::new(None) };
}

/// Number of threads whose last call failed, including threads that have ended. While it is 0, a successful call costs
/// one load.
static FAILED: AtomicUsize = AtomicUsize::new(0);

/// Prints the lines of a call and keeps its code. The message is the first error, or the engine's text for the code if
/// none is printed.
pub fn say(method: &str, lines: impl IntoIterator<Item = Line>, code: EngineError) {
    keep(code, print(method, lines));
}

/// Prints the lines of a call and returns its result.
pub fn said<T>(method: &str, (result, lines): (T, impl IntoIterator<Item = Line>)) -> T {
    match print(method, lines) {
        None => succeeded(),
        first => keep(EngineError::ERR_INVALID_DATA, first),
    }
    result
}

/// Prints the error of a call that failed as a whole, and returns its code.
pub fn failed(method: &str, Failure { code, text }: Failure) -> EngineError {
    say(method, [Line::error(text)], code);
    code
}

/// Prints the lines of a job and returns its product.
pub fn done<T: From<Product>>(method: &str, Outcome { product, lines, code, .. }: Outcome) -> T {
    if lines.is_empty() && code == EngineError::OK {
        succeeded();
    } else {
        say(method, lines, code);
    }
    product.into()
}

/// Starts a task, which reports its own result.
pub fn started(method: &'static str, job: impl Job + 'static) -> Gd<VarBatchTask> {
    let task = task::start(method, job);
    succeeded();
    task
}

/// Records that a call succeeded.
#[inline]
pub fn succeeded() {
    if FAILED.load(Ordering::Relaxed) > 0 {
        keep(EngineError::OK, None);
    }
}

/// Returns the error code of this thread's last call.
pub fn last_error() -> EngineError {
    LAST.with_borrow(|last| last.as_ref().map_or(EngineError::OK, |error| error.code))
}

/// Returns the error message of this thread's last call.
pub fn last_message() -> String {
    LAST.with_borrow(|last| last.as_ref().map_or_else(String::new, |error| error.message.clone()))
}

/// Prints lines and returns the text of the first error.
fn print(method: &str, lines: impl IntoIterator<Item = Line>) -> Option<String> {
    let mut first = None;
    for line in lines {
        line.print("VarBatch", method);
        if !line.is_warning {
            first.get_or_insert(line.text);
        }
    }
    first
}

#[cold]
fn keep(code: EngineError, message: Option<String>) {
    let new = (code != EngineError::OK)
        .then(|| LastError { code, message: message.unwrap_or_else(|| engine::error_text(code)) });
    let is_failure = new.is_some();
    let old = LAST.replace(new);
    // Relaxed is enough: only this thread depends on its own count.
    match (old.is_some(), is_failure) {
        (false, true) => FAILED.fetch_add(1, Ordering::Relaxed),
        (true, false) => FAILED.fetch_sub(1, Ordering::Relaxed),
        _ => return,
    };
}

//! How a method ends: at once, when it prints its reports and keeps its error for `get_last_error`; or as a task.
//!
//! The error is kept last, because printing runs Loggers, which may call the class themselves.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{GString, Variant};
use godot::classes::RefCounted;
use godot::global::Error as EngineError;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};
use varbatch_workers::tasks::{Task, TaskEvent};

use crate::calls::line::add_task;
use crate::engine;
use crate::jobs::task::{AnyJob, Job, Shared};
use crate::jobs::{dispatch, pool};
use crate::report::{self, Line, Outcome, PRINTS};

thread_local! {
    /// The error and message of this thread's last call; `None` if that succeeded without a warning.
    static LAST: RefCell<Option<(EngineError, String)>> = const { RefCell::new(None) };
}

/// Number of threads whose last call has a message, including ended ones. While it is 0, a successful call costs one load.
static MESSAGES: AtomicUsize = AtomicUsize::new(0);

/// Ends a call and returns its value. Its message is the first error line, else the engine's text for the code; of a call
/// that succeeded, the first warning.
pub fn end<T>(method: &str, outcome: impl Into<Outcome<T>>) -> T {
    end_of("VarBatch", method, outcome)
}

pub fn end_of<T>(class: &str, method: &str, outcome: impl Into<Outcome<T>>) -> T {
    let Outcome { value, lines, code, .. } = outcome.into();
    if lines.is_empty() && code == EngineError::OK {
        succeeded();
    } else {
        report_lines(class, method, lines, code);
    }
    value
}

/// Ends a call that reports lines. Not inlined, as its stack would cost a call that succeeds time.
#[cold]
#[inline(never)]
pub fn end_with(method: &str, lines: Vec<Line>) {
    end(method, Outcome::new((), lines));
}

#[inline]
pub fn succeeded() {
    if MESSAGES.load(Ordering::Relaxed) > 0 {
        set_last(None);
    }
}

pub fn last() -> (EngineError, String) {
    LAST.with_borrow(Clone::clone).unwrap_or((EngineError::OK, String::new()))
}

#[cold]
fn report_lines(class: &str, method: &str, lines: Vec<Line>, code: EngineError) {
    report::print(PRINTS.get(), class, method, &lines);
    let is_ok = code == EngineError::OK;
    let first = lines.into_iter().find(|line| line.is_warning() == is_ok).map(|line| line.text);
    set_last((!is_ok || first.is_some()).then(|| (code, first.unwrap_or_else(|| engine::error_text(code)))));
}

#[cold]
fn set_last(new: Option<(EngineError, String)>) {
    let has_message = new.is_some();
    let old = LAST.replace(new);
    // Relaxed is enough: only this thread depends on its own count.
    match (old.is_some(), has_message) {
        (false, true) => MESSAGES.fetch_add(1, Ordering::Relaxed),
        (true, false) => MESSAGES.fetch_sub(1, Ordering::Relaxed),
        _ => return,
    };
}

#[derive(GodotClass)]
#[class(no_init, base = RefCounted)]
pub struct VarBatchTask {
    shared: Arc<Shared>,
    _base: Base<RefCounted>,
}

/// Starts a task, which reports its own result. The job must not borrow anything that scripts can change.
pub fn start(method: &'static str, job: impl Job + 'static) -> Gd<VarBatchTask> {
    start_of("VarBatch", method, job)
}

pub fn start_of(class: &'static str, method: &'static str, job: impl Job + 'static) -> Gd<VarBatchTask> {
    let shared = Shared::new(class, method, &job);
    let object = Gd::from_init_fn(|base| VarBatchTask { shared: Arc::clone(&shared), _base: base });
    shared.hold(object.clone().upcast());
    // Weak, because the task owns its listener. The object keeps `shared` alive until "finished" is emitted.
    let weak = Arc::downgrade(&shared);
    let tickets = job.tickets();
    let listener = move |task: &Arc<Task<AnyJob>>, event: TaskEvent| {
        dispatch::post(event, || weak.upgrade().inspect(|shared| shared.set_task(task)));
    };
    let task = pool::TASKS.start(&pool::threads(), Box::new(job), listener);
    add_task(&tickets, &task);
    shared.set_task(&task);
    // A Logger may run here: only now do other calls find the task by its tickets.
    dispatch::watch();
    succeeded();
    object
}

#[godot_api]
impl VarBatchTask {
    #[signal]
    fn progressed(fraction: f64);

    #[signal]
    fn finished(result: Variant);

    #[func]
    fn is_finished(&self) -> bool {
        self.shared.task().is_done()
    }

    #[func]
    fn get_progress(&self) -> f64 {
        f64::from(self.shared.task().progress())
    }

    #[func]
    fn get_result(&self) -> Variant {
        self.shared.with_end(|end| end.value.value().variant().clone()).unwrap_or_default()
    }

    #[func]
    fn get_error(&self) -> EngineError {
        self.shared.with_end(|end| end.code).unwrap_or(EngineError::OK)
    }

    #[func]
    fn get_error_message(&self) -> GString {
        self.shared.with_end(|end| GString::from(&end.message())).unwrap_or_default()
    }

    #[func(gd_self)]
    fn wait(this: Gd<Self>) -> Variant {
        let shared = Arc::clone(&this.bind().shared);
        shared.task().wait(&pool::threads());
        this.bind().get_result()
    }

    #[func(gd_self)]
    fn cancel(this: Gd<Self>) {
        let shared = Arc::clone(&this.bind().shared);
        shared.task().cancel();
    }
}

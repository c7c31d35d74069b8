//! Class `VarBatchTask`: a call that goes on in the background.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use godot::builtin::{GString, Variant};
use godot::classes::RefCounted;
use godot::global::Error as EngineError;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};
use varbatch_workers::tasks::{Task, TaskEvent};

use crate::engine::{Reference, Slot};
use crate::jobs::dispatch;
use crate::jobs::job::{AnyJob, Job, Outcome, slot_of};
use crate::jobs::pool;

/// What users read of it is in `docs/VarBatchTask.xml`.
#[derive(GodotClass)]
#[class(no_init, base = RefCounted)]
pub struct VarBatchTask {
    shared: Arc<Shared>,
    _base: Base<RefCounted>,
}

/// What the object, the work and the main thread know of each other. The object is kept by this, and this by the object,
/// until its end is told: so a task that nobody holds goes on.
pub struct Shared {
    method: &'static str,
    /// What a task that was cancelled gives.
    if_cancelled: fn() -> Slot,
    object: Mutex<Option<Reference<VarBatchTask>>>,
    task: OnceLock<Arc<Task<AnyJob>>>,
    end: Mutex<Option<End>>,
    /// Whether the main thread was asked to look at this, and has not yet.
    pub is_posted: AtomicBool,
    /// Bits of the f32 that was told last.
    told: AtomicU32,
}

/// What scripts can ask for at the end.
struct End {
    result: Slot,
    code: EngineError,
    message: String,
}

/// Starts a task. To be called while nothing is borrowed.
pub fn start(method: &'static str, job: impl Job + 'static) -> Gd<VarBatchTask> {
    let if_cancelled = if job.outlives_shut_down() { || slot_of(EngineError::ERR_SKIP) } else { Slot::new };
    let shared = Arc::new(Shared {
        method,
        if_cancelled,
        object: Mutex::new(None),
        task: OnceLock::new(),
        end: Mutex::new(None),
        is_posted: AtomicBool::new(false),
        told: AtomicU32::new(0),
    });
    let object = Gd::from_init_fn(|base| VarBatchTask { shared: Arc::clone(&shared), _base: base });
    *lock(&shared.object) = Some(Reference::new(object.clone()));
    // Weak, as the task keeps its listener. The object keeps the other end until it was told.
    let listener = {
        let shared = Arc::downgrade(&shared);
        move |task: &Arc<Task<AnyJob>>, event: TaskEvent| {
            if let Some(shared) = shared.upgrade() {
                shared.task.get_or_init(|| Arc::clone(task));
                dispatch::post(shared, event);
            }
        }
    };
    dispatch::watch();
    let task = pool::tasks().start(&pool::threads(), AnyJob(Box::new(job)), listener);
    shared.task.get_or_init(|| task);
    object
}

impl Shared {
    /// The task, as soon as it was started.
    fn task(&self) -> &Arc<Task<AnyJob>> {
        self.task.get().expect("is set before anybody has the object")
    }

    /// Gives what came of the task to `get`, if it has ended. Prints what there is to print when it is asked for first.
    fn with_end<R>(&self, get: impl FnOnce(&End) -> R) -> Option<R> {
        if !self.task().is_done() {
            return None;
        }
        let mut end = lock(&self.end);
        let mut lines = Vec::new();
        let end_now = end.get_or_insert_with(|| {
            let outcome = self.outcome();
            lines = outcome.lines;
            let mut texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
            if texts.is_empty() {
                texts.push(outcome.note);
            }
            End { result: outcome.result, code: outcome.code, message: texts.join("\n") }
        });
        let got = get(end_now);
        // Printing may run a script that asks again.
        drop(end);
        for line in lines {
            line.print("VarBatch", self.method);
        }
        Some(got)
    }

    fn outcome(&self) -> Outcome {
        match self.task().take() {
            Some(job) => job.0.outcome(),
            None if self.task().is_panicked() => {
                Outcome::failed((self.if_cancelled)(), EngineError::ERR_BUG, "it panicked, which is a bug of VarBatch")
            }
            None => Outcome::quiet((self.if_cancelled)(), EngineError::ERR_SKIP, ""),
        }
    }

    /// Emits how far the task is, if that is news. On the main thread.
    pub fn tell_progress(&self) {
        let Some(mut emitter) = lock(&self.object).as_ref().map(Reference::get) else { return };
        let progress = self.task().progress();
        if progress > f32::from_bits(self.told.swap(progress.to_bits(), Ordering::Relaxed)) {
            emitter.emit_signal("progressed", &[Variant::from(progress)]);
        }
    }

    /// Emits that the task has ended. On the main thread.
    pub fn tell_end(&self) {
        self.tell_progress();
        // Nobody keeps the object from here on but those who use it.
        let Some(object) = lock(&self.object).take() else { return };
        if let Some(result) = self.with_end(|end| end.result.value().variant().clone()) {
            object.get().emit_signal("finished", &[result]);
        }
    }

    /// Lets go of the object. What there is to print is printed. What is connected to it is left to it: a function that
    /// awaits it may hold it, and is dropped by the engine with what it holds if nobody disconnects it.
    pub fn release(&self) {
        self.with_end(|_| ());
        let object = lock(&self.object).take();
        drop(object);
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[godot_api]
impl VarBatchTask {
    /// A part was done. What users read: `docs/VarBatchTask.xml`.
    #[signal]
    fn progressed(fraction: f64);

    /// The task has ended. What users read: `docs/VarBatchTask.xml`.
    #[signal]
    fn finished(result: Variant);

    /// Whether the task has ended. What users read: `docs/VarBatchTask.xml`.
    #[func]
    fn is_finished(&self) -> bool {
        self.shared.task().is_done()
    }

    /// From 0 to 1. What users read: `docs/VarBatchTask.xml`.
    #[func]
    fn get_progress(&self) -> f64 {
        f64::from(self.shared.task().progress())
    }

    /// Null until the task has ended. What users read: `docs/VarBatchTask.xml`.
    #[func]
    fn get_result(&self) -> Variant {
        self.shared.with_end(|end| end.result.value().variant().clone()).unwrap_or_default()
    }

    /// `OK` until the task has ended. What users read: `docs/VarBatchTask.xml`.
    #[func]
    fn get_error(&self) -> EngineError {
        self.shared.with_end(|end| end.code).unwrap_or(EngineError::OK)
    }

    /// Empty until the task has ended. What users read: `docs/VarBatchTask.xml`.
    #[func]
    fn get_error_message(&self) -> GString {
        self.shared.with_end(|end| GString::from(&end.message)).unwrap_or_default()
    }

    /// Returns when the task has ended. What users read: `docs/VarBatchTask.xml`.
    #[func(gd_self)]
    fn wait(this: Gd<Self>) -> Variant {
        let shared = Arc::clone(&this.bind().shared);
        shared.task().wait(&pool::threads());
        this.bind().get_result()
    }

    /// Ends the task early. What users read: `docs/VarBatchTask.xml`.
    #[func(gd_self)]
    fn cancel(this: Gd<Self>) {
        let shared = Arc::clone(&this.bind().shared);
        shared.task().cancel();
    }
}

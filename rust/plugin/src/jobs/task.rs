//! A task: the job that it does step by step, and the state that it shares with its object and the main thread.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use godot::builtin::{Callable, Variant};
use godot::classes::RefCounted;
use godot::classes::object::ConnectFlags;
use godot::global::Error as EngineError;
use godot::meta::ToGodot;
use godot::obj::{EngineBitfield, Gd};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Task, Work};

use super::lock;
use crate::engine::{Reference, Slot};
use crate::report::{self, Failure, Outcome, PRINTS};

/// The size of a step, less than a millisecond, and the work of each value besides its bytes: in bytes of work.
pub const STEP: usize = 1 << 20;
pub const VALUE: usize = 256;

pub const FINISHED: &str = "finished";

/// The work of one call. A step that returns [`NextStep::Owner`] says that the next step may run scripts.
pub trait Job: Work {
    /// The numbers of the tickets by which other calls find the task of this job, to wait for it. It waits for the first one first.
    fn tickets(&self) -> Vec<u64> {
        Vec::new()
    }

    /// True if the result is an `Error`, also of a task that was cancelled.
    fn returns_code(&self) -> bool {
        self.outlives_shut_down()
    }

    /// Called once, after the last step, with the end locked: other values stay in the job, as scripts may run when they drop.
    fn outcome(&mut self) -> Outcome<Slot>;
}

pub type AnyJob = Box<dyn Job>;

impl Work for AnyJob {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        (**self).step(threads, report)
    }

    fn unblock(&mut self, threads: &Threads) {
        (**self).unblock(threads);
    }

    fn progress(&self) -> f32 {
        (**self).progress()
    }

    fn outlives_shut_down(&self) -> bool {
        (**self).outlives_shut_down()
    }

    fn is_parked(&self) -> bool {
        (**self).is_parked()
    }

    fn is_committed(&self) -> bool {
        (**self).is_committed()
    }
}

/// What the object, the work and the main thread share. It and the object keep each other alive until "finished".
#[derive(Default)]
pub struct Shared {
    class: &'static str,
    method: &'static str,
    returns_code: bool,
    /// False if the thread that started it wants no lines.
    prints: bool,
    object: Mutex<Option<Reference<Gd<RefCounted>>>>,
    task: OnceLock<Arc<Task<AnyJob>>>,
    /// The outcome, once a script or the main thread has asked for it.
    end: Mutex<Option<Outcome<Slot>>>,
    /// True if progress was posted that the main thread has not read yet.
    pub is_posted: AtomicBool,
    /// Bits of the f32 progress that was emitted last.
    emitted: AtomicU32,
}

impl Shared {
    pub fn new(class: &'static str, method: &'static str, job: &dyn Job) -> Arc<Self> {
        let (returns_code, prints) = (job.returns_code(), PRINTS.get());
        Arc::new(Self { class, method, returns_code, prints, ..Self::default() })
    }

    pub fn hold(&self, object: Gd<RefCounted>) {
        *lock(&self.object) = Some(Reference::new(object));
    }

    /// Sets the task, unless it is already set: its listener may run before the task is returned.
    pub fn set_task(&self, task: &Arc<Task<AnyJob>>) {
        self.task.get_or_init(|| Arc::clone(task));
    }

    pub fn task(&self) -> &Arc<Task<AnyJob>> {
        self.task.get().expect("is set before anybody has the object")
    }

    /// Calls `get` with the outcome of the task, if it has ended. The first such call prints the lines.
    pub fn with_end<R>(&self, get: impl FnOnce(&Outcome<Slot>) -> R) -> Option<R> {
        if !self.task().is_done() {
            return None;
        }
        let mut end = lock(&self.end);
        let (mut lines, mut job) = (Vec::new(), None);
        let end_now = end.get_or_insert_with(|| {
            job = self.task().take();
            let outcome = self.outcome(job.as_mut());
            lines.clone_from(&outcome.lines);
            outcome
        });
        let got = get(end_now);
        // Unlock first: printing, and dropping what the job still holds, may run scripts that call this again.
        drop(end);
        drop(job);
        report::print(self.prints, self.class, self.method, &lines);
        Some(got)
    }

    fn outcome(&self, job: Option<&mut AnyJob>) -> Outcome<Slot> {
        let nothing = if self.returns_code { Slot::from(EngineError::ERR_SKIP.to_variant()) } else { Slot::new() };
        match job {
            Some(job) => job.outcome(),
            None if self.task().is_panicked() => {
                Outcome::failed(nothing, Failure::new(EngineError::ERR_BUG, "it panicked, which is a bug in VarBatch"))
            }
            None => Outcome { code: EngineError::ERR_SKIP, ..Outcome::new(nothing, Vec::new()) },
        }
    }

    /// Emits "progressed" if the progress has grown. On the main thread.
    pub fn emit_progress(&self) {
        let Some(mut emitter) = lock(&self.object).as_ref().map(Reference::get) else { return };
        let progress = self.task().progress();
        if progress > f32::from_bits(self.emitted.swap(progress.to_bits(), Ordering::Relaxed)) {
            emitter.emit_signal("progressed", &[Variant::from(progress)]);
        }
    }

    /// Emits "finished", and returns the object. On the main thread.
    pub fn emit_end(&self) -> Option<Gd<RefCounted>> {
        self.emit_progress();
        // From here on, only scripts keep the object alive.
        let object = lock(&self.object).take()?.get();
        self.tell(&object);
        Some(object)
    }

    /// Emits "finished", and disconnects whoever was told: who is connected later came too late. On the main thread.
    pub fn tell(&self, object: &Gd<RefCounted>) {
        let Some(result) = self.with_end(|end| end.value.value().variant().clone()) else { return };
        let mut object = object.clone();
        let told = object.get_signal_connection_list(FINISHED);
        object.emit_signal(FINISHED, &[result]);
        for connection in told.iter_shared() {
            // The engine has disconnected such a listener, which may have connected again.
            if connection.at("flags").to::<ConnectFlags>().is_set(ConnectFlags::ONE_SHOT) {
                continue;
            }
            let callable: Callable = connection.at("callable").to();
            // More than once if the connection counts references.
            while object.is_connected(FINISHED, &callable) {
                object.disconnect(FINISHED, &callable);
            }
        }
    }

    /// Drops the reference to the object and prints the lines. Connections stay: a function that awaits the object may
    /// hold it, and the engine drops both as long as the signal stays connected.
    pub fn release(&self) {
        self.with_end(|_| ());
        let _object = lock(&self.object).take();
    }
}

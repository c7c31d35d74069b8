//! Class `VarBatchTask`: a call that runs in the background.

use std::sync::Arc;

use godot::builtin::{GString, Variant};
use godot::classes::RefCounted;
use godot::global::Error as EngineError;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};
use varbatch_workers::tasks::{Task, TaskEvent};

use super::ending::succeeded;
use crate::calls::save::{add_task, remove_task};
use crate::jobs::job::{AnyJob, Job};
use crate::jobs::task::Shared;
use crate::jobs::{dispatch, pool};

/// Documented for users in `docs/VarBatchTask.xml`.
#[derive(GodotClass)]
#[class(no_init, base = RefCounted)]
pub struct VarBatchTask {
    shared: Arc<Shared>,
    _base: Base<RefCounted>,
}

/// Starts a task, which reports its own result. The job must not borrow anything that scripts can change.
pub fn start(method: &'static str, job: impl Job + 'static) -> Gd<VarBatchTask> {
    let shared = Shared::new(method, &job);
    let object = Gd::from_init_fn(|base| VarBatchTask { shared: Arc::clone(&shared), _base: base });
    shared.hold(object.clone().upcast());
    // Weak, because the task owns its listener. The object keeps `shared` alive until "finished" is emitted.
    let weak = Arc::downgrade(&shared);
    let ticket = job.ticket();
    let listener = move |task: &Arc<Task<AnyJob>>, event: TaskEvent| {
        if event == TaskEvent::Finished {
            ticket.into_iter().for_each(remove_task);
        }
        if let Some(shared) = weak.upgrade() {
            shared.set_task(task);
            dispatch::post(shared, event);
        }
    };
    dispatch::watch();
    let task = pool::tasks().start(&pool::threads(), Box::new(job), listener);
    ticket.into_iter().for_each(|ticket| add_task(ticket, &task));
    shared.set_task(&task);
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

//! From the threads of tasks to the main thread: signals, and the work that only it may do.
//!
//! The engine calls an object of ours between two frames when it is asked to (`call_deferred`, from any thread), and each
//! frame while there is work for the main thread. It is called by name, never by a closure: a message that is still in the
//! engine's queue when the library is unloaded must hold nothing of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use godot::builtin::Callable;
use godot::classes::{Engine, Object, SceneTree};
use godot::obj::{Base, Gd, Singleton};
use godot::register::{GodotClass, godot_api};
use varbatch_codec::tasks::Event;

use super::{Shared, lock};
use crate::engine::Reference;
use crate::pool;

/// How long the main thread works on tasks in each frame, if it has to.
const FRAME: Duration = Duration::from_millis(3);

static DISPATCHER: Mutex<Option<Reference<VarBatchDispatcher>>> = Mutex::new(None);

/// Tasks that have got on, and those that have ended, in this order.
static PROGRESSED: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());
static ENDED: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());

/// Whether tasks have asked for the main thread's work.
static IS_WAITING: AtomicBool = AtomicBool::new(false);

/// Whether the main thread will hear of the end of the game.
static IS_WATCHING: AtomicBool = AtomicBool::new(false);

/// Whether the engine was asked for a call that has not come yet.
static IS_CALLED: AtomicBool = AtomicBool::new(false);

/// What the engine calls. Not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = Object)]
struct VarBatchDispatcher {
    _base: Base<Object>,
}

#[godot_api]
impl VarBatchDispatcher {
    /// Between two frames.
    #[func]
    fn deliver() {
        if !IS_WATCHING.swap(true, Ordering::AcqRel) {
            watch_end();
        }
        // Before anything is looked at: what comes from now on is called for again.
        IS_CALLED.store(false, Ordering::Release);
        let (progressed, ended) = (std::mem::take(&mut *lock(&PROGRESSED)), std::mem::take(&mut *lock(&ENDED)));
        for shared in progressed {
            // As above.
            shared.is_posted.store(false, Ordering::Release);
            shared.tell_progress();
        }
        for shared in ended {
            shared.tell_end();
        }
        if IS_WAITING.swap(false, Ordering::AcqRel) {
            work_each_frame();
        }
    }

    /// When the game ends, and scripts are still there: a signal that is connected to one must not outlive it.
    #[func]
    fn end() {
        pool::shut_down();
        release();
    }

    /// Each frame.
    #[func]
    fn work() {
        if !pool::tasks().run_slice(FRAME)
            && let (Some(mut tree), Some(callable)) = (tree(), callable("work"))
            && tree.is_connected("process_frame", &callable)
        {
            tree.disconnect("process_frame", &callable);
        }
    }
}

/// Makes sure that the main thread hears of the end of the game. From any thread.
pub(super) fn watch() {
    if !IS_WATCHING.load(Ordering::Acquire) {
        call_soon();
    }
}

/// Lets the main thread look at a task soon. From any thread.
pub(super) fn post(shared: Arc<Shared>, event: Event) {
    match event {
        Event::Finished => lock(&ENDED).push(shared),
        _ if shared.is_posted.swap(true, Ordering::AcqRel) => return wake(event),
        _ => lock(&PROGRESSED).push(shared),
    }
    call_soon();
    wake(event);
}

/// Lets the main thread work on tasks, if one waits for it. From any thread.
pub(super) fn wake(event: Event) {
    if event == Event::Waiting && !IS_WAITING.swap(true, Ordering::AcqRel) {
        call_soon();
    }
}

/// Lets the engine call [`VarBatchDispatcher::deliver`], once for all who ask before it does.
fn call_soon() {
    if !IS_CALLED.swap(true, Ordering::AcqRel) {
        dispatcher().call_deferred("deliver", &[]);
    }
}

fn dispatcher() -> Gd<VarBatchDispatcher> {
    let new = || Reference::new(Gd::from_init_fn(|base| VarBatchDispatcher { _base: base }));
    lock(&DISPATCHER).get_or_insert_with(new).get()
}

fn callable(method: &str) -> Option<Callable> {
    lock(&DISPATCHER).as_ref().map(|dispatcher| Callable::from_object_method(&dispatcher.get(), method))
}

fn tree() -> Option<Gd<SceneTree>> {
    Engine::singleton().get_main_loop()?.try_cast().ok()
}

fn work_each_frame() {
    match (tree(), callable("work")) {
        (Some(mut tree), Some(callable)) => {
            if !tree.is_connected("process_frame", &callable) {
                tree.connect("process_frame", &callable);
            }
        }
        // A main loop that has no frames to hold up.
        _ => while pool::tasks().run_slice(FRAME) {},
    }
}

fn watch_end() {
    if let (Some(mut tree), Some(callable)) = (tree(), callable("end"))
        && let Ok(mut root) = tree.call("get_root", &[]).try_to::<Gd<Object>>()
    {
        root.connect("tree_exiting", &callable);
    }
}

/// Lets go of the objects of all tasks, which have ended. Nobody is told any more.
fn release() {
    lock(&PROGRESSED).clear();
    for shared in std::mem::take(&mut *lock(&ENDED)) {
        shared.release();
    }
}

/// Lets go of all objects. To be called when all tasks have ended.
pub fn shut_down() {
    release();
    if let Some(dispatcher) = lock(&DISPATCHER).take() {
        dispatcher.get().free();
    }
    IS_CALLED.store(false, Ordering::Relaxed);
    IS_WATCHING.store(false, Ordering::Relaxed);
}

//! Brings signals, and work that only the main thread may do, from the threads of tasks to the main thread.
//!
//! Threads leave news in a list, which the main thread reads in each frame of the SceneTree, so that none get lost. A
//! deferred call connects to the frames, or replaces them in another main loop. The engine gives a thread that loads resources
//! its own message queue, which may be dropped: so only the main thread, or one the engine has never seen, makes such calls.
//!
//! The engine calls an object of ours by name, never a closure: a message that outlives the library must not refer to it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::Duration;

use godot::builtin::{Callable, StringName};
use godot::classes::{Engine, MainLoop, RefCounted, SceneTree};
use godot::global::godot_warn;
use godot::init::is_main_thread;
use godot::obj::{Gd, Singleton};
use godot::register::{GodotClass, godot_api};
use varbatch_workers::join_later;
use varbatch_workers::tasks::{Task, TaskEvent};

use super::task::{AnyJob, FINISHED, Shared};
use super::{lock, pool};
use crate::engine::Reference;

/// Time per frame that the main thread may work on tasks, and max tasks of [`ENDED`] that it looks at. And max rounds of ending
/// tasks when the library is unloaded: scripts that receive "finished" may start more.
const FRAME: Duration = Duration::from_millis(3);
const LOOKS: usize = 128;
const ROUNDS: usize = 10;

static DISPATCHER: Mutex<Option<Reference<Gd<VarBatchDispatcher>>>> = Mutex::new(None);

/// Tasks that have progressed or ended, in this order.
static NEWS: Mutex<Vec<(Arc<Shared>, TaskEvent)>> = Mutex::new(Vec::new());

/// Ended tasks that scripts still hold, the latest first: the engine does not say when somebody connects to them.
static ENDED: Mutex<VecDeque<Ended>> = Mutex::new(VecDeque::new());

type Ended = (Arc<Shared>, Reference<Gd<RefCounted>>);

/// True if tasks wait for the main thread to work on them; and if each frame and the end of the game call the dispatcher.
static IS_WAITING: AtomicBool = AtomicBool::new(false);
static IS_CONNECTED: AtomicBool = AtomicBool::new(false);

static IS_REQUESTED: Mutex<bool> = Mutex::new(false);

/// The object that the engine calls. Not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = Object)]
struct VarBatchDispatcher {}

#[godot_api]
impl VarBatchDispatcher {
    /// Runs as a deferred call.
    #[func]
    fn deliver() {
        // Before reading any news: news that arrives from now on requests another call.
        *lock(&IS_REQUESTED) = false;
        let has_frames = connect();
        emit_news();
        // A main loop that is not a SceneTree has no frames to delay.
        while work() && !has_frames {}
    }

    #[func]
    fn frame() {
        tell_late(LOOKS);
        emit_news();
        work();
    }

    /// Runs when the game ends, while scripts still exist: a signal that is connected to a script must not outlive it.
    #[func]
    fn end() {
        pool::shut_down();
        release();
    }
}

/// Connects to the frames and the end of the game, now or soon. From any thread.
pub fn watch() {
    if !(IS_CONNECTED.load(Ordering::Acquire) || is_main_thread() && connect()) {
        request_call();
    }
}

/// Notifies the main thread of an event of a task. From any thread.
pub fn post(event: TaskEvent, shared: impl FnOnce() -> Option<Arc<Shared>>) {
    if event == TaskEvent::Waiting {
        // It may come late, when `shared` would be the last reference: values, and objects in them, would end here.
        if IS_WAITING.swap(true, Ordering::AcqRel) {
            return;
        }
    } else {
        let Some(shared) = shared() else { return };
        if event == TaskEvent::Progressed && shared.is_posted.swap(true, Ordering::AcqRel) {
            return;
        }
        lock(&NEWS).push((shared, event));
    }
    request_call();
}

/// Starts work that no object tells of. Calls `begun` with its task, before anything runs that may be a script.
pub fn start_alone(job: AnyJob, begun: impl FnOnce(&Arc<Task<AnyJob>>)) {
    let task = pool::TASKS.start(&pool::threads(), job, |_, event| post(event, || None));
    begun(&task);
    watch();
}

/// Requests a deferred call of [`VarBatchDispatcher::deliver`], unless frames are connected or one is requested.
fn request_call() {
    if IS_CONNECTED.load(Ordering::Acquire) {
        return;
    }
    let mut is_requested = lock(&IS_REQUESTED);
    if std::mem::replace(&mut *is_requested, true) {
        return;
    }
    let call = || _ = dispatcher().call_deferred("deliver", &[]);
    if is_main_thread() {
        // Unlock first: the engine prints if its queue is full, and a Logger may call this again.
        drop(is_requested);
        return call();
    }
    let thread = Builder::new().name("varbatch-ask".to_owned()).spawn(call);
    // If the thread could not be spawned, the next call of `request_call` tries again.
    *is_requested = thread.is_ok();
    drop(is_requested);
    thread.into_iter().for_each(join_later);
}

/// Connects to each frame and the end of the game. Returns false as long as there is no SceneTree. On the main thread.
fn connect() -> bool {
    let Some(mut tree) = main_loop().and_then(|main_loop| main_loop.try_cast::<SceneTree>().ok()) else { return false };
    if !IS_CONNECTED.swap(true, Ordering::AcqRel) {
        let callable = |method| Callable::from_object_method(&dispatcher(), method);
        tree.connect("process_frame", &callable("frame"));
        if let Some(mut root) = tree.get_root() {
            root.connect("tree_exiting", &callable("end"));
        }
    }
    true
}

/// Emits the signals of tasks that have news. Returns false if there is no news. On the main thread.
fn emit_news() -> bool {
    let news = std::mem::take(&mut *lock(&NEWS));
    let is_any = !news.is_empty();
    for (shared, event) in news {
        if event == TaskEvent::Finished {
            let ended = shared.emit_end().filter(|object| object.get_reference_count() > 1);
            // Without frames, nobody would look at it.
            if let Some(object) = ended.filter(|_| IS_CONNECTED.load(Ordering::Acquire)) {
                lock(&ENDED).push_front((shared, Reference::new(object)));
            }
        } else {
            // Before reading the progress: later progress is posted again.
            shared.is_posted.store(false, Ordering::Release);
            shared.emit_progress();
        }
    }
    is_any
}

/// Emits "finished" for who connected after the end, and forgets tasks that no script holds: of up to `max`, which take turns.
fn tell_late(max: usize) {
    let mut ended = lock(&ENDED);
    if ended.is_empty() {
        return;
    }
    let len = ended.len().min(max);
    let looked_at: Vec<_> = ended.drain(..len).collect();
    // Unlock first: scripts run.
    drop(ended);
    let finished = StringName::from(FINISHED);
    for (shared, object) in looked_at {
        let object = object.into_inner();
        if object.has_connections(&finished) {
            shared.tell(&object);
        }
        if object.get_reference_count() > 1 {
            lock(&ENDED).push_back((shared, Reference::new(object)));
        }
    }
}

/// Works on waiting tasks for up to [`FRAME`]. Returns true if more work may remain. On the main thread.
fn work() -> bool {
    let is_left = IS_WAITING.swap(false, Ordering::AcqRel) && pool::TASKS.run_slice(FRAME);
    if is_left {
        IS_WAITING.store(true, Ordering::Release);
    }
    is_left
}

fn dispatcher() -> Gd<VarBatchDispatcher> {
    let new = || Reference::new(Gd::from_object(VarBatchDispatcher {}));
    lock(&DISPATCHER).get_or_insert_with(new).get()
}

fn main_loop() -> Option<Gd<MainLoop>> {
    Engine::singleton().get_main_loop()
}

/// Releases the objects of all ended tasks, without emitting signals.
fn release() {
    let news = std::mem::take(&mut *lock(&NEWS));
    news.iter().filter(|(_, event)| *event == TaskEvent::Finished).for_each(|(shared, _)| shared.release());
    let _ended = std::mem::take(&mut *lock(&ENDED));
}

/// Ends all tasks and threads, and releases all objects. The library may be unloaded after this.
pub fn shut_down() {
    for round in 0.. {
        pool::shut_down();
        if main_loop().is_none() {
            break;
        }
        // The editor reloads the library while scripts live on: this is the last chance to emit their signals.
        let left = lock(&NEWS).iter().filter(|(_, event)| *event == TaskEvent::Finished).count();
        if left > 0 && round == ROUNDS {
            godot_warn!(
                "VarBatch was unloaded while scripts kept starting tasks: {left} of them never emit \"finished\""
            );
        }
        tell_late(usize::MAX);
        if round == ROUNDS || !emit_news() {
            break;
        }
    }
    release();
    *lock(&IS_REQUESTED) = false;
    let dispatcher = lock(&DISPATCHER).take();
    dispatcher.into_iter().for_each(|dispatcher| dispatcher.get().free());
    IS_WAITING.store(false, Ordering::Relaxed);
    IS_CONNECTED.store(false, Ordering::Relaxed);
}

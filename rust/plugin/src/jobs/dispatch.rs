//! From the threads of tasks to the main thread: signals, and the work that only it may do.
//!
//! Threads leave news, and each frame of the SceneTree the main thread looks for them. Nothing can get lost on the way. A
//! deferred call leads to the first frame, and stands for frames in a main loop that is no SceneTree. The engine gives a thread
//! that loads resources a message queue of its own, which is flushed there or dropped with what is in it. So deferred calls are
//! made by the main thread, or by a thread that the engine has never seen.
//!
//! The engine calls an object of ours by name, never a closure: a message that is still in its queue when the library is
//! unloaded must hold nothing of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use godot::builtin::Callable;
use godot::classes::{Engine, MainLoop, Object, SceneTree};
use godot::global::godot_warn;
use godot::init::is_main_thread;
use godot::obj::{Base, Gd, Singleton};
use godot::register::{GodotClass, godot_api};
use varbatch_workers::tasks::TaskEvent;

use super::task::Shared;
use super::{lock, pool};
use crate::engine::Reference;

/// Time that the main thread works on tasks in each frame, if it has to.
const FRAME: Duration = Duration::from_millis(3);

/// Rounds in which tasks end when the library is unloaded: scripts that hear of an end may start more.
const ROUNDS: usize = 10;

static DISPATCHER: Mutex<Option<Reference<VarBatchDispatcher>>> = Mutex::new(None);

/// Tasks that have got on, and those that have ended, in this order.
static NEWS: Mutex<News> = Mutex::new(News { progressed: Vec::new(), ended: Vec::new() });

/// True if tasks have asked for the main thread's work.
static IS_WAITING: AtomicBool = AtomicBool::new(false);

/// True if each frame and the end of the game lead here.
static IS_CONNECTED: AtomicBool = AtomicBool::new(false);

static ASKED: Mutex<Asked> = Mutex::new(Asked { is_asked: false, thread: None });

#[derive(Default)]
struct News {
    progressed: Vec<Arc<Shared>>,
    ended: Vec<Arc<Shared>>,
}

/// True if the engine was asked for a deferred call that has not come yet.
struct Asked {
    is_asked: bool,
    /// The thread that asked for the last one.
    thread: Option<JoinHandle<()>>,
}

/// The object that the engine calls. Not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = Object)]
struct VarBatchDispatcher {
    _base: Base<Object>,
}

#[godot_api]
impl VarBatchDispatcher {
    /// Runs as a deferred call.
    #[func]
    fn deliver() {
        // Before anything is looked at: what comes from now on is asked for again.
        lock(&ASKED).is_asked = false;
        let has_frames = connect();
        tell();
        // A main loop that is no SceneTree has no frames to hold up.
        while work() && !has_frames {}
    }

    /// Runs in each frame.
    #[func]
    fn frame() {
        tell();
        work();
    }

    /// Runs when the game ends, while scripts are still there: a signal that is connected to one must not outlive it.
    #[func]
    fn end() {
        pool::shut_down();
        release();
    }
}

/// Makes sure that frames and the end of the game lead here. From any thread.
pub fn watch() {
    if !is_main_thread() || !connect() {
        ask();
    }
}

/// Lets the main thread look at a task soon. From any thread.
pub fn post(shared: Arc<Shared>, event: TaskEvent) {
    match event {
        TaskEvent::Finished => lock(&NEWS).ended.push(shared),
        TaskEvent::Progressed if shared.is_posted.swap(true, Ordering::AcqRel) => return,
        TaskEvent::Progressed => lock(&NEWS).progressed.push(shared),
        TaskEvent::Waiting => return wake(event),
    }
    ask();
}

/// Lets the main thread work on tasks, if one waits for it. From any thread.
pub fn wake(event: TaskEvent) {
    if event == TaskEvent::Waiting && !IS_WAITING.swap(true, Ordering::AcqRel) {
        ask();
    }
}

/// Lets the engine call [`VarBatchDispatcher::deliver`] where frames do not lead here, once for all who ask before it does.
fn ask() {
    if IS_CONNECTED.load(Ordering::Acquire) {
        return;
    }
    let mut asked = lock(&ASKED);
    if std::mem::replace(&mut asked.is_asked, true) {
        return;
    }
    let call = || _ = dispatcher().call_deferred("deliver", &[]);
    if is_main_thread() {
        return call();
    }
    if let Some(last) = asked.thread.take() {
        // It has asked long ago.
        _ = last.join();
    }
    asked.thread = Builder::new().name("varbatch-ask".to_owned()).spawn(call).ok();
    // Without a thread, whoever asks next tries again.
    asked.is_asked = asked.thread.is_some();
}

/// Lets each frame and the end of the game lead here. False if the main loop is no SceneTree, or not there yet. On the main
/// thread.
fn connect() -> bool {
    let Some(mut tree) = main_loop().and_then(|main_loop| main_loop.try_cast::<SceneTree>().ok()) else { return false };
    if !IS_CONNECTED.swap(true, Ordering::AcqRel) {
        let callable = |method| Callable::from_object_method(&dispatcher(), method);
        tree.connect("process_frame", &callable("frame"));
        if let Ok(mut root) = tree.call("get_root", &[]).try_to::<Gd<Object>>() {
            root.connect("tree_exiting", &callable("end"));
        }
    }
    true
}

/// Emits the signals of tasks that there is news of. False if there is none. On the main thread.
fn tell() -> bool {
    let News { progressed, ended } = std::mem::take(&mut *lock(&NEWS));
    let is_any = !progressed.is_empty() || !ended.is_empty();
    for shared in progressed {
        // Before it is looked at, as above.
        shared.is_posted.store(false, Ordering::Release);
        shared.tell_progress();
    }
    for shared in ended {
        shared.tell_end();
    }
    is_any
}

/// Works on tasks that have asked for it, as long as a frame may take. Whether there may be more to do. On the main thread.
fn work() -> bool {
    let is_left = IS_WAITING.swap(false, Ordering::AcqRel) && pool::tasks().run_slice(FRAME);
    if is_left {
        IS_WAITING.store(true, Ordering::Release);
    }
    is_left
}

fn dispatcher() -> Gd<VarBatchDispatcher> {
    let new = || Reference::new(Gd::from_init_fn(|base| VarBatchDispatcher { _base: base }));
    lock(&DISPATCHER).get_or_insert_with(new).get()
}

fn main_loop() -> Option<Gd<MainLoop>> {
    Engine::singleton().get_main_loop()
}

/// Lets go of the objects of all tasks, which have ended. Nobody is told any more.
fn release() {
    let News { ended, .. } = std::mem::take(&mut *lock(&NEWS));
    for shared in ended {
        shared.release();
    }
}

/// Ends all tasks and the threads, and lets go of all objects. The library may be unloaded after this.
pub fn shut_down() {
    for round in 0.. {
        pool::shut_down();
        if main_loop().is_none() {
            break;
        }
        // The editor reloads the library, and scripts go on: they hear of the end now or never.
        let left = lock(&NEWS).ended.len();
        if left > 0 && round == ROUNDS {
            godot_warn!(
                "VarBatch was unloaded while scripts went on starting tasks: {left} of them never emit \"finished\""
            );
        }
        if round == ROUNDS || !tell() {
            break;
        }
    }
    release();
    let Asked { thread, .. } = std::mem::replace(&mut *lock(&ASKED), Asked { is_asked: false, thread: None });
    if let Some(thread) = thread {
        _ = thread.join();
    }
    if let Some(dispatcher) = lock(&DISPATCHER).take() {
        dispatcher.get().free();
    }
    IS_WAITING.store(false, Ordering::Relaxed);
    IS_CONNECTED.store(false, Ordering::Relaxed);
}

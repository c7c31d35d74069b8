//! Values to a file and back, step by step.

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_storage::Replaced;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use crate::calls::encode::{Form, Run, into_plans, plan_held, slices};
use crate::calls::files::{self, Contents, Failure};
use crate::calls::load::{Loading, values};
use crate::calls::save::Saving;
use crate::engine::{self, FlagArg, Slot};
use crate::jobs::dispatch;
use crate::jobs::job::{AnyJob, Job, Outcome, PIECES, slot_of};
use crate::jobs::pool;
use crate::report::Line;
use crate::value::walk::Lost;

/// What is said of a save that was overtaken.
const OVERTAKEN: &str = "a later save of the same file is in its place";

/// What is said of a file that nobody has saved yet: what the engine calls the code.
const MISSING: &str = "File not found";

/// Values that were planned, to a file.
pub struct Save {
    saving: Result<Saving, Failure>,
    /// What there is to say if it is saved.
    warning: Option<Line>,
}

impl Save {
    pub fn new(path: &GString, contents: &Contents<'_>, full_objects: FlagArg, compression_mode: i64) -> Self {
        let mut warning = None;
        let saving =
            files::to_save(path, contents, full_objects, compression_mode).and_then(|(target, full_objects)| {
                let values = contents.values();
                let (runs, encoded, reports) = plan_held(&values, full_objects, Form::Frames);
                target.check(&reports)?;
                let is_lossy = runs.iter().any(Run::is_lossy);
                let lost = Lost::of(engine::values(&values), &slices(&encoded), is_lossy);
                warning = lost.map(|lost| target.warning(&lost));
                Ok(Saving::new(target, into_plans(runs)))
            });
        Self { saving, warning }
    }
}

impl Job for Save {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        match self.saving.as_mut().map(|saving| saving.step(threads)) {
            Ok(Ok(step)) => step,
            Ok(Err(failure)) => {
                // With that goes what was written.
                self.saving = Err(failure);
                NextStep::Done
            }
            Err(_) => NextStep::Done,
        }
    }

    fn progress(&self) -> f32 {
        self.saving.as_ref().map_or(0.0, Saving::progress)
    }

    /// Whoever closes the game does not want to lose what it saves.
    fn outlives_shut_down(&self) -> bool {
        true
    }

    fn outcome(self: Box<Self>) -> Outcome {
        match self.saving {
            Ok(saving) if saving.is_overtaken() => Outcome::quiet(slot_of(EngineError::OK), EngineError::OK, OVERTAKEN),
            Ok(_) => {
                let lines = self.warning.into_iter().collect();
                Outcome::with_lines(slot_of(EngineError::OK), lines, EngineError::OK)
            }
            Err(Failure { code, text }) => Outcome::failed(slot_of(code), code, text),
        }
    }
}

/// A file to its values, or to the only one.
pub struct Load {
    path: String,
    loading: Result<Loading, Failure>,
    /// Stands for the only value if there is none; `None` if all values are wanted.
    default: Option<Slot>,
}

impl Load {
    pub fn all(path: &GString, allow_objects: FlagArg) -> Self {
        let loading =
            files::to_load(path, allow_objects).map(|(loader, allow_objects)| Loading::new(loader, allow_objects));
        Self { path: path.to_string(), loading, default: None }
    }

    pub fn only(path: &GString, default: Slot, allow_objects: FlagArg) -> Self {
        Self { default: Some(default), ..Self::all(path, allow_objects) }
    }
}

impl Job for Load {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        self.loading.as_mut().map_or(NextStep::Done, |loading| loading.step(PIECES * threads.count(), threads, report))
    }

    fn progress(&self) -> f32 {
        self.loading.as_ref().map_or(0.0, Loading::progress)
    }

    fn outcome(self: Box<Self>) -> Outcome {
        let loaded = self.loading.map(|loading| loading.finish().of_file(&self.path));
        let (result, lines, code) = match self.default {
            Some(default) => values::only(&self.path, loaded, default),
            None => {
                let (values, lines, code) = values::all(loaded);
                (values.into_slot(), lines, code)
            }
        };
        match code {
            EngineError::ERR_FILE_NOT_FOUND if lines.is_empty() => Outcome::quiet(result, code, MISSING),
            code => Outcome::with_lines(result, lines, code),
        }
    }
}

/// From this many bytes on, it takes the system long to free a file that was replaced.
const SLOW_TO_FREE: u64 = 4 << 20;

/// Frees a file that was replaced, in the background if that takes long and there are threads for it.
pub fn dispose(replaced: Option<Replaced>) {
    let Some(file) = replaced.filter(|file| file.len() >= SLOW_TO_FREE) else { return };
    let threads = pool::threads();
    if threads.count() > 1 {
        pool::tasks().start(&threads, AnyJob(Box::new(Dispose { file: Some(file), has_begun: false })), |_, event| {
            dispatch::wake(event);
        });
    }
}

struct Dispose {
    file: Option<Replaced>,
    has_begun: bool,
}

impl Job for Dispose {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        if !std::mem::replace(&mut self.has_begun, true) {
            return NextStep::Blocking;
        }
        self.file = None;
        NextStep::Done
    }

    fn progress(&self) -> f32 {
        0.0
    }

    fn outcome(self: Box<Self>) -> Outcome {
        Outcome::quiet(Slot::new(), EngineError::OK, "")
    }
}

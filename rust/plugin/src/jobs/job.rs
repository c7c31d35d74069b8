//! What tasks do, one kind of call each, a step at a time.

use std::fmt::Display;

use godot::global::Error as EngineError;
use godot::obj::EngineEnum;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use crate::engine::Slot;
use crate::report::{Line, Reports, Subject};

/// Bytes that a step works on: less than a millisecond.
pub const STEP: usize = 1 << 20;

/// Pieces of a stream that a step loads, for each thread.
pub const PIECES: usize = 1;

/// Each value is as much work as so many bytes.
pub const VALUE: usize = 256;

/// What came of a task.
pub struct Outcome {
    /// What the plain call would have returned.
    pub result: Slot,
    /// What is printed.
    pub lines: Vec<Line>,
    /// What is said when asked for, where nothing is printed.
    pub note: &'static str,
    /// `OK` if nothing failed.
    pub code: EngineError,
}

/// The work of one task.
pub trait Job: Send {
    /// See [`Work::step`].
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep;

    /// See [`Work::progress`].
    fn progress(&self) -> f32;

    /// See [`Work::outlives_shut_down`].
    fn outlives_shut_down(&self) -> bool {
        false
    }

    /// What came of it, when it is done.
    fn outcome(self: Box<Self>) -> Outcome;
}

/// A job of any kind.
pub struct AnyJob(pub Box<dyn Job>);

impl Work for AnyJob {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        self.0.step(threads, report)
    }

    fn progress(&self) -> f32 {
        self.0.progress()
    }

    fn outlives_shut_down(&self) -> bool {
        self.0.outlives_shut_down()
    }
}

impl Outcome {
    /// Of what there is nothing to print about.
    pub fn quiet(result: Slot, code: EngineError, note: &'static str) -> Self {
        Self { result, lines: Vec::new(), note, code }
    }

    /// Of what went as `code` says, with `lines` to print.
    pub fn with_lines(result: Slot, lines: Vec<Line>, code: EngineError) -> Self {
        Self { result, lines, note: "", code }
    }

    /// Of a batch with these reports; `bad` is the code if a value failed.
    pub fn of_batch(result: Slot, subject: &Subject<'_>, reports: &Reports, bad: EngineError) -> Self {
        let code = if reports.has_errors() { bad } else { EngineError::OK };
        Self::with_lines(result, reports.lines(subject), code)
    }

    /// Of what failed as a whole.
    pub fn failed(result: Slot, code: EngineError, text: impl Display) -> Self {
        Self::with_lines(result, vec![Line::error(text)], code)
    }
}

/// A code as a result.
pub fn slot_of(code: EngineError) -> Slot {
    let mut slot = Slot::new();
    slot.set_int(i64::from(code.ord()));
    slot
}

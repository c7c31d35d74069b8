//! Defines a job, the work of one call: the plain method runs it to its end, the `_async` method starts a task for it.

use std::fmt::Display;

use godot::builtin::{Array, PackedByteArray, VarArray};
use godot::global::Error as EngineError;
use godot::obj::EngineEnum;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use crate::engine::{BytesOut, Slot};
use crate::report::{Line, Reports, Subject};

/// The size of a task's step, in bytes of work: less than a millisecond.
pub const STEP: usize = 1 << 20;

/// The size of a plain method's step: unlimited.
pub const WHOLE: usize = usize::MAX;

/// Work of each value in addition to its bytes, in bytes.
pub const VALUE: usize = 256;

macro_rules! products {
    ($($name:ident($type:ty),)*) => {
        /// The return value of a method.
        pub enum Product {
            $($name($type),)*
        }

        $(impl From<Product> for $type {
            fn from(product: Product) -> Self {
                match product {
                    Product::$name(product) => product,
                    _ => unreachable!("each method has one kind of product"),
                }
            }
        })*
    };
}

products! {
    Buffers(Array<PackedByteArray>),
    Bytes(PackedByteArray),
    Values(VarArray),
    Value(Slot),
    Code(EngineError),
}

impl Product {
    /// Converts the product to a Variant.
    pub fn into_slot(self) -> Slot {
        let mut slot = Slot::new();
        match self {
            Self::Buffers(buffers) => slot.set(buffers),
            Self::Bytes(bytes) => slot.set_bytes(bytes),
            Self::Values(values) => slot.set(values),
            Self::Value(value) => return value,
            Self::Code(code) => slot.set_int(i64::from(code.ord())),
        }
        slot
    }
}

/// The result of a job.
pub struct Outcome {
    pub product: Product,
    /// The lines to print.
    pub lines: Vec<Line>,
    /// The message of a task that prints nothing.
    pub note: &'static str,
    /// `OK` if nothing failed.
    pub code: EngineError,
}

/// The work of one call.
pub trait Job: Send {
    /// Does about `size` bytes of the work. [`NextStep::Owner`] means that the next step may run scripts.
    fn step(&mut self, size: usize, threads: &Threads, report: OnProgress<'_>) -> NextStep;

    /// True if the next step of a plain method is worth several threads.
    fn is_large(&self) -> bool;

    /// See [`Work::progress`].
    fn progress(&self) -> f32;

    /// See [`Work::outlives_shut_down`].
    fn outlives_shut_down(&self) -> bool {
        false
    }

    /// See [`Work::unblock`]. A plain method calls it too.
    fn unblock(&mut self, threads: &Threads) {
        let _ = threads;
    }

    /// Returns the number by which other calls find the task of this job, to wait for it.
    fn line_number(&self) -> Option<u64> {
        None
    }

    /// Returns the result. Called once, after the last step, with the end of the task locked: values that are not
    /// returned stay in the job, as scripts may run when they are dropped.
    fn outcome(&mut self) -> Outcome;
}

/// A job of any type, for a task.
pub struct AnyJob(pub Box<dyn Job>);

impl Work for AnyJob {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        self.0.step(STEP, threads, report)
    }

    fn unblock(&mut self, threads: &Threads) {
        self.0.unblock(threads);
    }

    fn progress(&self) -> f32 {
        self.0.progress()
    }

    fn outlives_shut_down(&self) -> bool {
        self.0.outlives_shut_down()
    }
}

impl Outcome {
    /// Makes a result with nothing to print.
    pub fn quiet(product: Product, code: EngineError, note: &'static str) -> Self {
        Self { product, lines: Vec::new(), note, code }
    }

    /// Makes a result with lines to print.
    pub fn with_lines(product: Product, lines: Vec<Line>, code: EngineError) -> Self {
        Self { product, lines, note: "", code }
    }

    /// Makes the result of a batch: `ERR_INVALID_DATA` if an element failed.
    pub fn of_batch(product: Product, subject: &Subject<'_>, reports: &Reports) -> Self {
        let code = if reports.has_errors() { EngineError::ERR_INVALID_DATA } else { EngineError::OK };
        Self::with_lines(product, reports.lines(subject), code)
    }

    /// Makes the result of a call that failed as a whole.
    pub fn failed(product: Product, code: EngineError, text: impl Display) -> Self {
        Self::with_lines(product, vec![Line::error(text)], code)
    }

    /// Returns the message for scripts: the lines, or the note if there are none.
    pub fn message(&self) -> String {
        match self.lines.as_slice() {
            [] => self.note.to_owned(),
            lines => lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"),
        }
    }
}

//! What the calls on many values have in common: what they report, and how their work is cut up.
//!
//! An object with class and properties goes through the engine's own functions. Those can run scripts (a property's
//! getter, an object's `_init`, a `Logger` that hears of an error), and a script can change the arrays of the call. So
//! the engine is only called while nothing of them is borrowed: `objects` lets it encode after a walk that copies all it
//! sees, `build` lets it decode from a reference of its own into what nobody else has seen, and what there is to report
//! is printed last of all.

use std::fmt;

use godot::global::{godot_error, godot_warn};
use varbatch_codec::{Error, Kind, Threads};

use crate::build::Dropped;
use crate::engine::Slot;

/// What there is to say about a value.
#[derive(Debug)]
pub enum Report {
    /// It was not written or read: the codec says why.
    Error(Error),
    /// It was not read: the element of a batch is no buffer.
    NoBuffer(Kind),
    /// It was read, without what its typed containers do not take.
    Dropped(Box<Dropped>),
}

impl Report {
    /// Whether there is a value all the same.
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Dropped(_))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::NoBuffer(kind) => write!(f, "expected a PackedByteArray, found {}", kind.name()),
            Self::Dropped(dropped) => match &**dropped {
                Dropped { count: 1, first } => write!(f, "dropped an element: {first}"),
                Dropped { count, first } => write!(f, "dropped {count} elements; the first: {first}"),
            },
        }
    }
}

impl From<Error> for Report {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The reports of a batch, by index.
pub type Reports = Vec<(usize, Report)>;

/// What is printed about a call, without its name.
#[derive(Debug)]
pub struct Line {
    pub text: String,
    pub is_warning: bool,
}

impl Line {
    /// An error.
    pub fn error(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), is_warning: false }
    }

    /// A warning.
    pub fn warning(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), is_warning: true }
    }

    /// Prints it, as that of a method.
    pub fn print(&self, method: &str) {
        let line = format!("VarBatch.{method}: {}", self.text);
        if self.is_warning { godot_warn!("{line}") } else { godot_error!("{line}") }
    }
}

/// One line for each element of a batch that there is something to say about.
pub fn lines(element: &str, reports: &Reports) -> impl Iterator<Item = Line> {
    reports.iter().map(move |(index, report)| Line {
        text: format!("{element} {index}: {report}"),
        is_warning: report.is_warning(),
    })
}

/// Bytes of work that a thread takes at a time.
const RUN: usize = 256 << 10;

/// Calls `work` once with each item and its slot, in runs of about [`RUN`] bytes over `threads`. `begin` makes what the
/// calls of one run share. A run is found while others are worked on.
pub fn each_run<T, S>(
    mut items: impl Iterator<Item = T> + Clone + Send,
    len: impl Fn(&T) -> usize + Sync,
    slots: &mut [Slot],
    threads: &Threads,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(T, &mut Slot, &mut S) + Sync,
) {
    if threads.count() == 1 {
        let mut shared = begin();
        return items.zip(slots).for_each(|(item, slot)| work(item, slot, &mut shared));
    }
    let mut rest = slots;
    let runs = std::iter::from_fn(|| {
        let (start, mut count, mut run_len) = (items.clone(), 0, 0);
        while count < rest.len() && run_len < RUN {
            run_len += len(&items.next()?);
            count += 1;
        }
        let (run, others) = std::mem::take(&mut rest).split_at_mut(count);
        rest = others;
        (count > 0).then_some((start, run))
    });
    threads.for_each(runs, |(items, slots)| {
        let mut shared = begin();
        for (item, slot) in items.zip(slots) {
            work(item, slot, &mut shared);
        }
    });
}

//! Plans many values, on one thread or several.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Copied, Mark, Plan, Writer, frames};
use varbatch_workers::Threads;

use super::encode;
use crate::engine::{self, DIALECT, HeldBytes, Value};
use crate::jobs::tuning::{CONTAINERS_PARALLEL_FROM, ROOM_SAMPLE};
use crate::report::Reports;
use crate::value::walk::{KeepWalked, Lost, NotWalked, Planning, mostly_containers, walk};

/// The values that are planned.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Values that are walked.
    Values(&'a [Value]),
    /// Values that the engine had a part in encoding; empty where it could not.
    Encoded(&'a [HeldBytes]),
}

impl Source<'_> {
    pub const EMPTY: Self = Self::Values(&[]);

    pub fn len(self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Encoded(encoded) => encoded.len(),
        }
    }

    /// The first `count` values, and the others.
    pub fn split_at(self, count: usize) -> (Self, Self) {
        match self {
            Self::Values(values) => {
                let (first, others) = values.split_at(count);
                (Self::Values(first), Self::Values(others))
            }
            Self::Encoded(encoded) => {
                let (first, others) = encoded.split_at(count);
                (Self::Encoded(first), Self::Encoded(others))
            }
        }
    }

    /// Finds what is lost if these are saved. Values are only walked again if their plan is lossy.
    pub fn lost(self, is_lossy: bool) -> Option<Lost> {
        match self {
            Self::Values(values) => is_lossy.then(|| Lost::of_values(values)).flatten(),
            Self::Encoded(encoded) => Lost::of_bytes(encoded.iter().map(HeldBytes::bytes)),
        }
    }

    /// True if these are so many containers that several threads walk them.
    pub fn is_shared(self) -> bool {
        let Self::Values(values) = self else { return false };
        values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values)
    }
}

/// Gives the values to `plan`. If that gives `None`, an object is to be written in full: then again what the engine encoded,
/// with the reports about it.
pub fn with_engine<R>(values: &AnyArray, full_objects: bool, plan: impl Fn(Source<'_>, Reports) -> Option<R>) -> R {
    if let Some(result) = plan(Source::Values(engine::values(values)), Reports::default()) {
        return result;
    }
    // A script that the engine runs may change the caller's array, but not this one. What it may change are the
    // containers in it: so all values are encoded one by one, each with nothing borrowed at its end.
    let values = values.duplicate_shallow();
    let mut reports = Reports::default();
    let mut encoded = Vec::with_capacity(values.len());
    for index in 0..values.len() {
        let value = values.at(index);
        let mut bytes = PackedByteArray::new();
        if let Err(error) = encode(engine::value(&value), full_objects, &mut bytes) {
            reports.push(index, error);
        }
        encoded.push(HeldBytes::new(bytes));
    }
    plan(Source::Encoded(&encoded), reports).expect("all are encoded")
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Values end to end, with a mark between each two.
    Bytes,
    /// Frames.
    Frames,
}

/// The plan of some values, one after the other, which borrows what is long or, holds it, as `K` does.
pub struct Run<'p, K> {
    writer: Writer<'p>,
    form: Form,
    full_objects: bool,
    /// True if a large Array may be walked over threads.
    may_split: bool,
    /// For [`Form::Bytes`]: before the first value, and behind each.
    pub marks: Vec<Mark>,
    pub reports: Reports,
    is_lossy: AtomicBool,
    keep: PhantomData<K>,
}

impl<'p, K> Run<'p, K> {
    pub fn new(form: Form, full_objects: bool, may_split: bool) -> Self {
        Self {
            writer: Writer::new(DIALECT),
            form,
            full_objects,
            may_split,
            marks: Vec::new(),
            reports: Reports::default(),
            is_lossy: AtomicBool::new(false),
            keep: PhantomData,
        }
    }

    pub fn plan(&self) -> &Plan<'p> {
        self.writer.plan()
    }

    /// Bytes that the plan itself takes.
    pub fn inline_len(&self) -> usize {
        self.writer.inline_len()
    }

    /// True if it ever held what may say nothing to another process: see [`Lost`](crate::value::walk::Lost).
    pub fn is_lossy(&self) -> bool {
        self.is_lossy.load(Ordering::Relaxed)
    }

    /// Plans values, the first of which has the index `first` in the batch, instead of those before. `None` if one holds an
    /// object that is to be written in full.
    pub fn plan_values<'a>(&mut self, source: Source<'a>, first: usize) -> Option<()>
    where
        K: KeepWalked<'a, 'p>,
    {
        self.writer.clear();
        self.marks.clear();
        if self.form == Form::Bytes {
            self.marks.reserve_exact(source.len() + 1);
            self.marks.push(self.writer.mark());
        }
        match source {
            Source::Values(values) => {
                for (at, value) in values.iter().enumerate() {
                    if at == ROOM_SAMPLE {
                        // Room for all, if they are like the first: growing bit by bit copies as much as it plans.
                        self.writer.reserve(values.len() / ROOM_SAMPLE);
                    }
                    self.put(first + at, |target| walk(value, target))?;
                }
            }
            Source::Encoded(encoded) => {
                let encoded = encoded.iter().map(HeldBytes::bytes).enumerate();
                for (at, bytes) in encoded.filter(|(_, bytes)| !bytes.is_empty()) {
                    self.put(first + at, |target| Ok(target.writer.encoded(bytes, K::kept(Copied))?))?;
                }
            }
        }
        Some(())
    }

    /// Plans one value, and leaves it out if it fails.
    #[inline(always)]
    fn put(&mut self, index: usize, put: impl FnOnce(&mut Planning<'_, 'p, K>) -> Result<(), NotWalked>) -> Option<()> {
        let Self { writer, full_objects, may_split, is_lossy, .. } = self;
        let (full_objects, may_split, is_lossy) = (*full_objects, *may_split, &*is_lossy);
        let put = |writer: &mut Writer<'p>| {
            put(&mut Planning { writer, full_objects, may_split, is_lossy, keep: PhantomData })
        };
        let start = writer.mark();
        let written = match self.form {
            Form::Bytes => put(writer).and_then(|()| Ok(writer.end_value(start)?)),
            Form::Frames => frames::write(writer, put),
        };
        match written {
            Ok(()) => {}
            Err(NotWalked::Error(mut error)) => {
                writer.drop_value(start);
                error = error.map_at(|at| at - start.position().min(at));
                self.reports.push(index, error);
            }
            Err(NotWalked::FullObject) => return None,
        }
        if self.form == Form::Bytes {
            self.marks.push(writer.mark());
        }
        Some(())
    }
}

/// Plans values, the first of which has the index `first` in the batch, one run for each thread; `None` as [`Run::plan_values`].
pub fn plan_runs<'a, 'p, K>(
    source: Source<'a>,
    first: usize,
    form: Form,
    full_objects: bool,
    threads: &Threads,
) -> Option<Vec<Run<'p, K>>>
where
    K: KeepWalked<'a, 'p>,
{
    let count = source.len();
    let run_len = count.div_ceil(threads.count()).max(1);
    let new = |may_split| Run::<'p, K>::new(form, full_objects, may_split);
    if run_len >= count {
        let mut run = new(true);
        return run.plan_values(source, first).map(|()| vec![run]);
    }
    // Room for all, if they are like the first, from this thread: see `walk`.
    let mut sample = new(false);
    sample.plan_values(source.split_at(count.min(ROOM_SAMPLE)).0, first)?;
    let (mut runs, mut rest) = (Vec::with_capacity(threads.count()), source);
    while rest.len() > 0 {
        let (values, others) = rest.split_at(rest.len().min(run_len));
        let mut run = new(false);
        run.writer.reserve_bytes(sample.inline_len() * values.len() / ROOM_SAMPLE);
        runs.push((run, values, Some(())));
        rest = others;
    }
    let plan = |(index, (run, values, planned)): (usize, &mut (Run<'p, K>, Source<'a>, Option<()>))| {
        *planned = run.plan_values(*values, first + index * run_len);
    };
    threads.for_each(runs.iter_mut().enumerate(), plan);
    runs.into_iter().map(|(run, _, planned)| planned.map(|()| run)).collect()
}

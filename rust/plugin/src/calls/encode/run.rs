//! Plans many values, on one thread or several.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Copied, Mark, Plan, Writer, frames};
use varbatch_workers::Threads;

use super::encode;
use crate::engine::{self, DIALECT, HeldBytes, Value};
use crate::jobs::tuning::{CONTAINERS_PARALLEL_FROM, HELD_PARALLEL_FROM, ROOM_SAMPLE};
use crate::report::Reports;
use crate::value::walk::{KeepWalked, Lost, NotWalked, Planning, Rooms, SAMPLE, mostly_containers, walk};

/// The values to plan.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Values to walk.
    Values(&'a [Value]),
    /// Values that were encoded one by one with the engine; empty if that failed.
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

    /// Returns the first `count` values, and the others.
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

    /// Finds what is lost if these values are saved. Only walks them again if their plan is lossy.
    pub fn lost(self, is_lossy: bool) -> Option<Lost> {
        match self {
            Self::Values(values) => is_lossy.then(|| Lost::of_values(values)).flatten(),
            Self::Encoded(encoded) => Lost::of_bytes(encoded.iter().map(HeldBytes::bytes)),
        }
    }

    /// True if there are enough containers for several threads to walk them.
    pub fn is_shared(self) -> bool {
        let Self::Values(values) = self else { return false };
        values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values)
    }

    /// True if there are enough values for several threads to plan them for a task. Then the plan has a copy of all of
    /// them, so the time of others is that of new memory.
    pub fn is_shared_if_held(self) -> bool {
        let Self::Values(values) = self else { return false };
        values.len() >= HELD_PARALLEL_FROM || self.is_shared()
    }
}

/// Calls `plan` with the values. If it returns `None`, an object must be written in full: then encodes all values with
/// the engine, and calls `plan` again with these bytes and the reports about them.
pub fn with_engine<R>(values: &AnyArray, full_objects: bool, plan: impl Fn(Source<'_>, Reports) -> Option<R>) -> R {
    if let Some(result) = plan(Source::Values(engine::values(values)), Reports::default()) {
        return result;
    }
    // A script that the engine runs may change the caller's array, but not this copy. It may still change the
    // containers in it, so values are encoded one by one, and nothing stays borrowed after each.
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
    /// Values end to end, with a mark between each pair.
    Bytes,
    /// Frames.
    Frames,
}

/// The plan of consecutive values. It borrows or holds long data, as `K` says.
pub struct Run<'p, K> {
    writer: Writer<'p>,
    form: Form,
    full_objects: bool,
    /// True if several threads may walk a large Array.
    may_split: bool,
    /// For [`Form::Bytes`]: the marks before the first value and after each value.
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

    /// Returns the bytes that the plan itself stores.
    pub fn inline_len(&self) -> usize {
        self.writer.inline_len()
    }

    /// True if it ever held a value that may mean nothing in another process: see [`Lost`](crate::value::walk::Lost).
    pub fn is_lossy(&self) -> bool {
        self.is_lossy.load(Ordering::Relaxed)
    }

    /// Plans values and replaces the previous plan. `first` is the index of the first value in the batch. Returns
    /// `None` if a value holds an object that must be written in full.
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
                    if at == ROOM_SAMPLE && self.writer.room().len() < self.writer.inline_len() {
                        // Reserve for all values, if they are like the first: growing in steps would copy the plan.
                        self.writer.reserve(values.len() / ROOM_SAMPLE);
                    }
                    engine::ahead(values, at);
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

    /// Plans one value, or leaves it out if that fails.
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

/// Plans values in several runs per thread. `first` is the index of the first value in the batch. Returns `None` like
/// [`Run::plan_values`].
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
    let new = |may_split| Run::<'p, K>::new(form, full_objects, may_split);
    if threads.count() == 1 || count < SAMPLE {
        let mut run = new(true);
        return run.plan_values(source, first).map(|()| vec![run]);
    }
    // The room is estimated from some values, taken from all over the batch, as the first may be larger than others.
    let (mut sample, mut len) = (new(false), 0);
    for index in 0..SAMPLE {
        let value = source.split_at(index * count / SAMPLE).1.split_at(1).0;
        sample.plan_values(value, first)?;
        len += sample.inline_len();
    }
    let mut rooms = Rooms::new(len.div_ceil(SAMPLE));
    let run_len = rooms.run_len(count, threads);
    let (mut runs, mut rest) = (Vec::with_capacity(count.div_ceil(run_len)), source);
    while rest.len() > 0 {
        let (values, others) = rest.split_at(rest.len().min(run_len));
        let mut run = new(false);
        rooms.reserve(&mut run.writer, values.len());
        runs.push((run, values));
        rest = others;
    }
    rooms.prepare();
    // By value: runs that lie side by side would share cache lines.
    let plan = |(index, (mut run, values)): (usize, (Run<'p, K>, Source<'a>))| {
        run.plan_values(values, first + index * run_len).map(|()| run)
    };
    threads.map(runs.into_iter().enumerate(), plan).into_iter().collect()
}

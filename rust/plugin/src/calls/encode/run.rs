//! Plans many values, on one thread or several.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use varbatch_codec::{CodecError, Copied, Mark, Plan, Writer, frames};
use varbatch_workers::Threads;

use super::is_shared;
use crate::engine::{self, DIALECT, HeldBytes, Value};
use crate::jobs::pool;
use crate::jobs::tuning::{HELD_PARALLEL_FROM, ROOM_SAMPLE};
use crate::report::Reports;
use crate::value::walk::{Held, KeepWalked, Planning, SAMPLE, plan_in_rooms, walk};

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
    /// About all values that it ever planned.
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

    /// Plans values and replaces the previous plan. `first` is the index of the first value in the batch.
    pub fn plan_values<'a>(&mut self, values: &'a [Value], first: usize)
    where
        K: KeepWalked<'a, 'p>,
    {
        self.writer.clear();
        self.marks.clear();
        if self.form == Form::Bytes {
            self.marks.reserve_exact(values.len() + 1);
            self.marks.push(self.writer.mark());
        }
        for (at, value) in values.iter().enumerate() {
            if at == ROOM_SAMPLE && self.writer.room().len() < self.writer.inline_len() {
                // Reserve for all values, if they are like the first: growing in steps would copy the plan.
                self.writer.reserve(values.len() / ROOM_SAMPLE);
            }
            engine::ahead(values, at);
            self.put(first + at, |target| walk(value, target));
        }
    }

    /// Plans the frames of values that are encoded already.
    pub fn plan_encoded<'a>(&mut self, encoded: &'a [HeldBytes])
    where
        K: KeepWalked<'a, 'p>,
    {
        let encoded = encoded.iter().map(HeldBytes::bytes).enumerate();
        for (index, bytes) in encoded.filter(|(_, bytes)| !bytes.is_empty()) {
            self.put(index, |target| target.writer.encoded(bytes, K::kept(Copied)));
        }
    }

    /// Plans one value, or leaves it out if that fails.
    #[inline(always)]
    fn put(&mut self, index: usize, put: impl FnOnce(&mut Planning<'_, 'p, K>) -> Result<(), CodecError>) {
        let Self { writer, full_objects, may_split, is_lossy, .. } = self;
        let (full_objects, may_split, is_lossy) = (*full_objects, *may_split, &*is_lossy);
        let put = |writer: &mut Writer<'p>| {
            put(&mut Planning { writer, full_objects, may_split, is_lossy, keep: PhantomData })
        };
        let start = writer.mark();
        let written = match self.form {
            Form::Bytes => put(writer).and_then(|()| writer.end_value(start)),
            Form::Frames => frames::write(writer, put),
        };
        if let Err(mut error) = written {
            writer.drop_value(start);
            error = error.map_at(|at| at - start.position().min(at));
            self.reports.push_error(index, || error.to_string());
        }
        if self.form == Form::Bytes {
            self.marks.push(writer.mark());
        }
    }
}

/// Plans values in several runs per thread. `first` is the index of the first value in the batch.
pub fn plan_runs<'a, 'p, K>(
    values: &'a [Value],
    first: usize,
    form: Form,
    full_objects: bool,
    threads: &Threads,
) -> Vec<Run<'p, K>>
where
    K: KeepWalked<'a, 'p>,
{
    let new = |may_split| Run::<'p, K>::new(form, full_objects, may_split);
    if threads.count() == 1 || values.len() < SAMPLE {
        let mut run = new(true);
        run.plan_values(values, first);
        return vec![run];
    }
    // The room is estimated from some values, taken from all over the batch, as the first may be larger than others.
    let (mut sample, mut len) = (new(false), 0);
    for index in 0..SAMPLE {
        let at = index * values.len() / SAMPLE;
        sample.plan_values(&values[at..=at], at);
        len += sample.inline_len();
    }
    let plan = |at, values: &'a [Value], writer| {
        let mut run = Run { writer, ..new(false) };
        run.plan_values(values, first + at);
        run
    };
    plan_in_rooms(len.div_ceil(SAMPLE), values, threads, |_| Writer::new(DIALECT), plan)
}

/// Plans all values for a task. Then the plan has a copy of all of them, so the time of short ones is that of new memory.
pub fn plan_held(values: &[Value], form: Form, full_objects: bool) -> Vec<Run<'static, Held>> {
    let is_large = values.len() >= HELD_PARALLEL_FROM || is_shared(values);
    pool::with(is_large, |threads| plan_runs(values, 0, form, full_objects, threads))
}

//! The plan of many values, on one thread or several, with what the engine encodes among them.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Copied, Mark, Plan, Writer, frames};
use varbatch_workers::Threads;

use super::{CONTAINERS_PARALLEL_FROM, encode};
use crate::engine::{self, DIALECT, Value};
use crate::jobs::pool;
use crate::report::Reports;
use crate::value::walk::{Held, KeepWalked, NotWalked, Planning, mostly_containers, walk};

/// Values after which the room for the others is guessed.
const SAMPLE: usize = 64;

/// A run with its values, and `None` where [`Run::plan`] gave it.
type Planned<'a, 'p, K> = (Run<'p, K>, &'a [Value], Option<()>);

/// Plans values, the first of which has the index `first` in the batch, one run for each thread; `None` as [`Run::plan`].
pub fn plan_runs<'a, 'p, K: KeepWalked<'a, 'p>>(
    values: &'a [Value],
    first: usize,
    encoded: &[(usize, &'a [u8])],
    full_objects: bool,
    form: Form,
    threads: &Threads,
) -> Option<Vec<Run<'p, K>>> {
    let run_len = values.len().div_ceil(threads.count()).max(1);
    let may_split = threads.count() == 1;
    let mut runs: Vec<_> =
        values.chunks(run_len).map(|values| (Run::<'p, K>::new(full_objects, may_split), values, Some(()))).collect();
    // Room for all, if they are like the first, from this thread: see `walk`.
    let mut sample = Run::<'p, K>::new(full_objects, false);
    sample.plan(&values[..values.len().min(SAMPLE)], first, encoded, form)?;
    for (run, values, _) in &mut runs {
        run.writer.reserve_bytes(sample.writer.inline_len() * values.len() / SAMPLE);
    }
    let items = runs.iter_mut().enumerate();
    threads.for_each(items, |(index, (run, values, native)): (usize, &mut Planned<'a, 'p, K>)| {
        *native = run.plan(values, first + index * run_len, encoded, form);
    });
    runs.into_iter().map(|(run, _, native)| native.map(|()| run)).collect()
}

/// Plans values so that they may be changed or dropped afterwards. With what the engine encoded: of [`Form::Bytes`], that is
/// not in the plans.
pub fn plan_held(
    values: &AnyArray,
    full_objects: bool,
    form: Form,
) -> (Vec<Run<'static, Held>>, EngineEncoded, Reports) {
    let ((runs, encoded), reports) = with_engine(values, full_objects, |values, encoded, reports| {
        let bytes = slices(encoded);
        let is_large = values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values);
        let mut runs = pool::with(is_large, |threads| plan_runs(values, 0, &bytes, full_objects, form, threads))?;
        for run in &mut runs {
            reports.append(&mut run.reports);
        }
        Some((runs, encoded.clone()))
    });
    (runs, encoded, reports)
}

/// What was planned.
pub fn into_plans<K>(runs: Vec<Run<'_, K>>) -> Vec<Plan<'_>> {
    runs.into_iter().map(|run| run.writer.into_plan()).collect()
}

/// What the engine had a part in encoding, by index; empty where it could not.
pub type EngineEncoded = Vec<(usize, PackedByteArray)>;

pub fn slices(encoded: &EngineEncoded) -> Vec<(usize, &[u8])> {
    encoded.iter().map(|(index, bytes)| (*index, engine::bytes_of(bytes))).collect()
}

/// Calls `run` with the values; if that gives `None`, again with those encoded that the engine has a part in.
pub fn with_engine<R>(
    values: &AnyArray,
    full_objects: bool,
    run: impl Fn(&[Value], &EngineEncoded, &mut Reports) -> Option<R>,
) -> (R, Reports) {
    let mut reports = Reports::default();
    if let Some(result) = run(engine::values(values), &EngineEncoded::new(), &mut reports) {
        return (result, reports);
    }
    reports = Reports::default();
    // A script that the engine runs may change the caller's array, but not this one. What it may change are the
    // containers in it: so all values are encoded one by one, each with nothing borrowed at its end.
    let values = values.duplicate_shallow();
    let mut encoded = EngineEncoded::new();
    for index in 0..values.len() {
        let value = values.at(index);
        let mut bytes = PackedByteArray::new();
        if let Err(error) = encode(engine::value(&value), full_objects, &mut bytes) {
            reports.push(index, error);
        }
        encoded.push((index, bytes));
    }
    let result = run(engine::values(&values), &encoded, &mut reports).expect("all are encoded");
    (result, reports)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Values end to end, with a mark between each two. What is encoded already takes no room.
    Bytes,
    /// Frames, those of what is encoded already among them.
    Frames,
}

/// The plan of some values, one after the other, which borrows what is long or holds it, as `K` does.
pub struct Run<'p, K> {
    pub writer: Writer<'p>,
    full_objects: bool,
    may_split: bool,
    /// For [`Form::Bytes`]: before the first value, and behind each.
    pub marks: Vec<Mark>,
    pub reports: Reports,
    is_lossy: AtomicBool,
    keep: PhantomData<K>,
}

impl<'p, K> Run<'p, K> {
    pub fn new(full_objects: bool, may_split: bool) -> Self {
        let (marks, reports) = (Vec::new(), Reports::default());
        let is_lossy = AtomicBool::new(false);
        Self { writer: Writer::new(DIALECT), full_objects, may_split, marks, reports, is_lossy, keep: PhantomData }
    }

    /// Whether it has ever planned what may say nothing to another process: see [`Lost`].
    pub fn is_lossy(&self) -> bool {
        self.is_lossy.load(Ordering::Relaxed)
    }

    /// How many values were planned as [`Form::Bytes`].
    pub fn count(&self) -> usize {
        self.marks.len().saturating_sub(1)
    }

    /// Plans values, the first of which has the index `first` in the batch, instead of those before. `None` if the engine
    /// has to have a part in one, and it is not in `encoded`.
    pub fn plan<'a>(
        &mut self,
        values: &'a [Value],
        first: usize,
        encoded: &[(usize, &'a [u8])],
        form: Form,
    ) -> Option<()>
    where
        K: KeepWalked<'a, 'p>,
    {
        let Self { writer, full_objects, may_split, marks, reports, is_lossy, .. } = self;
        writer.clear();
        marks.clear();
        if form == Form::Bytes {
            marks.reserve_exact(values.len() + 1);
            marks.push(writer.mark());
        }
        let mut encoded = &encoded[encoded.partition_point(|(at, _)| *at < first)..];
        for (index, value) in (first..).zip(values) {
            if index == first + SAMPLE {
                // Room for all, if they are like the first: growing bit by bit copies as much as it plans.
                writer.reserve(values.len() / SAMPLE);
            }
            let from_engine = encoded.first().filter(|(at, _)| *at == index);
            encoded = &encoded[usize::from(from_engine.is_some())..];
            let start = writer.mark();
            let (full_objects, may_split, is_lossy) = (*full_objects, *may_split, &*is_lossy);
            let walk = |writer: &mut Writer<'p>| {
                walk(value, &mut Planning::<K> { writer, full_objects, may_split, is_lossy, keep: PhantomData })
            };
            let written = match (form, from_engine) {
                (Form::Bytes, None) => walk(writer).and_then(|()| Ok(writer.end_value(start)?)),
                (Form::Frames, None) => frames::write(writer, walk),
                (Form::Frames, Some((_, bytes))) if !bytes.is_empty() => {
                    frames::write(writer, |writer| Ok(writer.encoded(bytes, K::kept(Copied))?))
                }
                (_, Some(_)) => Ok(()),
            };
            match written {
                Ok(()) => {}
                Err(NotWalked::Error(mut error)) => {
                    writer.drop_value(start);
                    error = error.map_at(|at| at - start.position().min(at));
                    reports.push(index, error);
                }
                Err(NotWalked::FullObject) => return None,
            }
            if form == Form::Bytes {
                marks.push(writer.mark());
            }
        }
        Some(())
    }
}

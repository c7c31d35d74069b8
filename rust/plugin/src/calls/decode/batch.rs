//! Decodes many inputs in memory: builds values batch by batch, and at the end those that need the engine.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{AnyArray, PackedByteArray, VarArray, Variant};
use varbatch_codec::frames::{self, Frame};
use varbatch_codec::{Kind, validate};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::{Effort, Input, build_slots, decode_asking, input, len_of};
use crate::engine::{self, HeldBytes, OwnArray, Slot, Value};
use crate::jobs::pool;
use crate::jobs::task::{Job, STEP, VALUE};
use crate::jobs::tuning::{DECODE_PARALLEL_FROM, KIND_SAMPLE};
use crate::objects::Makers;
use crate::report::{BUFFERS, Failure, Outcome, Reports, VALUES};
use crate::value::build::{MayAsk, OnBuilt};

pub struct Decoded {
    /// Longer than `count`, so that it need not grow for each batch.
    values: OwnArray<Variant>,
    pub count: usize,
    pub reports: Reports,
    /// Values that need the engine, which only the thread of the call builds. After [`Self::end`] in reverse order.
    pub deferred: Vec<Deferred>,
    pub makers: Makers,
    /// True if only the first value is wanted, without errors: others are not made, as nobody could free their nodes.
    pub is_only_first: bool,
}

pub struct Deferred {
    pub index: usize,
    /// Offset of its bytes in the buffer of the call.
    pub at: usize,
    /// Bytes that no script can change, and the range of the value in them.
    pub bytes: HeldBytes,
    pub range: std::ops::Range<usize>,
}

impl Decoded {
    pub fn new(makers: Makers) -> Self {
        let (values, reports) = (OwnArray::new(0), Reports::default());
        Self { values, count: 0, reports, deferred: Vec::new(), makers, is_only_first: false }
    }

    pub fn allow_objects(&self) -> bool {
        self.makers.allow_objects()
    }

    /// Adds `count` values, made in their slots by `build`, which returns reports and deferred values, indexed from 0.
    pub fn add(&mut self, count: usize, build: impl FnOnce(&mut [Slot]) -> (Reports, Vec<Deferred>)) {
        let first = self.count;
        self.count += count;
        let (reports, deferred) = build(self.values.room(first, count));
        self.reports.append_from(first, reports);
        self.deferred.extend(deferred.into_iter().map(|value| Deferred { index: first + value.index, ..value }));
    }

    /// Adds some of `count` values, with their reports and deferred values, at other indices than those among them.
    pub fn add_at(
        &mut self,
        count: usize,
        index_of: impl Fn(usize) -> usize,
        values: Vec<Slot>,
        (mut reports, deferred): (Reports, Vec<Deferred>),
    ) {
        self.count = count;
        let slots = self.values.room(0, count);
        for (index, value) in values.into_iter().enumerate() {
            slots[index_of(index)] = value;
        }
        self.reports.append_as(&mut reports, |index| index.map(&index_of));
        self.deferred.extend(deferred.into_iter().map(|value| Deferred { index: index_of(value.index), ..value }));
    }

    pub fn end(&mut self) -> NextStep {
        if !self.is_only_first {
            self.deferred.sort_by_key(|value| Reverse(value.index));
        }
        self.next()
    }

    /// Builds the next deferred value. Scripts may run.
    pub fn step_with_engine(&mut self) -> NextStep {
        if let Some(Deferred { index, at, bytes, range }) = self.deferred.pop() {
            let mut slot = Slot::new();
            let input = Input { at, bytes: &bytes.bytes()[range] };
            if self.is_only_first && (index > 0 || self.reports.has_errors()) {
                // Without objects, the scripts of typed containers are not asked for.
                let reader = input.reader(self.allow_objects());
                let checked = if self.allow_objects() { self.makers.check(reader) } else { validate(reader).map(drop) };
                if let Err(error) = checked {
                    self.reports.push_error(index, || error);
                }
                return self.next();
            }
            match decode_asking(input, &mut self.makers, &mut slot) {
                Ok(None) => {}
                Ok(Some(dropped)) => self.reports.push_dropped(index, dropped),
                Err(error) => {
                    slot.clear();
                    self.reports.push_error(index, || error);
                }
            }
            std::mem::swap(&mut self.values.elements()[index], &mut slot);
        }
        self.next()
    }

    pub fn finish(&mut self) {
        let mut step = self.end();
        while step != NextStep::Done {
            step = self.step_with_engine();
        }
    }

    fn next(&self) -> NextStep {
        if self.deferred.is_empty() { NextStep::Done } else { NextStep::Owner }
    }

    /// Takes the values. After this, `self` can only be dropped.
    pub fn take(&mut self) -> VarArray {
        self.makers.made.keep_all();
        self.values.resize(self.count);
        self.values.take()
    }
}

/// Decodes buffers at once. Nothing changes them while their values are built.
pub fn bytes_to_vars(buffers: &AnyArray, makers: Result<Makers, Failure>) -> Outcome<VarArray> {
    makers.map(|makers| buffers_to_vars(buffers, makers)).into()
}

fn buffers_to_vars(buffers: &AnyArray, makers: Makers) -> Outcome<VarArray> {
    let values = engine::values(buffers);
    // Sizes are estimated from a sample.
    let step = values.len().div_ceil(KIND_SAMPLE).max(1);
    let sample = values.iter().step_by(step).map(input);
    let total = sample.clone().map(|input| len_of(&input)).sum::<usize>() * step;
    let effort = Effort::of(sample, total, values.len(), (makers.allow_objects(), MayAsk::Nothing), None);
    let inputs = values.iter().enumerate().map(|(index, buffer)| {
        engine::ahead(values, index);
        input(buffer)
    });
    let hold = |index: usize, input: Input<'_>| (hold(&values[index]).unwrap_or_default(), 0..input.bytes.len());
    let mut decoded = Decoded::new(makers);
    pool::with(total >= DECODE_PARALLEL_FROM, |threads| {
        decoded.add(values.len(), |slots| build_slots(inputs, slots, &effort, hold, threads));
    });
    // From here on scripts may run, so nothing of the caller's is read.
    decoded.finish();
    Outcome::new(decoded.take(), decoded.reports.lines(&BUFFERS))
}

pub fn frames_to_vars(frames: PackedByteArray, makers: Result<Makers, Failure>) -> Outcome<VarArray> {
    Decode::new(Source::Frames(HeldBytes::new(frames)), makers, MayAsk::Conversions).at_once(None)
}

/// Returns a reference of our own to a buffer, or the type of another value. A copy of the batch would share buffers.
pub fn hold(buffer: &Value) -> Result<HeldBytes, Kind> {
    match buffer.view().kind() {
        Kind::PackedByteArray => Ok(HeldBytes::new(buffer.view().byte_array().clone())),
        kind => Err(kind),
    }
}

enum Source {
    /// Buffers of one value each, or the type of an element that is not a buffer.
    Buffers(Vec<Result<HeldBytes, Kind>>),
    /// Frames, up to the first that is not whole.
    Frames(HeldBytes),
}

/// The job that decodes many inputs; null for each that fails.
pub struct Decode {
    source: Source,
    /// Start of the next batch: an index, or an offset in a stream.
    next: usize,
    decoded: Decoded,
    failure: Option<Failure>,
    may_ask: MayAsk,
    is_built: bool,
    done: usize,
    total: usize,
}

impl Decode {
    /// Decodes buffers later; holds their bytes as they are now.
    pub fn buffers(buffers: &AnyArray, makers: Result<Makers, Failure>) -> Self {
        let buffers = engine::values(buffers).iter().map(hold).collect();
        Self::new(Source::Buffers(buffers), makers, MayAsk::Nothing)
    }

    pub fn frames(frames: PackedByteArray, makers: Result<Makers, Failure>) -> Self {
        Self::new(Source::Frames(HeldBytes::new(frames)), makers, MayAsk::Nothing)
    }

    fn new(source: Source, makers: Result<Makers, Failure>, may_ask: MayAsk) -> Self {
        let (source, makers, failure) = match makers {
            Ok(makers) => (source, makers, None),
            Err(failure) => (Source::Buffers(Vec::new()), Makers::default(), Some(failure)),
        };
        let total = match &source {
            Source::Buffers(buffers) => buffers.iter().map(|buffer| VALUE + len_of(&held_input(buffer))).sum(),
            Source::Frames(stream) => stream.bytes().len(),
        };
        Self { source, next: 0, decoded: Decoded::new(makers), failure, may_ask, is_built: false, done: 0, total }
    }

    /// Builds the next values, about `size` bytes of work. Returns false if there are no more.
    fn build(&mut self, size: usize, threads: &Threads, on_built: Option<OnBuilt<'_>>) -> bool {
        let (from, may) = (self.next, (self.decoded.allow_objects(), self.may_ask));
        let (mut count, mut len) = (0, 0);
        match &self.source {
            Source::Buffers(buffers) => {
                while from + count < buffers.len() && len + count * VALUE < size {
                    len += len_of(&held_input(&buffers[from + count]));
                    count += 1;
                }
                let buffers = &buffers[from..from + count];
                let inputs = buffers.iter().map(held_input);
                let sample = buffers.iter().step_by(count.div_ceil(KIND_SAMPLE).max(1)).map(held_input);
                let effort = Effort::of(sample, len, count, may, on_built);
                let hold =
                    |index: usize, input: Input<'_>| (buffers[index].clone().unwrap_or_default(), 0..input.bytes.len());
                self.decoded.add(count, |slots| build_slots(inputs, slots, &effort, hold, threads));
                self.next += count;
                self.done += len + count * VALUE;
            }
            Source::Frames(stream) => {
                for Frame { at, payload } in frames::read(&stream.bytes()[from..]).map_while(Result::ok) {
                    count += 1;
                    len = at + payload.len();
                    if len >= size {
                        break;
                    }
                }
                let inputs = frames::read(&stream.bytes()[from..from + len]).map_while(|frame| {
                    frame.ok().map(|Frame { at, payload }| Ok(Input { at: from + at, bytes: payload }))
                });
                let effort = Effort::of(inputs.clone().take(KIND_SAMPLE), len, count, may, on_built);
                let hold = |_, Input { at, bytes }: Input<'_>| (stream.clone(), at..at + bytes.len());
                self.decoded.add(count, |slots| build_slots(inputs, slots, &effort, hold, threads));
                self.next += len;
                self.done += len;
            }
        }
        count > 0
    }

    /// Decodes all at once. `end` says why there is no more, if there should be.
    pub fn at_once(mut self, end: Option<Failure>) -> Outcome<VarArray> {
        let is_large = self.total >= DECODE_PARALLEL_FROM;
        pool::with(is_large, |threads| self.build(usize::MAX, threads, None));
        self.end_source();
        self.decoded.finish();
        if let Some(failure) = end {
            self.decoded.reports.set_end(self.decoded.count, failure);
        }
        self.end()
    }

    /// Drops the source, after reporting what is wrong with its end.
    fn end_source(&mut self) {
        match &mut self.source {
            Source::Buffers(buffers) => *buffers = Vec::new(),
            Source::Frames(stream) => {
                if let Some(Err(error)) = frames::read(&stream.bytes()[self.next..]).next() {
                    let error = error.map_at(|at| at + self.next);
                    self.decoded.reports.set_end(self.decoded.count, error);
                }
                *stream = HeldBytes::default();
            }
        }
    }

    fn end(&mut self) -> Outcome<VarArray> {
        if let Some(failure) = self.failure.take() {
            return Outcome::failed(VarArray::new(), failure);
        }
        let subject = if let Source::Frames(_) = self.source { &VALUES } else { &BUFFERS };
        Outcome::new(self.decoded.take(), self.decoded.reports.lines(subject))
    }
}

fn held_input(buffer: &Result<HeldBytes, Kind>) -> Result<Input<'_>, Kind> {
    buffer.as_ref().map(|buffer| Input { at: 0, bytes: buffer.bytes() }).map_err(|kind| *kind)
}

impl Work for Decode {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        if self.is_built {
            return self.decoded.step_with_engine();
        }
        let (done, total, built) = (self.done, self.total.max(1), AtomicUsize::new(0));
        let on_built = |more| report((done + built.fetch_add(more, Ordering::Relaxed) + more) as f32 / total as f32);
        if self.build(STEP, threads, Some(&on_built)) {
            return NextStep::More;
        }
        self.is_built = true;
        self.end_source();
        self.decoded.end()
    }

    fn progress(&self) -> f32 {
        (self.done as f32 / self.total.max(1) as f32).min(1.0)
    }
}

impl Job for Decode {
    fn outcome(&mut self) -> Outcome<Slot> {
        self.end().into_slot()
    }
}

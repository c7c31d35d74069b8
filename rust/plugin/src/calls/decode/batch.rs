//! Many inputs in memory to values.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::frames::{self, Frame};
use varbatch_codec::{CodecError, Kind};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use super::{Decoded, Deferred, Input, Work, build_slots, input};
use crate::engine::{self, HeldBytes, Value};
use crate::jobs::job::{Job, Outcome, Product, VALUE, WHOLE};
use crate::jobs::run::run;
use crate::jobs::tuning::{DECODE_PARALLEL_FROM, KIND_SAMPLE};
use crate::report::{BUFFERS, FRAMES, Subject};
use crate::value::build::MayAsk;

/// The inputs that a call decodes.
pub trait Inputs: Send + Default {
    const SUBJECT: Subject<'static>;

    /// The work of all inputs, in bytes, as that of their batches.
    fn work(&self) -> usize;

    /// The inputs from `from` on, of `size` bytes of work or a little more. None at the end.
    fn next(&self, from: usize, size: usize) -> Batch;

    /// The inputs of a batch.
    fn iter(&self, batch: &Batch) -> impl Iterator<Item = Result<Input<'_>, Kind>> + Clone + Send;

    /// Some of them.
    fn sample(&self, batch: &Batch) -> Vec<Input<'_>>;

    /// The bytes of one of them by a reference of our own: a script that the engine runs may change the caller's, but not
    /// these.
    fn hold(&self, index: usize, input: Input<'_>) -> Option<(HeldBytes, Range<usize>)>;

    /// Why there are no more behind the last batch.
    fn damage(&self, _: &Batch) -> Option<CodecError> {
        None
    }
}

/// Some inputs in a row.
pub struct Batch {
    /// Their range among all inputs: of indices, or of bytes of a stream.
    range: Range<usize>,
    count: usize,
    /// Bytes of them, about.
    len: usize,
    work: usize,
}

/// A buffer of a batch.
trait Buffer: Sync + 'static {
    /// True if all buffers are taken at once, so that a few of them say enough.
    const IS_SAMPLED: bool;

    fn input(&self) -> Result<Input<'_>, Kind>;

    fn hold(&self) -> Option<HeldBytes>;
}

/// A buffer that nobody changes while it is built.
impl Buffer for Value {
    const IS_SAMPLED: bool = true;

    fn input(&self) -> Result<Input<'_>, Kind> {
        input(self)
    }

    fn hold(&self) -> Option<HeldBytes> {
        (self.view().kind() == Kind::PackedByteArray).then(|| HeldBytes::new(self.view().byte_array().clone()))
    }
}

/// A buffer by a reference of our own, or what else there is. A copy of the array would not do, as it shares its packed arrays.
type Held = Result<HeldBytes, Kind>;

impl Buffer for Held {
    const IS_SAMPLED: bool = false;

    fn input(&self) -> Result<Input<'_>, Kind> {
        self.as_ref().map(|buffer| Input { at: 0, bytes: buffer.bytes() }).map_err(|kind| *kind)
    }

    fn hold(&self) -> Option<HeldBytes> {
        self.as_ref().ok().map(HeldBytes::share)
    }
}

/// Buffers, one value each.
#[derive(Default)]
pub struct Buffers<L>(L);

fn len_of(buffer: &impl Buffer) -> usize {
    buffer.input().map_or(0, |input| input.bytes.len())
}

impl<B: Buffer, L: Deref<Target = [B]> + Default + Send> Inputs for Buffers<L> {
    const SUBJECT: Subject<'static> = BUFFERS;

    fn work(&self) -> usize {
        if B::IS_SAMPLED {
            let step = self.0.len().div_ceil(KIND_SAMPLE).max(1);
            let sampled: usize = self.0.iter().step_by(step).map(len_of).sum();
            return sampled * step;
        }
        self.0.iter().map(|buffer| VALUE + len_of(buffer)).sum()
    }

    fn next(&self, from: usize, size: usize) -> Batch {
        let (mut count, mut len) = (0, 0);
        if B::IS_SAMPLED {
            (count, len) = (self.0.len(), self.work());
        } else {
            while from + count < self.0.len() && len + count * VALUE < size {
                len += len_of(&self.0[from + count]);
                count += 1;
            }
        }
        Batch { range: from..from + count, count, len, work: len + count * VALUE }
    }

    fn iter(&self, batch: &Batch) -> impl Iterator<Item = Result<Input<'_>, Kind>> + Clone + Send {
        self.0[batch.range.clone()].iter().map(Buffer::input)
    }

    fn sample(&self, batch: &Batch) -> Vec<Input<'_>> {
        let buffers = &self.0[batch.range.clone()];
        let step = buffers.len().div_ceil(KIND_SAMPLE).max(1);
        buffers.iter().step_by(step).filter_map(|buffer| buffer.input().ok()).collect()
    }

    fn hold(&self, index: usize, input: Input<'_>) -> Option<(HeldBytes, Range<usize>)> {
        Some((self.0[index].hold()?, 0..input.bytes.len()))
    }
}

/// Frames, as many as there are whole ones.
#[derive(Default)]
pub struct FramesInput(HeldBytes);

impl Inputs for FramesInput {
    const SUBJECT: Subject<'static> = FRAMES;

    fn work(&self) -> usize {
        self.0.bytes().len()
    }

    fn next(&self, from: usize, size: usize) -> Batch {
        let (mut count, mut len) = (0, 0);
        for Frame { at, payload } in frames::read(&self.0.bytes()[from..]).map_while(Result::ok) {
            count += 1;
            len = at + payload.len();
            if len >= size {
                break;
            }
        }
        Batch { range: from..from + len, count, len, work: len }
    }

    fn iter(&self, batch: &Batch) -> impl Iterator<Item = Result<Input<'_>, Kind>> + Clone + Send {
        let start = batch.range.start;
        let frames = frames::read(&self.0.bytes()[batch.range.clone()]).map_while(Result::ok);
        frames.map(move |Frame { at, payload }| Ok(Input { at: start + at, bytes: payload }))
    }

    fn sample(&self, batch: &Batch) -> Vec<Input<'_>> {
        self.iter(batch).take(KIND_SAMPLE).filter_map(Result::ok).collect()
    }

    fn hold(&self, _: usize, Input { at, bytes }: Input<'_>) -> Option<(HeldBytes, Range<usize>)> {
        Some((self.0.share(), at..at + bytes.len()))
    }

    fn damage(&self, batch: &Batch) -> Option<CodecError> {
        let error = frames::read(&self.0.bytes()[batch.range.end..]).next()?.err()?;
        Some(error.map_at(|at| at + batch.range.end))
    }
}

/// Decodes many inputs: null where one is bad.
pub struct Decode<I> {
    inputs: I,
    /// The start of the next inputs.
    next: usize,
    decoded: Decoded,
    may_ask: MayAsk,
    is_built: bool,
    done: usize,
    total: usize,
}

/// Does it at once.
pub fn bytes_to_vars(buffers: &AnyArray, allow_objects: bool) -> Outcome {
    run(Decode::new(Buffers(engine::values(buffers)), allow_objects, MayAsk::Nothing))
}

/// Does it at once.
pub fn frames_to_vars(frames: PackedByteArray, allow_objects: bool) -> Outcome {
    run(Decode::new(FramesInput(HeldBytes::new(frames)), allow_objects, MayAsk::Conversions))
}

impl Decode<Buffers<Vec<Held>>> {
    /// Keeps the buffers as they are.
    pub fn buffers(buffers: &AnyArray, allow_objects: bool) -> Self {
        let held = |buffer: &Value| Buffer::hold(buffer).ok_or(buffer.view().kind());
        let held = engine::values(buffers).iter().map(held).collect();
        Self::new(Buffers(held), allow_objects, MayAsk::Nothing)
    }
}

impl Decode<FramesInput> {
    /// Keeps the frames as they are.
    pub fn frames(frames: PackedByteArray, allow_objects: bool) -> Self {
        Self::new(FramesInput(HeldBytes::new(frames)), allow_objects, MayAsk::Nothing)
    }
}

impl<I: Inputs> Decode<I> {
    fn new(inputs: I, allow_objects: bool, may_ask: MayAsk) -> Self {
        let total = inputs.work();
        Self { inputs, next: 0, decoded: Decoded::new(allow_objects), may_ask, is_built: false, done: 0, total }
    }
}

impl<I: Inputs> Job for Decode<I> {
    fn step(&mut self, size: usize, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        if self.is_built {
            return self.decoded.step_with_engine();
        }
        let batch = self.inputs.next(self.next, size);
        let (done, total, built) = (self.done, self.total.max(1), AtomicUsize::new(0));
        let tell = |more| report((done + built.fetch_add(more, Ordering::Relaxed) + more) as f32 / total as f32);
        let allow_objects = self.decoded.allow_objects();
        let sample = self.inputs.sample(&batch);
        let work = Work::of(&sample, batch.len, batch.count, allow_objects, self.may_ask);
        // A plain method has nobody to tell.
        let work = work.telling(if size == WHOLE { None } else { Some(&tell) });
        let inputs = self.inputs.iter(&batch);
        let (first, slots) = self.decoded.grow(batch.count);
        let (reports, asking) = build_slots(inputs.clone(), slots, &work, threads);
        self.decoded.reports.append_from(first, reports);
        let asking = inputs.enumerate().filter(|(at, _)| asking.binary_search(at).is_ok()).take(asking.len());
        for (at, input) in asking {
            if let Ok(input) = input
                && let Some((bytes, range)) = self.inputs.hold(first + at, input)
            {
                self.decoded.leave(Deferred { index: first + at, at: input.at, bytes, range });
            }
        }
        self.done += batch.work;
        self.next = batch.range.end;
        if batch.count > 0 && size != WHOLE {
            return NextStep::More;
        }
        self.is_built = true;
        if let Some(damage) = self.inputs.damage(&batch) {
            self.decoded.reports.set_end(self.decoded.count(), damage);
        }
        // From here on scripts may run, and nothing of the caller's is looked at.
        self.inputs = I::default();
        self.decoded.end()
    }

    fn is_large(&self) -> bool {
        self.total >= DECODE_PARALLEL_FROM
    }

    fn progress(&self) -> f32 {
        (self.done as f32 / self.total.max(1) as f32).min(1.0)
    }

    fn outcome(&mut self) -> Outcome {
        let values = self.decoded.take();
        Outcome::of_batch(Product::Values(values), &I::SUBJECT, &self.decoded.reports)
    }
}

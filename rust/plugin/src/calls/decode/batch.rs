//! Decodes many inputs in memory.

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

    /// Returns the work of all inputs, in bytes: the sum over their batches.
    fn work(&self) -> usize;

    /// Returns the next inputs from `from`, about `size` bytes of work. The batch is empty at the end.
    fn next(&self, from: usize, size: usize) -> Batch;

    /// Returns the inputs of a batch.
    fn iter(&self, batch: &Batch) -> impl Iterator<Item = Result<Input<'_>, Kind>> + Clone + Send;

    /// Returns a sample of a batch.
    fn sample(&self, batch: &Batch) -> Vec<Input<'_>>;

    /// Returns the bytes of an input, held by a reference of our own: a script that the engine runs may change the
    /// caller's array, but not these bytes.
    fn hold(&self, index: usize, input: Input<'_>) -> Option<(HeldBytes, Range<usize>)>;

    /// Returns the error that ends the inputs after the last batch, if there is one.
    fn damage(&self, _: &Batch) -> Option<CodecError> {
        None
    }
}

/// Consecutive inputs.
pub struct Batch {
    /// Range of the inputs: indices, or bytes of a stream.
    range: Range<usize>,
    count: usize,
    /// Approximate size in bytes.
    len: usize,
    work: usize,
}

/// A buffer of a batch.
trait Buffer: Sized + Sync + 'static {
    /// True if all buffers form one batch, for which sizes are estimated from a sample.
    const IS_SAMPLED: bool;

    fn input(&self) -> Result<Input<'_>, Kind>;

    fn hold(&self) -> Option<HeldBytes>;

    /// Called before the buffer at `index` is read; others are read soon.
    fn ahead(buffers: &[Self], index: usize) {
        let _ = (buffers, index);
    }
}

/// A buffer that nothing changes while its value is built.
impl Buffer for Value {
    const IS_SAMPLED: bool = true;

    fn input(&self) -> Result<Input<'_>, Kind> {
        input(self)
    }

    fn hold(&self) -> Option<HeldBytes> {
        (self.view().kind() == Kind::PackedByteArray).then(|| HeldBytes::new(self.view().byte_array().clone()))
    }

    #[inline(always)]
    fn ahead(buffers: &[Self], index: usize) {
        engine::ahead(buffers, index);
    }
}

/// A buffer held by a reference of our own, or the type of an element that is not a buffer. A copy of the batch is not
/// enough: it would share the packed arrays.
type HeldBuffer = Result<HeldBytes, Kind>;

impl Buffer for HeldBuffer {
    const IS_SAMPLED: bool = false;

    fn input(&self) -> Result<Input<'_>, Kind> {
        self.as_ref().map(|buffer| Input { at: 0, bytes: buffer.bytes() }).map_err(|kind| *kind)
    }

    fn hold(&self) -> Option<HeldBytes> {
        self.as_ref().ok().map(HeldBytes::share)
    }
}

/// Buffers of one value each.
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
        let buffers = &self.0[batch.range.clone()];
        buffers.iter().enumerate().map(|(index, buffer)| {
            B::ahead(buffers, index);
            buffer.input()
        })
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

/// Frames, up to the first that is not whole.
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

/// The job that decodes many inputs; null for each that fails.
pub struct Decode<I> {
    inputs: I,
    /// Start of the next batch.
    next: usize,
    decoded: Decoded,
    may_ask: MayAsk,
    is_built: bool,
    done: usize,
    total: usize,
}

/// Decodes buffers at once.
pub fn bytes_to_vars(buffers: &AnyArray, allow_objects: bool) -> Outcome {
    run(Decode::new(Buffers(engine::values(buffers)), allow_objects, MayAsk::Nothing))
}

/// Decodes frames at once.
pub fn frames_to_vars(frames: PackedByteArray, allow_objects: bool) -> Outcome {
    run(Decode::new(FramesInput(HeldBytes::new(frames)), allow_objects, MayAsk::Conversions))
}

impl Decode<Buffers<Vec<HeldBuffer>>> {
    /// Decodes buffers later; holds their bytes as they are now.
    pub fn buffers(buffers: &AnyArray, allow_objects: bool) -> Self {
        let held = |buffer: &Value| Buffer::hold(buffer).ok_or(buffer.view().kind());
        let held = engine::values(buffers).iter().map(held).collect();
        Self::new(Buffers(held), allow_objects, MayAsk::Nothing)
    }
}

impl Decode<FramesInput> {
    /// Decodes frames later; holds their bytes as they are now.
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
        // A plain method reports no progress.
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
        // From here on scripts may run, so nothing of the caller's is read.
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

//! Reads values out of a file, and decodes each piece on the thread that has read it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::VarArray;
use varbatch_codec::frames::{self, Frame};
use varbatch_storage::{LoadError, Loader, ReadStep};
use varbatch_workers::Threads;
use varbatch_workers::tasks::OnProgress;

use super::file::{Source, explain};
use crate::calls::decode::{Decoded, Deferred, Effort, Input, build_slots};
use crate::engine::{DIALECT, HeldBytes, Slot, byte_array_of};
use crate::jobs::lock;
use crate::jobs::tuning::{KIND_SAMPLE, LOAD_PARALLEL_FROM};
use crate::objects::Makers;
use crate::report::{Failure, Outcome, Reports, Subject};
use crate::value::build::{MayAsk, OnBuilt};

/// The share of a task's progress for finding the values asked for.
const FINDING: f32 = 0.1;

/// Returns how much is done, from 0 to 1, if so much was done before a stream of `len` bytes.
fn progress(found: f32, read: u64, built: u64, len: u64) -> f32 {
    // Reading numbers takes as long as building them; reading small values takes a tenth of that.
    const READING: f64 = 0.25;
    let done = READING * read as f64 + (1.0 - READING) * built as f64;
    found + (1.0 - found) * (done / len.max(1) as f64) as f32
}

pub struct Loading {
    pub loader: Loader,
    pub decoded: Decoded,
    pub damage: Option<LoadError>,
    /// True if bytes are left behind values.
    pub has_rest: bool,
    pub is_read: bool,
    /// The length of what is loaded in the stream, in bytes, and its offset; of the whole stream until it is found.
    len: u64,
    start: u64,
    /// The index in the file of the first value.
    first: u64,
    /// Progress made before the first value was read.
    found: f32,
    /// Memory for pieces, reused between steps.
    buffers: Mutex<Vec<Vec<u8>>>,
}

/// Builds the values of some frames. The indices of the reports and of the values that need the engine begin at 0.
fn build(
    bytes: &[u8],
    at: usize,
    allow_objects: bool,
    threads: &Threads,
    on_built: Option<OnBuilt<'_>>,
) -> (Vec<Slot>, (Reports, Vec<Deferred>)) {
    let frames = frames::read(bytes).map_while(Result::ok);
    let inputs = frames.map(|Frame { at: from, payload }| Ok(Input { at: at + from, bytes: payload }));
    let mut values: Vec<_> = inputs.clone().map(|_| Slot::new()).collect();
    let (sample, may) = (inputs.clone().take(KIND_SAMPLE), (allow_objects, MayAsk::Nothing));
    let effort = Effort::of(sample, bytes.len(), values.len(), may, on_built);
    let hold = |_, input: Input<'_>| (HeldBytes::new(byte_array_of(input.bytes)), 0..input.bytes.len());
    let built = build_slots(inputs, &mut values, &effort, hold, threads);
    (values, built)
}

impl Loading {
    /// Begins to load values of a file. Takes what makes objects, unless it fails.
    pub fn begin(
        source: &Source,
        (from, count): (i64, Option<u64>),
        makers: &mut Option<Makers>,
    ) -> Result<Self, Failure> {
        let mut loader = source.open()?;
        loader.select(from, count);
        let (len, _) = loader.len();
        let (decoded, buffers) = (Decoded::new(makers.take().unwrap_or_default()), Mutex::new(Vec::new()));
        let (damage, has_rest, is_read) = (None, false, false);
        Ok(Self { loader, decoded, damage, has_rest, is_read, len, start: 0, first: 0, found: 0.0, buffers })
    }

    fn find(&mut self, threads: &Threads) {
        let passed = self.loader.read_step(&mut Vec::new(), threads);
        if self.is_finding() && passed.is_ok() {
            return;
        }
        let (end, len) = self.loader.len();
        (self.len, self.start, self.first, self.found) = (len, end - len, self.loader.index(), FINDING);
        (self.is_read, self.damage) = (passed.is_err(), passed.err());
    }

    fn is_finding(&self) -> bool {
        self.loader.passed().is_some()
    }

    /// True if several threads should do the next step.
    pub fn is_large(&self) -> bool {
        !self.is_read && !self.is_finding() && self.len >= LOAD_PARALLEL_FROM
    }

    /// Makes no objects for nobody: of a damaged file the only value is not returned, of an encrypted one nothing is.
    pub fn drop_if_damaged(&mut self) {
        let is_encrypted = matches!(self.damage, Some(LoadError::Encrypted(_)));
        if is_encrypted || self.damage.is_some() && self.decoded.is_only_first {
            self.decoded.deferred.clear();
        }
        if is_encrypted {
            (self.decoded.count, self.decoded.reports) = (0, Reports::default());
        }
    }

    /// Finds the values, or loads up to so many pieces of the stream per thread, or reads part of a long piece.
    pub fn load_some(&mut self, pieces: usize, threads: &Threads, report: Option<OnProgress<'_>>) {
        if self.is_finding() {
            return self.find(threads);
        }
        let pieces = pieces * threads.count();
        let (len, before, read, found) = (self.len, self.built(), self.read(), self.found);
        let built_now = AtomicUsize::new(0);
        let on_built = |more| {
            let now = built_now.fetch_add(more, Ordering::Relaxed) + more;
            report.into_iter().for_each(|report| report(progress(found, read, before + now as u64, len)));
        };
        let on_built: Option<OnBuilt<'_>> = if report.is_some() { Some(&on_built) } else { None };
        let hashing = self.loader.hashing();
        let (loader, alone, awake) = (&mut self.loader, Threads::alone(), threads.awake());
        // Decompression is slow, so all threads read a compressed file together.
        let (pieces, reading) = if loader.compression().is_some() { (1, threads) } else { (pieces, &alone) };
        let (buffers, allow_objects) = (&self.buffers, self.decoded.allow_objects());
        let (mut is_read, mut damage) = (false, None);
        // Threads take turns to read a piece; each decodes its own piece while the next thread reads.
        let read = std::iter::from_fn(|| {
            let mut bytes: Vec<u8> = lock(buffers).pop().unwrap_or_default();
            let read = loader.read_step(&mut bytes, reading);
            match read {
                Ok(ReadStep::Frames(at)) => return Some((at, bytes)),
                // The next part is read while this one is hashed.
                Ok(ReadStep::Part) if hashing.is_some() => return Some((0, bytes)),
                Ok(ReadStep::Part) => {}
                Ok(ReadStep::End) => is_read = true,
                Err(error) => (is_read, damage) = (true, Some(error)),
            }
            None
        });
        let built = threads.map(read.take(pieces), |(at, bytes)| {
            hashing.iter().for_each(|hashing| hashing.go_on());
            let piece = build(&bytes, at, allow_objects, &awake, on_built);
            lock(buffers).push(bytes);
            piece
        });
        (self.is_read, self.damage) = (is_read, damage);
        for (mut values, built) in built {
            self.decoded.add(values.len(), |slots| {
                slots.swap_with_slice(&mut values);
                built
            });
        }
    }

    pub fn progress(&self) -> f32 {
        if let Some((passed, max)) = self.loader.passed() {
            return FINDING * (passed as f64 / max.max(1) as f64) as f32;
        }
        progress(self.found, self.read(), self.built(), self.len)
    }

    fn read(&self) -> u64 {
        self.len.saturating_sub(self.loader.unread())
    }

    /// Bytes that were taken out of the loader, to build values from.
    fn built(&self) -> u64 {
        let (end, left) = self.loader.len();
        end - left - self.start
    }

    pub fn end(&mut self, source: &Source) -> Outcome<VarArray> {
        // Errors name the index in the file.
        let mut reports = Reports::default();
        reports.append_from(self.first as usize, std::mem::take(&mut self.decoded.reports));
        self.has_rest = reports.has_rest();
        if let Some(damage) = self.damage.take() {
            // Report a damaged stream like the other errors, with the index of the missing frame.
            let is_frame = matches!(damage, LoadError::Frame(_) | LoadError::Zeros { .. });
            reports.set_end(is_frame.then_some(self.loader.index() as usize), damage);
        }
        let mut lines = reports.lines(&Subject::file(&source.shown));
        explain(source, DIALECT, &mut lines);
        Outcome::new(self.decoded.take(), lines)
    }
}

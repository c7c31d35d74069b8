//! Loads values from files, and decodes them while the file is read.

mod bytes;
mod file;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{GString, VarArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::Kind;
use varbatch_codec::frames::{self, Frame};
use varbatch_storage::{LoadError, Loader, ReadStep, Seen};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

pub use self::bytes::{LoadBytes, load_bytes};
pub use self::file::{Source, explain, explained, key_of, open_code};
use super::advice::{on_missing, on_refused};
use super::decode::{Decoded, Deferred, Effort, Input, build_slots};
use crate::engine::{self, DIALECT, FlagArg, HeldBytes, Slot, byte_array_of};
use crate::jobs::task::Job;
use crate::jobs::tuning::{KIND_SAMPLE, LOAD_PARALLEL_FROM, PIECES};
use crate::jobs::{lock, pool};
use crate::objects::Makers;
use crate::report::{Cause, Failure, Line, Outcome, PATH, Reports, Subject, short};
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

struct Loading {
    loader: Loader,
    decoded: Decoded,
    damage: Option<LoadError>,
    /// True if bytes are left behind values.
    has_rest: bool,
    is_read: bool,
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
    fn is_large(&self) -> bool {
        !self.is_read && !self.is_finding() && self.len >= LOAD_PARALLEL_FROM
    }

    /// Makes no objects for nobody: of a damaged file the only value is not returned, of an encrypted one nothing is.
    fn drop_if_damaged(&mut self) {
        let is_encrypted = matches!(self.damage, Some(LoadError::Encrypted(_)));
        if is_encrypted || self.damage.is_some() && self.decoded.is_only_first {
            self.decoded.deferred.clear();
        }
        if is_encrypted {
            (self.decoded.count, self.decoded.reports) = (0, Reports::default());
        }
    }

    /// Finds the values, or loads up to so many pieces of the stream per thread, or reads part of a long piece.
    fn load_some(&mut self, pieces: usize, threads: &Threads, report: Option<OnProgress<'_>>) {
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

    fn progress(&self) -> f32 {
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

    fn end(&mut self, source: &Source) -> Outcome<VarArray> {
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

fn to_load(
    path: &GString,
    allow_objects: &FlagArg,
    count: i64,
    (key, offset): (&Variant, i64),
) -> Result<(Source, Makers, Option<u64>), Failure> {
    let shown = short(&path.to_string(), PATH);
    let refused = |why: String| Failure::invalid(format_args!("cannot load \"{shown}\": {why}"));
    let is_mode = allow_objects.value().view().kind() == Kind::Int;
    let advice = if is_mode { "; compression is detected" } else { "" };
    let makers = Makers::of(allow_objects.value()).map_err(|why| refused(format!("{why}{advice}")))?;
    let refused_count = |_| refused(format!("expected -1 or more as count, found {count}"));
    let count = if count == ALL { None } else { Some(u64::try_from(count).map_err(refused_count)?) };
    let offset = u64::try_from(offset).map_err(|_| refused(format!("expected 0 or more as offset, found {offset}")))?;
    let source = Source { key: key_of(key).map_err(refused)?, offset, ..Source::plain(path) };
    Ok((source, makers, count))
}

/// Begins to load values of a file. Takes what makes objects, unless it fails.
fn begin(source: &Source, (from, count): (i64, Option<u64>), makers: &mut Option<Makers>) -> Result<Loading, Failure> {
    let mut loader = source.open()?;
    loader.select(from, count);
    let (len, _) = loader.len();
    let (decoded, buffers) = (Decoded::new(makers.take().unwrap_or_default()), Mutex::new(Vec::new()));
    let (damage, has_rest, is_read) = (None, false, false);
    Ok(Loading { loader, decoded, damage, has_rest, is_read, len, start: 0, first: 0, found: 0.0, buffers })
}

/// The count of values that means all.
pub const ALL: i64 = -1;

/// Loads values: `range` is an index, from the end if negative, and a count; `stored` is the key and what to skip.
pub fn load_vars(
    path: &GString,
    allow_objects: &FlagArg,
    range: (i64, i64),
    stored: (&Variant, i64),
) -> Outcome<VarArray> {
    Load::range(path, allow_objects, range, stored).at_once().all()
}

pub fn load_var(path: &GString, default: &Variant, allow_objects: &FlagArg, key: &Variant) -> Outcome<Variant> {
    Load::only(path, default, allow_objects, key).at_once().outcome().map(|value| value.value().variant().clone())
}

pub struct Load {
    source: Source,
    /// The file, as it was before it was opened. Taken when it is known whether it can be loaded.
    seen: Option<Seen>,
    /// Which values, as the first one and their count.
    range: (i64, Option<u64>),
    loading: Result<Loading, Failure>,
    /// What makes objects, unless that is part of `loading`; `None` after it was decided whether the backup is loaded.
    spare: Option<Makers>,
    warning: Option<Line>,
    /// Returned if the only value cannot be loaded; `None` to load an array.
    default: Option<Slot>,
    /// The values that the only one was taken from.
    values: Slot,
}

impl Load {
    pub fn range(path: &GString, allow_objects: &FlagArg, (from, count): (i64, i64), stored: (&Variant, i64)) -> Self {
        let (source, seen, range, loading, spare) = match to_load(path, allow_objects, count, stored) {
            Ok((source, makers, count)) => {
                let (range, mut spare, seen) = ((from, count), Some(makers), source.seen());
                let loading = begin(&source, range, &mut spare);
                (source, seen, range, loading, Some(spare.unwrap_or_default()))
            }
            Err(failure) => (Source::plain(path), None, (0, None), Err(failure), None),
        };
        Self { source, seen, range, loading, spare, warning: None, default: None, values: Slot::new() }
    }

    pub fn only(path: &GString, default: &Variant, allow_objects: &FlagArg, key: &Variant) -> Self {
        let mut load = Self::range(path, allow_objects, (0, ALL), (key, 0));
        load.loading.iter_mut().for_each(|loading| loading.decoded.is_only_first = true);
        Self { default: Some(Slot::of(engine::value(default))), ..load }
    }

    fn at_once(mut self) -> Self {
        let is_large = |load: &Self| load.loading.as_ref().is_ok_and(Loading::is_large);
        while pool::with(is_large(&self), |threads| self.next(PIECES, threads, None)) != NextStep::Done {}
        self
    }

    /// Loads up to so many pieces per thread, decides what is loaded when all is read, or builds a value with the engine.
    fn next(&mut self, pieces: usize, threads: &Threads, report: Option<OnProgress<'_>>) -> NextStep {
        let Ok(loading) = &mut self.loading else {
            return if self.takes_backup(threads) { NextStep::More } else { NextStep::Done };
        };
        if loading.is_read {
            return loading.decoded.step_with_engine();
        }
        loading.load_some(pieces, threads, report);
        if !loading.is_read || self.takes_backup(threads) {
            return NextStep::More;
        }
        let Ok(loading) = &mut self.loading else { return NextStep::Done };
        loading.drop_if_damaged();
        loading.decoded.end()
    }

    /// True if it begins with the backup, as only that is whole. Call it when all was read, before objects are made.
    fn takes_backup(&mut self, threads: &Threads) -> bool {
        let Some(spare) = self.spare.take() else { return false };
        use EngineError as Code;
        let is_good = match &self.loading {
            // Somebody began to write to it, and did not end.
            _ if self.seen.is_some_and(|seen| seen.is_emptied()) => false,
            Ok(Loading { damage: Some(damage), .. }) if !damage.is_damage() => true,
            Ok(Loading { damage: None, decoded, .. }) if !decoded.reports.has_errors() => true,
            // A file that cannot be opened is no damaged one. No save leaves it missing: the game has deleted it.
            Err(Failure {
                code: Code::ERR_FILE_NOT_FOUND | Code::ERR_FILE_CANT_OPEN | Code::ERR_FILE_CANT_READ,
                ..
            }) => true,
            _ => self.source.is_sound(threads),
        };
        let backup = if is_good { None } else { self.source.backup() };
        let Some(backup) = backup.filter(|backup| backup.is_whole(threads)) else { return false };
        let mut makers =
            Some(self.loading.as_mut().map_or(spare, |loading| std::mem::take(&mut loading.decoded.makers)));
        let seen = backup.seen();
        let Ok(mut loading) = begin(&backup, self.range, &mut makers) else { return false };
        loading.decoded.is_only_first = self.default.is_some();
        let why = self.all().lines.into_iter().find(|line| !line.is_warning());
        let path = &self.source.shown;
        let why = why.map_or_else(|| format!("\"{path}\": expected a value, found an empty file"), |line| line.text);
        self.warning = Some(self.source.backup_loaded(&why));
        (self.source, self.seen, self.loading) = (backup, seen, Ok(loading));
        true
    }

    fn all(&mut self) -> Outcome<VarArray> {
        let outcome = match &mut self.loading {
            Ok(loading) => {
                let mut outcome = loading.end(&self.source);
                outcome.lines.splice(..0, self.warning.take());
                outcome
            }
            Err(failure) => Outcome::failed(VarArray::new(), failure.clone()),
        };
        // A save sets a file aside that could not be loaded, or not all of it, and makes one a backup that was.
        let has_rest = self.loading.as_ref().is_ok_and(|loading| loading.has_rest);
        let is_whole = outcome.code == EngineError::OK && !has_rest;
        let is_told = |seen: &Seen| !is_whole || self.range == (0, None) && !seen.is_emptied();
        self.source.note(self.seen.take().filter(is_told), is_whole);
        outcome
    }

    /// Returns the only value; `default`, and at most one line, if it is missing or damaged.
    fn one(&mut self, default: Slot) -> Outcome<Slot> {
        if let Err(Failure { code: code @ EngineError::ERR_FILE_NOT_FOUND, .. }) = self.loading {
            // The game was never saved: not an error to print. The note is the engine's.
            let lines = on_missing(&default, &self.source.shown).into_iter().collect();
            return Outcome { code, note: "File not found", ..Outcome::new(default, lines) };
        }
        let Outcome { value: values, mut lines, code, .. } = self.all();
        self.values.set(values.clone());
        if code != EngineError::OK {
            lines.retain(|line| !line.is_warning());
            lines.truncate(1);
            lines.iter_mut().for_each(|line| on_refused(&default, line));
            return Outcome { code, ..Outcome::new(default, lines) };
        }
        let (count, path) = (values.len(), &self.source.shown);
        let Some(first) = values.get(0) else {
            let text = format!("\"{path}\": expected a value, found an empty file");
            return Outcome::failed(default, Failure::new(Cause::Ended, text));
        };
        if count > 1 {
            let text = "this is the first, load_vars() returns all";
            lines.push(Line::warning(format_args!("\"{path}\": expected one value, found {count}: {text}")));
        }
        Outcome::new(Slot::of(engine::value(&first)), lines)
    }
}

impl Work for Load {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        self.next(1, threads, Some(report))
    }

    fn progress(&self) -> f32 {
        self.loading.as_ref().map_or(0.0, Loading::progress)
    }
}

impl Job for Load {
    fn outcome(&mut self) -> Outcome<Slot> {
        // A copy: the default stays, as scripts may run when the last reference to it is dropped.
        match self.default.as_ref().map(|default| Slot::of(default.value())) {
            Some(default) => self.one(default),
            None => self.all().into_slot(),
        }
    }
}

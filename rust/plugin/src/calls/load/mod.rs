//! Loads values from files, and decodes them while the file is read.

mod open;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{GString, VarArray};
use godot::global::Error as EngineError;
use varbatch_codec::frames::{self, Frame};
use varbatch_storage::{LoadError, Loader, ReadStep};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

pub use self::open::{explain, open, open_code};
use super::decode::{Decoded, Deferred, Effort, Input, build_slots};
use crate::engine::{self, DIALECT, FlagArg, HeldBytes, Slot, byte_array_of};
use crate::jobs::job::Job;
use crate::jobs::outcome::{Failure, Outcome};
use crate::jobs::tuning::{KIND_SAMPLE, LOAD_PARALLEL_FROM, PIECES};
use crate::jobs::{lock, pool};
use crate::report::{Line, Reports, Subject};
use crate::value::build::{MayAsk, OnBuilt};

/// The message for a file that was never saved: the engine's text for `ERR_FILE_NOT_FOUND`.
const MISSING: &str = "File not found";

/// The share of a task's progress for finding the values asked for.
const FINDING: f32 = 0.1;

/// Returns how much of a stream of `len` bytes is done, from 0 to 1.
fn progress(read: u64, built: u64, len: u64) -> f32 {
    // Reading numbers takes as long as building them; reading small values takes a tenth of that.
    const READING: f64 = 0.25;
    let done = READING * read as f64 + (1.0 - READING) * built as f64;
    (done / len.max(1) as f64) as f32
}

/// A stream that is being loaded, step by step.
struct Loading {
    loader: Loader,
    decoded: Decoded,
    damage: Option<LoadError>,
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

/// The values of some frames. Indices count from the first frame of the piece.
struct Piece {
    values: Vec<Slot>,
    reports: Reports,
    deferred: Vec<Deferred>,
}

impl Piece {
    fn build(bytes: &[u8], at: usize, allow_objects: bool, threads: &Threads, on_built: Option<OnBuilt<'_>>) -> Self {
        let frames = frames::read(bytes).map_while(Result::ok);
        let inputs = frames.map(|Frame { at: from, payload }| Ok(Input { at: at + from, bytes: payload }));
        let mut values: Vec<_> = inputs.clone().map(|_| Slot::new()).collect();
        let (sample, may) = (inputs.clone().take(KIND_SAMPLE), (allow_objects, MayAsk::Nothing));
        let effort = Effort::of(sample, bytes.len(), values.len(), may, on_built);
        let hold = |_, input: Input<'_>| (HeldBytes::new(byte_array_of(input.bytes)), 0..input.bytes.len());
        let (reports, deferred) = build_slots(inputs, &mut values, &effort, hold, threads);
        Self { values, reports, deferred }
    }
}

impl Loading {
    fn new(loader: Loader, allow_objects: bool) -> Self {
        let (len, _) = loader.len();
        let (decoded, buffers) = (Decoded::new(allow_objects), Mutex::new(Vec::new()));
        Self { loader, decoded, damage: None, is_read: false, len, start: 0, first: 0, found: 0.0, buffers }
    }

    /// Passes some of the values before those asked for.
    fn find(&mut self, threads: &Threads) {
        let passed = self.loader.read_step(&mut Vec::new(), threads);
        if self.is_finding() && passed.is_ok() {
            return;
        }
        let (end, len) = self.loader.len();
        (self.len, self.start, self.first, self.found) = (len, end - len, self.loader.index(), FINDING);
        (self.is_read, self.damage) = (passed.is_err(), passed.err());
    }

    /// True until the values asked for are found.
    fn is_finding(&self) -> bool {
        self.loader.passed().is_some()
    }

    /// Loads all at once.
    fn load(&mut self) {
        while !self.is_read {
            let is_large = !self.is_finding() && self.len >= LOAD_PARALLEL_FROM;
            pool::with(is_large, |threads| match self.is_finding() {
                true => self.find(threads),
                false => self.load_some(PIECES, threads, None),
            });
        }
        self.decoded.finish();
    }

    /// Loads up to so many pieces of the stream per thread, or reads part of a long piece.
    fn load_some(&mut self, pieces: usize, threads: &Threads, report: Option<OnProgress<'_>>) {
        let pieces = pieces * threads.count();
        let (len, before, read, found) = (self.len, self.built(), self.read(), self.found);
        let built_now = AtomicUsize::new(0);
        let on_built = |more| {
            let now = built_now.fetch_add(more, Ordering::Relaxed) + more;
            let done = found + (1.0 - found) * progress(read, before + now as u64, len);
            report.into_iter().for_each(|report| report(done));
        };
        let on_built: Option<OnBuilt<'_>> = if report.is_some() { Some(&on_built) } else { None };
        let (loader, alone, awake) = (&mut self.loader, Threads::alone(), threads.awake());
        // Decompression is slow, so all threads read a compressed file together.
        let (pieces, reading) = if loader.is_compressed() { (1, threads) } else { (pieces, &alone) };
        let (buffers, allow_objects) = (&self.buffers, self.decoded.allow_objects());
        let (mut is_read, mut damage) = (false, None);
        // Threads take turns to read a piece; each decodes its own piece while the next thread reads.
        let read = std::iter::from_fn(|| {
            let mut bytes: Vec<u8> = lock(buffers).pop().unwrap_or_default();
            let read = loader.read_step(&mut bytes, reading);
            is_read |= matches!(read, Ok(ReadStep::End) | Err(_));
            match read {
                Ok(ReadStep::Frames(at)) => Some((at, bytes)),
                Ok(ReadStep::Part | ReadStep::End) => None,
                Err(error) => {
                    damage = Some(error);
                    None
                }
            }
        });
        let built = threads.map(read.take(pieces), |(at, bytes)| {
            let piece = Piece::build(&bytes, at, allow_objects, &awake, on_built);
            lock(buffers).push(bytes);
            piece
        });
        (self.is_read, self.damage) = (is_read, damage);
        for Piece { mut values, reports, deferred } in built {
            self.decoded.append(&mut values, reports, deferred);
        }
    }

    fn progress(&self) -> f32 {
        if let Some((passed, max)) = self.loader.passed() {
            return FINDING * (passed as f64 / max.max(1) as f64) as f32;
        }
        self.found + (1.0 - self.found) * progress(self.read(), self.built(), self.len)
    }

    /// Bytes read so far.
    fn read(&self) -> u64 {
        self.len.saturating_sub(self.loader.unread())
    }

    /// Bytes that were taken out of the loader, to build values from.
    fn built(&self) -> u64 {
        let (end, left) = self.loader.len();
        end - left - self.start
    }

    /// Returns the values of the file at `path`.
    fn end(&mut self, path: &str) -> Outcome<VarArray> {
        // Errors name the index in the file.
        let mut reports = Reports::default();
        reports.append_from(self.first as usize, std::mem::take(&mut self.decoded.reports));
        let code = match &self.damage {
            Some(LoadError::Read(_)) => EngineError::ERR_FILE_CANT_READ,
            None if !reports.has_errors() => EngineError::OK,
            _ => EngineError::ERR_FILE_CORRUPT,
        };
        match self.damage.take() {
            // Report a damaged stream like the other errors, with the index of the missing frame.
            Some(damage @ (LoadError::Frame(_) | LoadError::Zeros { .. })) => {
                reports.set_end(self.loader.index() as usize, damage);
            }
            Some(damage) => reports.set_end(None, damage),
            None => {}
        }
        let mut lines = reports.lines(&Subject::file(path));
        if code == EngineError::ERR_FILE_CORRUPT {
            explain(path, DIALECT, &mut lines);
        }
        Outcome { code, ..Outcome::new(self.decoded.take(), lines) }
    }
}

/// Checks the arguments of a load. Returns the opened file, and true if objects are allowed.
///
/// # Errors
/// If an argument is invalid, or the file cannot be opened.
fn to_load(path: &GString, allow_objects: FlagArg, from: i64, count: i64) -> Result<(Loader, bool), Failure> {
    let refused = |why: String| Failure::invalid(format_args!("cannot load \"{path}\": {why}"));
    let flag = allow_objects.flag("allow_objects");
    let allow_objects = flag.map_err(|why| refused(format!("{why}; compression is detected")))?;
    let count = match count {
        ALL => None,
        count => match u64::try_from(count) {
            Ok(count) => Some(count),
            Err(_) => return Err(refused(format!("expected -1 or more as count, found {count}"))),
        },
    };
    let mut loader = open(path)?;
    loader.select(from, count);
    Ok((loader, allow_objects))
}

/// The count of values that means all.
pub const ALL: i64 = -1;

/// Loads `count` values from index `from` on. A negative `from` counts from the end.
pub fn load_vars(path: &GString, allow_objects: FlagArg, from: i64, count: i64) -> Outcome<VarArray> {
    let mut load = Load::range(path, allow_objects, from, count);
    load.loading.iter_mut().for_each(Loading::load);
    load.all()
}

/// Loads the only value of a file.
pub fn load_var(path: &GString, default: Slot, allow_objects: FlagArg) -> Outcome<Slot> {
    let mut load = Load::only(path, default, allow_objects);
    load.loading.iter_mut().for_each(Loading::load);
    load.outcome()
}

/// The job that loads values of a file, or its only value.
pub struct Load {
    path: String,
    loading: Result<Loading, Failure>,
    /// Returned if the only value cannot be loaded; `None` to load an array.
    default: Option<Slot>,
    /// The values that the only one was taken from.
    values: Slot,
}

impl Load {
    pub fn range(path: &GString, allow_objects: FlagArg, from: i64, count: i64) -> Self {
        let loading = to_load(path, allow_objects, from, count);
        let loading = loading.map(|(loader, allow_objects)| Loading::new(loader, allow_objects));
        Self { path: path.to_string(), loading, default: None, values: Slot::new() }
    }

    pub fn only(path: &GString, default: Slot, allow_objects: FlagArg) -> Self {
        Self { default: Some(default), ..Self::range(path, allow_objects, 0, ALL) }
    }

    fn all(&mut self) -> Outcome<VarArray> {
        match &mut self.loading {
            Ok(loading) => loading.end(&self.path),
            Err(failure) => Outcome::failed(VarArray::new(), failure.clone()),
        }
    }

    /// Returns the only value; `default`, and at most one line, if it is missing or damaged.
    fn one(&mut self, default: Slot) -> Outcome<Slot> {
        if let Err(Failure { code: code @ EngineError::ERR_FILE_NOT_FOUND, .. }) = self.loading {
            // The game was never saved: not an error to print.
            return Outcome::quiet(default, code, MISSING);
        }
        let Outcome { value: values, mut lines, code, .. } = self.all();
        self.values.set(values.clone());
        if code != EngineError::OK {
            lines.retain(|line| !line.is_warning);
            lines.truncate(1);
            return Outcome { code, ..Outcome::new(default, lines) };
        }
        let (count, path) = (values.len(), &self.path);
        let Some(first) = values.get(0) else {
            let text = format!("\"{path}\": expected a value, found an empty file");
            return Outcome::failed(default, Failure::new(EngineError::ERR_FILE_EOF, text));
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
        let Ok(loading) = &mut self.loading else { return NextStep::Done };
        if loading.is_read {
            return loading.decoded.step_with_engine();
        }
        match loading.is_finding() {
            true => loading.find(threads),
            false => loading.load_some(1, threads, Some(report)),
        }
        if loading.is_read { loading.decoded.end() } else { NextStep::More }
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

//! Loads values from files, and decodes them while the file is read.

mod named;
mod open;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{GString, VarArray};
use godot::global::Error as EngineError;
use varbatch_codec::frames::{self, Frame};
use varbatch_storage::{LoadError, Loader, ReadStep};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

pub use self::named::name;
pub use self::open::open;
use super::decode::{Decoded, Deferred, Input, Work, build_slots};
use super::files::Failure;
use crate::engine::{self, DIALECT, FlagArg, HeldBytes, Slot, byte_array_of};
use crate::jobs::job::{Job, Outcome, Product, STEP, WHOLE};
use crate::jobs::tuning::{KIND_SAMPLE, LOAD_PARALLEL_FROM, PIECES};
use crate::report::{Line, Report, Reports, Subject};
use crate::value::build::{MayAsk, Tell};

/// The message for a file that was never saved: the engine's text for `ERR_FILE_NOT_FOUND`.
const MISSING: &str = "File not found";

/// The share of a task's progress for finding the values asked for.
const FINDING: f32 = 0.1;

const UNPOISONED: &str = "nothing panics while it is held";

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
    left: Vec<Deferred>,
}

impl Piece {
    fn build(bytes: &[u8], at: usize, allow_objects: bool, threads: &Threads, tell: Option<Tell<'_>>) -> Self {
        let frames = frames::read(bytes).map_while(Result::ok);
        let inputs = frames.map(|Frame { at: from, payload }| Input { at: at + from, bytes: payload });
        let count = inputs.clone().count();
        let sample: Vec<_> = inputs.clone().take(KIND_SAMPLE).collect();
        let work = Work::of(&sample, bytes.len(), count, allow_objects, MayAsk::Nothing).telling(tell);
        let mut values: Vec<_> = std::iter::repeat_with(Slot::new).take(count).collect();
        let (reports, asking) = build_slots(inputs.clone().map(Ok), &mut values, &work, threads);
        let mut inputs = inputs.enumerate();
        let left = asking.into_iter().filter_map(|asking| {
            let (index, input) = inputs.find(|(index, _)| *index == asking)?;
            let bytes = HeldBytes::new(byte_array_of(input.bytes));
            Some(Deferred { index, at: input.at, bytes, range: 0..input.bytes.len() })
        });
        Self { values, reports, left: left.collect() }
    }
}

impl Loading {
    fn new(loader: Loader, allow_objects: bool) -> Self {
        let (len, _) = loader.len();
        let (decoded, buffers) = (Decoded::new(allow_objects), Mutex::new(Vec::new()));
        Self { loader, decoded, damage: None, is_read: false, len, start: 0, first: 0, found: 0.0, buffers }
    }

    /// Passes some of the values before those asked for.
    fn find(&mut self, threads: &Threads) -> NextStep {
        let passed = self.loader.read_step(&mut Vec::new(), threads);
        if self.is_finding() && passed.is_ok() {
            return NextStep::More;
        }
        let (end, len) = self.loader.len();
        (self.len, self.start, self.first, self.found) = (len, end - len, self.loader.index(), FINDING);
        (self.is_read, self.damage) = (passed.is_err(), passed.err());
        if self.is_read { self.decoded.end() } else { NextStep::More }
    }

    /// True until the values asked for are found.
    fn is_finding(&self) -> bool {
        self.loader.passed().is_some()
    }

    /// Loads some pieces of the stream, or reads part of a long piece.
    fn step(&mut self, size: usize, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        if self.is_read {
            return self.decoded.step_with_engine();
        }
        if self.is_finding() {
            return self.find(threads);
        }
        let pieces = (size / STEP).min(PIECES) * threads.count();
        let (len, before, read, found) = (self.len, self.built(), self.read(), self.found);
        let built_now = AtomicUsize::new(0);
        let tell = |more| {
            let now = built_now.fetch_add(more, Ordering::Relaxed) + more;
            report(found + (1.0 - found) * progress(read, before + now as u64, len));
        };
        let (loader, alone, awake) = (&mut self.loader, Threads::alone(), threads.awake());
        // Decompression is slow, so all threads read a compressed file together.
        let (pieces, reading) = if loader.is_compressed() { (1, threads) } else { (pieces, &alone) };
        let allow_objects = self.decoded.allow_objects();
        let (buffers, built) = (&self.buffers, Mutex::new(Vec::new()));
        let (mut order, mut is_read, mut damage) = (0, false, None);
        // Threads take turns to read a piece; each decodes its own piece while the next thread reads.
        let read = std::iter::from_fn(|| {
            let mut bytes: Vec<u8> = buffers.lock().expect(UNPOISONED).pop().unwrap_or_default();
            let read = loader.read_step(&mut bytes, reading);
            is_read |= matches!(read, Ok(ReadStep::End) | Err(_));
            order += 1;
            match read {
                Ok(ReadStep::Frames(at)) => Some((order, at, bytes)),
                Ok(ReadStep::Part | ReadStep::End) => None,
                Err(error) => {
                    damage = Some(error);
                    None
                }
            }
        });
        threads.for_each(read.take(pieces), |(order, at, bytes)| {
            // A plain method reports no progress.
            let tell: Option<Tell<'_>> = if size == WHOLE { None } else { Some(&tell) };
            let piece = Piece::build(&bytes, at, allow_objects, &awake, tell);
            built.lock().expect(UNPOISONED).push((order, piece));
            buffers.lock().expect(UNPOISONED).push(bytes);
        });
        (self.is_read, self.damage) = (is_read, damage);
        let mut built = built.into_inner().expect(UNPOISONED);
        built.sort_unstable_by_key(|(order, _)| *order);
        for (_, piece) in built {
            self.append(piece);
        }
        if !self.is_read {
            return NextStep::More;
        }
        self.decoded.end()
    }

    fn append(&mut self, mut piece: Piece) {
        let (first, slots) = self.decoded.grow(piece.values.len());
        slots.swap_with_slice(&mut piece.values);
        self.decoded.reports.append_from(first, piece.reports);
        piece.left.into_iter().for_each(|left| self.decoded.leave(Deferred { index: first + left.index, ..left }));
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

    /// Returns the values of the file, the lines to print, and `OK` or the error code of the file.
    fn take(&mut self, path: &str) -> (VarArray, Vec<Line>, EngineError) {
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
            Some(LoadError::Frame(error)) => reports.set_end(self.loader.index() as usize, error),
            Some(zeros @ LoadError::Zeros { .. }) => {
                reports.set_end(self.loader.index() as usize, Report::failed(zeros));
            }
            Some(damage) => reports.set_end(None, Report::failed(damage)),
            None => {}
        }
        let mut lines = reports.lines(&Subject::file(path));
        if code == EngineError::ERR_FILE_CORRUPT {
            name(path, DIALECT, &mut lines);
        }
        (self.decoded.take(), lines, code)
    }
}

/// Checks the arguments of a load. Returns the opened file, and true if objects are allowed.
///
/// # Errors
/// If an argument is invalid, or the file cannot be opened.
fn to_load(path: &GString, allow_objects: FlagArg, from: i64, count: i64) -> Result<(Loader, bool), Failure> {
    let refused =
        |why: String| Failure::new(EngineError::ERR_INVALID_PARAMETER, format_args!("cannot load \"{path}\": {why}"));
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
    /// Loads `count` values from index `from` on. A negative `from` counts from the end.
    pub fn range(path: &GString, allow_objects: FlagArg, from: i64, count: i64) -> Self {
        let loading = to_load(path, allow_objects, from, count);
        let loading = loading.map(|(loader, allow_objects)| Loading::new(loader, allow_objects));
        Self { path: path.to_string(), loading, default: None, values: Slot::new() }
    }

    pub fn only(path: &GString, default: Slot, allow_objects: FlagArg) -> Self {
        Self { default: Some(default), ..Self::range(path, allow_objects, 0, ALL) }
    }
}

impl Job for Load {
    fn step(&mut self, size: usize, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        self.loading.as_mut().map_or(NextStep::Done, |loading| loading.step(size, threads, report))
    }

    fn is_large(&self) -> bool {
        self.loading.as_ref().is_ok_and(|loading| !loading.is_finding() && loading.len >= LOAD_PARALLEL_FROM)
    }

    fn progress(&self) -> f32 {
        self.loading.as_ref().map_or(0.0, Loading::progress)
    }

    fn outcome(&mut self) -> Outcome {
        let (values, lines, code) = match &mut self.loading {
            Ok(loading) => loading.take(&self.path),
            // The game was never saved: not an error to print.
            Err(Failure { code: code @ EngineError::ERR_FILE_NOT_FOUND, .. }) if self.default.is_some() => {
                (VarArray::new(), Vec::new(), *code)
            }
            Err(Failure { code, text }) => (VarArray::new(), vec![Line::error(text)], *code),
        };
        let (product, lines, code) = match &self.default {
            Some(default) => {
                self.values.set(values.clone());
                only(&self.path, &values, lines, code, default)
            }
            None => (Product::Values(values), lines, code),
        };
        match code {
            EngineError::ERR_FILE_NOT_FOUND if lines.is_empty() => Outcome::quiet(product, code, MISSING),
            code => Outcome::with_lines(product, lines, code),
        }
    }
}

/// Returns the only value of a file; `default`, and at most one line, if the value is missing or damaged.
fn only(
    path: &str,
    values: &VarArray,
    mut lines: Vec<Line>,
    code: EngineError,
    default: &Slot,
) -> (Product, Vec<Line>, EngineError) {
    if code != EngineError::OK {
        lines.retain(|line| !line.is_warning);
        lines.truncate(1);
        return (Product::Value(Slot::of(default.value())), lines, code);
    }
    let count = values.len();
    let Some(first) = values.get(0) else {
        let line = Line::error(format_args!("\"{path}\": expected a value, found an empty file"));
        return (Product::Value(Slot::of(default.value())), vec![line], EngineError::ERR_FILE_EOF);
    };
    if count > 1 {
        let text =
            format_args!("\"{path}\": expected one value, found {count}: this is the first, load_vars() returns all");
        lines.push(Line::warning(text));
    }
    (Product::Value(Slot::of(engine::value(&first))), lines, code)
}

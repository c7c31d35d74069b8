//! Files to values, decoded while they are read.

pub mod named;
pub mod values;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_codec::frames::{self, Frame};
use varbatch_storage::{LoadError, LoadErrorKind, Loader, ReadStep};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use self::values::Values;
use crate::calls::decode::{self, Input, Work, build_slots, decode_kept};
use crate::calls::files::{Failure, open_code};
use crate::engine::{self, DIALECT, EngineFile, OwnArray, Slot};
use crate::jobs::pool;
use crate::report::{Report, Reports, Subject};
use crate::value::build::{MayAsk, Tell};

/// From this many bytes on, more than one thread reads and decodes.
pub const SHARED_FROM: u64 = 2 << 20;

/// Pieces that are decoded before their values are put together, for each thread: so many that the threads seldom wait for
/// each other.
const PIECES: usize = 64;

const UNPOISONED: &str = "nothing panics while it is held";

/// Opens a file at a path as Godot writes it.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn open(path: &GString) -> Result<Loader, Failure> {
    let shown = path.to_string();
    let failure = |code, why: &dyn std::fmt::Display| Failure::new(code, format!("cannot load \"{shown}\": {why}"));
    // What belongs to the project may be in a pack, and have another name there.
    let loader = if shown.starts_with("res://") || shown.starts_with("uid://") {
        let (file, len) = EngineFile::open(path).map_err(|code| failure(code, &engine::error_text(code)))?;
        Loader::new(Box::new(file), len)
    } else {
        Loader::open(&engine::globalize(path))
    };
    loader.map_err(|damage| match damage.kind() {
        LoadErrorKind::Read(error) => failure(open_code(error), error),
        _ => Failure::new(EngineError::ERR_FILE_CORRUPT, format_args!("\"{shown}\": {damage}")),
    })
}

/// Loads all values of a stream of frames, as many as there are whole ones; null where a payload is bad.
pub fn load(loader: Loader, allow_objects: bool) -> Loaded {
    let mut loading = Loading::new(loader, allow_objects);
    pool::with(loading.len >= SHARED_FROM, |threads| {
        while loading.step(PIECES * threads.count(), threads, &|_| {}) == NextStep::More {}
    });
    while loading.step(1, &Threads::alone(), &|_| {}) != NextStep::Done {}
    loading.finish()
}

/// How much is done of a stream of `len` bytes.
fn progress(read: u64, built: u64, len: u64) -> f32 {
    // To read numbers takes as long as to build them, to read small values a tenth of it.
    const READING: f64 = 0.25;
    let done = READING * read as f64 + (1.0 - READING) * built as f64;
    (done / len.max(1) as f64) as f32
}

/// What a stream gave.
pub struct Loaded {
    /// The values.
    pub values: OwnArray,
    /// What there is to say about them.
    pub reports: Reports,
    /// Why there are not more.
    pub damage: Option<LoadError>,
}

impl Loaded {
    /// The values, what there is to print about the file, and `OK` or the code for it.
    pub fn of_file(self, path: &str) -> Values {
        let code = match self.damage.as_ref().map(LoadError::kind) {
            Some(LoadErrorKind::Read(_)) => EngineError::ERR_FILE_CANT_READ,
            None if !self.reports.has_errors() => EngineError::OK,
            _ => EngineError::ERR_FILE_CORRUPT,
        };
        let mut reports = self.reports;
        if let Some(damage) = self.damage {
            reports.set_end(None, Report::failed(damage));
        }
        let mut lines = reports.lines(&Subject::file(path));
        if code == EngineError::ERR_FILE_CORRUPT {
            named::name(path, DIALECT, &mut lines);
        }
        (self.values, lines, code)
    }
}

/// A stream that is loaded step by step.
pub struct Loading {
    loader: Loader,
    allow_objects: bool,
    /// Longer than what was loaded, so that it need not grow each time.
    values: OwnArray,
    count: usize,
    reports: Reports,
    /// Values that the engine is asked about, as for objects: by the thread of the call alone. The next one last, when
    /// there are no more.
    left: Vec<Left>,
    damage: Option<LoadError>,
    is_read: bool,
    len: u64,
    /// Memory for pieces, which is used again.
    buffers: Mutex<Vec<Vec<u8>>>,
}

struct Left {
    index: usize,
    at: usize,
    payload: Vec<u8>,
}

/// What some frames gave. Indices count from the first of them.
struct Piece {
    values: Vec<Slot>,
    reports: Reports,
    left: Vec<Left>,
}

impl Piece {
    fn build(bytes: &[u8], at: usize, allow_objects: bool, threads: &Threads, tell: Tell<'_>) -> Self {
        let frames = frames::read(bytes).map_while(Result::ok);
        let inputs = frames.map(|Frame { at: from, payload }| Input { at: at + from, bytes: payload });
        let count = inputs.clone().count();
        let sample: Vec<_> = inputs.clone().take(decode::SAMPLE).collect();
        let work = Work::of(&sample, bytes.len(), count, allow_objects, MayAsk::Nothing).telling(tell);
        let mut values: Vec<_> = std::iter::repeat_with(Slot::new).take(count).collect();
        let (reports, asking) = build_slots(inputs.clone().map(Ok), &mut values, &work, threads);
        let mut inputs = inputs.enumerate();
        let left = asking.into_iter().filter_map(|asking| {
            let (index, input) = inputs.find(|(index, _)| *index == asking)?;
            Some(Left { index, at: input.at, payload: input.bytes.to_vec() })
        });
        Self { values, reports, left: left.collect() }
    }
}

impl Loading {
    /// The start of a stream.
    pub fn new(loader: Loader, allow_objects: bool) -> Self {
        let (len, _) = loader.len();
        Self {
            loader,
            allow_objects,
            values: OwnArray::new(0),
            count: 0,
            reports: Reports::default(),
            left: Vec::new(),
            damage: None,
            is_read: false,
            len,
            buffers: Mutex::new(Vec::new()),
        }
    }

    /// Loads up to `most` pieces of the stream, or reads a part of a long one. What is left when all is read, after [`NextStep::Owner`], is what the engine is
    /// asked about.
    pub fn step(&mut self, most: usize, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        if self.is_read {
            return self.step_with_engine();
        }
        let (len, before, read) = (self.len, self.built(), self.read());
        let built_now = AtomicUsize::new(0);
        let tell = |more| {
            let now = built_now.fetch_add(more, Ordering::Relaxed) + more;
            report(progress(read, before + now as u64, len));
        };
        let (loader, alone, awake) = (&mut self.loader, Threads::alone(), threads.awake());
        // What is compressed takes long to read, and all threads together read it.
        let (most, reading) = if loader.is_compressed() { (1, threads) } else { (most, &alone) };
        let (buffers, built) = (&self.buffers, Mutex::new(Vec::new()));
        let (mut order, mut is_read, mut damage) = (0, false, None);
        // One thread after the other takes a piece, and so reads it, and decodes it while the next one reads.
        let pieces = std::iter::from_fn(|| {
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
        threads.for_each(pieces.take(most), |(order, at, bytes)| {
            let piece = Piece::build(&bytes, at, self.allow_objects, &awake, &tell);
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
        self.left.reverse();
        self.next()
    }

    fn append(&mut self, mut piece: Piece) {
        let first = self.count;
        self.count += piece.values.len();
        self.values.room(first, piece.values.len()).swap_with_slice(&mut piece.values);
        self.reports.append_from(first, piece.reports);
        self.left.extend(piece.left.into_iter().map(|left| Left { index: first + left.index, ..left }));
    }

    fn step_with_engine(&mut self) -> NextStep {
        if let Some(Left { index, at, payload }) = self.left.pop() {
            let mut slot = Slot::new();
            match decode_kept(Input { at, bytes: &payload }, self.allow_objects, &mut slot) {
                Ok(None) => {}
                Ok(Some(dropped)) => self.reports.push(index, dropped),
                Err(report) => {
                    slot.clear();
                    self.reports.push(index, report);
                }
            }
            std::mem::swap(&mut self.values.elements()[index], &mut slot);
        }
        self.next()
    }

    fn next(&self) -> NextStep {
        if self.left.is_empty() { NextStep::Done } else { NextStep::Owner }
    }

    /// How much is done, from 0 to 1.
    pub fn progress(&self) -> f32 {
        progress(self.read(), self.built(), self.len)
    }

    /// Bytes that were read.
    fn read(&self) -> u64 {
        self.len.saturating_sub(self.loader.unread())
    }

    /// Bytes that values were built of.
    fn built(&self) -> u64 {
        let (len, left) = self.loader.len();
        len - left
    }

    /// What was loaded.
    pub fn finish(mut self) -> Loaded {
        self.values.resize(self.count);
        let damage = match self.damage.map(LoadError::into_kind) {
            // Damage of a stream is a report like the others, of the frame that is not there.
            Some(LoadErrorKind::Frame(error)) => {
                self.reports.set_end(self.count, error);
                None
            }
            damage => damage.map(LoadError::from),
        };
        Loaded { values: self.values, reports: self.reports, damage }
    }
}

//! Loads values from files, and decodes them while the file is read.

mod bytes;
mod file;
mod in_line;
mod loading;

use std::path::Path;

use godot::builtin::{GString, VarArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::Kind;
use varbatch_storage::Seen;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

pub use self::bytes::{LoadBytes, load_bytes};
use self::file::if_told;
pub use self::file::{Source, explained, key_of, open_code, path_of};
use self::in_line::{InLine, Opens};
use self::loading::Loading;
use super::advice::{on_missing, on_refused};
use crate::engine::{self, FlagArg, Slot};
use crate::jobs::pool;
use crate::jobs::task::Job;
use crate::jobs::tuning::PIECES;
use crate::objects::Makers;
use crate::report::{Cause, Failure, Line, Outcome, PATH, short};

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

/// The count of values that means all.
pub const ALL: i64 = -1;

/// Loads values: `range` is an index, from the end if negative, and a count; `stored` is the key and what to skip.
pub fn load_vars(
    path: &GString,
    allow_objects: &FlagArg,
    range: (i64, i64),
    stored: (&Variant, i64),
) -> Outcome<VarArray> {
    Load::of(path, allow_objects, range, stored, None).at_once().all()
}

pub fn load_var(path: &GString, default: &Variant, allow_objects: &FlagArg, key: &Variant) -> Outcome<Variant> {
    let load = Load::of(path, allow_objects, (0, ALL), (key, 0), Some(default));
    load.at_once().outcome().map(|value| value.value().variant().clone())
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
    pub fn range(path: &GString, allow_objects: &FlagArg, range: (i64, i64), stored: (&Variant, i64)) -> InLine<Self> {
        InLine::new(Self::of(path, allow_objects, range, stored, None))
    }

    pub fn only(path: &GString, default: &Variant, allow_objects: &FlagArg, key: &Variant) -> InLine<Self> {
        InLine::new(Self::of(path, allow_objects, (0, ALL), (key, 0), Some(default)))
    }

    /// A load whose file is not open yet.
    fn of(
        path: &GString,
        allow_objects: &FlagArg,
        (from, count): (i64, i64),
        stored: (&Variant, i64),
        default: Option<&Variant>,
    ) -> Self {
        let (source, range, failure, spare) = match to_load(path, allow_objects, count, stored) {
            Ok((source, makers, count)) => (source, (from, count), Failure::invalid("not open"), Some(makers)),
            Err(failure) => (Source::plain(path), (0, None), failure, None),
        };
        let (default, values) = (default.map(|default| Slot::of(engine::value(default))), Slot::new());
        Self { source, seen: None, range, loading: Err(failure), spare, warning: None, default, values }
    }

    fn at_once(mut self) -> Self {
        self.open();
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
        loading.loader.close();
        loading.drop_if_damaged();
        loading.decoded.end()
    }

    /// True if it begins with the backup, as only that is whole. Call it when all was read, before objects are made.
    fn takes_backup(&mut self, threads: &Threads) -> bool {
        let Some(spare) = self.spare.take() else { return false };
        self.begin_backup(spare, threads).unwrap_or_else(|failure| {
            // What the file is, or its backup, is not known: too many files are open. But it could not be loaded.
            self.source.note(self.seen.take(), Err(Cause::Damaged.into()));
            self.loading = Err(failure);
            false
        })
    }

    fn begin_backup(&mut self, spare: Makers, threads: &Threads) -> Result<bool, Failure> {
        use EngineError as Code;
        let is_good = match &self.loading {
            // Somebody began to write to it, and did not end.
            _ if self.seen.is_some_and(|seen| seen.is_emptied()) => false,
            Ok(Loading { damage: Some(damage), .. }) if !damage.is_damage() => true,
            Ok(Loading { damage: None, decoded, .. }) if !decoded.reports.has_errors() => true,
            // A file that cannot be opened is no damaged one. No save leaves it missing: the game has deleted it.
            Err(Failure {
                code:
                    Code::ERR_FILE_NOT_FOUND
                    | Code::ERR_FILE_CANT_OPEN
                    | Code::ERR_FILE_CANT_READ
                    | Code::ERR_CANT_ACQUIRE_RESOURCE,
                ..
            }) => true,
            _ => self.source.is_sound(threads)?,
        };
        let backup = if is_good { None } else { self.source.backup() };
        let Some(backup) = backup else { return Ok(false) };
        if !backup.is_whole(threads)? {
            return Ok(false);
        }
        let mut makers =
            Some(self.loading.as_mut().map_or(spare, |loading| std::mem::take(&mut loading.decoded.makers)));
        let seen = backup.seen();
        let Some(mut loading) = if_told(Loading::begin(&backup, self.range, &mut makers))? else { return Ok(false) };
        loading.decoded.is_only_first = self.default.is_some();
        let why = self.all().lines.into_iter().find(|line| !line.is_warning());
        let path = &self.source.shown;
        let why = why.map_or_else(|| format!("\"{path}\": expected a value, found an empty file"), |line| line.text);
        self.warning = Some(self.source.backup_loaded(&why));
        (self.source, self.seen, self.loading) = (backup, seen, Ok(loading));
        Ok(true)
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
        let code = if outcome.code == EngineError::OK { EngineError::ERR_FILE_CORRUPT } else { outcome.code };
        let seen = self.seen.take();
        if !is_whole {
            self.source.note(seen, Err(code));
        } else if self.range == (0, None) && seen.is_some_and(|seen| !seen.is_emptied()) {
            self.source.note(seen, Ok(()));
        }
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

impl Opens for Load {
    fn at(&self) -> Option<&Path> {
        self.source.at.as_deref().filter(|_| self.spare.is_some())
    }

    fn open(&mut self) -> Option<&Failure> {
        if self.spare.is_some() {
            self.seen = self.source.seen();
            self.loading = Loading::begin(&self.source, self.range, &mut self.spare);
            self.loading.iter_mut().for_each(|loading| loading.decoded.is_only_first = self.default.is_some());
            self.spare.get_or_insert_default();
        }
        self.loading.as_ref().err()
    }

    fn is_read(&self) -> bool {
        self.loading.as_ref().is_ok_and(|loading| loading.is_read)
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

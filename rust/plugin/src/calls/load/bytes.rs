//! Loads all bytes of a file, whatever they mean: decompressed or decrypted, if it is compressed or encrypted.

use std::path::Path;

use godot::builtin::{GString, PackedByteArray, Variant};
use godot::global::Error as EngineError;
use varbatch_storage::{Loader, Seen, encrypted};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::file::if_told;
use super::in_line::{InLine, Opens};
use super::{Source, key_of};
use crate::engine::{Growing, Slot};
use crate::jobs::pool;
use crate::jobs::task::Job;
use crate::jobs::tuning::LOAD_PARALLEL_FROM;
use crate::report::{Cause, Failure, Outcome};

pub struct LoadBytes {
    source: Source,
    /// The file, as it was before it was opened.
    seen: Option<Seen>,
    reading: Result<Reading, Failure>,
    /// True if the arguments are.
    is_valid: bool,
    /// If the backup is read: why, and what was read of the file itself.
    replaced: Option<(Failure, Result<Reading, Failure>)>,
}

struct Reading {
    loader: Loader,
    piece: Vec<u8>,
    bytes: Growing,
}

impl Reading {
    fn begin(source: &Source) -> Result<Self, Failure> {
        let loader = source.open()?;
        let (len, _) = loader.len();
        let mut room = Vec::<u8>::new();
        let has_room = usize::try_from(len).is_ok_and(|len| room.try_reserve_exact(len).is_ok());
        // Or the compiler leaves the allocation out.
        drop(std::hint::black_box(room));
        let large = || format!("\"{}\": expected a file that fits into memory, found {len} bytes", source.shown);
        // A compressed file can announce any length: its bytes get more room as they are read.
        let room = if loader.compression().is_some() { 0 } else { len as usize };
        let bytes = if has_room { Growing::try_with_room(room) } else { None };
        let begun = bytes.map(|bytes| Self { loader, piece: Vec::new(), bytes });
        begun.ok_or_else(|| Failure::new(EngineError::ERR_OUT_OF_MEMORY, large()))
    }

    /// Returns false at the end.
    fn read_some(&mut self, source: &Source, threads: &Threads) -> Result<bool, Failure> {
        let Self { loader, piece, bytes } = self;
        loader
            .read_bytes(piece, threads)
            .map_err(|damage| Failure::from(damage).of(format_args!("\"{}\"", source.shown)))?;
        let is_plain = source.key.is_none() && loader.compression().is_none();
        if is_plain && bytes.len() == 0 && piece.starts_with(&encrypted::MAGIC) {
            let why = "expected a file without encryption, found an encrypted one; pass its password or key";
            return Err(Failure::new(Cause::Key, format_args!("\"{}\": {why}", source.shown)));
        }
        bytes.grow(piece.len(), loader.unread() as usize).write_copy_of_slice(piece);
        Ok(!piece.is_empty())
    }
}

/// Loads the bytes that were saved, or none.
pub fn load_bytes(path: &GString, key: &Variant) -> Outcome<PackedByteArray> {
    let mut load = LoadBytes::of(path, key);
    load.open();
    // Only decompression is shared by threads.
    let is_slow = |loader: &Loader| loader.compression().is_some() && loader.unread() >= LOAD_PARALLEL_FROM;
    let is_large = load.reading.as_ref().is_ok_and(|reading| is_slow(&reading.loader));
    pool::with(is_large, |threads| while load.read_some(threads) {});
    load.end()
}

impl LoadBytes {
    pub fn new(path: &GString, key: &Variant) -> InLine<Self> {
        InLine::new(Self::of(path, key))
    }

    /// A load whose file is not open yet.
    fn of(path: &GString, key: &Variant) -> Self {
        let key = key_of(key);
        let (is_valid, source) = (key.is_ok(), Source { key: key.clone().unwrap_or_default(), ..Source::plain(path) });
        let why = key.err().unwrap_or_default();
        let reading = Err(Failure::invalid(format_args!("cannot load \"{}\": {why}", source.shown)));
        Self { source, seen: None, reading, is_valid, replaced: None }
    }

    /// Reads some bytes, of the backup if the file is damaged. Returns false at the end.
    fn read_some(&mut self, threads: &Threads) -> bool {
        let read = match &mut self.reading {
            Ok(reading) => reading.read_some(&self.source, threads),
            Err(failure) => Err(failure.clone()),
        };
        let failure = match read {
            Ok(true) => return true,
            // Unless somebody began to write to it, and did not end.
            Ok(false) if self.replaced.is_some() || !self.is_emptied() => return false,
            Ok(false) => {
                let shown = &self.source.shown;
                Failure::new(Cause::Damaged, format_args!("\"{shown}\": expected some bytes, found an empty file"))
            }
            Err(failure) => {
                self.reading = Err(failure.clone());
                failure
            }
        };
        if let Some((_, reading)) = self.replaced.take() {
            // The backup is no better.
            self.reading = reading;
            return false;
        }
        if failure.code != Cause::Damaged.into() && !self.is_emptied() {
            return false;
        }
        let backup = self.source.backup().filter(|backup| backup.seen().is_some_and(|seen| !seen.is_emptied()));
        let backup = match backup.map_or(Ok(None), |backup| if_told(Reading::begin(&backup))) {
            Ok(Some(backup)) => backup,
            Ok(None) => return false,
            Err(untold) => {
                // The file could not be loaded, and of its backup nothing is known.
                if !self.is_emptied() {
                    self.source.note_bytes(self.seen.take(), Err(failure.code));
                }
                self.reading = Err(untold);
                return false;
            }
        };
        self.replaced = Some((failure, std::mem::replace(&mut self.reading, Ok(backup))));
        true
    }

    fn is_emptied(&self) -> bool {
        self.seen.is_some_and(|seen| seen.is_emptied())
    }

    fn end(&mut self) -> Outcome<PackedByteArray> {
        let is_whole = self.reading.is_ok() && self.replaced.is_none();
        // A save sets a file aside that could not be loaded. Only a hash tells that all bytes are those that were saved.
        let code = match (&self.reading, &self.replaced) {
            (Err(failure), _) | (_, Some((failure, _))) => Err(failure.code),
            _ => Ok(()),
        };
        let is_known = !is_whole && !self.is_emptied() || is_whole && self.source.key.is_some();
        let seen = self.seen.take();
        if is_known {
            self.source.note_bytes(seen, code);
        }
        match &mut self.reading {
            Ok(reading) => {
                let told = self.replaced.take().map(|(why, _)| self.source.backup_loaded(&why.text));
                Outcome::new(reading.bytes.take(), told.into_iter().collect())
            }
            Err(failure) => Outcome::failed(PackedByteArray::new(), failure.clone()),
        }
    }
}

impl Work for LoadBytes {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        if self.read_some(threads) {
            return NextStep::More;
        }
        self.reading.iter_mut().for_each(|reading| reading.loader.close());
        NextStep::Done
    }

    fn progress(&self) -> f32 {
        let read = |Reading { loader, bytes, .. }: &Reading| {
            let read = bytes.len() as f32;
            read / (read + loader.unread() as f32).max(1.0)
        };
        self.reading.as_ref().map_or(0.0, read)
    }
}

impl Opens for LoadBytes {
    fn at(&self) -> Option<&Path> {
        self.source.at.as_deref().filter(|_| self.is_valid)
    }

    fn open(&mut self) -> Option<&Failure> {
        if self.is_valid {
            self.seen = self.source.seen();
            self.reading = Reading::begin(&self.source);
        }
        self.reading.as_ref().err()
    }
}

impl Job for LoadBytes {
    fn outcome(&mut self) -> Outcome<Slot> {
        self.end().into_slot()
    }
}

//! What waits for the disk and changes no value: free pages are given back, the file is copied, renamed or removed.

use std::path::PathBuf;
use std::sync::Arc;

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_storage::Ticket;
use varbatch_store::{self as store, Copy, Reader, StoreError};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::call::{StoreCall, StoreWork, Turn};
use super::{StoreFile, copies_of, not_opened, path_of, set_aside_line, take_all, turns_at};
use crate::calls::line::WriteTicket;
use crate::engine::{self, Slot};
use crate::jobs::pool;
use crate::jobs::task::Job;
use crate::report::{Failure, Line, Outcome};

/// Bytes that a step copies.
const COPIED: usize = 8 << 20;

fn done(result: Result<Option<Line>, Failure>) -> Outcome<EngineError> {
    Outcome::of_code(result.map(|warning| Outcome::new(EngineError::OK, warning.into_iter().collect())))
}

/// Gives back free pages.
pub struct Upkeep {
    /// Free pages at the start, and those that are left, once it has begun.
    pages: Option<(i64, i64)>,
}

impl Upkeep {
    pub fn shrink(file: &Arc<StoreFile>) -> StoreCall<Self> {
        StoreCall::new(file, Self { pages: None })
    }
}

impl StoreWork for Upkeep {
    const RETURNS_CODE: bool = true;

    fn step(&mut self, turn: &Turn, _: &Threads) -> Result<NextStep, Failure> {
        let failed = |error| turn.file.failure(&error);
        let Some((_, left)) = &mut self.pages else {
            let all = turn.file.with(|store| store.free_pages().map_err(failed))?;
            self.pages = Some((all, all));
            return Ok(NextStep::Blocking);
        };
        *left = turn.file.with(|store| store.shrink().map_err(failed))?;
        Ok(if *left == 0 { NextStep::Done } else { NextStep::Blocking })
    }

    fn progress(&self) -> f32 {
        self.pages.map_or(0.0, |(all, left)| (all - left) as f32 / all.max(1) as f32)
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        done(result.map(|()| None)).into_slot()
    }
}

/// Copies the state of one moment, while saves go on.
pub struct Backup {
    path: PathBuf,
    shown: String,
    result: Result<(), Failure>,
    /// The state of the file, until it is the first at its path.
    reader: Option<Reader>,
    work: Option<(Copy, Reader)>,
    /// Until the state is held; and the file until all is copied, which the ticket outlives.
    turn: Option<WriteTicket>,
    file: Option<Arc<StoreFile>>,
    copies: Option<WriteTicket>,
    /// Its positions at the path: among copies, and among all calls.
    target: Vec<WriteTicket>,
    waits: bool,
}

impl Backup {
    pub fn held(file: &Arc<StoreFile>, path: &GString) -> impl Job + 'static {
        let (path, result, shown) = match path_of(path) {
            Ok(at) => (at, Ok(()), path.to_string()),
            Err(failure) => (PathBuf::new(), Err(failure), String::new()),
        };
        let is_valid = result.is_ok();
        let (own, line) = (&file.line, Ticket::line(&path));
        // Calls to the path that come later find the copy, which finds what those before have left. One to the store's own path
        // fails.
        let target = (line != *own).then(|| [copies_of(&line), line]);
        let lines = [copies_of(own), Arc::clone(own)].into_iter().chain(target.into_iter().flatten());
        let mut tickets = take_all(lines.filter(|_| is_valid)).into_iter();
        let (copies, turn, target) = (tickets.next(), tickets.next(), tickets.collect());
        Self {
            path,
            shown,
            result,
            reader: None,
            work: None,
            turn,
            file: is_valid.then(|| Arc::clone(file)),
            copies,
            target,
            waits: false,
        }
    }

    /// Returns true when all is copied.
    fn copy_some(&mut self) -> Result<bool, Failure> {
        let Some(file) = &self.file else { return Ok(true) };
        let (path, shown) = (&self.path, &self.shown);
        let failed = |error: StoreError| not_opened(path, shown, &error);
        let Some((copy, reader)) = &mut self.work else {
            let Some(reader) = self.reader.take() else {
                let mut reader = file.new_reader()?;
                reader.hold().map_err(|error| file.failure(&error))?;
                self.reader = Some(reader);
                self.turn = None;
                return Ok(false);
            };
            self.work = Some((Copy::begin(path).map_err(failed)?, reader));
            return Ok(false);
        };
        let is_more = copy.add(reader, COPIED).map_err(|error| match error {
            StoreError::Full => failed(error),
            error => file.failure(&error),
        })?;
        if is_more {
            return Ok(false);
        }
        let copied = self.work.take().map_or(Ok(()), |(copy, _)| copy.end());
        engine::keep(path);
        copied.map(|()| true).map_err(failed)
    }

    /// The positions in which it waits: first for the store, then for the path.
    fn awaited(&self) -> impl Iterator<Item = &WriteTicket> {
        let is_held = self.turn.is_none() && self.reader.is_some();
        self.turn.iter().chain(self.target.iter().filter(move |_| is_held))
    }

    fn leave(&mut self) {
        (self.work, self.reader, self.turn, self.file) = (None, None, None, None);
        (self.copies, self.target) = (None, Vec::new());
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Work for Backup {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        if self.awaited().any(|ticket| ticket.0.first_before().is_some()) {
            return NextStep::Parked;
        }
        if self.file.is_some() && !std::mem::replace(&mut self.waits, true) {
            return NextStep::Blocking;
        }
        match self.copy_some() {
            Ok(false) => return NextStep::Blocking,
            Ok(true) => {}
            Err(failure) => self.result = self.result.clone().and(Err(failure)),
        }
        self.leave();
        NextStep::Done
    }

    /// Once it was asked for, a copy is made before the game has ended.
    fn outlives_shut_down(&self) -> bool {
        true
    }

    fn unblock(&mut self, _: &Threads) {
        self.awaited().for_each(|ticket| ticket.wait(&pool::threads()));
    }

    fn progress(&self) -> f32 {
        0.0
    }
}

impl Job for Backup {
    fn tickets(&self) -> Vec<u64> {
        self.turn.iter().chain(&self.copies).chain(&self.target).map(|ticket| ticket.0.number()).collect()
    }

    fn returns_code(&self) -> bool {
        true
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        done(self.result.clone().map(|()| None)).into_slot()
    }
}

/// Removes a store that is closed, with the files beside it.
pub fn remove(path: &GString) -> Outcome<EngineError> {
    done(path_of(path).and_then(|at| {
        let _turns = turns_at(&[&at]);
        let set_aside = store::remove(&at).map_err(|error| not_opened(&at, &path.to_string(), &error))?;
        engine::keep(&at);
        Ok(set_aside.map(|aside| set_aside_line(&path.to_string(), &aside)))
    }))
}

/// Gives a store that is closed another name.
pub fn rename(from: &GString, to: &GString) -> Outcome<EngineError> {
    done(path_of(from).and_then(|at| {
        let target = path_of(to)?;
        let _turns = turns_at(&[&at, &target]);
        let set_aside = store::rename(&at, &target).map_err(|(path, error)| {
            let shown = if path == at { from } else { to };
            not_opened(path, &shown.to_string(), &error)
        })?;
        engine::keep(&target);
        Ok(set_aside.map(|aside| set_aside_line(&from.to_string(), &aside)))
    }))
}

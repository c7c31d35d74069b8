//! A call to a store that takes its turn: on its own thread, or as a task.

use std::sync::Arc;

use godot::builtin::VarArray;
use godot::global::Error as EngineError;
use varbatch_store::Store;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::StoreFile;
use super::checkpoint::checkpoint;
use crate::calls::line::WriteTicket;
use crate::engine::Slot;
use crate::jobs::pool;
use crate::jobs::task::Job;
use crate::report::{Failure, Outcome};

/// What a call does, in steps.
pub trait StoreWork {
    /// True if the call must complete when the player closes the game.
    const COMPLETES: bool = false;
    /// True if the result is an `Error`.
    const RETURNS_CODE: bool = Self::COMPLETES;

    /// Does the next step in the call's turn. After [`NextStep::Done`] and [`NextStep::Owner`] others have it.
    fn step(&mut self, turn: &Turn, threads: &Threads) -> Result<NextStep, Failure>;

    /// Returns how the call has ended, if another one has done its work. Not when this one has.
    fn end_by_other(&self) -> Option<Result<(), Failure>> {
        None
    }

    /// True if the call must go on though it was cancelled. If not, no other one does its work any more.
    fn is_committed(&self, _turn: &Turn) -> bool {
        false
    }

    /// Takes back the steps of a call that failed or was cancelled. Also called when nothing was done, or all.
    fn take_back(&mut self, _turn: &Turn) {}

    /// Does a step after those of the turn, once [`Self::step`] has returned [`NextStep::Owner`]. Scripts may use the file.
    fn step_with_engine(&mut self) -> NextStep {
        NextStep::Done
    }

    fn progress(&self) -> f32;

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot>;
}

/// Nothing, if the arguments were invalid.
impl<W: StoreWork> StoreWork for Option<W> {
    const COMPLETES: bool = W::COMPLETES;
    const RETURNS_CODE: bool = W::RETURNS_CODE;

    fn step(&mut self, turn: &Turn, threads: &Threads) -> Result<NextStep, Failure> {
        self.as_mut().map_or(Ok(NextStep::Done), |work| work.step(turn, threads))
    }

    fn end_by_other(&self) -> Option<Result<(), Failure>> {
        self.as_ref()?.end_by_other()
    }

    fn is_committed(&self, turn: &Turn) -> bool {
        self.as_ref().is_some_and(|work| work.is_committed(turn))
    }

    fn step_with_engine(&mut self) -> NextStep {
        self.as_mut().map_or(NextStep::Done, W::step_with_engine)
    }

    fn take_back(&mut self, turn: &Turn) {
        self.iter_mut().for_each(|work| work.take_back(turn));
    }

    fn progress(&self) -> f32 {
        self.as_ref().map_or(0.0, W::progress)
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        match (self, result) {
            (Some(work), result) => work.outcome(result),
            (None, result) if W::RETURNS_CODE => {
                Outcome::of_code(result.map(|()| Outcome::new(EngineError::OK, Vec::new()))).into_slot()
            }
            // The others return an Array.
            (None, result) => Outcome::from(result.map(|()| Outcome::new(VarArray::new(), Vec::new()))).into_slot(),
        }
    }
}

/// The file and the position of a call. The file is dropped first: the next call may open it.
pub struct Turn {
    pub file: Arc<StoreFile>,
    pub ticket: WriteTicket,
}

impl Turn {
    pub fn of(file: &Arc<StoreFile>) -> Self {
        Self { file: Arc::clone(file), ticket: file.ticket() }
    }
}

/// A call to a store, which begins when those before it have left the file.
pub struct StoreCall<W: StoreWork> {
    pub work: W,
    pub result: Result<(), Failure>,
    /// As long as the call needs it. No script runs meanwhile, and nothing is dropped that a script may see the end of.
    turn: Option<Turn>,
    has_begun: bool,
}

impl<W: StoreWork> StoreCall<W> {
    /// Takes the position of a call. What its arguments ran has run, and what they made is gone.
    pub fn new(file: &Arc<StoreFile>, work: W) -> Self {
        Self::in_turn(work, Ok(Turn::of(file)))
    }

    pub fn in_turn(work: W, turn: Result<Turn, Failure>) -> Self {
        let (turn, result) = turn.map_or_else(|failure| (None, Err(failure)), |turn| (Some(turn), Ok(())));
        Self { work, result, turn, has_begun: false }
    }

    fn next(&mut self, threads: &Threads) -> NextStep {
        let Some(turn) = &self.turn else {
            return if self.result.is_ok() { self.work.step_with_engine() } else { NextStep::Done };
        };
        // Asked again below: who has done its work says so, and only then lets this one be the first.
        let is_first = self.work.end_by_other().is_none() && turn.ticket.is_first();
        if let Some(result) = self.work.end_by_other() {
            (self.turn, self.result) = (None, result);
            return NextStep::Done;
        }
        if !is_first {
            return NextStep::Parked;
        }
        self.has_begun = true;
        let step = self.work.step(turn, threads).unwrap_or_else(|failure| {
            self.result = Err(failure);
            NextStep::Done
        });
        if matches!(step, NextStep::Done | NextStep::Owner) {
            self.leave();
        }
        step
    }

    /// Lets the next call have the file.
    fn leave(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        self.work.take_back(&turn);
        if self.has_begun && turn.file.act(Store::take_checkpoint_due).unwrap_or(false) {
            checkpoint(&turn.file);
        }
    }

    pub fn run(&mut self, threads: &Threads) {
        loop {
            match self.next(threads) {
                NextStep::Done => return,
                NextStep::Parked => self.turn.iter().for_each(|turn| turn.ticket.wait(&pool::threads())),
                _ => {}
            }
        }
    }
}

impl<W: StoreWork> Drop for StoreCall<W> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl<W: StoreWork + Send + 'static> Work for StoreCall<W> {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        self.next(threads)
    }

    fn unblock(&mut self, _: &Threads) {
        self.turn.iter().for_each(|turn| turn.ticket.wait(&pool::threads()));
    }

    fn progress(&self) -> f32 {
        self.work.progress()
    }

    fn outlives_shut_down(&self) -> bool {
        W::COMPLETES
    }

    fn is_parked(&self) -> bool {
        self.turn.is_some()
    }

    fn is_committed(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| self.work.is_committed(turn))
    }
}

impl<W: StoreWork + Send + 'static> Job for StoreCall<W> {
    fn tickets(&self) -> Vec<u64> {
        self.turn.iter().map(|turn| turn.ticket.0.number()).collect()
    }

    fn returns_code(&self) -> bool {
        W::RETURNS_CODE
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        self.work.outcome(self.result.clone())
    }
}

//! Many values at once, over threads.

use std::sync::Mutex;

use super::{Losses, Translation};
use crate::error::Error;
use crate::frames::{self, Frame};
use crate::plan::Plan;
use crate::threads::Threads;
use crate::writer::Writer;

/// Bytes of frames that a thread translates before it asks for more: about half a millisecond.
const RUN: usize = 256 << 10;

/// Frames of the other engine.
#[derive(Debug, Default)]
pub struct Frames<'a> {
    /// The frames, one plan behind the other.
    pub plans: Vec<Plan<'a>>,
    /// How many there are.
    pub count: usize,
    /// What was lost.
    pub losses: Losses,
}

/// Translates all values of a stream of frames.
///
/// # Errors
/// The first, and the index of its frame: if one is damaged, or the other engine has no type for a part of its value.
pub fn frames<'a>(bytes: &'a [u8], translation: Translation, threads: &Threads) -> Result<Frames<'a>, (usize, Error)> {
    let whole = frames::whole_len(bytes);
    let mut all = Frames::default();
    for run in translate(runs(&bytes[..whole]), translation, threads) {
        all.append(run)?;
    }
    match frames::read(&bytes[whole..]).next() {
        Some(Err(mut error)) => {
            error.at += whole;
            Err((all.count, error))
        }
        _ => Ok(all),
    }
}

/// Some frames, and where they begin in the stream.
pub(super) type Piece<'a> = (&'a [u8], usize);

/// Cuts whole frames into runs.
fn runs(bytes: &[u8]) -> impl Iterator<Item = Piece<'_>> + Send {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &bytes[at..];
        let mut ends = frames::read(rest).map_while(Result::ok).map(|frame| frame.at + frame.payload.len());
        let mut len = ends.next()?;
        while len < RUN
            && let Some(end) = ends.next()
        {
            len = end;
        }
        at += len;
        Some((&rest[..len], at - len))
    })
}

/// What became of some frames.
pub(super) struct Run<'a> {
    plan: Plan<'a>,
    count: usize,
    losses: Losses,
    error: Option<Error>,
}

/// Translates pieces of a stream, in their order.
pub(super) fn translate<'a>(
    pieces: impl Iterator<Item = Piece<'a>> + Send,
    translation: Translation,
    threads: &Threads,
) -> Vec<Run<'a>> {
    let runs = Mutex::new(Vec::new());
    threads.for_each(pieces.enumerate(), |(order, (bytes, base))| {
        let run = Run::new(bytes, base, translation);
        runs.lock().expect("nothing panics while it is held").push((order, run));
    });
    let mut runs = runs.into_inner().expect("nothing panics while it is held");
    runs.sort_unstable_by_key(|(order, _)| *order);
    runs.into_iter().map(|(_, run)| run).collect()
}

impl<'a> Run<'a> {
    /// Translates whole frames until one fails.
    fn new(bytes: &'a [u8], base: usize, translation: Translation) -> Self {
        let mut writer = Writer::new(translation.to);
        // Most values take as much as before. It is not too much where long payloads are borrowed.
        writer.reserve_bytes(bytes.len().min(RUN));
        let (mut count, mut losses, mut error) = (0, Losses::default(), None);
        for Frame { at, payload } in frames::read(bytes).map_while(Result::ok) {
            let written = frames::write(&mut writer, |writer| {
                translation.value(payload, base + at, writer, &mut losses).map(|_| ())
            });
            if let Err(failed) = written {
                error = Some(failed);
                break;
            }
            count += 1;
        }
        Self { plan: writer.into_plan(), count, losses, error }
    }
}

impl<'a> Frames<'a> {
    /// Adds what became of the next frames.
    ///
    /// # Errors
    /// If one of them failed: the first, with its index in all.
    pub(super) fn append(&mut self, run: Run<'a>) -> Result<(), (usize, Error)> {
        self.count += run.count;
        if let Some(error) = run.error {
            return Err((self.count, error));
        }
        self.losses.append(run.losses);
        self.plans.push(run.plan);
        Ok(())
    }
}

//! Many values, in runs: who has several threads translates each run on one of them.

use super::{Losses, Translation};
use crate::error::CodecError;
use crate::frames::{self, Frame};
use crate::plan::Plan;
use crate::writer::Writer;

/// Bytes of frames in a run: about half a millisecond of work.
pub const RUN_LEN: usize = 256 << 10;

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

/// What became of a run of frames.
#[derive(Debug)]
pub struct Run<'a> {
    plan: Plan<'a>,
    count: usize,
    losses: Losses,
    error: Option<CodecError>,
}

impl Translation {
    /// Translates whole frames, which begin at `base` of a stream, until one fails.
    pub fn run(self, bytes: &[u8], base: usize) -> Run<'_> {
        let mut writer = Writer::new(self.to);
        // Most values take as much as before. It is not too much where long payloads are borrowed.
        writer.reserve_bytes(bytes.len().min(RUN_LEN));
        let (mut count, mut losses, mut error) = (0, Losses::default(), None);
        for Frame { at, payload } in frames::read(bytes).map_while(Result::ok) {
            let written =
                frames::write(&mut writer, |writer| self.value(payload, base + at, writer, &mut losses).map(|_| ()));
            if let Err(failed) = written {
                error = Some(failed);
                break;
            }
            count += 1;
        }
        Run { plan: writer.into_plan(), count, losses, error }
    }
}

impl<'a> Frames<'a> {
    /// Adds what became of the next run.
    ///
    /// # Errors
    /// If one of its frames failed: its index in all, and why.
    pub fn append(&mut self, run: Run<'a>) -> Result<(), (usize, CodecError)> {
        self.count += run.count;
        if let Some(error) = run.error {
            return Err((self.count, error));
        }
        self.losses.append(run.losses);
        self.plans.push(run.plan);
        Ok(())
    }
}

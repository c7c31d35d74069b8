//! Translates many values in runs, so that callers with several threads can translate them in parallel.

use crate::error::CodecError;
use crate::frames::{self, Frame};
use crate::plan::Plan;
use crate::writer::Writer;

use super::loss::Losses;
use super::translation::Translation;

/// Bytes of frames in a run: about half a millisecond of work.
#[doc(hidden)]
pub const RUN_LEN: usize = 256 << 10;

/// Translated frames.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct TranslatedFrames<'a> {
    /// The plans of the frames, in order.
    pub plans: Vec<Plan<'a>>,
    /// The number of frames.
    pub count: usize,
    /// The losses of all frames.
    pub losses: Losses,
}

/// The translation of a run of frames.
#[doc(hidden)]
#[derive(Debug)]
pub struct TranslatedRun<'a> {
    plan: Plan<'a>,
    count: usize,
    losses: Losses,
    error: Option<CodecError>,
}

impl Translation {
    /// Translates whole frames, starting at offset `base` of a stream, until one fails.
    #[doc(hidden)]
    pub fn run(self, bytes: &[u8], base: usize) -> TranslatedRun<'_> {
        let mut writer = Writer::new(self.to);
        // Most values keep their length. Long payloads are borrowed, so this is not too much.
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
        TranslatedRun { plan: writer.into_plan(), count, losses, error }
    }
}

impl<'a> TranslatedFrames<'a> {
    /// Appends the next run.
    ///
    /// # Errors
    /// If one of its frames failed: its index among all frames, and the error.
    pub fn append(&mut self, run: TranslatedRun<'a>) -> Result<(), (usize, CodecError)> {
        self.count += run.count;
        if let Some(error) = run.error {
            return Err((self.count, error));
        }
        self.losses.append(run.losses);
        self.plans.push(run.plan);
        Ok(())
    }
}

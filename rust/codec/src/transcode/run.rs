//! Translates a run of frames: as many as a thread takes at a time.

use super::{Losses, Translation};
use crate::frames::{self, Frame};
use crate::{CodecError, Plan, Writer};

/// Bytes of frames in a run: about half a millisecond of work.
pub const RUN_LEN: usize = 256 << 10;

/// The translation of a run of frames.
#[derive(Debug)]
pub struct TranslatedRun<'a> {
    /// The frames.
    pub plan: Plan<'a>,
    /// How many there are.
    pub count: usize,
    /// What they have lost.
    pub losses: Losses,
    /// The error of the frame after them, if that one failed.
    pub error: Option<CodecError>,
}

impl Translation {
    /// Translates whole frames, starting at offset `base` of a stream, until one fails.
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
